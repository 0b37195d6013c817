"""`table`: a folder, a list of questions and a file of answers, stopped and started again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from app.core.report import Report, Stopped
from app.core.requests import ModelChoice
from app.flows.rows import lock_output
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import Command


class StopsAfter(FakeEngine):
    """An engine that stops as Ctrl+C does, after a number of questions."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        if len(self.requests) >= self._most:
            raise Stopped
        return super().run(request, choice, report)


def rows_of(path: Path) -> list[list[str]]:
    rows = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
    return [[row["document"], row["question"], row["answer"], row["state"]] for row in rows]


def test_a_folder_is_asked_and_only_what_is_new_the_next_time(
    command: Command, folder: Path, questions: str, tmp_path: Path
) -> None:
    out_file = tmp_path / "out.csv"
    arguments = ("table", questions, "--over", str(folder), "--output", str(out_file))
    stopping = StopsAfter(3)
    code, out, err = command(*arguments, engine=stopping)
    assert (code, out) == (130, "") and err.endswith("Stopped.\n")
    whole = [
        ["first.txt", "Who is Anna?", "Anna", "answer"],
        ["first.txt", "Who is Ben?", "", "not in the text"],
        ["second.md", "Who is Anna?", "", "not in the text"],
        ["second.md", "Who is Ben?", "Ben", "answer"],
    ]
    assert rows_of(out_file) == [*whole[:3], ["second.md", "Who is Ben?", "", "not read yet"]]
    engine = FakeEngine()
    code, out, err = command(*arguments, engine=engine)
    assert (code, err, len(engine.requests)) == (0, "", 1)
    assert out.startswith("4 answers read, 3 of them before, in ") and out.endswith(" 2 files read.\n")
    assert rows_of(out_file) == whole
    Path(questions).write_text("Where is Ben?\nWho is Ben?\n")
    engine = FakeEngine()
    code, out, err = command(*arguments, "--json", engine=engine)
    assert code == 0 and [request.text for request in engine.requests] == ["Where is Ben?"] * 2  # type: ignore[attr-defined]
    values = json.loads(out)
    assert (values["table"], values["library"], values["questions"]) == ("checks, Leases", "Leases", 2)
    assert (values["read"], values["before"], values["files"], values["files_read"]) == (2, 2, 2, 2)
    assert [row[1] for row in rows_of(out_file)] == ["Where is Ben?", "Who is Ben?"] * 2
    code, out, err = command("table", "list")
    assert (code, out, err) == (0, "checks, Leases: 3 questions over Leases\n", "")
    # The library by its name, the list with the answers beside it, as a table of another name.
    beside = tmp_path / "beside.csv"
    arguments = ("table", questions, "--over", "leases", "--output", str(beside), "--beside", "--name", "B")
    assert command(*arguments)[0] == 0
    assert beside.read_bytes().decode("utf-8-sig").splitlines() == [
        "question,first.txt,second.md",
        "Where is Ben?,not in the text,Ben",
        "Who is Ben?,not in the text,Ben",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("QUESTIONS", "--over", "FOLDER"), "--output is missing. Add --output OUT.xlsx."),
        (("QUESTIONS", "--output", "out.csv"), "--over is missing. Add --over FOLDER."),
        (("QUESTIONS", "--over", "FOLDER", "--output", "out.txt"), "Tables cannot be written as “out.txt”."),
        (("QUESTIONS", "--over", "FOLDER", "--output", "out.jsonl", "--beside"), ".csv or .xlsx."),
        (("QUESTIONS", "--over", "nowhere", "--output", "out.csv"), "There is no library “nowhere”."),
        (
            ("QUESTIONS", "--over", "no/where", "--output", "out.csv"),
            "There is no folder, and no library, “no",
        ),
        (("gone.txt", "--over", "FOLDER", "--output", "out.csv"), "There is no file “gone.txt”"),
        (("QUESTIONS", "--over", "EMPTY", "--output", "out.csv"), "There is no document in "),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(
    command: Command,
    folder: Path,
    questions: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    given = {"QUESTIONS": questions, "FOLDER": str(folder), "EMPTY": str(tmp_path / "empty")}
    code, out, err = command("table", *(given.get(each, each) for each in arguments))
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1
    assert not list(tmp_path.glob("out.*"))


def test_of_two_that_write_one_file_the_second_is_told(
    command: Command, folder: Path, questions: str, tmp_path: Path
) -> None:
    out_file, engine = tmp_path / "out.csv", FakeEngine()
    arguments = ("table", questions, "--over", str(folder), "--output", str(out_file))
    with lock_output(out_file):
        code, out, err = command(*arguments, engine=engine)
    assert (code, out, engine.requests) == (2, "", []) and "is writing “out.csv”" in err
    assert command(*arguments)[0] == 0


def test_of_two_that_fill_one_table_the_second_is_told(
    command: Command, folder: Path, questions: str, tmp_path: Path
) -> None:
    outputs = tmp_path / "first.csv", tmp_path / "second.csv"
    arguments = ("table", questions, "--over", str(folder), "--output")

    class Meanwhile(FakeEngine):
        """Let another command fill the same table during the first question."""

        second: tuple[int, str, str] | None = None

        def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
            if self.second is None:
                self.second = (2, "", "")
                self.second = command(*arguments, str(outputs[1]), engine=other)
            return super().run(request, choice, report)

    engine, other = Meanwhile(), FakeEngine()
    assert command(*arguments, str(outputs[0]), engine=engine)[0] == 0 and len(engine.requests) == 4
    assert engine.second is not None and engine.second[0] == 2 and not other.requests
    assert "is filling the table “checks, Leases” (process" in engine.second[2]
    assert not outputs[1].exists()
    assert command(*arguments, str(outputs[1]), engine=other)[0] == 0 and not other.requests
    assert rows_of(outputs[0]) == rows_of(outputs[1])


def test_the_list_of_no_tables_says_how_to_make_one(command: Command) -> None:
    code, out, _ = command("table", "list")
    assert code == 0 and out.startswith("There are no tables yet; ")
    assert json.loads(command("table", "list", "--json")[1]) == {"tables": []}
