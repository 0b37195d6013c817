"""Measure teaching a reader: what corrections of a domain gain there, what they cost elsewhere, and the time."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from time import perf_counter

from app.bench.plan import BenchPlan
from app.bench.readers import Part
from app.bench.results import BenchRow
from app.bench.teaching import write
from app.core.errors import SpanlightError
from app.core.report import Report
from app.flows.measure.evaluate import evaluate_qa
from app.flows.measure.plan import Plan
from app.flows.teach.reader import teach_reader
from app.flows.workspace import Workspace
from app.training.examples import QaExample, read_qa

CORRECTIONS, HELD, DRAWS = 64, 160, 2
READERS = ("reader-quick", "reader-careful")
NOTE = (
    f"A reader is taught {CORRECTIONS} questions about reviews of electronics and asked {HELD} others; what it knew is"
    " 202 questions like those that it was made from. The gains are points of F1, the mean of the draws."
)
# Opinions in reviews of electronics, which no bundled reader was taught on.
_FILE, _DOMAIN = "qa_train-subjqa.jsonl.xz", "subjqa-electronics"


def measure_readers(
    workspace: Workspace, plan: BenchPlan, report: Report
) -> tuple[list[BenchRow], dict[str, dict[str, list[float]]]]:
    """Teach readers a domain's corrections; returns rows, and each draw's figures. Raises SpanlightError, Stopped."""
    folder = Path(plan.data or ".")
    file = next((each for each in (folder / "qa" / _FILE, folder / _FILE) if each.is_file()), None)
    if file is None:
        if plan.model:
            raise SpanlightError(
                f"There is no {_FILE} to teach a reader from.", "Name its folder with --data."
            )
        return [], {}
    questions = [one for one in read_qa(file) if one.source == _DOMAIN]
    rows: list[BenchRow] = []
    details: dict[str, dict[str, list[float]]] = {}
    for name in (plan.model,) if plan.model else READERS:
        draws = [
            _teach(workspace, name, _draw(questions, seed), plan, Part(report, f"{name}, draw {seed + 1}"))
            for seed in range(plan.repeats or DRAWS)
        ]
        found = {what: [each[what] for each in draws] for what in draws[0]}
        details[name] = found
        gained, lost = (
            mean(found[f"{what}, after"]) - mean(found[f"{what}, before"]) for what in ("domain", "known")
        )
        rows += [
            BenchRow(f"{name}: F1 gained on {HELD} others of the domain", gained, "points", None, True),
            BenchRow(f"{name}: F1 gained on what it knew", lost, "points", None, True),
            BenchRow(f"{name}: {CORRECTIONS} corrections, taught and measured", mean(found["seconds"]), "s"),
        ]
    return rows, details


def _draw(questions: Sequence[QaExample], seed: int) -> tuple[list[QaExample], list[QaExample]]:
    """Draw corrections, and other questions on other texts."""
    order = random.Random(seed).sample(questions, len(questions))
    corrected = order[:CORRECTIONS]
    texts = {one.context for one in corrected}
    return corrected, [one for one in order[CORRECTIONS:] if one.context not in texts][:HELD]


def _teach(
    workspace: Workspace,
    name: str,
    drawn: tuple[list[QaExample], list[QaExample]],
    plan: BenchPlan,
    report: Report,
) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        corrected, others = (
            write(Path(folder) / f"{at}.jsonl", examples) for at, examples in enumerate(drawn)
        )

        def f1(model: str) -> float:
            found = evaluate_qa(workspace, Plan((others,)), report, model=model, device=plan.device)
            return found.measured[0].overall.f1

        output = Path(folder) / "taught"
        began = perf_counter()
        version = teach_reader(workspace, report, corrections=corrected, base=name, output=output)
        seconds = perf_counter() - began
        return {
            "domain, before": f1(name),
            "domain, after": f1(str(output)),
            "held out, before": version.held.before.f1,
            "held out, after": version.held.after.f1,
            "known, before": version.known.before.f1,
            "known, after": version.known.after.f1,
            "calibration error, before": version.known.before.calibration_error,
            "calibration error, after": version.known.after.calibration_error,
            "seconds": seconds,
        }
