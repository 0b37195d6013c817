from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.answer_table import AnswerTable, Cell, CellState, Column, ColumnType, without_outdated
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import KeptAnswer
from app.core.library import FileState, Library, LibraryFile
from app.core.message import Message
from app.core.text import Span
from app.library.answer_tables import AnswerTables, Origin, library_of
from tests.helpers.history_entries import ANSWERS

LIBRARY = Library(3, "Leases", ("/leases",))
ANSWER = KeptAnswer(Span(4, 8), "Anna", 0.8, "Her name is Anna.", "is ", ".", 2, "Names", "ii", None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerTables]:
    with closing(AnswerTables(tmp_path / "tables.sqlite3")) as tables:
        yield tables


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnswerTables]:
    with closing(AnswerTables(tmp_path_factory.mktemp("tables") / "tables.sqlite3")) as tables:
        yield tables


def a_table(store: AnswerTables, *questions: str, name: str = "Checks") -> AnswerTable:
    return store.save(AnswerTable(0, name, 3, tuple(Column(0, each) for each in questions)), LIBRARY)


def a_cell(table: AnswerTable, sha256: str = "a" * 64) -> Cell:
    return Cell(table.columns[0].number, sha256, CellState.ANSWER, ANSWER, 0.1, "reader", 5.0)


def test_a_question_keeps_its_cells_wherever_it_stands_and_when_it_comes_back(store: AnswerTables) -> None:
    table = a_table(store, "Who?", "When?")
    store.put(cell := a_cell(table))
    turned = store.save(
        replace(table, columns=(Column(0, "When?", ColumnType.DATE), Column(0, "Who?"))), LIBRARY
    )
    assert [column.number for column in turned.columns] == [each.number for each in reversed(table.columns)]
    assert turned.columns[0].type is ColumnType.DATE
    without = store.save(replace(table, columns=table.columns[1:]), LIBRARY)
    assert store.cells(without) == {}
    assert store.question(cell.column) == "Who?" and store.question(99) == ""
    again = store.save(replace(without, columns=table.columns), LIBRARY)
    assert store.cells(again) == {(cell.sha256, cell.column): cell}


def test_an_edited_question_is_another_one(store: AnswerTables) -> None:
    table = a_table(store, "Who?")
    store.put(a_cell(table))
    edited = store.save(replace(table, columns=(replace(table.columns[0], question="Who is it?"),)), LIBRARY)
    assert edited.columns[0].number != table.columns[0].number
    assert store.cells(edited) == {}


def test_a_cell_that_is_read_again_is_replaced(store: AnswerTables) -> None:
    table = a_table(store, "Who?")
    first = a_cell(table)
    gap = Message("{n} page is damaged.", "{n} pages are damaged.", n=2)
    later = replace(first, answer=None, state=CellState.ABSENT_IN_PART, reason=gap)
    assert store.put(first) == first
    assert store.put(later) == later
    found = store.cell(later.column, later.sha256)
    assert found is not None and isinstance(found.reason, Message) and found.reason.values == {"n": 2}


def test_a_verdict_keeps_the_words_that_it_is_on_and_is_taken_back(store: AnswerTables) -> None:
    table = a_table(store, "Who?")
    cell = a_cell(table)
    judged = store.judge(cell.column, cell.sha256, Verdict.OTHER_WORDS, "Ben \ud800", Span(1, 6), 9.0)
    assert (judged.state, judged.words, judged.span) == (CellState.UNREAD, "Ben \ud800", Span(1, 6))
    read = store.put(cell)
    assert read == replace(
        cell, verdict=Verdict.OTHER_WORDS, right_words="Ben \ud800", right_span=Span(1, 6), judged=9.0
    )
    assert store.put(replace(cell, model="other")) == read
    assert store.judge(cell.column, cell.sha256, Verdict.NONE, "", None, 10.0) == cell
    assert store.put(other := replace(cell, model="other")) == other


def test_names_are_taken_once_and_a_removed_table_takes_its_cells_along(
    store: AnswerTables, tmp_path: Path
) -> None:
    table = a_table(store, "Who?")
    with pytest.raises(SpanlightError, match="There is a table “checks” already"):
        a_table(store, name="checks")
    store.put(cell := a_cell(table))
    store.judge(cell.column, cell.sha256, Verdict.RIGHT, "", None, 1.0)
    store.remove(table)
    assert (store.tables(), store.cells(table), store.put(cell)) == ([], {}, None)
    with pytest.raises(SpanlightError, match="table was removed"):
        store.judge(cell.column, cell.sha256, Verdict.RIGHT, "", None, 1.0)
    assert not [file for file in tmp_path.iterdir() if b"Anna" in file.read_bytes()]


def test_sets_of_questions_are_kept_by_name(store: AnswerTables) -> None:
    columns = (Column(0, "Who?"), Column(0, "When?", ColumnType.DATE))
    assert store.save_question_set("Lease", columns) == ()
    assert store.save_question_set("lease", columns[1:]) == columns
    assert list(store.question_sets().values()) == [columns[1:]]
    assert store.remove_question_set("Lease") == columns[1:]
    assert store.question_sets() == {} and store.remove_question_set("Lease") == ()


@given(
    question=st.text(min_size=1).filter(str.strip),
    answer=ANSWERS,
    state=st.sampled_from([CellState.ANSWER, CellState.LOW_CONFIDENCE]),
)
def test_a_cell_comes_back_as_it_was_put(
    roomy: AnswerTables, question: str, answer: KeptAnswer, state: CellState
) -> None:
    table = a_table(roomy, question, name=f"Table {len(roomy.tables())}")
    assert table.columns[0].question == question
    cell = replace(a_cell(table), state=state, answer=answer)
    assert roomy.put(cell) == cell
    assert roomy.cell(cell.column, cell.sha256) == cell


GAPS = ["", "A page is damaged.", Message("{n} page is damaged.", "{n} pages are damaged.", n=2)]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, CellState.ANSWER, CellState.ABSENT_IN_PART]),
            st.sampled_from(["reader", "other"]),
            st.sampled_from(GAPS),
            st.sampled_from([Verdict.NONE, Verdict.RIGHT]),
            st.sampled_from(GAPS),
        ),
        max_size=6,
    ),
    st.sampled_from(["", "reader"]),
)
def test_what_is_to_be_read_is_what_is_not_stored_or_outdated(
    roomy: AnswerTables, rows: list[tuple[CellState | None, str, str, Verdict, str]], anew_by: str
) -> None:
    table = a_table(roomy, "Who?", "When?", name=f"Table {len(roomy.tables())}")
    column, other = (each.number for each in table.columns)
    files = []
    for at, (state, model, reason, verdict, lacks) in enumerate(rows):
        cell = replace(a_cell(table, f"{at:064}"), model=model, reason=reason)
        files.append(LibraryFile(at, f"/{at}", FileState.READ, lacks, sha256=cell.sha256))
        if state is not None:
            roomy.put(replace(cell, state=state))
        if verdict is not Verdict.NONE:
            roomy.judge(column, cell.sha256, verdict, "", None, 1.0)
    current = without_outdated(roomy.cells(table), files)
    expected = {
        (file.sha256, column)
        for file in files
        if (cell := current.get((file.sha256, column))) is None  # type: ignore[assignment]
        or cell.state is CellState.UNREAD
        or (cell.verdict is Verdict.NONE and anew_by not in ("", cell.model))
    }
    lacking = {file.sha256: file.why_unread for file in files}
    assert set(roomy.unread([column], lacking, anew_by=anew_by)) == expected
    assert len(roomy.unread([column, other], lacking, anew_by=anew_by)) == len(expected) + len(files)
    assert len(roomy.unread([other], lacking, most=1)) == min(1, len(files))
    in_part = sum(state is CellState.ABSENT_IN_PART for state, *_ in rows)
    assert roomy.count([column], lacking, CellState.ABSENT_IN_PART) == in_part


def test_two_processes_may_judge(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite3"
    with closing(AnswerTables(file)) as one, closing(AnswerTables(file)) as other:
        table = a_table(one, "Who?")
        cell = a_cell(table)
        assert other.tables()[0][0] == table
        one.put(cell)
        other.judge(cell.column, cell.sha256, Verdict.RIGHT, "", None, 1.0)
        one.judge(cell.column, cell.sha256, Verdict.NOT_THERE, "", None, 2.0)
        found = other.cell(cell.column, cell.sha256)
    assert found is not None and (found.verdict, found.judged) == (Verdict.NOT_THERE, 2.0)


def test_a_tables_library_is_recognised_by_its_name_or_its_roots() -> None:
    origin = Origin(3, "Leases", ("/leases",))
    renamed = Library(3, "Contracts", ("/leases", "/more"))
    made_anew = Library(1, "leases")
    assert library_of(origin, [made_anew, renamed]) == made_anew
    assert library_of(origin, [renamed]) == renamed
    assert library_of(origin, [Library(3, "Recipes", ("/recipes",))]) is None, "the number was given again"
