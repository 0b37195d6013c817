"""A table of questions over the documents of a library: a row for each file, a column for each question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.core.corrections import Verdict
from app.core.history import KeptAnswer
from app.core.library import FileState, LibraryFile
from app.core.text import Span


class ColumnType(StrEnum):
    """The type that a column's answers are parsed as for sorting; the answers themselves stay text."""

    WORDS = "words"
    YES_NO = "yes/no"
    DATE = "date"
    AMOUNT = "amount"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Column:
    """A question of a table; `number` is 0 until it is saved."""

    number: int
    question: str
    type: ColumnType = ColumnType.WORDS


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A named table whose rows are a library's files, or only those of them with the paths in `documents`."""

    number: int
    name: str
    library: int
    columns: tuple[Column, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How a table is displayed: its columns' widths in pixels, by column number, and the column it is sorted by.

    A column without an entry has the default width; `sorted_by` is 0 for the documents' order.
    """

    widths: tuple[tuple[int, int], ...] = ()
    sorted_by: int = 0
    descending: bool = False


class CellState(StrEnum):
    """Whether a cell was read, and with which outcome."""

    UNREAD = "not read yet"
    ANSWER = "answer"
    LOW_CONFIDENCE = "low confidence"
    ABSENT = "not in the text"
    ABSENT_IN_PART = "no answer in the part that was read"
    NO_TEXT = "no text layer"
    FAILED = "failed"


_ABSENT = (CellState.ABSENT, CellState.ABSENT_IN_PART)
_JUDGED = (CellState.ANSWER, CellState.LOW_CONFIDENCE, *_ABSENT)


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer to a column's question from the file whose bytes have the digest `sha256`.

    `answer` holds the words, their probability and place; None if the text does not answer, `no_answer` then being the
    probability of that, 0 to 1. `seconds` is when the file was read and `judged` when the verdict was given, both in
    seconds since 1970. A verdict leaves the answer as it is: with `OTHER_WORDS`, `right_words` are the words that the
    person selected instead, at `right_span` if they occur in the text. `reason` says why the file, or a part of it, was
    not read, `read_as` how the question was read where slips in it were corrected (as in Reading).
    """

    column: int
    sha256: str
    state: CellState
    answer: KeptAnswer | None = None
    no_answer: float = 0.0
    model: str = ""
    seconds: float = 0.0
    verdict: Verdict = Verdict.NONE
    right_words: str = ""
    right_span: Span | None = None
    reason: str = ""
    judged: float = 0.0
    read_as: str = ""

    @property
    def can_be_judged(self) -> bool:
        """Whether a reader gave an answer, or found that the text has none."""
        return self.state in _JUDGED

    @property
    def is_absent(self) -> bool:
        """Whether the text, or the part of it that was read, has no answer."""
        return self.state in _ABSENT

    @property
    def shown_verdict(self) -> Verdict:
        """The verdict to show: where the person agreed that there is no answer, that is "not in the text"."""
        agreed = self.is_absent and self.verdict is Verdict.RIGHT
        return Verdict.NOT_THERE if agreed else self.verdict

    @property
    def is_right(self) -> bool:
        """Whether the person agreed with what the cell shows."""
        return self.verdict.agrees(shown=not self.is_absent)

    @property
    def words(self) -> str:
        """The words to show: the person's own if they gave any, none if they said that the text does not answer."""
        if self.verdict in (Verdict.OTHER_WORDS, Verdict.NOT_THERE):
            return self.right_words
        return self.answer.text if self.answer is not None else ""

    @property
    def span(self) -> Span | None:
        """The place of `words` in the text; None if they do not occur there."""
        if self.verdict in (Verdict.OTHER_WORDS, Verdict.NOT_THERE):
            return self.right_span
        return self.answer.span if self.answer is not None else None


def cell_of(column: Column, file: LibraryFile, cell: Cell | None) -> Cell:
    """Return the cell to show for a column and a file: the stored one, or one with the file's own state."""
    if file.state is FileState.NO_TEXT:
        state = CellState.NO_TEXT
    elif file.state in (FileState.FAILED, FileState.LOCKED):
        state = CellState.FAILED
    elif cell is not None:
        return cell
    else:
        state = CellState.UNREAD
    return Cell(column.number, file.sha256, state, reason=file.reason)


def without_outdated(
    cells: Mapping[tuple[str, int], Cell], files: Iterable[LibraryFile]
) -> dict[tuple[str, int], Cell]:
    """The cells, by SHA-256 and column, but for those to be asked again, as their file now lacks another part, or none.

    A cell that failed or has a verdict stays.
    """
    lacking: dict[str, set[str]] = {}
    for file in files:
        if file.state is FileState.READ:
            lacking.setdefault(file.sha256, set()).add(file.why_unread)
    return {
        key: cell
        for key, cell in cells.items()
        if not cell.can_be_judged
        or cell.verdict is not Verdict.NONE
        or cell.reason in lacking.get(cell.sha256, (cell.reason,))
    }


@dataclass(frozen=True, slots=True)
class ColumnAccuracy:
    """How many answers of a column the person checked, and how many of those were right.

    `low` and `high` are the bounds of the 95 % interval of the share that is right (Wilson 1927), 0 to 1; 0 and 1 if
    none was checked.
    """

    looked_at: int
    right: int
    low: float = 0.0
    high: float = 1.0
