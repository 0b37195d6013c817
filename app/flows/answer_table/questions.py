"""Lists of questions, pasted or from a file: CSV, XLSX, or plain lines."""

from __future__ import annotations

import csv
import io
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from xml.etree import ElementTree

from app.core.answer_table import Column, ColumnType
from app.core.errors import SpanlightError
from app.core.files import open_regular, read_whole
from app.core.message import Message
from app.core.text import normalise_newlines
from app.documents.plain_text import decode
from app.flows.answer_table.tables import refuse_too_many
from app.flows.tables import refuse_vast

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet as Worksheet

_MOST_BYTES = 20_000_000
_MOST_UNPACKED = 200_000_000
# openpyxl holds all elements of a row or a text at once, at up to 60 times their length in the file, and of any other
# part all of them. A row of Excel has 16,384 cells of two elements.
_MOST_ELEMENTS, _PIECE = 1_000_000, 1 << 20
_ROW = re.compile(rb"<(?:\w+:)?(?:row|si)[ />]")
# What stands before a line of a list: a bullet with or without a box, a number, a letter.
_MARK = re.compile(
    r"(?:[-*+•‣–·]\s+(?:\[[ xX]?\]\s+)?|\(?(?:\d{1,4}|[a-zA-Z])\)\s*|Q?\d{1,4}[.:]\s+|\d{1,4}\t)"
)
_HEADER = re.compile(r"questions?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A list of questions as it stands in its file: rows of cells, of which those in `column` are questions.

    The first row is a header if `header` says so. `delimiter` is the CSV's, empty for plain lines.
    """

    rows: tuple[tuple[str, ...], ...]
    column: int = 0
    header: bool = False
    delimiter: str = ""

    def question(self, row: int) -> str:
        """The question in a row, counted from 0; empty for the header and where there is none."""
        cells = self.rows[row]
        if (self.header and not row) or self.column >= len(cells):
            return ""
        return clean(cells[self.column])

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions in their order, each once; raises SpanlightError for more than a table takes."""
        return _each_once(self.question(row) for row in range(len(self.rows)))


def questions_in(text: str) -> tuple[str, ...]:
    """The questions of a pasted text, one a line, without bullets and numbers; each once.

    Raises SpanlightError for more than a table takes.
    """
    return _each_once(map(clean, normalise_newlines(text).split("\n")))


def questions_from(path: Path) -> tuple[str, ...]:
    """The questions of a file, each once: of a CSV or XLSX file, the column that is named so, or else the first.

    Raises SpanlightError for a file that cannot be read, one without questions, and more than a table takes.
    """
    found = load(path).questions
    if not found:
        raise SpanlightError(
            Message("“{file}” has no questions.", file=path.name), Message("Write one per line.")
        )
    return found


def columns_of(questions: Iterable[str]) -> tuple[Column, ...]:
    """Columns for questions, each of the type that its first words ask for; words where they tell nothing."""
    return tuple(Column(0, question, type_of(question)) for question in questions)


_TYPES = (
    (ColumnType.DATE, re.compile(r"(?:when|(?:on |from |until |by )?(?:what|which) (?:is the )?(?:\w+ )?date)\b")),
    (ColumnType.NUMBER, re.compile(r"how (?:many|old|long)\b|what (?:percentage|share|number)\b")),
    (ColumnType.AMOUNT, re.compile(r"how much\b|what (?:is|are|was) the (?:\w+ )*(?:price|fee|cost|rent|salary)\b")),
    (
        ColumnType.YES_NO,
        re.compile(
            r"(?:is|are|was|were|does|do|did|has|have|had|may|must|can|could|will|would|shall|should|might) (?!not\b)"
        ),
    ),
)  # fmt: skip


def type_of(question: str) -> ColumnType:
    """The type of answer that a question's first words ask for."""
    words = " ".join(question.casefold().split())
    return next((type for type, pattern in _TYPES if pattern.match(words)), ColumnType.WORDS)


def load(path: Path) -> Loaded:
    """A list of questions with all that stands beside them. Raises SpanlightError for a file that cannot be read."""
    if path.suffix.lower() == ".xlsx":
        return _with_column(sheet_rows(path), "xlsx", path.name)
    text = normalise_newlines(decode(read_whole(path, _MOST_BYTES), path.name))
    if path.suffix.lower() not in (".csv", ".tsv"):
        return Loaded(tuple((line,) for line in text.rstrip().split("\n")))
    return _csv(text, path.name)


def open_workbook(path: Path) -> Workbook:
    """A spreadsheet with its formulas. Raises SpanlightError where it cannot be read."""
    with _readable(path) as file:
        from openpyxl import load_workbook

        with zipfile.ZipFile(file) as archive:
            for part in archive.namelist():
                if part.startswith("xl/worksheets/") and part.endswith(".xml"):
                    _refuse_spread(archive, part, path.name)
        for sheet in load_workbook(file, read_only=True).worksheets:
            _rows_of(sheet, path.name)
        return load_workbook(file)


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    """A spreadsheet's file. Raises SpanlightError where it cannot be read, or would unpack to very much."""
    with open_regular(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                if sum(part.file_size for part in archive.infolist()) > _MOST_UNPACKED:
                    raise SpanlightError(
                        Message("“{file}” is too large to be read.", file=path.name),
                        Message("Choose another file."),
                    )
                for part in archive.namelist():
                    _refuse_crowded(archive, part, path.name)
            yield file
        except (SpanlightError, MemoryError):
            raise
        except Exception as fault:  # openpyxl lets through whatever a damaged file causes
            raise SpanlightError(
                Message("“{file}” is not a spreadsheet that can be read.", file=path.name),
                Message("Save it as XLSX again, or as CSV."),
            ) from fault


def _refuse_crowded(archive: zipfile.ZipFile, part: str, name: str) -> None:
    """Raises SpanlightError for a part with more elements in a row, or outside of rows, than any program writes."""
    if not part.endswith(".xml") or part.startswith(
        "xl/pivotCache/"
    ):  # copies of a sheet's rows, not read here
        return
    elements = 0
    with archive.open(part) as content:
        while piece := content.read(_PIECE):
            rows = [row.start() for row in _ROW.finditer(piece)]
            if elements + piece.count(b"<", 0, rows[0] if rows else len(piece)) > _MOST_ELEMENTS:
                raise SpanlightError(
                    Message("“{name}” is too large to be read.", name=name), Message("Choose another file.")
                )
            elements = piece.count(b"<", rows[-1]) if rows else elements + piece.count(b"<")


def _refuse_spread(archive: zipfile.ZipFile, part: str, name: str) -> None:
    """Raises SpanlightError for merged cells or links over a vast range, of which openpyxl makes every cell."""
    from openpyxl.utils import range_boundaries

    with archive.open(part) as sheet:
        for _, element in ElementTree.iterparse(sheet):
            if element.tag.rpartition("}")[2] in ("mergeCell", "hyperlink"):
                left, top, right, bottom = range_boundaries(element.get("ref", "A1"))
                refuse_vast(bottom - top + 1, right - left + 1, name)
            element.clear()


def _rows_of(sheet: Worksheet, name: str) -> list[tuple[str, ...]]:
    """The rows of a sheet that was opened read-only, as texts. Raises SpanlightError where they are too many."""
    sheet.reset_dimensions()  # the file says anything
    rows: list[tuple[str, ...]] = []
    width = 19  # at least: so wide a sheet may have all 1,048,576 rows of Excel, some of them only formatted
    for row in sheet.iter_rows(values_only=True):
        rows.append(tuple("" if each is None else str(each) for each in row))
        width = max(width, len(row))
        refuse_vast(len(rows), width, name)
    return rows


def clean(line: str) -> str:
    """A line as a question: on one line, without the bullet or the number before it."""
    line = " ".join(_MARK.sub("", line.strip().lstrip("\ufeff"), count=1).split())
    return line if any(character.isalnum() for character in line) else ""


def sheet_rows(path: Path) -> list[tuple[str, ...]]:
    """The rows of a spreadsheet's first sheet as texts. Raises SpanlightError where it cannot be read."""
    with _readable(path) as file:
        from openpyxl import load_workbook

        sheets = load_workbook(file, read_only=True, data_only=True).worksheets
        return _rows_of(sheets[0], path.name) if sheets else []


def _csv(text: str, name: str) -> Loaded:
    head = text.split("\n", 1)[0]
    # In "What is the term, if any?" the comma divides nothing.
    real = head if '"' in head else re.sub(r"[,;] ", "", head)
    delimiter = max(",;\t", key=real.count)
    if '"' not in text and not real.count(delimiter):
        return _with_column([(line,) for line in text.split("\n")], ",", name)
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    except csv.Error as fault:
        raise SpanlightError(
            Message("“{name}” is not a CSV file: {fault}.", name=name, fault=str(fault)),
            Message("Save it as CSV again."),
        ) from fault
    return _with_column(rows, delimiter, name)


def _with_column(rows: list[tuple[str, ...]], delimiter: str, name: str) -> Loaded:
    """The rows with the column of their questions: one that is named so, else the first one with words."""
    while rows and not any(cell.strip() for cell in rows[-1]):
        rows.pop()
    if not rows:
        return Loaded((), delimiter=delimiter)
    named = next((at for at, cell in enumerate(rows[0]) if _HEADER.fullmatch(cell.strip())), None)
    if named is not None:
        return Loaded(tuple(rows), named, True, delimiter)
    width = max(map(len, rows))
    refuse_vast(len(rows), width, name)
    column = next(
        (at for at in range(width) if any(at < len(row) and " " in row[at].strip() for row in rows)), 0
    )
    first = rows[0][column].strip() if column < len(rows[0]) else ""
    header = len(rows) > 1 and " " not in first and not first.endswith("?")
    return Loaded(tuple(rows), column, header, delimiter)


def _each_once(questions: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(filter(None, questions)))
    refuse_too_many(found)
    return found
