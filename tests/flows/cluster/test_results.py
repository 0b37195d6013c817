"""Results taken into a table: one that was exported, and what a cluster wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import KeptAnswer
from app.core.library import FileState, Library, LibraryFile
from app.core.report import Silent
from app.core.text import Span
from app.flows.answer_table.export import export_table
from app.flows.answer_table.fill import fill
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import judge, save_table, tables
from app.flows.cluster.results import import_results
from app.flows.cluster.rows import Asked, Row
from app.flows.cluster.store import Storage, documents_table
from app.flows.library.update import update
from app.flows.workspace import Workspace
from tests.flows.fake_engine import FakeEngine, fake_workspace

QUIET = Silent()
QUESTIONS = ("Who is the landlord Anna?", "How long is 60?")


@pytest.fixture
def open_home(tmp_path: Path) -> Iterator[Callable[[str], Workspace]]:
    opened: list[Workspace] = []

    def open_home(name: str) -> Workspace:
        opened.append(fake_workspace(tmp_path / name, FakeEngine()))
        return opened[-1]

    yield open_home
    for workspace in opened:
        workspace.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Leases"
    folder.mkdir()
    (folder / "first.txt").write_text("The landlord is Anna. The notice is 60 days.")
    (folder / "second.txt").write_text("The landlord is Anna.")
    (folder / "empty.txt").write_text(" ")
    return folder


def filled(workspace: Workspace, folder: Path) -> AnswerTable:
    library = workspace.library.save(Library(0, "Leases", (str(folder),)))
    update(workspace, library, QUIET)
    table = save_table(workspace, AnswerTable(0, "Checks", library.number, columns_of(QUESTIONS)), QUIET)
    fill(workspace, table, QUIET)
    return table


def cells_by_place(workspace: Workspace, table: AnswerTable) -> dict[tuple[str, str], Cell]:
    questions = {column.number: column.question for column in table.columns}
    return {
        (sha256, questions[number]): replace(cell, column=0, seconds=0.0, judged=0.0)
        for (sha256, number), cell in workspace.tables.cells(table).items()
    }


def test_an_exported_table_comes_back_with_its_verdicts(
    open_home: Callable[[str], Workspace], folder: Path, tmp_path: Path
) -> None:
    here, there = open_home("here"), open_home("there")
    table = filled(here, folder)
    landlord, notice = table.columns
    sha256 = next(key[0] for key, cell in here.tables.cells(table).items() if cell.words == "60")
    judge(here, sha256, landlord.number, Verdict.RIGHT, QUIET)
    judge(here, sha256, notice.number, Verdict.OTHER_WORDS, QUIET, words="60 days", span=Span(36, 43))
    out = tmp_path / "Checks.jsonl"
    export_table(here, table, out, QUIET)
    found = import_results(there, str(out), QUIET)
    assert (found.documents, found.cells) == (3, 4)
    (listed,) = tables(there, QUIET)
    assert listed == found.table and [column.question for column in listed.columns] == list(QUESTIONS)
    was, now = cells_by_place(here, table), cells_by_place(there, listed)
    assert was.keys() == now.keys()
    judged = now.pop((sha256, notice.question))
    assert (judged.verdict, judged.words, judged.span) == (Verdict.OTHER_WORDS, "60 days", Span(36, 43))
    assert judged.answer is not None and judged.answer.text == "60"
    for key, cell in now.items():
        before = was[key]
        if before.answer is not None:  # what stands around the words is in no export
            answer = replace(before.answer, before="", after="")
            before = replace(before, answer=answer, no_answer=0.0)
        assert cell == before
    states = {Path(file.path).name: file.state for file in there.library.files(listed_library(there))}
    assert states == {
        "first.txt": FileState.WAITING,
        "second.txt": FileState.WAITING,
        "empty.txt": FileState.NO_TEXT,
    }


def listed_library(workspace: Workspace) -> Library:
    (library,) = workspace.library.libraries()
    return library


def test_what_the_person_said_here_stays(
    open_home: Callable[[str], Workspace], folder: Path, tmp_path: Path
) -> None:
    here = open_home("here")
    table = filled(here, folder)
    out = tmp_path / "Checks.jsonl"
    export_table(here, table, out, QUIET)
    key = next(iter(here.tables.cells(table)))
    judge(here, *key, Verdict.RIGHT, QUIET)
    found = import_results(here, str(out), QUIET, name="checks")
    assert found.table.number == table.number and listed_library(here).number == table.library
    assert here.tables.cells(table)[key].verdict is Verdict.RIGHT
    assert {file.state for file in here.library.files(listed_library(here))} == {
        FileState.READ,
        FileState.NO_TEXT,
    }


def test_the_table_is_full_once_the_library_was_updated(
    open_home: Callable[[str], Workspace], folder: Path, tmp_path: Path
) -> None:
    here, there = open_home("here"), open_home("there")
    out = tmp_path / "Checks.jsonl"
    export_table(here, filled(here, folder), out, QUIET)
    table = import_results(there, str(out), QUIET).table
    assert fill(there, table, QUIET).before == 0  # none of its files has been read here
    update(there, listed_library(there), QUIET)
    done = fill(there, table, QUIET)
    assert (done.read, done.before) == (0, 4)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "Line 1 of x.jsonl is not a JSON object."),
        ('{"a": 1}', "Line 1 of x.jsonl is no answer of a table."),
        ("", "holds no answers."),
    ],
)
def test_another_file_is_refused_in_one_sentence(
    open_home: Callable[[str], Workspace], tmp_path: Path, line: str, words: str
) -> None:
    (tmp_path / "x.jsonl").write_text(line)
    with pytest.raises(SpanlightError, match=words):
        import_results(open_home("here"), str(tmp_path / "x.jsonl"), QUIET)


def test_rows_without_pyarrow_say_what_to_install(
    open_home: Callable[[str], Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.store.find_spec", lambda name: None)
    with pytest.raises(SpanlightError, match=r"need pyarrow.*pip install 'spanlight\[cluster\]'"):
        import_results(open_home("here"), str(tmp_path), QUIET)


# With pyarrow, which comes with the extra


def rows_in(place: Path, over: str) -> None:
    asked = Asked((Column(1, QUESTIONS[0]),), "reader", "c0ffee", over)
    answer = KeptAnswer(Span(16, 20), "Anna", 0.8, "The landlord is Anna.", line=1)
    cell = Cell(1, "aa", CellState.ANSWER, answer, 0.2, "reader", 5.0)
    read = LibraryFile(0, f"{over}/a.txt", FileState.READ, size=21, modified=7, sha256="aa", words=4)
    failed = LibraryFile(0, f"{over}/b.txt", FileState.FAILED, "It is broken.", size=3, modified=8)
    storage = Storage(str(place))
    storage.write_run(asked)
    for name, file, cells in (("1", read, (cell,)), ("2", read, (cell,)), ("3", failed, ())):
        row = Row(file, asked.digest, float(name), cells)
        storage.write(f"{name}.parquet", documents_table([row], asked))


@pytest.mark.parametrize("named", ["rows", "rows/1.parquet", "out.csv"])
def test_the_rows_of_a_cluster_become_a_table(
    open_home: Callable[[str], Workspace], tmp_path: Path, named: str
) -> None:
    pytest.importorskip("pyarrow")
    rows_in(tmp_path / ("out.csv.rows" if named == "out.csv" else "rows"), "/shared/leases")
    here = open_home("here")
    found = import_results(here, str(tmp_path / named), QUIET, name="Leases")
    assert (found.table.name, found.documents, found.cells) == ("Leases", 2, 1)
    library = listed_library(here)
    assert (library.name, library.roots) == ("leases", ("/shared/leases",))
    read, failed = here.library.files(library)
    assert (read.state, read.sha256, read.size, read.modified) == (FileState.WAITING, "aa", 21, 7)
    assert (failed.state, failed.reason) == (FileState.FAILED, "It is broken.")
    (cell,) = here.tables.cells(found.table).values()
    assert cell.words == "Anna" and cell.answer is not None and cell.answer.line == 1


def test_a_folder_of_other_parquet_files_is_refused(
    open_home: Callable[[str], Workspace], tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "rows").mkdir()
    with pytest.raises(SpanlightError, match="holds no answers of a cluster"):
        import_results(open_home("here"), str(tmp_path / "rows"), QUIET)
    rows_in(tmp_path / "rows", "/shared")
    (tmp_path / "rows" / "4.parquet").write_bytes(b"half")
    with pytest.raises(SpanlightError, match=r"4\.parquet” could not be read"):
        import_results(open_home("here"), str(tmp_path / "rows"), QUIET)


def test_an_address_lists_and_reads_what_a_folder_does(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    (folder / ".hidden.txt").write_text("x")
    storage = Storage(f"file://{folder}")
    found = {item.path: item.size for item in storage.documents()}
    assert found == {
        f"file://{folder}/{name}": len((folder / name).read_bytes())
        for name in ("first.txt", "second.txt", "empty.txt")
    }
    address = f"file://{folder}/first.txt"
    assert Storage(address).item().size == found[address]
    assert Storage(address).open().read() == (folder / "first.txt").read_bytes()
    assert json.loads(json.dumps(Storage("file:///no/such").names())) == []
