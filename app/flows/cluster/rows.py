"""The rows that a cluster writes, one a document, and how they come together in one table."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from app.core.answer_table import Cell, CellState, Column, ColumnType
from app.core.history import KeptAnswer
from app.core.library import FileState, LibraryFile
from app.library.records import Record

# What a file's line in the ledger tells, by the names of the columns.
_FILE = Record(
    LibraryFile,
    ("path", "state", "reason", "size", "modified", "sha256", "kind", "pages", "words", "language"),
)
_ANSWER = Record(KeptAnswer)
_CELL = Record(Cell, ("state", "no_answer", "model", "seconds", "reason"))
# The columns of a row beside its answers, and those of an answer, with their types.
ROW_COLUMNS: dict[str, type] = dict.fromkeys(("key", *_FILE.columns, "model", "commit", "asked"), str) | {
    **dict.fromkeys(("size", "modified", "pages", "words"), int),
    "run": int,
    "same": bool,
}
ANSWER_COLUMNS: dict[str, type] = dict.fromkeys(("question", *_CELL.columns, *_ANSWER.columns), str) | {
    **dict.fromkeys(("start", "end", "page", "line"), int),
    **dict.fromkeys(("no_answer", "probability", "seconds"), float),
}
# Enough of a row to tell whether its document is to be read again.
SHORT = ("path", "size", "modified", "sha256", "asked", "run", "same")


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a run, and the model that answers them, by its name and by what it computes with.

    `over` is the folder or address whose documents are asked, empty for a list of them.
    """

    columns: tuple[Column, ...]
    model: str
    commit: str
    over: str = ""

    @property
    def digest(self) -> str:
        """What answers depend on beside the document, in 16 hexadecimal digits."""
        parts = (self.commit, *(column.question for column in self.columns))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        questions = [[column.question, str(column.type)] for column in self.columns]
        return {"questions": questions, "model": self.model, "commit": self.commit, "over": self.over}

    @staticmethod
    def from_plain(values: Mapping[str, Any]) -> Asked:
        """The value of `plain`; raises KeyError, TypeError and ValueError for something else."""
        columns = numbered(
            Column(0, str(question), ColumnType(type)) for question, type in values["questions"]
        )
        return Asked(columns, str(values["model"]), str(values["commit"]), str(values["over"]))


def numbered(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The questions of a run, numbered from 1 by their places."""
    return tuple(replace(column, number=number) for number, column in enumerate(columns, 1))


@dataclass(frozen=True, slots=True)
class Row:
    """A document as a node has read it, with a cell for each question, by the questions' numbers from 1.

    `asked` is the digest of the run's Asked, `run` its number, which is greater than those of all runs before it: the
    clocks of nodes differ. A file with a modification time of 0 is read again with the next run. With `same` the file
    has another time but the bytes that an earlier row of the same key was read from: only its size and time count.
    """

    file: LibraryFile
    asked: str
    run: int
    cells: tuple[Cell, ...] = ()
    same: bool = False

    @property
    def key(self) -> str:
        """What identifies the row: its path, its bytes, the model and the questions."""
        parts = (self.file.path, self.file.sha256, self.asked)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def has_failed(self) -> bool:
        """Whether the file could not be read, or the reader broke down over one of the questions."""
        return self.file.state is not FileState.READ or any(
            cell.state is CellState.FAILED for cell in self.cells
        )

    def plain(self, asked: Asked) -> dict[str, Any]:
        """The row as columns of plain values; `answers` is a list of them."""
        questions = {column.number: column.question for column in asked.columns}
        values = dict(zip(_FILE.columns, map(_plain, _FILE.values(self.file)), strict=True))
        return {"key": self.key} | values | {
            "model": asked.model,
            "commit": asked.commit,
            "asked": self.asked,
            "run": self.run,
            "same": self.same,
            "answers": [_plain_cell(cell, questions[cell.column]) for cell in self.cells],
        }  # fmt: skip


def row_of(values: Mapping[str, Any]) -> Row:
    """The row of `Row.plain`; its cells have the numbers of their places."""
    file = LibraryFile(number=0, **_FILE.fields([values[name] for name in _FILE.columns]))
    cells = tuple(
        _CELL.load(
            [each[name] for name in _CELL.columns],
            column=number,
            sha256=file.sha256,
            answer=_ANSWER.load([each[name] for name in _ANSWER.columns])
            if each["text"] is not None
            else None,
        )
        for number, each in enumerate(values["answers"], 1)
    )
    return Row(file, values["asked"], values["run"], cells, values["same"])


def _plain_cell(cell: Cell, question: str) -> dict[str, Any]:
    answer = [None] * len(_ANSWER.columns) if cell.answer is None else _ANSWER.values(cell.answer)
    names = (*_CELL.columns, *_ANSWER.columns)
    found = dict(zip(names, map(_plain, [*_CELL.values(cell), *answer]), strict=True))
    return {"question": _plain(question)} | found


def _plain(value: Any) -> Any:
    """A value as Parquet takes it: lone surrogates, which are in no valid text, as a replacement character."""
    if isinstance(value, bytes):  # as a Record stores them
        value = value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Item:
    """A document to be read: its path or address, size and modification time in nanoseconds.

    `known` is the SHA-256 of the bytes that it was read from by an earlier run with the same questions and model.
    """

    path: str
    size: int
    modified: int
    known: str = ""


def unread(found: Iterable[Item], rows: Iterable[Mapping[str, Any]], asked: str) -> tuple[list[Item], int]:
    """The documents that no row has answered as they are now, by rows of the columns `SHORT`; the next run's number.

    One whose size or time differs comes with the hash of what was read, as its bytes may be the same.
    """
    latest: dict[str, tuple[int, int, int, str]] = {}
    last = 0
    for row in rows:
        last = max(last, row["run"])
        if row["asked"] == asked:
            now = (row["run"], row["size"], row["modified"], row["sha256"])
            latest[row["path"]] = max(now, latest.get(row["path"], now))
    left = []
    for item in found:
        _, size, modified, sha256 = latest.get(item.path, (0, -1, 0, ""))
        if (size, modified) != (item.size, item.modified):
            left.append(replace(item, known=sha256 if modified else ""))
    return left, last + 1


@dataclass(frozen=True, slots=True)
class Part:
    """A file of rows: the first of its paths, and what reads it."""

    first: str
    read: Callable[[], Iterable[Mapping[str, Any]]]


def together(
    parts: Sequence[Part], asked: str, wanted: Callable[[str], bool] = lambda path: True
) -> Iterator[Row]:
    """One row for each wanted document that was `asked` this, by path: repeated keys, and older rows, are left out.

    A part is read once its first path is due, so that memory holds parts that overlap and no others.
    """
    for _, same in groupby(_by_path(parts, asked, wanted), lambda row: row.file.path):
        rows = sorted(same, key=lambda row: row.run)
        best = next((row for row in reversed(rows) if not row.same), None)
        if best is None:
            continue
        now = rows[-1]
        yield replace(best, file=replace(best.file, modified=now.file.modified)) if now.same else best


def _by_path(parts: Sequence[Part], asked: str, wanted: Callable[[str], bool]) -> Iterator[Row]:
    waiting: list[tuple[str, int, Row]] = []
    number = 0
    for part in sorted(parts, key=lambda part: part.first):
        while waiting and waiting[0][0] < part.first:
            yield heapq.heappop(waiting)[2]
        for values in part.read():
            if values["asked"] == asked and wanted(values["path"]):
                number += 1
                heapq.heappush(waiting, (values["path"], number, row_of(values)))
    while waiting:
        yield heapq.heappop(waiting)[2]
