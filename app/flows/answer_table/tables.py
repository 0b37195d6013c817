"""Saves and lists tables of questions, and stores verdicts on their cells."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.core.answer_table import AnswerTable, Cell, CellState, Column, ColumnAccuracy
from app.core.corrections import Verdict
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Opened
from app.core.library import FileState, Library, LibraryFile
from app.core.message import Message
from app.core.reliability import interval
from app.core.report import Report
from app.core.text import Span
from app.flows.teach.corrections import correct, take_back
from app.flows.workspace import Workspace
from app.library.answer_tables import library_of
from app.library.database import Damaged
from app.library.search import clean

MOST_QUESTIONS = 1000
# Roughly the code points of a window of 384 tokens.
_WINDOW = 1600


def tables(workspace: Workspace, report: Report) -> tuple[AnswerTable, ...]:
    """All tables, sorted by name; the library of a table is 0 if it was removed."""
    libraries = workspace.library.libraries()
    found = []
    for table, origin in workspace.tables.tables():
        library = library_of(origin, libraries)
        if library is not None and (origin.number, origin.name, origin.roots) != (
            library.number,
            library.name,
            library.roots,
        ):
            table = workspace.tables.save(table, library)
        found.append(replace(table, library=library.number if library is not None else 0))
    return tuple(found)


def save_table(workspace: Workspace, table: AnswerTable, report: Report) -> AnswerTable:
    """Add a table, whose number is 0, or change one; returns it as saved, with the numbers of its columns.

    A column keeps its number, cells and verdicts as long as its question is the same, and gets them back if its
    question is removed and added again. Empty and duplicate questions are left out. Raises SpanlightError for a table
    without a name, a name that is taken, more than `MOST_QUESTIONS` questions, and a library that does not exist.
    """
    name = _clean_name(table.name)
    if not name:
        raise SpanlightError(Message("A table needs a name."), Message("Type one."))
    return workspace.tables.save(
        replace(table, name=name, columns=_clean_columns(table.columns)), library_of_table(workspace, table)
    )


def find_or_add_table(
    workspace: Workspace, name: str, library: Library, columns: Iterable[Column], report: Report
) -> AnswerTable:
    """Add these questions to the table of this name, or add a table with them.

    Raises SpanlightError if the table is over another library, and as `save_table` does.
    """
    name = _clean_name(name)
    for table in tables(workspace, report):
        if table.name.casefold() == name.casefold():
            if table.library not in (0, library.number):
                raise SpanlightError(
                    Message("The table “{name}” is over another library.", name=name),
                    Message("Give it another name."),
                )
            known = {column.question for column in table.columns}
            new = [column for column in columns if column.question not in known]
            changed = replace(table, library=library.number, columns=(*table.columns, *new))
            return save_table(workspace, changed, report)
    return save_table(workspace, AnswerTable(0, name, library.number, tuple(columns)), report)


def library_of_table(workspace: Workspace, table: AnswerTable) -> Library:
    """The library whose files are a table's rows; raises SpanlightError if it was removed."""
    for library in workspace.library.libraries():
        if library.number == table.library:
            return library
    raise SpanlightError(
        Message("The library of the table “{table}” was removed.", table=table.name),
        Message("Add its folder again, under the same name."),
    )


def files_of(
    workspace: Workspace, table: AnswerTable, states: Iterable[FileState] = ()
) -> tuple[LibraryFile, ...]:
    """The files that are a table's rows, sorted by path; only those in these states, if any are given.

    Raises SpanlightError if its library was removed.
    """
    files = workspace.library.files(library_of_table(workspace, table), states)
    chosen = frozenset(table.documents)
    return tuple(file for file in files if not chosen or file.path in chosen)


def save_question_set(
    workspace: Workspace, name: str, columns: Iterable[Column], report: Report
) -> tuple[Column, ...]:
    """Save a set of questions for use in other tables; returns those of the set with the same name that it replaces.

    Raises SpanlightError without a name, and for more than `MOST_QUESTIONS` questions.
    """
    title = _clean_name(name)
    if not title:
        raise SpanlightError(Message("A set of questions needs a name."), Message("Type one."))
    return workspace.tables.save_question_set(title, _clean_columns(columns))


def judge(
    workspace: Workspace,
    sha256: str,
    column: int,
    verdict: Verdict,
    report: Report,
    *,
    words: str = "",
    span: Span | None = None,
) -> Cell:
    """Store the person's verdict on a cell, in place of an earlier one; returns the cell.

    With OTHER_WORDS, `words` are the right ones, at `span` if they occur in the text. NONE removes the verdict. The
    verdict is also kept as a correction if the index holds the text; if that cannot be stored, there is a notice.
    """
    other = verdict is Verdict.OTHER_WORDS
    cell = workspace.tables.judge(
        column, sha256, verdict, words if other else "", span if other else None, time.time()
    )
    try:
        try:
            _correct(workspace, cell, report)
        except Damaged:  # a new database was created
            _correct(workspace, cell, report)
    except SpanlightError as fault:
        report.notice(
            Message(
                "The table has your verdict, but no reader can learn from it: {fault}", fault=fault.message
            )
        )
    return cell


def _correct(workspace: Workspace, cell: Cell, report: Report) -> None:
    """Keep the verdict on a cell as a correction, or delete the correction for its question and document."""
    question = workspace.tables.question(cell.column)
    file = workspace.library.file_with(cell.sha256) if cell.verdict is not Verdict.NONE else None
    opened = _judged_document(workspace, cell, file) if file is not None and cell.can_be_judged else None
    if opened is None:
        take_back(workspace, cell.sha256, question, report)
        return
    answer = cell.answer
    entry = Entry(
        question=question,
        name=opened.document.name,
        path=opened.document.path,
        sha256=cell.sha256,
        kind=opened.kind,
        answers=(answer,) if answer is not None else (),
        answered=cell.state is CellState.ANSWER,
        no_answer_probability=cell.no_answer,
        model=cell.model,
        asked=cell.seconds,
        windows_total=1 + (len(opened.document.text) > _WINDOW),
    )
    correct(workspace, opened, entry, cell.verdict, report, span=cell.right_span)


def _judged_document(workspace: Workspace, cell: Cell, file: LibraryFile) -> Opened | None:
    """The document of a judged cell; None if its words, or the person's, are not in their places."""
    try:
        opened = workspace.library.opened(file)
    except SpanlightError:
        return None  # it was removed meanwhile
    text = opened.document.text
    places: list[tuple[Span | None, str]] = []
    if cell.answer is not None:
        places.append((cell.answer.span, cell.answer.text))
    if cell.verdict is Verdict.OTHER_WORDS:
        places.append((cell.right_span, cell.right_words))
    return opened if all(span is not None and span.of(text) == words for span, words in places) else None


def count_checked(cells: Iterable[Cell]) -> ColumnAccuracy:
    """Count the cells that the person judged, and those of them that are right (`Verdict.agrees`)."""
    looked_at = right = 0
    for cell in cells:
        if cell.verdict is Verdict.NONE or cell.state is CellState.UNREAD:
            continue
        looked_at += 1
        right += cell.is_right
    if not looked_at:
        return ColumnAccuracy(0, 0)
    return ColumnAccuracy(looked_at, right, *interval(right, looked_at))


def _clean_name(name: str) -> str:
    """The name in single spaces, without what SQLite cannot hold."""
    return clean(" ".join(name.split()))


def _clean_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns with distinct questions, in single spaces, without empty ones."""
    kept: dict[str, Column] = {}
    for column in columns:
        question = " ".join(column.question.split())
        if question:
            kept.setdefault(question, replace(column, question=question))
    refuse_too_many(tuple(kept))
    return tuple(kept.values())


def refuse_too_many(questions: Sequence[str]) -> None:
    """Raise SpanlightError if there are more questions than a table takes."""
    if len(questions) > MOST_QUESTIONS:
        raise SpanlightError(
            Message(
                "There are {number:,} questions; a table holds at most {most:,}.",
                number=len(questions),
                most=MOST_QUESTIONS,
            ),
            Message("Split them over several tables."),
        )
