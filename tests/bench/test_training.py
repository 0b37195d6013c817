from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.bench import teaching, training
from app.bench.other_python import OtherPython
from app.bench.plan import BenchPlan
from app.bench.results import BenchPart, BenchRow
from app.bench.texts import Pool
from app.bench.training import Taught, compare, split
from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report, Silent, Stopped
from app.core.requests import TrainingRequest
from app.core.results import Training, TrainingStep
from app.flows.workspace import open_workspace
from app.models.disk.card import read_card
from app.settings.paths import default_paths
from app.training.examples import QaExample, read_qa_strictly
from tests.flows.fake_engine import fake_workspace
from tests.helpers.fake_python import fake_python
from tests.helpers.small_models import small_checkpoint

needs_programs = pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
PLAN = BenchPlan(("training",), questions=20, repeats=2)
# 0.4 s for a window padded to the most, 0.2 s for others; 24 examples make 26 windows of 150 tokens.
REFERENCE = """
import json
order = json.loads(sys.argv[3])
assert order["batch"] == 8 and order["length"] == 384 and order["dropout"] == 0.1
assert len(open(order["examples"]).readlines()) == 24
print(json.dumps({"torch": "2.0", "transformers": "4.57.6", "windows": 26, "tokens": 3900}), flush=True)
for line in sys.stdin:
    windows = 8 * int(line)
    each = 0.4 if order["padding"] == "max_length" else 0.2
    print(json.dumps({"seconds": windows * each, "windows": windows, "tokens": 150 * windows, "loss": 1}), flush=True)
"""


# The requests of trainings, with their examples.
Asked = list[tuple[TrainingRequest, list[QaExample]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Fake training that records its requests; a step takes 0.8 s, ten times as long in the first epoch and on dev."""
    runs: Asked = []
    now = [0.0]

    def train(workspace: object, request: TrainingRequest, report: Report) -> Training:
        examples = read_qa_strictly(Path(request.examples[0]))
        runs.append((request, examples))
        steps = -(-len(examples) // request.batch_size) * int(request.epochs)
        for step in range(1, steps + 1):
            now[0] += 0.8 if step > steps // 2 else 8.0
            report.partial(TrainingStep(step, steps, step / steps, 1.0, 1e-5))
        now[0] += 8.0
        report.partial(TrainingStep(steps, steps, 1.0, 1.0, 1e-5, {"f1": 1.0}))
        return Training(request.output, steps, steps, {"f1": 1.0}, 1.0)

    monkeypatch.setattr(training, "train", train)
    monkeypatch.setattr(training, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    return runs


def figures(part: BenchPart) -> dict[str, tuple[float, float | None]]:
    return {row.what: (row.value, row.ratio) for row in part.rows}


def test_only_the_second_epoch_counts(tmp_path: Path, asked: Asked) -> None:
    part = training.measure(fake_workspace(tmp_path), PLAN, Silent())
    assert {what: pytest.approx(value) for what, (value, _) in figures(part).items()} == {
        "a window": 100.0,
        "a window full with 384 tokens": 100.0,
    }
    assert part.reference == "" and all(row.ratio is None for row in part.rows)


def test_what_is_asked_of_the_trainer(tmp_path: Path, asked: Asked) -> None:
    training.measure(fake_workspace(tmp_path), PLAN, Silent())
    assert len(asked) == 4 and len({request.seed for request, _ in asked}) == 2
    ordinary = [examples for _, examples in asked if len(examples) == 24]
    full = [examples for _, examples in asked if len(examples) == training.FULL]
    assert len(ordinary) == len(full) == 2 and ordinary[0] == ordinary[1]
    assert any(example.answers for example in ordinary[0])
    assert all(len(example.context.split()) >= training.WORDS for example in full[0])
    request = asked[0][0]
    assert (request.batch_size, request.max_length, request.dropout) == (8, 384, 0.1)
    assert not Path(request.output).parent.exists()


@needs_programs
def test_beside_a_reference(tmp_path: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(PLAN, against=fake_python(tmp_path, REFERENCE))
    taught = Taught(BenchRow("F1", 60.0, "%", 50.0, more_is_better=True), "How F1 was found.", {"ours": 60.0})
    monkeypatch.setattr(training, "compare", lambda *_: taught)
    part = training.measure(fake_workspace(tmp_path), plan, Silent())
    ratios = {what: ratio for what, (_, ratio) in figures(part).items()}
    assert ratios == {
        "a window, beside run_qa's own padding": pytest.approx(4.0),
        "a window, beside padding to a batch's longest": pytest.approx(2.0),
        "a window full with 384 tokens": pytest.approx(4.0),
        "F1": pytest.approx(1.2),
    }
    assert part.notes[-1] == "How F1 was found." and part.details["taught"] == {"ours": 60.0}
    assert part.reference == "run_qa's loop, transformers 4.57.6 with torch 2.0"
    assert any("150 tokens" in note for note in part.notes)
    assert any("24 in all" in note and "texts, 26." in note for note in part.notes)


@needs_programs
def test_another_interpreter_that_fails_is_told(tmp_path: Path, asked: Asked) -> None:
    other = fake_python(tmp_path, 'sys.exit("No module named transformers")')
    with pytest.raises(SpanlightError, match="No module named transformers"):
        training.measure(fake_workspace(tmp_path), replace(PLAN, against=other), Silent())


def test_it_can_be_stopped(tmp_path: Path, asked: Asked) -> None:
    class Stopping(Silent):
        def check(self) -> None:
            if asked:
                raise Stopped

    with pytest.raises(Stopped):
        training.measure(fake_workspace(tmp_path), PLAN, Stopping())
    assert len(asked) == 1


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., OtherPython]:
    """Run the real reference in this interpreter on a small model and six examples, one longer than a window."""
    folder = tmp_path_factory.mktemp("reference")
    small_checkpoint(folder / "model", "bert", Head.QUESTION_ANSWERING)
    context = "the knave of hearts stole the tarts and took them away . "
    rows = [
        {
            "context": context * (6 if i == 0 else 1),
            "question": "who stole the tarts?",
            "answers": [{"text": "knave", "answer_start": 4}] if i else [],
        }
        for i in range(6)
    ]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))

    def start(padding: str) -> OtherPython:
        order = {
            "model": str(folder / "model"), "examples": str(folder / "rows.jsonl"), "padding": padding,
            "length": 32, "stride": 8, "batch": 2, "dropout": 0.1, "learning_rate": 1e-2, "seed": 1, "device": "cpu",
        }  # fmt: skip
        return OtherPython(sys.executable, teaching.SCRIPT, Silent(), json.dumps(order))

    return start


def test_the_reference_learns(reference: Callable[..., OtherPython]) -> None:
    with reference("max_length") as one:
        told = one.receive()
        assert told["windows"] > 6 and told["tokens"] < told["windows"] * 32
        losses = []
        for steps in (1, 24):
            one.send(str(steps))
            found = one.receive()
            assert found["windows"] == 2 * steps and found["seconds"] > 0
            assert 0 < found["tokens"] <= 2 * steps * 32
            losses.append(found["loss"])
    assert losses[0] > 2.5 and losses[1] < 1.5, losses  # by chance it is about 3.4


KINGS = ("king", "queen", "knave", "rabbit", "alice")


def about(thief: str, number: int) -> QaExample:
    context = f"in the year {number} the {thief} stole the tarts ."
    return QaExample(f"{number}", context, "who stole the tarts?", ((thief, context.index(thief)),))


def pool_of(count: int) -> Pool:
    asked = [about(KINGS[number % len(KINGS)], number) for number in range(count)]
    return Pool(asked, [one.context for one in asked], "Said.")


def test_both_learn_from_the_same_start_and_are_held_against_the_same_questions(
    tmp_path: Path, spanlight_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_checkpoint(tmp_path / "model", "bert", Head.QUESTION_ANSWERING)
    monkeypatch.setattr(training, "TAUGHT", 48)
    monkeypatch.setattr(training, "HELD_OUT", 10)
    monkeypatch.setattr(teaching, "RATE", 5e-3)
    plan = BenchPlan(("training",), model=str(tmp_path / "model"), device="cpu", against=sys.executable)
    workspace = open_workspace(default_paths())
    try:
        found = compare(workspace, plan, read_card(tmp_path / "model"), pool_of(70), 256, Silent())
    finally:
        workspace.close()
    told = found.details
    assert (told["steps"], told["held"]) == (12, 10)
    assert (found.row.value, found.row.against) == (told["ours"], told["reference"])
    assert found.row.more_is_better and found.row.unit == "%"
    assert told["before"] < min(told["ours"], told["reference"])
    assert max(told["ours"], told["reference"]) <= 100
    assert f"{told['before']:.1f}%" in found.note


def test_what_is_held_out_shares_no_text_with_what_is_taught() -> None:
    asked = [one for one in pool_of(100).examples for _ in range(3)]
    examples, held = split(asked, 1)
    assert len(examples) % teaching.BATCH == 0 and len(examples) == 144
    assert len(held) == 150 and not {one.context for one in examples} & {one.context for one in held}
    assert (examples, held) == split(asked, 1) != split(asked, 2)
