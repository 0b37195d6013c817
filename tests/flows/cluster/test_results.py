"""Import of an exported table, and of a cluster's rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import KeptAnswer
from app.core.library import FileState, Library, LibraryFile
from app.core.report import Progress, Report, Silent, Stopped
from app.core.text import Span
from app.flows.answer_table.export import export_table
from app.flows.answer_table.fill import fill
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import judge, save_table, tables
from app.flows.cluster.results import import_results
from app.flows.cluster.rows import Row, RunSpec, Shard
from app.flows.cluster.store import Storage, rows_table
from app.flows.library.update import update
from app.flows.workspace import Workspace
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.small_pdfs import Page, Words, small_pdf

QUIET = Silent()
QUESTIONS = ("Who is the landlord Anna?", "How long is 60?")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "here", FakeEngine())
    yield workspace
    workspace.close()


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "there", FakeEngine())
    yield workspace
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
    here: Workspace, folder: Path, tmp_path: Path, there: Workspace
) -> None:
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


def test_what_the_person_said_here_stays(here: Workspace, folder: Path, tmp_path: Path) -> None:
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
    here: Workspace, folder: Path, tmp_path: Path, there: Workspace
) -> None:
    out = tmp_path / "Checks.jsonl"
    (folder / "cut.pdf").write_bytes(small_pdf([Page([Words("Anna owns it.")])]).partition(b"xref")[0])
    export_table(here, filled(here, folder), out, QUIET)
    table = import_results(there, str(out), QUIET).table
    assert fill(there, table, QUIET).before == 0  # none of its files has been read here
    update(there, listed_library(there), QUIET)
    done = fill(there, table, QUIET)
    assert (done.read, done.before, done.in_part) == (0, 6, 1)


def exported(folder: Path, name: str = "first.txt", **instead: object) -> dict[str, object]:
    """A row of an exported table."""
    texts = ("value", "verdict", "page label", "cell", "section", "judged", "reason")
    return dict.fromkeys(texts, "") | {
        "document": name,
        "question": QUESTIONS[0],
        "answer": "Anna",
        "state": "answer",
        "probability": 0.8,
        "quotation": "The landlord is Anna.",
        "page": None,
        "line": 1,
        "start": 16,
        "end": 20,
        "reader's answer": "Anna",
        "model": "reader",
        "read": "2026-11-01T12:00:00Z",
        "sha256": "a" * 64,
        "path": str(folder / name),
    } | instead  # fmt: skip


def written(path: Path, *rows: dict[str, object]) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


UNREAD = {"answer": "", "reader's answer": "", "start": None, "end": None, "line": None, "probability": None}


def test_nothing_that_is_known_of_a_file_is_overwritten(
    here: Workspace, folder: Path, tmp_path: Path
) -> None:
    table = filled(here, folder)
    was, cells = here.library.files(listed_library(here)), here.tables.cells(table)
    rows = [
        exported(folder, "first.txt", **UNREAD, state="failed", reason="It broke."),
        exported(folder, "second.txt", **UNREAD, state="no text layer"),
        exported(folder, "third.txt"),
    ]
    found = import_results(here, written(tmp_path / "x.jsonl", *rows), QUIET)
    assert (found.documents, found.cells) == (3, 1)
    old, new = sorted(here.library.libraries(), key=lambda library: library.number)
    assert here.library.files(old) == was and here.tables.cells(table) == cells
    assert here.library.search("landlord", old, 9)
    first, second, third = here.library.files(new)
    assert [first, second] == [file for file in was if file.path in (first.path, second.path)]
    assert (Path(third.path).name, third.state, third.text) == ("third.txt", FileState.WAITING, 0)


def test_how_a_question_was_read_comes_back(here: Workspace, folder: Path, tmp_path: Path) -> None:
    place = written(tmp_path / "x.jsonl", exported(folder, **{"read as": "Who is the landlord?"}))
    (cell,) = here.tables.cells(import_results(here, place, QUIET).table).values()
    assert cell.read_as == "Who is the landlord?"


def test_an_answer_that_was_judged_here_stays(here: Workspace, folder: Path, tmp_path: Path) -> None:
    table = filled(here, folder)
    landlord = table.columns[0].number
    first, second = (file for file in here.library.files(listed_library(here)) if file.words)
    judge(here, first.sha256, landlord, Verdict.RIGHT, QUIET)
    was = here.tables.cells(table)[first.sha256, landlord]
    rows = [
        exported(folder, Path(file.path).name, sha256=file.sha256, **{"reader's answer": "Ben"})
        for file in (first, second)
    ]
    import_results(here, written(tmp_path / "x.jsonl", *rows), QUIET, name=table.name)
    now = here.tables.cells(table)
    assert now[first.sha256, landlord] == was and now[second.sha256, landlord].words == "Ben"


def test_a_folder_that_is_named_as_a_document_is_not_read(
    here: Workspace, folder: Path, tmp_path: Path
) -> None:
    rows = [exported(folder, "first.txt"), exported(folder, "")]
    import_results(here, written(tmp_path / "x.jsonl", *rows), QUIET)
    update(here, listed_library(here), QUIET)
    assert [Path(file.path).name for file in here.library.files(listed_library(here))] == ["first.txt"]


def test_a_reader_that_broke_down_over_one_question_says_nothing_of_the_file(
    here: Workspace, tmp_path: Path
) -> None:
    broken = {**UNREAD, "state": "failed", "reason": "It broke."}
    rows = [
        exported(tmp_path, "a.txt", **broken),
        exported(tmp_path, "a.txt", question=QUESTIONS[1]),
        exported(tmp_path, "b.txt", **broken),
        exported(tmp_path, "b.txt", **broken | {"question": QUESTIONS[1]}),
    ]
    import_results(here, written(tmp_path / "x.jsonl", *rows), QUIET)
    told = [(file.state, file.reason) for file in here.library.files(listed_library(here))]
    assert told == [(FileState.WAITING, ""), (FileState.FAILED, "It broke.")]


@pytest.mark.parametrize(
    "instead",
    [
        {"path": 5},
        {"path": ""},
        {"path": "/a\0b"},
        {"path": "/\ud800"},
        {"model": [1]},
        {"sha256": None},
        {"sha256": "aa"},
        {"answer": 7},
        {"reader's answer": ""},
        {"probability": "x"},
        {"probability": None},
        {"probability": 2},
        {"page": 0},
        {"line": True},
        {"end": 1 << 40},
        {"end": None},
        {"start": 21},
        {"question": " "},
        {"question": {}},
        {"state": "good"},
        {"verdict": None},
        {"read": "yesterday"},
    ],
    ids=str,
)
def test_a_row_with_a_value_of_another_kind_is_refused(
    here: Workspace, tmp_path: Path, instead: dict[str, object]
) -> None:
    bad = exported(tmp_path) | instead
    with pytest.raises(SpanlightError, match=r"Line 2 of x.jsonl is no answer of a table\."):
        import_results(here, written(tmp_path / "x.jsonl", exported(tmp_path, "b.txt"), bad), QUIET)
    assert not here.library.libraries() and not tables(here, QUIET)


class OtherRows:
    """A folder with the spec of a run, and Parquet files with rows of another kind."""

    place = "/rows"

    def __init__(self, place: str) -> None:
        self.shard = Shard("/a.txt", lambda: [{"path": "/a.txt"}])

    def spec(self) -> RunSpec:
        return RunSpec((Column(1, QUESTIONS[0]),), "reader", "c0ffee")

    def shards(self, report: Report) -> list[Shard]:
        return [self.shard]


def test_parquet_files_of_something_else_are_refused(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.results.Storage", OtherRows)
    with pytest.raises(SpanlightError, match="“/rows” holds Parquet files that are no answers"):
        import_results(here, "/rows", QUIET)


def test_taking_in_is_told_and_can_be_stopped(
    here: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.results._BATCH", 2)
    told: list[int] = []

    class Told(Silent):
        def progress(self, progress: Progress) -> None:
            told.append(progress.done)

        def check(self) -> None:
            if len(told) == 2:
                raise Stopped

    place = written(tmp_path / "x.jsonl", *(exported(tmp_path, f"{at}.txt") for at in range(5)))
    with pytest.raises(Stopped):
        import_results(here, place, Told())
    assert told == [2, 4] and len(here.library.files(listed_library(here))) == 4
    found = import_results(here, place, QUIET)  # once more, and it is whole
    assert (found.documents, len(here.library.files(listed_library(here)))) == (5, 5)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "Line 1 of x.jsonl is not a JSON object."),
        ('{"a": 1}', "Line 1 of x.jsonl is no answer of a table."),
        ("", "holds no answers."),
    ],
)
def test_another_file_is_refused_in_one_sentence(
    here: Workspace, tmp_path: Path, line: str, words: str
) -> None:
    (tmp_path / "x.jsonl").write_text(line)
    with pytest.raises(SpanlightError, match=words):
        import_results(here, str(tmp_path / "x.jsonl"), QUIET)


def test_rows_without_pyarrow_say_what_to_install(
    here: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.cluster.store.find_spec", lambda name: None)
    with pytest.raises(SpanlightError, match=r"need pyarrow.*pip install 'spanlight\[cluster\]'"):
        import_results(here, str(tmp_path), QUIET)


# With pyarrow, which comes with the extra


def rows_in(place: Path, over: str) -> None:
    spec = RunSpec((Column(1, QUESTIONS[0]),), "reader", "c0ffee", over)
    answer = KeptAnswer(Span(16, 20), "Anna", 0.8, "The landlord is Anna.", line=1)
    cell = Cell(1, "aa", CellState.ANSWER, answer, 0.2, "reader", 5.0)
    read = LibraryFile(0, f"{over}/a.txt", FileState.READ, size=21, modified=7, sha256="aa", words=4)
    failed = LibraryFile(0, f"{over}/b.txt", FileState.FAILED, "It is broken.", size=3, modified=8)
    storage = Storage(str(place))
    storage.write_spec(spec)
    for name, file, cells in (("1", read, (cell,)), ("2", read, (cell,)), ("3", failed, ())):
        row = Row(file, spec.digest, float(name), cells)
        storage.write(f"{name}.parquet", rows_table([row], spec))


@pytest.mark.parametrize("named", ["rows", "rows/1.parquet", "out.csv"])
def test_the_rows_of_a_cluster_become_a_table(here: Workspace, tmp_path: Path, named: str) -> None:
    pytest.importorskip("pyarrow")
    rows_in(tmp_path / ("out.csv.rows" if named == "out.csv" else "rows"), "/shared/leases")
    found = import_results(here, str(tmp_path / named), QUIET, name="Leases")
    assert (found.table.name, found.documents, found.cells) == ("Leases", 2, 1)
    library = listed_library(here)
    assert (library.name, library.roots) == ("leases", ("/shared/leases",))
    read, failed = here.library.files(library)
    assert (read.state, read.sha256, read.size, read.modified) == (FileState.WAITING, "aa", 21, 7)
    assert (failed.state, failed.reason) == (FileState.FAILED, "It is broken.")
    (cell,) = here.tables.cells(found.table).values()
    assert cell.words == "Anna" and cell.answer is not None and cell.answer.line == 1


def test_a_folder_of_other_parquet_files_is_refused(here: Workspace, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "rows").mkdir()
    with pytest.raises(SpanlightError, match="holds no answers of a cluster"):
        import_results(here, str(tmp_path / "rows"), QUIET)
    rows_in(tmp_path / "rows", "/shared")
    (tmp_path / "rows" / "4.parquet").write_bytes(b"half")
    with pytest.raises(SpanlightError, match=r"4\.parquet” could not be read"):
        import_results(here, str(tmp_path / "rows"), QUIET)
