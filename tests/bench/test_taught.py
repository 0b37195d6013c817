"""F1 after teaching, by Spanlight's trainer and by the reference's loop, both at work on a small model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.bench import taught, teaching
from app.bench.plan import BenchPlan
from app.bench.taught import compare, split
from app.bench.texts import Pool
from app.core.models import Head
from app.core.report import Silent
from app.flows.workspace import open_workspace
from app.models.disk.card import read_card
from app.settings.paths import default_paths
from app.training.examples import QaExample
from tests.helpers.small_models import small_checkpoint

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
    monkeypatch.setattr(taught, "EXAMPLES", 48)
    monkeypatch.setattr(taught, "HELD_OUT", 10)
    monkeypatch.setattr(teaching, "RATE", 5e-3)
    plan = BenchPlan(("training",), model=str(tmp_path / "model"), device="cpu", against=sys.executable)
    workspace = open_workspace(default_paths())
    try:
        found = compare(workspace, plan, read_card(tmp_path / "model"), pool_of(70), 256, Silent())
    finally:
        workspace.close()
    assert found is not None
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
