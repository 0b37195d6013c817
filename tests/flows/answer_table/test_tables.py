from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.answer_table import AnswerTable, Cell, CellState, Column, ColumnAccuracy, ColumnType
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.library import Library
from app.core.report import Silent
from app.core.text import Span
from app.flows.answer_table.fill import fill
from app.flows.answer_table.tables import (
    count_checked,
    files_of,
    find_or_add_table,
    judge,
    save_question_set,
    save_table,
    tables,
)
from app.flows.workspace import Workspace
from tests.flows.answer_table.conftest import QUESTIONS, TEXTS
from tests.helpers.children import Listener

Make = Callable[..., AnswerTable]
QUIET = Silent()


def test_tables_are_saved_listed_and_removed(workspace: Workspace, library: Library, make: Make) -> None:
    table = make()
    assert [column.number > 0 for column in table.columns] == [True] * 3
    other = make("Who?", name="  Another \n one ")
    assert tables(workspace, QUIET) == (other, table)
    assert other.name == "Another one"
    assert make(name="caf\udce9").name == "caf?"
    workspace.tables.remove(table)
    assert [one.name for one in tables(workspace, QUIET)] == ["Another one", "caf?"]


def test_a_table_is_found_again_however_its_name_is_spaced(workspace: Workspace, library: Library) -> None:
    first = find_or_add_table(workspace, "my  questions\n", library, [Column(0, "Who?")], QUIET)
    assert first.name == "my questions"
    for name in ("my  questions\n", "My questions", " my questions "):
        assert find_or_add_table(workspace, name, library, [Column(0, "Who?")], QUIET) == first
    again = find_or_add_table(workspace, "my  questions", library, [Column(0, "When?")], QUIET)
    assert tables(workspace, QUIET) == (again,)
    assert [column.question for column in again.columns] == ["Who?", "When?"]


def test_questions_are_cleaned_and_each_is_kept_once(workspace: Workspace, library: Library) -> None:
    columns = [Column(0, " Who  is it? "), Column(0, "\n"), Column(0, "Who is it?", ColumnType.DATE)]
    table = save_table(workspace, AnswerTable(0, "A", library.number, tuple(columns)), QUIET)
    assert [(column.question, column.type) for column in table.columns] == [("Who is it?", ColumnType.WORDS)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": " "}, "A table needs a name"),
        ({"library": 99}, "The library of the table “Checks” was removed"),
        ({"columns": tuple(Column(0, f"What is {at}?") for at in range(1001))}, "1,001 questions"),
    ],
)
def test_what_cannot_be_saved_changes_nothing(
    workspace: Workspace, make: Make, change: dict[str, object], words: str
) -> None:
    table = make()
    with pytest.raises(SpanlightError, match=words):
        save_table(workspace, replace(table, **change), QUIET)  # type: ignore[arg-type]
    assert tables(workspace, QUIET) == (table,)


def test_a_library_that_is_removed_and_added_again_has_its_tables_back(
    workspace: Workspace, library: Library, make: Make
) -> None:
    table = make()
    workspace.library.remove(library)
    assert tables(workspace, QUIET) == (replace(table, library=0),)
    workspace.library.save(Library(0, "Recipes", ("/recipes",)))
    assert tables(workspace, QUIET) == (replace(table, library=0),)
    again = workspace.library.save(replace(library, number=0))
    assert again.number != library.number
    assert tables(workspace, QUIET) == (replace(table, library=again.number),)


def test_a_renamed_library_keeps_its_tables(workspace: Workspace, library: Library, make: Make) -> None:
    table = make()
    workspace.library.save(replace(library, name="Contracts"))
    assert tables(workspace, QUIET) == (table,)
    workspace.library.save(replace(library, name="Contracts", roots=("/elsewhere",)))
    assert tables(workspace, QUIET) == (table,)  # it was noted that its name changed


def test_sets_of_questions(workspace: Workspace) -> None:
    columns = (Column(4, "Who?"), Column(0, "When?", ColumnType.DATE))
    save_question_set(workspace, " My  set ", columns, QUIET)
    assert workspace.tables.question_sets() == {"My set": (Column(0, "Who?"), columns[1])}
    with pytest.raises(SpanlightError, match="needs a name"):
        save_question_set(workspace, "", columns, QUIET)
    workspace.tables.remove_question_set("My set")
    assert workspace.tables.question_sets() == {}


def test_a_verdict_is_undone_by_giving_the_former_one(workspace: Workspace, make: Make) -> None:
    table = make("Who?")
    column = table.columns[0].number
    args = (workspace, "a" * 64, column)
    first = judge(*args, Verdict.OTHER_WORDS, QUIET, words="Ben", span=Span(1, 4))
    assert judge(*args, Verdict.NOT_THERE, QUIET, words="dropped").words == ""
    again = judge(*args, first.verdict, QUIET, words=first.right_words, span=first.right_span)
    assert replace(again, judged=0.0) == replace(first, judged=0.0)
    assert workspace.tables.cells(table) == {("a" * 64, column): again}
    judge(*args, Verdict.NONE, QUIET)
    assert workspace.tables.cells(table) == {}


def a_cell(state: CellState, verdict: Verdict) -> Cell:
    return Cell(1, "", state, verdict=verdict)


def test_right_answers_are_counted_with_their_interval() -> None:
    found = [
        *[a_cell(CellState.ANSWER, Verdict.RIGHT)] * 6,
        a_cell(CellState.LOW_CONFIDENCE, Verdict.RIGHT),
        a_cell(CellState.LOW_CONFIDENCE, Verdict.NOT_THERE),
        a_cell(CellState.ABSENT, Verdict.NOT_THERE),
        a_cell(CellState.ANSWER, Verdict.NOT_THERE),
        a_cell(CellState.ANSWER, Verdict.NONE),
        a_cell(CellState.UNREAD, Verdict.OTHER_WORDS),
    ]
    counted = count_checked(found)
    assert (counted.looked_at, counted.right) == (10, 8)
    # As in Newcombe 1998, Statistics in Medicine 17, for 8 of 10 by the score method.
    assert (round(counted.low, 4), round(counted.high, 4)) == (0.4902, 0.9433)
    assert count_checked([]) == ColumnAccuracy(0, 0, 0.0, 1.0)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_interval_holds_the_share_and_stays_within_its_bounds(right: int, wrong: int) -> None:
    counted = count_checked(
        [a_cell(CellState.ANSWER, Verdict.RIGHT)] * right
        + [a_cell(CellState.ANSWER, Verdict.NOT_THERE)] * wrong
    )
    assert 0.0 <= counted.low <= counted.high <= 1.0
    if right + wrong:
        assert counted.low - 1e-9 <= right / (right + wrong) <= counted.high + 1e-9


@pytest.fixture
def table(workspace: Workspace, make: Make) -> AnswerTable:
    """A table of two questions, filled."""
    table = make(*QUESTIONS[:2])
    fill(workspace, table, QUIET)
    return table


def cell_in(workspace: Workspace, table: AnswerTable, name: str, column: int) -> Cell:
    """The cell of a file of the library and one of the table's questions."""
    (file,) = [one for one in files_of(workspace, table) if one.path.endswith(name)]
    return workspace.tables.cells(table)[file.sha256, table.columns[column].number]


def test_a_verdict_is_a_correction_with_its_passage(workspace: Workspace, table: AnswerTable) -> None:
    cell = cell_in(workspace, table, "first.txt", 0)
    judge(workspace, cell.sha256, cell.column, Verdict.RIGHT, QUIET)
    (kept,) = workspace.corrections.all()
    assert (kept.question, kept.name, kept.verdict) == (QUESTIONS[0], "first.txt", Verdict.RIGHT)
    assert kept.place is not None and kept.place.of(kept.passage) == kept.words == kept.shown == "Anna"
    assert (kept.answered, kept.is_agreed, kept.in_parts, kept.model) == (True, True, False, "reader")
    assert kept.path == files_of(workspace, table)[0].path and kept.sha256 == cell.sha256
    judge(workspace, cell.sha256, cell.column, Verdict.NONE, QUIET)
    assert workspace.corrections.all() == []


def test_other_words_are_a_correction_where_they_stand_in_the_text(
    workspace: Workspace, table: AnswerTable
) -> None:
    cell = cell_in(workspace, table, "first.txt", 1)
    at = TEXTS["first.txt"].index("60 days")
    args = (workspace, cell.sha256, cell.column, Verdict.OTHER_WORDS, QUIET)
    judge(*args, words="60 days", span=Span(at, at + 7))
    (kept,) = workspace.corrections.all()
    assert (kept.words, kept.shown, kept.span) == ("60 days", "60", Span(at, at + 7))
    assert judge(*args, words="two months").words == "two months"
    assert workspace.corrections.all() == []
    judge(*args, words="60 weeks", span=Span(at, at + 8))
    assert workspace.corrections.all() == []


def test_the_person_agrees_that_it_is_not_there(workspace: Workspace, table: AnswerTable) -> None:
    cell = cell_in(workspace, table, "second.txt", 1)
    assert cell.state is CellState.ABSENT
    judge(workspace, cell.sha256, cell.column, Verdict.RIGHT, QUIET)
    (kept,) = workspace.corrections.all()
    assert (kept.verdict, kept.words, kept.span, kept.is_agreed) == (Verdict.NOT_THERE, "", None, True)


def test_a_text_that_the_index_does_not_hold_has_the_verdict_alone(
    workspace: Workspace, library: Library, table: AnswerTable
) -> None:
    cell = cell_in(workspace, table, "first.txt", 0)
    workspace.library.remove(library)
    assert judge(workspace, cell.sha256, cell.column, Verdict.RIGHT, QUIET).is_right
    assert workspace.corrections.all() == []


def test_corrections_that_cannot_be_stored_leave_the_verdict(
    workspace: Workspace, table: AnswerTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(correction: object) -> None:
        raise SpanlightError("The file of corrections could not be written: the disk is full.")

    report = Listener()
    monkeypatch.setattr(workspace.corrections, "put", full)
    cell = cell_in(workspace, table, "first.txt", 0)
    assert judge(workspace, cell.sha256, cell.column, Verdict.RIGHT, report).is_right
    assert cell_in(workspace, table, "first.txt", 0).verdict is Verdict.RIGHT
    (said,) = report.notices
    assert "the disk is full" in said


def test_a_damaged_file_of_corrections_is_begun_anew(workspace: Workspace, table: AnswerTable) -> None:
    workspace.paths.corrections_file.parent.mkdir(parents=True, exist_ok=True)
    workspace.paths.corrections_file.write_bytes(b"nothing of SQLite" * 500)
    cell = cell_in(workspace, table, "first.txt", 0)
    assert judge(workspace, cell.sha256, cell.column, Verdict.RIGHT, QUIET).is_right
    assert [one.words for one in workspace.corrections.all()] == ["Anna"]
