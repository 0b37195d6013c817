from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.teach.corrections import export_corrections
from app.flows.workspace import Workspace
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.corrections import OWN, PASSAGE, SHOWN, absent, correction, right


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "home", FakeEngine())
    yield workspace
    workspace.close()


def test_corrections_are_written_as_squad(workspace: Workspace, tmp_path: Path) -> None:
    kept = [
        correction("How long?"),
        right("How many days?"),
        absent("Who is the tenant?", sha256="b" * 64, name="other 🦉.txt"),
        absent("Is there a garden?", shown="", shown_span=None, answered=False),
    ]
    path = tmp_path / "corrections.json"
    assert export_corrections(workspace, kept, path, Silent()) == 4
    whole = json.loads(path.read_text("utf-8"))
    assert whole["version"] == "v2.0"
    assert [one["title"] for one in whole["data"]] == ["lease.pdf", "other 🦉.txt"]
    ((first,), (second,)) = (one["paragraphs"] for one in whole["data"])
    assert first["context"] == second["context"] == PASSAGE
    told = {qa["question"]: qa for paragraph in (first, second) for qa in paragraph["qas"]}
    assert len({qa["id"] for qa in told.values()}) == 4
    for question, words in (("How long?", OWN), ("How many days?", SHOWN)):
        (answer,) = told[question]["answers"]
        assert not told[question]["is_impossible"] and answer["text"] == words
        assert PASSAGE[answer["answer_start"] :].startswith(words)
    tenant, garden = told["Who is the tenant?"], told["Is there a garden?"]
    assert tenant["is_impossible"] and tenant["answers"] == garden["answers"] == []
    assert tenant["plausible_answers"] == [{"text": SHOWN, "answer_start": PASSAGE.index(SHOWN)}]
    assert "plausible_answers" not in garden


def test_nothing_is_not_exported(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="no corrections"):
        export_corrections(workspace, [], tmp_path / "none.json", Silent())
    assert not (tmp_path / "none.json").exists()
