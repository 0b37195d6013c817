"""The texts of a table's cells and rows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.answer_table import Cell, CellState, ColumnType
from app.core.corrections import Verdict
from app.core.history import KeptAnswer
from app.core.library import FileState, LibraryFile
from app.core.message import Message
from app.core.wording import equal_names, percent
from app.ui.kit.translation import localised, tr

# What is shown below the name of a file without a text.
_WITHOUT_TEXT = {
    FileState.NO_TEXT: Message("no text"),
    FileState.LOCKED: Message("password"),
    FileState.FAILED: Message("not read"),
}

TYPES = {
    ColumnType.WORDS: Message("words"),
    ColumnType.YES_NO: Message("yes/no"),
    ColumnType.DATE: Message("date"),
    ColumnType.AMOUNT: Message("amount"),
    ColumnType.NUMBER: Message("number"),
}


class Look(StrEnum):
    """How a cell's words are drawn."""

    ANSWER = "answer"
    LOW = "low"  # with a dashed line below
    ABSENT = "absent"  # in italics
    UNREAD = "unread"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class CellWords:
    """What a cell shows: its words, a line below them, and the icon of its verdict ("check" or "pen").

    `spoken` is all of it for screen readers.
    """

    words: str
    look: Look
    below: str = ""
    sign: str = ""
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: a file, whose folder is shown if its name is not the only one.

    Its texts are made when they are asked for, as few of many rows are in view.
    """

    file: LibraryFile
    with_folder: bool = False

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.file.path).name

    @property
    def below(self) -> str:
        """The line below the name: how long the file is, or why it has no text, and its folder."""
        file, parts = self.file, []
        if file.state in _WITHOUT_TEXT:
            parts.append(localised(_WITHOUT_TEXT[file.state]))
        elif file.pages:
            parts.append(tr("{n:,} page", "{n:,} pages", n=file.pages))
        elif file.words:
            parts.append(tr("{n:,} word", "{n:,} words", n=file.words))
        if file.state is FileState.READ and file.why_unread:
            parts.append(tr("in part"))
        if self.with_folder:
            parts.append(Path(file.path).parent.name)
        return " · ".join(parts)

    @property
    def message(self) -> str:
        """What is shown instead of the cells of a file without a text; empty for others."""
        return localised(self.file.why_unread) if self.file.state in _WITHOUT_TEXT else ""


def rows_of(files: Iterable[LibraryFile]) -> list[Row]:
    """The rows of the files that are not gone; those of equal names show their folders too."""
    present = [file for file in files if file.state is not FileState.GONE]
    equal = equal_names(file.path for file in present)
    return [Row(file, os.path.split(file.path)[1].casefold() in equal) for file in present]


def unread(share: float | None = None) -> CellWords:
    """What a cell shows before it is read, or meanwhile, with the share that was read, 0 to 1."""
    if share is not None:
        words = tr("Reading, {percent}", percent=localised(percent(share))) if share else tr("Reading…")
        return CellWords(words, Look.UNREAD, spoken=tr("Reading"))
    words = tr("Not read yet")
    return CellWords(words, Look.UNREAD, spoken=words)


def words_of(cell: Cell, value: str = "") -> CellWords:
    """What a stored cell shows: the person's own words, with the reader's below, or else the reader's alone.

    `value` is what the words were parsed as, if it is to be shown below them.
    """
    if cell.state is CellState.FAILED:
        reason = localised(cell.reason) or tr("Could not be read")
        return CellWords(reason, Look.FAULT, spoken=reason)
    if cell.state is CellState.NO_TEXT:
        return CellWords(tr("No text"), Look.ABSENT, spoken=tr("The file has no text"))
    if cell.state is CellState.UNREAD:
        return unread()
    answer = cell.answer
    if answer is None or cell.is_absent:
        look, parts = Look.ABSENT, [localised(percent(cell.no_answer))]
        words, reader = tr("Not in the text"), tr("reader: not in the text")
        if cell.state is CellState.ABSENT_IN_PART:
            words = tr("No answer in the part that was read")
            reader = tr("reader: no answer in the part that was read")
    else:
        words = " ".join(answer.text.split())
        reader = tr("reader: {words}", words=words)
        low = cell.state is CellState.LOW_CONFIDENCE
        look, parts = Look.LOW if low else Look.ANSWER, [localised(percent(answer.probability))]
        if low:
            parts.append(tr("low confidence"))
        if place := short_place(answer):
            parts.append(place)
        if value:
            parts.insert(0, value)
    verdict = []
    if cell.verdict is Verdict.OTHER_WORDS or (cell.verdict is Verdict.NOT_THERE and look is not Look.ABSENT):
        words, look = " ".join(cell.right_words.split()) or tr("Not there"), Look.ANSWER
        if cell.verdict is Verdict.NOT_THERE:
            look = Look.ABSENT
        parts = [tr("yours"), reader, *parts]
    elif cell.verdict is not Verdict.NONE:
        verdict = [tr("you said: right") if cell.verdict is Verdict.RIGHT else tr("you said: not there")]
    sign = "" if cell.verdict is Verdict.NONE else "check" if cell.is_right else "pen"
    return CellWords(words, look, " · ".join(parts), sign, ", ".join((words, *parts, *verdict)))


def short_place(answer: KeptAnswer) -> str:
    """An answer's page, cell or line in few characters: "p. 27", "B12", "line 1,204"; empty if none is known."""
    if answer.cell:
        return answer.cell
    if answer.page is not None:
        if answer.page_label:
            return tr("p. {label}", label=answer.page_label)
        return tr("p. {number:,}", number=answer.page)
    return tr("line {line:,}", line=answer.line) if answer.line is not None else ""


def certainty(cell: Cell) -> float:
    """The probability (0 to 1) that the reader gave to what the cell says."""
    if cell.answer is not None and not cell.is_absent:
        return cell.answer.probability
    return cell.no_answer
