"""What a table's cells and rows show, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.answer_table import Cell, CellState
from app.core.corrections import Verdict
from app.core.history import KeptAnswer
from app.core.library import FileState, LibraryFile
from app.core.wording import count, percent

# What stands below the names of files without a text.
_WITHOUT_TEXT = {
    FileState.NO_TEXT: "no text",
    FileState.LOCKED: "password",
    FileState.FAILED: "not read",
}


class Look(StrEnum):
    """How a cell's words are drawn."""

    ANSWER = "answer"
    LOW = "low"  # with dashes below
    ABSENT = "absent"  # in italics
    UNREAD = "unread"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class CellWords:
    """What a cell shows: its words, an icon for the verdict ("check" or "close"), and a line below.

    `spoken` is the whole of it for a screen reader.
    """

    words: str
    look: Look
    below: str = ""
    sign: str = ""
    spoken: str = ""


UNREAD = CellWords("Not read yet", Look.UNREAD, spoken="Not read yet")
READING = CellWords("Reading…", Look.UNREAD, spoken="Reading")


@dataclass(frozen=True, slots=True)
class Row:
    """A file of the library: its name, a line below, and a sentence instead of cells for one without a text."""

    file: LibraryFile
    name: str
    below: str
    message: str = ""


def rows_of(files: Sequence[LibraryFile]) -> list[Row]:
    """The rows of a library's files; those that are gone have none. Files of equal names show their folders too."""
    there = [file for file in files if file.state is not FileState.GONE]
    names = Counter(Path(file.path).name.casefold() for file in there)
    rows = []
    for file in there:
        path = Path(file.path)
        below, message = _state_of(file)
        if names[path.name.casefold()] > 1:
            below = f"{below} · {path.parent.name}" if below else path.parent.name
        rows.append(Row(file, path.name, below, message))
    return rows


def _state_of(file: LibraryFile) -> tuple[str, str]:
    if file.state in _WITHOUT_TEXT:
        return _WITHOUT_TEXT[file.state], file.why_unread
    if file.pages:
        return count(file.pages, "page"), ""
    return (count(file.words, "word") if file.words else "", "")


def words_of(cell: Cell, value: str = "") -> CellWords:
    """What a stored cell shows: the person's own words first, with the reader's below them.

    `value` is what the words that count were parsed as, shown where it says more than these.
    """
    if cell.state is CellState.FAILED:
        reason = cell.reason or "Could not be read"
        return CellWords(reason, Look.FAULT, spoken=reason)
    if cell.state is CellState.NO_TEXT:
        return CellWords("No text", Look.ABSENT, spoken="The file has no text")
    if cell.state is CellState.UNREAD:
        return UNREAD
    answer = cell.answer
    if answer is None or cell.state is CellState.ABSENT:
        words, look, parts = "Not in the text", Look.ABSENT, [percent(cell.no_answer)]
    else:
        words = " ".join(answer.text.split())
        low = cell.state is CellState.LOW_CONFIDENCE
        look, parts = Look.LOW if low else Look.ANSWER, [percent(answer.probability)]
        if low:
            parts.append("low confidence")
        if place := short_place(answer):
            parts.append(place)
        if value:
            parts.insert(0, value)
    said = []
    if cell.verdict is Verdict.OTHER_WORDS or (cell.verdict is Verdict.NOT_THERE and look is not Look.ABSENT):
        reader = "not in the text" if look is Look.ABSENT else words
        words, look = " ".join(cell.right_words.split()) or "Not there", Look.ANSWER
        if cell.verdict is Verdict.NOT_THERE:
            look = Look.ABSENT
        parts = ["yours", f"reader: {reader}", *parts]
    elif cell.verdict is not Verdict.NONE:
        said = [f"you said: {cell.verdict.value}"]
    sign = "" if cell.verdict is Verdict.NONE else "check" if cell.is_right else "close"
    return CellWords(words, look, " · ".join(parts), sign, ", ".join((words, *parts, *said)))


def short_place(answer: KeptAnswer) -> str:
    """An answer's page or line in a few letters: "p. 27", "line 1,204"; empty if there is neither."""
    if answer.page is not None:
        return f"p. {answer.page_label or f'{answer.page:,}'}"
    return f"line {answer.line:,}" if answer.line is not None else ""


def certainty(cell: Cell) -> float:
    """How sure the reader was of what the cell says, 0 to 1."""
    if cell.answer is not None and cell.state is not CellState.ABSENT:
        return cell.answer.probability
    return cell.no_answer
