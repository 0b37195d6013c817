"""Exports a table to a file, or its answers into the list of questions that it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from app.core.answer_table import AnswerTable, Cell, CellState, Column, ColumnType, cell_of, without_outdated
from app.core.atomic import write_atomic, writing
from app.core.corrections import Verdict
from app.core.days import iso
from app.core.errors import SpanlightError
from app.core.library import FileState, LibraryFile
from app.core.message import Message
from app.core.report import Report, checked
from app.core.tables import csv_lines
from app.core.wording import low_confidence, percent
from app.documents.orders import Extend
from app.flows.answer_table.questions import QuestionList, load_questions
from app.flows.answer_table.tables import files_of
from app.flows.answer_table.values import value_of
from app.flows.rows import (
    bytes_of,
    csv_value,
    lines_as,
    refuse_same_file,
    require_format,
    sheet_text,
    write_sheet,
)
from app.flows.workspace import Workspace

_MOST_ROWS = 1_048_576  # of a sheet
_WIDTHS = {
    "document": 32,
    "path": 32,
    "question": 44,
    "read as": 44,
    "answer": 52,
    "quotation": 60,
    "value": 18,
    "reason": 32,
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A cell of a table with its document and question."""

    file: LibraryFile
    column: Column
    cell: Cell

    @property
    def words(self) -> str:
        """What the cell shows: its words, with a note on low confidence, or else its state."""
        cell = self.cell
        if cell.verdict is Verdict.NOT_THERE:
            return CellState.ABSENT
        if cell.words and cell.state is CellState.LOW_CONFIDENCE and cell.verdict is Verdict.NONE:
            assert cell.answer is not None
            return f"{cell.words} ({low_confidence(cell.answer.probability)})"
        return cell.words or cell.state

    @property
    def probability(self) -> float | None:
        """The probability of the reader's words, or of their absence; None if the cell was not read."""
        if self.cell.answer is not None:
            return self.cell.answer.probability
        return self.cell.no_answer if self.cell.is_absent else None

    @property
    def countable(self) -> object:
        """The value for a spreadsheet: a number or a date with its number format, or else text."""
        parsed = value_of(self.cell, self.column)
        if parsed is None:
            return ""
        unit, number = parsed.sort_key
        match self.column.type:
            case ColumnType.AMOUNT:
                return number, f'"{unit} "#,##0.00' if unit else "#,##0.00"
            case ColumnType.NUMBER if unit in ("", "%"):
                return (number / 100, "0.##%") if unit else (number, "#,##0.######")
            case ColumnType.DATE if len(parsed.shown) == len("2026-12-31"):
                return date.fromordinal(int(number)), "yyyy-mm-dd"
        return parsed.shown

    @property
    def values(self) -> dict[str, object]:
        """All values of the cell, by the names of an export's columns."""
        cell, answer = self.cell, self.cell.answer
        parsed = value_of(cell, self.column)
        # The place and the sentence are those of the reader's words, not of others that the person chose.
        found = answer if answer is not None and cell.span == answer.span else None
        return {
            "document": Path(self.file.path).name,
            "question": self.column.question,
            "answer": cell.words,
            "value": parsed.shown if parsed is not None else "",
            "state": str(cell.state),
            "probability": self.probability,
            "verdict": str(cell.verdict),
            "quotation": found.sentence if found is not None else "",
            "page": found.page if found is not None else None,
            "page label": found.page_label if found is not None else "",
            "line": found.line if found is not None else None,
            "cell": found.cell if found is not None else "",
            "section": found.heading if found is not None else "",
            "start": cell.span.start if cell.span is not None else None,
            "end": cell.span.end if cell.span is not None else None,
            "reader's answer": answer.text if answer is not None else "",
            "model": cell.model,
            "read": iso(cell.seconds) if cell.seconds else "",
            "judged": iso(cell.judged) if cell.judged else "",
            "sha256": self.file.sha256,
            "path": self.file.path,
            "reason": cell.reason,
            "read as": cell.read_as,
        }


def export_table(workspace: Workspace, table: AnswerTable, path: Path, report: Report) -> None:
    """Write a table to a file of one of `FORMATS`, by its extension, whole or not at all.

    CSV and JSON Lines have a row or an object per cell, with words, value, state, probability, quotation, place in code
    points of the document's text, model, verdict, times, why the file or a part of it was not read, and the question as
    it was read where slips in it were corrected. XLSX has these in the sheet "Answers", and documents by questions in
    the sheet "Table". Text that a spreadsheet would take for a formula gets an apostrophe. Unread cells are included
    with that state. Raises SpanlightError for another extension, for more cells than a spreadsheet takes, and where the
    disk refuses; Stopped when cancelled.
    """
    kind = require_format(path)
    _write(kind, table.columns, _rows(workspace, table), path, report)


def export_documents(
    columns: Sequence[Column],
    documents: Iterable[tuple[LibraryFile, Mapping[int, Cell]]],
    path: Path,
    report: Report,
) -> None:
    """Write documents with their cells, by the columns' numbers, as `export_table` writes those of a table.

    CSV and JSON Lines are streamed, so that there may be any number of documents.
    """
    kind = require_format(path)
    rows = (
        [_Line(file, column, cell_of(column, file, cells.get(column.number))) for column in columns]
        for file, cells in documents
    )
    _write(kind, columns, rows, path, report)


def _write(
    kind: str, columns: Sequence[Column], rows: Iterable[list[_Line]], path: Path, report: Report
) -> None:
    with writing(path, private=False) as file:
        if kind == ".xlsx":
            file.write(_workbook(columns, list(rows), report))
        else:
            lines = (line.values.values() for row in checked(rows, report) for line in row)
            file.writelines(lines_as(kind, _column_names(), lines))
        report.check()


def write_back(workspace: Workspace, table: AnswerTable, source: Path, path: Path, report: Report) -> None:
    """Write the list of questions in `source` to another file, with the table's answers in further columns.

    For a single document these are answer, quotation, page, probability and verdict; for several, the answers of each.
    A spreadsheet keeps its formatting and formulas if `path` is one too; one with formulas but no header gets no
    header. Raises SpanlightError for a list without any of the questions, and as `export_table` does; Stopped when
    cancelled.
    """
    kind = require_format(path, (".csv", ".xlsx"))
    refuse_same_file(source, path)
    loaded = load_questions(workspace, source, report)
    rows = _rows(workspace, table)
    heads, answers = _answer_columns(table, rows)
    added = [
        heads if loaded.header and not at else answers.get(loaded.question(at), [""] * len(heads))
        for at in range(len(loaded.rows))
    ]
    if not any(loaded.question(at) in answers for at in range(len(loaded.rows))):
        raise SpanlightError(
            Message("“{file}” has none of this table's questions.", file=source.name),
            Message("Choose the list that was loaded."),
        )
    report.check()
    if kind == ".csv":
        write_atomic(path, _csv(loaded, heads, added).encode("utf-8-sig", "replace"), private=False)
    else:
        data = workspace.documents.extend(_sheet(source, loaded, heads, added), report)
        write_atomic(path, data, private=False)


def require_fits(kind: str, cells: int) -> None:
    """Raise SpanlightError if a file of this kind cannot hold so many cells."""
    if kind == ".xlsx" and cells >= _MOST_ROWS:
        raise SpanlightError(
            Message("The table has more cells than a spreadsheet takes."), Message("Export it as CSV.")
        )


def _rows(workspace: Workspace, table: AnswerTable) -> list[list[_Line]]:
    """A table's cells, in a list for each document that still exists, sorted by path."""
    files = [file for file in files_of(workspace, table) if file.state is not FileState.GONE]
    stored = without_outdated(workspace.tables.cells(table), files)
    return [
        [
            _Line(file, column, cell_of(column, file, stored.get((file.sha256, column.number))))
            for column in table.columns
        ]
        for file in files
    ]


def _column_names() -> list[str]:
    column, file = Column(0, ""), LibraryFile(0, "", FileState.WAITING)
    return list(_Line(file, column, Cell(0, "", CellState.UNREAD)).values)


def _answer_columns(table: AnswerTable, rows: list[list[_Line]]) -> tuple[list[str], dict[str, list[str]]]:
    """The headers of the columns that are added to a list of questions, and their values by question."""
    if len(rows) == 1:
        heads = ["answer", "quotation", "page", "probability", "verdict", "document"]
        return heads, {line.column.question: _details(line) for line in rows[0]}
    heads = [Path(row[0].file.path).name for row in rows if row]
    return heads, {
        column.question: [row[at].words for row in rows] for at, column in enumerate(table.columns)
    }


def _details(line: _Line) -> list[str]:
    values = line.values
    sure = percent(line.probability) if line.probability is not None else ""
    return [
        line.words,
        *(csv_value(values[name]) for name in ("quotation", "page")),
        sure,
        *(csv_value(values[name]) for name in ("verdict", "document")),
    ]


def _csv(loaded: QuestionList, heads: list[str], added: list[list[str]]) -> str:
    width = max((len(row) for row in loaded.rows), default=1)
    lines = [[*row, *[""] * (width - len(row)), *more] for row, more in zip(loaded.rows, added, strict=True)]
    if not loaded.header:
        lines.insert(0, [*["question" if at == loaded.column else "" for at in range(width)], *heads])
    return csv_lines(lines, ";" if loaded.delimiter == ";" else ",")


def _sheet(source: Path, loaded: QuestionList, heads: list[str], added: list[list[str]]) -> Extend:
    is_sheet = source.suffix.lower() == ".xlsx"
    return Extend(
        str(source) if is_sheet else "",
        _sheet_rows(added),
        () if loaded.header else tuple(map(sheet_text, heads)),
        (*[""] * loaded.column, "question"),
        () if is_sheet else _sheet_rows(loaded.rows),
    )


def _sheet_rows(rows: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(sheet_text, row)) for row in rows)


def _workbook(columns: Sequence[Column], rows: list[list[_Line]], report: Report) -> bytes:
    from openpyxl import Workbook

    require_fits(".xlsx", len(rows) * max(1, len(columns)))
    book = Workbook(write_only=True)
    write_sheet(
        book,
        "Table",
        ["document", *(column.question for column in columns)],
        (
            [(Path(row[0].file.path).name, True), *map(_sheet_cell, row)]
            for row in checked(rows, report)
            if row
        ),
        [32, *[36] * len(columns)],
    )
    names = _column_names()
    write_sheet(
        book,
        "Answers",
        names,
        (
            [(one, True) for one in (line.values | {"value": line.countable}).values()]
            for row in checked(rows, report)
            for line in row
        ),
        [_WIDTHS.get(name, 12) for name in names],
    )
    return bytes_of(book)


def _sheet_cell(line: _Line) -> tuple[object, bool]:
    """A cell's words, and whether they are an answer rather than a state."""
    sure = line.cell.state is CellState.ANSWER or line.cell.verdict is not Verdict.NONE
    return line.words, sure and bool(line.cell.words)
