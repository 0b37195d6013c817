"""`table`: a folder, a list of questions and a file of answers, stopped and started again."""

from __future__ import annotations

import csv
import io
import json
import signal
from pathlib import Path

import pytest

from app.core.report import Stopped
from app.flows.rows import lock_output
from tests.flows.fake_engine import FakeEngine
from tests.helpers.libraries import refuse, written
from tests.helpers.small_pdfs import Page, Words, small_pdf
from tests.helpers.terminal import Command


def rows_of(path: Path) -> list[list[str]]:
    rows = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
    return [[row["document"], row["question"], row["answer"], row["state"]] for row in rows]


def test_a_folder_is_asked_and_only_what_is_new_the_next_time(
    command: Command, fill_table: Command, questions: str, tmp_path: Path
) -> None:
    out_file = tmp_path / "out.csv"

    def stop(request: object) -> None:
        if len(engine.requests) == 3:
            raise Stopped

    engine = FakeEngine(stop)
    code, out, err = fill_table(out_file, engine=engine)
    assert (code, out) == (130, "") and err.endswith("Stopped.\n")
    whole = [
        ["first.txt", "Who is Anna?", "Anna", "answer"],
        ["first.txt", "Who is Ben?", "", "not in the text"],
        ["second.md", "Who is Anna?", "", "not in the text"],
        ["second.md", "Who is Ben?", "Ben", "answer"],
    ]
    assert rows_of(out_file) == [*whole[:3], ["second.md", "Who is Ben?", "", "not read yet"]]
    engine = FakeEngine()
    code, out, err = fill_table(out_file, engine=engine)
    assert (code, err, len(engine.requests)) == (0, "", 1)
    assert out.startswith("4 answers read, 3 of them before, in ") and out.endswith(" 2 files read.\n")
    assert rows_of(out_file) == whole
    Path(questions).write_text("Where is Ben?\nWho is Ben?\n")
    engine = FakeEngine()
    code, out, err = fill_table(out_file, "--json", engine=engine)
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


@pytest.mark.parametrize("form", [".csv", ".xlsx"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_stop_leaves_what_was_read(
    command: Command, fill_table: Command, questions: str, tmp_path: Path, number: signal.Signals, form: str
) -> None:
    out_file = tmp_path / f"out{form}"

    def stop(request: object) -> None:
        if len(engine.requests) == 2:
            signal.raise_signal(number)

    engine = FakeEngine(stop)
    code, out, err = fill_table(out_file, engine=engine)
    assert (code, out) == (128 + number, "")
    assert err.splitlines() == [
        f"What was read so far is in {out_file}. To go on, give the same command.",
        "Stopped.",
    ]
    assert out_file.stat().st_size
    assert fill_table(out_file)[1].startswith("4 answers read, 3 of them before, in ")


def test_no_file_is_named_where_a_second_signal_ended_its_writing(
    fill_table: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("app.cli.table.export_table", twice)
    out_file = tmp_path / "out.csv"
    code, _, err = fill_table(out_file, engine=FakeEngine(twice))
    assert (code, err) == (130, "Stopped.\n") and not out_file.exists()


def test_a_single_file_is_asked(command: Command, folder: Path, questions: str, tmp_path: Path) -> None:
    out, other = tmp_path / "out.csv", written(tmp_path / "other", {"first.txt": "Ben is away."})
    for file, answers in ((folder / "first.txt", ["Anna", ""]), (other / "first.txt", ["", "Ben"])):
        for _ in range(2):
            code, _, err = command("table", questions, "--over", str(file), "--output", str(out))
            assert (code, err) == (0, "")
        assert [row[0] for row in rows_of(out)] == ["first.txt"] * 2
        assert [row[2] for row in rows_of(out)] == answers
    name = "x" * 300  # longer than a file's may be
    assert command("library", "add", str(folder), "--name", name)[0] == 0
    assert command("table", questions, "--over", name, "--output", str(out))[0] == 0
    names = [library["name"] for library in json.loads(command("library", "--json")[1])["libraries"]]
    assert names == ["first.txt", "first.txt 2", name]


def test_answers_from_a_part_of_a_file_are_told_apart(
    fill_table: Command, folder: Path, tmp_path: Path
) -> None:
    cut = small_pdf([Page([Words("The guest is Ben.")])]).partition(b"xref")[0]
    (folder / "third.pdf").write_bytes(cut)
    out = tmp_path / "out.csv"
    for read in ("6 answers read, in ", "6 answers read, 6 of them before, in "):
        told = fill_table(out)[1]
        assert told.startswith(read) and " 3 files read, 1 in part.\n" in told
        assert "\n1 cell without an answer in the part that was read of a file (" in told
        assert "library status Leases" in told
    assert [row[3] for row in rows_of(out)[4:]] == ["no answer in the part that was read", "answer"]


def test_folders_that_cannot_be_opened_are_told(
    fill_table: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = written(folder / "closed", {"third.txt": "The guest is Cleo."})
    refuse(monkeypatch, closed)
    code, out, err = fill_table(tmp_path / "out.csv")
    assert (code, err) == (0, f"“{closed}” could not be opened.\n") and out.startswith("4 answers read, in ")


def test_of_two_that_write_one_file_the_second_is_told(fill_table: Command, tmp_path: Path) -> None:
    engine = FakeEngine()
    with lock_output(tmp_path / "out.csv"):
        code, out, err = fill_table(tmp_path / "out.csv", engine=engine)
    assert (code, out, engine.requests) == (2, "", []) and "is writing “out.csv”" in err
    assert fill_table(tmp_path / "out.csv")[0] == 0


def test_of_two_that_fill_one_table_the_second_is_told(fill_table: Command, tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    second, idle = [], FakeEngine()

    def meanwhile(request: object) -> None:
        """Let another command fill the same table during the first question."""
        if not second:
            second.append((0, "", ""))
            second[0] = fill_table(other, engine=idle)

    engine = FakeEngine(meanwhile)
    assert fill_table(one, engine=engine)[0] == 0 and len(engine.requests) == 4
    code, _, err = second[0]
    assert code == 2 and not idle.requests and not other.exists()
    assert "is filling the table “checks, Leases” (process" in err
    assert fill_table(other, engine=idle)[0] == 0 and not idle.requests
    assert rows_of(one) == rows_of(other)


def test_the_list_of_no_tables_says_how_to_make_one(command: Command) -> None:
    code, out, _ = command("table", "list")
    assert code == 0 and out.startswith("There are no tables yet; ")
    assert json.loads(command("table", "list", "--json")[1]) == {"tables": []}
