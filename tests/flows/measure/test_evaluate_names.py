from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report, Silent
from app.core.requests import ModelChoice
from app.core.results import Entity, Tagged, TaggedTexts
from app.core.text import Span
from app.flows.measure.evaluate_names import evaluate_names
from app.flows.measure.plan import Plan
from app.flows.workspace import Workspace
from app.models.disk.notes import read_notes
from tests.flows.fake_engine import FakeEngine, keeping_workspace

KNOWN = {"Ann Lee": "PER", "Rome": "LOC", "Paris": "PER", "Lee": "PER"}


class Finder(FakeEngine):
    """Finds the names it knows, Paris as a person's."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> object:
        items = []
        for text in request.texts:
            found = [
                Entity(Span(at, at + len(name)), name, kind, 0.9)
                for name, kind in KNOWN.items()
                if (at := text.find(name)) >= 0 and not (name == "Lee" and "Ann Lee" in text)
            ]
            items.append(Tagged(tuple(found), (), 1))
        return TaggedTexts(tuple(items), ("PER", "LOC"), 0.1)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return keeping_workspace(tmp_path, Finder(), Head.TOKEN_CLASSIFICATION)


def write(path: Path, *rows: str) -> str:
    """Rows like "Ann/B-person Lee/I-person came/O"."""
    pairs = [[pair.rpartition("/") for pair in row.split()] for row in rows]
    lines = [json.dumps({"tokens": [a for a, _, _ in p], "tags": [b for _, _, b in p]}) for p in pairs]
    path.write_text("\n".join(lines))
    return str(path)


def test_names_are_right_by_place_and_kind(tmp_path: Path, workspace: Workspace) -> None:
    one = write(
        tmp_path / "one.jsonl", "Ann/B-PER Lee/I-PER saw/O Rome/B-LOC ./O", "In/O Paris/B-LOC ,/O too/O"
    )
    two = write(tmp_path / "two.jsonl", "The/O Lee/B-ship sailed/O to/O Rome/B-place")
    plan = Plan((Path(one), Path(two + "?labels=place:LOC")), record=True)
    found = evaluate_names(workspace, plan, Silent())
    # There: Ann Lee, Rome, Paris (LOC), Rome. Found: Ann Lee, Rome, Paris (PER), Lee (PER), Rome.
    assert (found.texts, found.overall.names, found.overall.found) == (3, 4, 5)
    assert found.overall.precision == 3 / 5 and found.overall.recall == 3 / 4
    assert found.overall.f1 == pytest.approx(6 / 9)
    assert {k: (f.names, f.found, f.f1) for k, f in found.by_kind.items()} == {
        "LOC": (3, 2, pytest.approx(0.8)),
        "PER": (1, 3, pytest.approx(0.5)),
    }
    assert {s: f.names for s, f in found.by_source.items()} == {"one": 3, "two": 1}
    assert read_notes(tmp_path / "model").measured["one + two"]["f1 LOC"] == 0.8


def test_kinds_that_the_model_does_not_know_are_refused(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(SpanlightError, match="none of the kinds of names in the files: person"):
        evaluate_names(workspace, Plan((Path(write(tmp_path / "a.jsonl", "Ann/B-person")),)), Silent())


def test_texts_without_names_may_be_measured_and_no_texts_may_not(
    tmp_path: Path, workspace: Workspace
) -> None:
    found = evaluate_names(workspace, Plan((Path(write(tmp_path / "a.jsonl", "It/O rained/O")),)), Silent())
    assert (found.overall.names, found.overall.found, found.overall.f1) == (0, 0, 0.0)
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(SpanlightError, match="no text"):
        evaluate_names(workspace, Plan((tmp_path / "a.jsonl",)), Silent())
