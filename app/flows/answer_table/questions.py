"""Reads lists of questions from pasted text or files: CSV, XLSX, or plain lines."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.core.answer_table import Column, ColumnType
from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.message import Message
from app.core.report import Report
from app.core.tables import refuse_oversized
from app.core.text import normalise_newlines
from app.documents.plain_text import decode
from app.flows.answer_table.tables import refuse_too_many
from app.flows.csv_files import csv_rows
from app.flows.workspace import Workspace

_MOST_BYTES = 20_000_000
# The start of a list item: a bullet with or without a box, a number, a letter.
_BULLET = re.compile(
    r"(?:[-*+•‣–·]\s+(?:\[[ xX]?\]\s+)?|\(?(?:\d{1,4}|[a-zA-Z])\)\s*|Q?\d{1,4}[.:]\s+|\d{1,4}\t)"
)
_HEADER = re.compile(r"questions?(?:[ _-]?texts?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuestionList:
    """A list of questions as it is in its file: rows of cells, of which those in `column` are questions.

    `header` is whether the first row is a header. `delimiter` is that of CSV, "xlsx", or empty for plain lines.
    """

    rows: tuple[tuple[str, ...], ...]
    column: int = 0
    header: bool = False
    delimiter: str = ""

    def question(self, row: int) -> str:
        """The question in a row, counted from 0; empty for the header and a row without one."""
        cells = self.rows[row]
        if (self.header and not row) or self.column >= len(cells):
            return ""
        return clean_question(cells[self.column])

    @property
    def questions(self) -> tuple[str, ...]:
        """The distinct questions in their order; raises SpanlightError for more than a table takes."""
        return _unique(self.question(row) for row in range(len(self.rows)))


def questions_in(text: str) -> tuple[str, ...]:
    """The distinct questions of a pasted text, one per line, without bullets and numbers.

    Raises SpanlightError for more than a table takes.
    """
    return _unique(map(clean_question, normalise_newlines(text).split("\n")))


def questions_from(workspace: Workspace, path: Path, report: Report) -> tuple[str, ...]:
    """Read the distinct questions of a file, in CSV or XLSX from the column "question" or else the first with words.

    Raises SpanlightError for a file that cannot be read, one without questions, and more than a table takes; Stopped
    when cancelled.
    """
    found = load_questions(workspace, path, report).questions
    if not found:
        raise SpanlightError(
            Message("“{file}” has no questions.", file=path.name), Message("Write one per line.")
        )
    return found


def columns_of(questions: Iterable[str]) -> tuple[Column, ...]:
    """Columns for questions, each of the `answer_type` of its question."""
    return tuple(Column(0, question, answer_type(question)) for question in questions)


_TYPES = (
    (
        ColumnType.DATE,
        re.compile(
            r"(?:when|(?:on |from |until |by |in )?(?:what|which) (?:(?:is|was) the )?(?:year|(?:\w+ )?date))\b"
        ),
    ),
    (ColumnType.NUMBER, re.compile(r"how (?:many|old|long)\b|what (?:percentage|share|number)\b")),
    (ColumnType.AMOUNT, re.compile(r"how much\b|what (?:is|are|was) the (?:\w+ )*(?:price|fee|cost|rent|salary)\b")),
    (
        ColumnType.YES_NO,
        re.compile(
            r"(?:is|are|was|were|does|do|did|has|have|had|may|must|can|could|will|would|shall|should|might) (?!not\b)"
        ),
    ),
)  # fmt: skip


def answer_type(question: str) -> ColumnType:
    """The type of answer that a question's first words ask for; WORDS if they do not show it."""
    words = " ".join(question.casefold().split())
    return next((type for type, pattern in _TYPES if pattern.match(words)), ColumnType.WORDS)


def load_questions(workspace: Workspace, path: Path, report: Report) -> QuestionList:
    """Read a list of questions with all other cells of its file. Raises as `questions_from` does for the file."""
    if path.suffix.lower() == ".xlsx":
        return _find_column(workspace.documents.rows(path, report), "xlsx", path.name)
    text = normalise_newlines(decode(read_whole(path, _MOST_BYTES), path.name))
    if path.suffix.lower() not in (".csv", ".tsv"):
        return QuestionList(tuple((line,) for line in text.rstrip().split("\n")))
    return _read_csv(text, path.name)


def clean_question(line: str) -> str:
    """Clean a question: on one line, without a bullet or number; empty if it has no letters and digits."""
    line = " ".join(_BULLET.sub("", line.strip().lstrip("\ufeff"), count=1).split())
    return line if any(character.isalnum() for character in line) else ""


def _read_csv(text: str, name: str) -> QuestionList:
    head = text.split("\n", 1)[0]
    # In "What is the term, if any?" the comma is no delimiter.
    real = head if '"' in head else re.sub(r"[,;] ", "", head)
    delimiter = max(",;\t", key=real.count)
    if '"' not in text and not real.count(delimiter):
        return _find_column([(line,) for line in text.split("\n")], ",", name)
    return _find_column(list(map(tuple, csv_rows(text, delimiter, name))), delimiter, name)


def _find_column(rows: list[tuple[str, ...]], delimiter: str, name: str) -> QuestionList:
    """Find the column of the questions: one with the header "question", else the first with several words in a cell."""
    while rows and not any(cell.strip() for cell in rows[-1]):
        rows.pop()
    if not rows:
        return QuestionList((), delimiter=delimiter)
    width = max(map(len, rows))
    refuse_oversized(len(rows), width, name)
    named = next((at for at, cell in enumerate(rows[0]) if _HEADER.fullmatch(cell.strip())), None)
    if named is not None:
        return QuestionList(tuple(rows), named, True, delimiter)
    column = next(
        (at for at in range(width) if any(at < len(row) and " " in row[at].strip() for row in rows)), 0
    )
    first = rows[0][column].strip() if column < len(rows[0]) else ""
    header = len(rows) > 1 and " " not in first and not first.endswith("?")
    return QuestionList(tuple(rows), column, header, delimiter)


def _unique(questions: Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(filter(None, questions)))
    refuse_too_many(found)
    return found
