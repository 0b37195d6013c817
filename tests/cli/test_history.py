"""`history` and `export`, on questions asked in the terminal."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.corrections import Verdict
from app.core.report import Silent
from app.flows.ask.read import read_document
from app.flows.teach.corrections import correct
from app.flows.workspace import Workspace
from app.library.history import History
from app.settings import settings as settings_file
from app.settings.paths import default_paths
from tests.helpers.terminal import AsJson, Command


@pytest.fixture
def asked(command: Command, document: str) -> str:
    """A document that was asked two questions: entry 1 has an answer, entry 2 has none."""
    for question in ("What was stolen: tarts?", "Who is the duchess?"):
        assert command("ask", document, "--question", question)[0] == 0
    return document


def history(tmp_path: Path) -> History:
    return History(default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")}).history_file)


def test_what_was_asked_is_listed_newest_first(command: Command, asked: str) -> None:
    code, out, err = command("history")
    assert (code, err) == (0, "")
    first, second = out.split("\n\n")
    assert first.splitlines()[:2] == [
        "2  Who is the duchess?",
        "  The text does not say. 90% sure.",
    ]
    lines = second.splitlines()
    assert lines[:3] == ["1  What was stolen: tarts?", "  tarts", "  Likely, 80%."]
    assert lines[3].startswith("  tarts.txt, ")


def test_a_text_without_a_name_is_called_one(command: Command, asked: str, tmp_path: Path) -> None:
    with closing(history(tmp_path)) as entries:
        entries.add(replace(entries.get(1), number=0, name=""))
    assert "\n  A text, " in command("history")[1]


def test_words_limit_and_json(command: Command, asked: str, as_json: AsJson) -> None:
    assert "duchess" not in command("history", "stol")[1]
    _, out, _ = command("history", "--limit", "1")
    assert out.endswith("\n1 of 2 entries; --limit shows more.\n")
    values = as_json("history", "knave")  # a word of the answer's sentence
    assert values["total"] == 1
    (entry,) = values["entries"]
    assert (entry["number"], entry["answers"][0]["text"], entry["path"]) == (1, "tarts", asked)
    assert command("history", "zebra")[1] == "Nothing was found.\n"


def test_what_was_said_of_an_answer_is_told(
    command: Command, asked: str, tmp_path: Path, as_json: AsJson
) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    with closing(Workspace(settings_file.load(paths.settings_file), paths)) as workspace:
        opened = read_document(workspace, Path(asked), Silent())
        correct(workspace, opened, workspace.history.get(1), Verdict.NOT_THERE, Silent())
    first, second = command("history")[1].split("\n\n")
    assert "You said" not in first and "\n  You said: not in the text.\n" in second
    values = as_json("history")["entries"]
    assert [(one["verdict"], one["right_words"]) for one in values] == [("", ""), ("not there", "")]
    assert command("history", "--delete", "1")[0] == 0
    with closing(Workspace(settings_file.load(paths.settings_file), paths)) as workspace:
        assert workspace.corrections.count() == 1


def test_an_empty_history_is_said(command: Command) -> None:
    assert command("history") == (0, "Nothing was asked yet.\n", "")


def test_no_history_and_batches_leave_none(command: Command, document: str, tmp_path: Path) -> None:
    command("ask", document, "--question", "What about tarts?", "--no-history")
    batch = tmp_path / "in.jsonl"
    batch.write_text('{"id": "1", "context": "The tarts.", "question": "What of tarts?"}\n')
    assert command("ask", "--batch", str(batch), "--output", str(tmp_path / "out.jsonl"))[0] == 0
    assert not history(tmp_path).entries()


def test_an_answer_is_given_also_where_it_cannot_be_kept(
    command: Command, document: str, tmp_path: Path
) -> None:
    data = tmp_path / "home" / "data"
    data.parent.mkdir()
    data.write_text("a file where the folder should be")
    code, out, err = command("ask", document, "--question", "What was stolen: tarts?")
    assert (code, out.splitlines()[0]) == (0, "tarts")
    assert "The history in" in err and "could not be used" in err


def test_entries_are_deleted(command: Command, asked: str, tmp_path: Path, as_json: AsJson) -> None:
    assert command("history", "--delete", "1")[1] == "1 entry deleted.\n"
    code, _, err = command("history", "--delete", "1")
    assert (code, err) == (2, "The history has no entry 1. It may have been deleted.\n")
    code, _, err = command("history", "--delete-all")
    assert code == 2 and "Add --yes" in err
    assert as_json("history", "--delete-all", "--yes") == {"deleted": 1}
    assert not history(tmp_path).entries()


@pytest.mark.usefixtures("at_a_terminal")
def test_a_person_is_asked_before_everything_is_deleted(
    command: Command, asked: str, monkeypatch: pytest.MonkeyPatch, as_json: AsJson
) -> None:
    for answer, code, left in (("n\n", 2, 2), ("y\n", 0, 0)):
        monkeypatch.setattr(sys.stdin, "readline", lambda answer=answer: answer, raising=False)
        assert command("history", "--delete-all")[0] == code
        assert as_json("history")["total"] == left


def test_an_entry_is_checked_again(command: Command, asked: str, as_json: AsJson) -> None:
    assert command("history", "--check", "1") == (0, "The same answer, at the same place.\n", "")
    Path(asked).write_text("Nothing of the kind.")
    values = as_json("history", "--check", "1")
    assert values["same"] is False and values["now"]["answered"] is False
    assert values["sentences"] == [
        "The text does not say any more (was “tarts”).",
        "The file has changed since.",
    ]
    assert values["before"]["number"] == 1


def test_export_to_standard_output(command: Command, asked: str) -> None:
    code, out, err = command("export")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["answer"] for row in rows] == ["", "tarts"]
    code, out, _ = command("export", "1", "--format", "markdown")
    assert "**tarts**" in out and "duchess" not in out
    out = command("export", "--search", "tarts", "--format", "json")[1]
    assert json.loads(out)["total"] == 2  # both stand in tarts.txt
    assert json.loads(command("export", "--format", "squad")[1])["version"] == "v2.0"


def test_export_to_a_file(command: Command, asked: str, tmp_path: Path) -> None:
    output = tmp_path / "answers.json"
    Path(asked).unlink()
    code, out, err = command("export", "--format", "squad", "--output", str(output))
    assert (code, out) == (0, f"2 entries exported to {output}.\n")
    assert "not there any more" in err
    assert json.loads(output.read_text("utf-8"))["data"]
