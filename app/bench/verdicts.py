"""Simulates verdicts on documents unlike the dev data, and measures the calibration adjusted to them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from statistics import mean, stdev

from app.bench.plan import BenchPlan
from app.bench.results import BenchRow
from app.core.corrections import Judgement
from app.core.models import SHARED_AMONG, Adjustment, Head, QaCalibration
from app.core.reliability import calibration_error
from app.core.report import Quiet, Report
from app.core.requests import DevReading
from app.flows.batches import GroupReport
from app.flows.measure.evaluate import ask_known, dev_reading, question_on
from app.flows.workspace import Workspace
from app.tasks.scores import dev_probabilities
from app.training.examples import read_qa
from app.training.verdicts import fit_adjustment

# For each kind of documents, the adjustment that would make the shipped calibration right.
WORLDS = {
    "well calibrated": Adjustment(),
    "twice as sure as it should be": Adjustment(slope=0.5, sharing=2.0),
    "half as sure as it should be": Adjustment(slope=2.0, sharing=0.5),
    "texts that rarely answer": Adjustment(bias=-1.5),
    "texts that mostly answer": Adjustment(bias=1.5),
}
NUMBER, DRAWS, _HELD = 100, 16, 5000
NOTE = "The calibration error after verdicts is that of 5,000 simulated answers, ten bins; beside it that before."
_QUESTIONS = "questions-wikipedia.jsonl"


def measure_verdicts(workspace: Workspace, plan: BenchPlan, report: Report) -> list[BenchRow]:
    """Measure the calibration error after 100 verdicts in each of `WORLDS`, on readings of the bundled questions."""
    choice = workspace.choose(Head.QUESTION_ANSWERING, plan.model, plan.device, report, adjusted=False)
    examples = read_qa(workspace.paths.example_sets / _QUESTIONS)
    questions = [(example, question_on(example, top_k=SHARED_AMONG)) for example in examples]
    outcomes, _ = ask_known(
        workspace, questions, choice, GroupReport(Quiet(report), len(questions), "questions")
    )
    readings = [dev_reading(outcome) for outcome in outcomes]
    calibration = workspace.find_model(Head.QUESTION_ANSWERING, plan.model).calibration
    rows = []
    for name, world in WORLDS.items():
        found = [errors(readings, calibration, world, seed) for seed in range(plan.repeats or DRAWS)]
        before, after = mean(each[0] for each in found), [each[1] for each in found]
        spread = stdev(after) / mean(after) if len(after) > 1 else 0.0
        what = f"{name}: calibration error after {NUMBER} verdicts"
        rows.append(BenchRow(what, 100 * mean(after), "%", 100 * before, False, spread))
    return rows


def errors(
    readings: Sequence[DevReading], shipped: QaCalibration, world: Adjustment, seed: int, number: int = NUMBER
) -> tuple[float, float]:
    """Return the calibration error before and after adjusting to `number` verdicts, 0 to 1 (ten bins).

    Texts answer, and words are right, as often as the calibration adjusted to the `world` says of the readings. The
    errors are measured on 5,000 other draws.
    """
    dice = random.Random(seed)
    said, true = _probabilities(readings, shipped), _probabilities(readings, shipped.adjusted(world))

    def draw(count: int) -> Iterator[tuple[int, bool, bool]]:
        for at in dice.choices(range(len(true)), k=count):
            chance, share = true[at]
            answers = dice.random() < chance
            yield at, answers, answers and dice.random() < share

    judged = [
        Judgement(said[at][0] * said[at][1], *said[at], answers, right) for at, answers, right in draw(number)
    ]
    own = _probabilities(readings, shipped.adjusted(fit_adjustment(judged, shipped)))
    others = list(draw(_HELD))
    before, after = (
        calibration_error((found[at][0] * found[at][1], right) for at, _, right in others)
        for found in (said, own)
    )
    return before, after


def _probabilities(readings: Sequence[DevReading], calibration: QaCalibration) -> list[tuple[float, float]]:
    """Return each text's chance to answer, and the best words' share of it; readings without a span are left out."""
    return [dev_probabilities(calibration, each) for each in readings if each.scores]
