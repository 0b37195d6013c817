"""The rows that a cluster writes, one per document, and how they are merged into one table."""

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

# The columns with a document's entry in the ledger.
_FILE = Record(
    LibraryFile,
    ("path", "state", "reason", "size", "modified", "sha256", "kind", "pages", "words", "language"),
)
_ANSWER = Record(KeptAnswer)
_CELL = Record(Cell, ("state", "no_answer", "model", "seconds", "reason", "read_as"))
# The columns of a row besides its answers, and those of an answer, with their types.
ROW_COLUMNS: dict[str, type] = dict.fromkeys(("key", *_FILE.columns, "model", "commit", "asked"), str) | {
    **dict.fromkeys(("size", "modified", "pages", "words"), int),
    "run": int,
    "same": bool,
}
ANSWER_COLUMNS: dict[str, type] = dict.fromkeys(("question", *_CELL.columns, *_ANSWER.columns), str) | {
    **dict.fromkeys(("start", "end", "page", "line"), int),
    **dict.fromkeys(("no_answer", "probability", "seconds"), float),
}
# Enough of a row to decide whether its document has to be read again.
SUMMARY_COLUMNS = ("path", "size", "modified", "sha256", "asked", "run", "same")


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The questions of a run, and the reader that answers them.

    `model` is the reader's name; `commit` identifies its weights and how they are computed with. `over` is the folder
    or address whose documents are asked, empty for a list of documents.
    """

    columns: tuple[Column, ...]
    model: str
    commit: str
    over: str = ""

    @property
    def digest(self) -> str:
        """A digest of everything that answers depend on besides the document, in 16 hexadecimal digits."""
        parts = (self.commit, *(column.question for column in self.columns))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def plain(self) -> dict[str, Any]:
        """Plain values for JSON."""
        questions = [[column.question, str(column.type)] for column in self.columns]
        return {"questions": questions, "model": self.model, "commit": self.commit, "over": self.over}

    @staticmethod
    def from_plain(values: Mapping[str, Any]) -> RunSpec:
        """The inverse of `plain`; raises KeyError, TypeError and ValueError for anything else."""
        columns = number_columns(
            Column(0, str(question), ColumnType(type)) for question, type in values["questions"]
        )
        return RunSpec(columns, str(values["model"]), str(values["commit"]), str(values["over"]))


def number_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns with the numbers 1, 2, 3, ... in their order."""
    return tuple(replace(column, number=number) for number, column in enumerate(columns, 1))


@dataclass(frozen=True, slots=True)
class Row:
    """A document as a node has read it, with a cell for each question, by the questions' numbers from 1.

    `asked` is the digest of the run's spec. `run` is the run's number, greater than those of all earlier runs: clocks
    differ between nodes. A file with a modification time of 0 is read again by the next run. With `same`, the file has
    a new modification time but the bytes of an earlier row with the same key: only its size and time count.
    """

    file: LibraryFile
    asked: str
    run: int
    cells: tuple[Cell, ...] = ()
    same: bool = False

    @property
    def key(self) -> str:
        """A SHA-256 that identifies the row by its path, its bytes, the model and the questions."""
        parts = (self.file.path, self.file.sha256, self.asked)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def has_failed(self) -> bool:
        """Whether the file could not be read, or the reader failed on one of the questions."""
        return self.file.state is not FileState.READ or any(
            cell.state is CellState.FAILED for cell in self.cells
        )

    def plain(self, spec: RunSpec) -> dict[str, Any]:
        """Plain values by column; `answers` is a list of such values."""
        questions = {column.number: column.question for column in spec.columns}
        values = dict(zip(_FILE.columns, map(_plain, _FILE.values(self.file)), strict=True))
        return {"key": self.key} | values | {
            "model": spec.model,
            "commit": spec.commit,
            "asked": self.asked,
            "run": self.run,
            "same": self.same,
            "answers": [_plain_cell(cell, questions[cell.column]) for cell in self.cells],
        }  # fmt: skip

    @staticmethod
    def from_plain(values: Mapping[str, Any]) -> Row:
        """The inverse of `plain`; the cells are numbered in their order."""
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
            # Earlier versions wrote no `read_as`.
            for number, each in enumerate(({"read_as": ""} | one for one in values["answers"]), 1)
        )
        return Row(file, values["asked"], values["run"], cells, values["same"])


def _plain_cell(cell: Cell, question: str) -> dict[str, Any]:
    answer = [None] * len(_ANSWER.columns) if cell.answer is None else _ANSWER.values(cell.answer)
    names = (*_CELL.columns, *_ANSWER.columns)
    found = dict(zip(names, map(_plain, [*_CELL.values(cell), *answer]), strict=True))
    return {"question": _plain(question)} | found


def _plain(value: Any) -> Any:
    """The value as Parquet can hold it: lone surrogates become replacement characters."""
    if isinstance(value, bytes):  # how a Record stores a text with lone surrogates
        value = value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A document to read: its path or address, size in bytes and modification time in nanoseconds.

    `known_sha256` is of the bytes that an earlier run with the same spec read there, empty if there was none.
    """

    path: str
    size: int
    modified: int
    known_sha256: str = ""


def pending(
    sources: Iterable[SourceFile], summaries: Iterable[Mapping[str, Any]], asked: str
) -> tuple[list[SourceFile], int]:
    """The documents that no row answers as they are now, and the number of the next run.

    `summaries` are rows with `SUMMARY_COLUMNS`. A document whose size or time differs gets the hash of what was read,
    since its bytes may be the same.
    """
    latest: dict[str, tuple[int, int, int, str]] = {}
    last_run = 0
    for row in summaries:
        last_run = max(last_run, row["run"])
        if row["asked"] == asked:
            state = (row["run"], row["size"], row["modified"], row["sha256"])
            latest[row["path"]] = max(state, latest.get(row["path"], state))
    left = []
    for source in sources:
        _, size, modified, sha256 = latest.get(source.path, (0, -1, 0, ""))
        if (size, modified) != (source.size, source.modified):
            left.append(replace(source, known_sha256=sha256 if modified else ""))
    return left, last_run + 1


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of rows: the first of its paths in alphabetical order, and a function that reads the rows."""

    first: str
    read: Callable[[], Iterable[Mapping[str, Any]]]


def merge_rows(
    shards: Sequence[Shard], asked: str, is_wanted: Callable[[str], bool] = lambda path: True
) -> Iterator[Row]:
    """Yield the latest row with this digest for each wanted document, sorted by path.

    A shard is read once its first path is due, so that only shards that overlap are in memory at a time.
    """
    for _, same_path in groupby(_sorted_rows(shards, asked, is_wanted), lambda row: row.file.path):
        rows = sorted(same_path, key=lambda row: row.run)
        answered = next((row for row in reversed(rows) if not row.same), None)
        if answered is None:
            continue
        last = rows[-1]
        if last.same:
            answered = replace(answered, file=replace(answered.file, modified=last.file.modified))
        yield answered


def _sorted_rows(shards: Sequence[Shard], asked: str, is_wanted: Callable[[str], bool]) -> Iterator[Row]:
    waiting: list[tuple[str, int, Row]] = []
    number = 0  # rows with equal paths are not compared themselves
    for shard in sorted(shards, key=lambda shard: shard.first):
        while waiting and waiting[0][0] < shard.first:
            yield heapq.heappop(waiting)[2]
        for values in shard.read():
            if values["asked"] == asked and is_wanted(values["path"]):
                number += 1
                heapq.heappush(waiting, (values["path"], number, Row.from_plain(values)))
    while waiting:
        yield heapq.heappop(waiting)[2]
