"""Fills a table: reads every file of its library for every question."""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.errors import EngineLost, SpanlightError
from app.core.layout import Kind, Opened
from app.core.library import FileState, LibraryFile
from app.core.locks import Lock, held
from app.core.message import Message
from app.core.models import Head
from app.core.report import Progress, Quiet, Report
from app.core.requests import Question
from app.core.results import Outcome
from app.flows.answer_table.tables import files_of, tables
from app.flows.ask.question import ask
from app.flows.history.history import kept_answer
from app.flows.workspace import Workspace

_STATES = {
    Outcome.ANSWER: CellState.ANSWER,
    Outcome.LOW_CONFIDENCE: CellState.LOW_CONFIDENCE,
    Outcome.ABSENT: CellState.ABSENT,
}
# A file with the columns whose questions it has not been asked.
_Missing = tuple[LibraryFile, Sequence[Column]]
# Seconds between checks of the files that other processes read.
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Filled:
    """The result of filling a table.

    `read` counts the cells read now, `before` those that were there already, `failed` those on which the reader failed,
    which are tried again the next time; `in_part` counts those of the table without an answer in the part of their file
    that was read.
    """

    read: int
    before: int
    failed: int
    in_part: int
    seconds: float


def is_incomplete(workspace: Workspace, number: int, report: Report) -> bool:
    """Whether cells of the table with this number are still to be read; False if it, or its library, was removed."""
    for table in tables(workspace, report):
        if table.number == number and table.library:
            files = reading_order(files_of(workspace, table, [FileState.READ]))
            return bool(_missing(workspace, table, files, most=1))
    return False


def lock_table(workspace: Workspace, table: AnswerTable) -> AbstractContextManager[None]:
    """Hold a lock that keeps other commands from filling this table. Raises Busy, which names the holder."""
    return held(
        workspace.paths.tables_file.with_name(f"table-{table.number}.lock"),
        Message("Another process is filling the table “{table}”", table=table.name),
        Message("Wait until it is done: what it has read is not read again."),
    )


def fill(
    workspace: Workspace,
    table: AnswerTable,
    report: Report,
    *,
    first: Sequence[str] = (),
    model: str = "",
    device: str = "",
    anew: bool = False,
) -> Filled:
    """Read all cells of a table that are not stored yet, file by file, and store each at once.

    Files come in their `reading_order`, and are asked as the library's index has read them, and again once another part
    of them was read. With `anew`, cells that another model has read are read again too. A cell that the person has
    judged stays. A file that another process is reading for this table is left to it. Partial results are the cells
    (Cell). The next call continues after a stop or a kill. Raises as `ask` does, and SpanlightError if the table's
    library was removed; Stopped when cancelled.
    """
    began = time.perf_counter()
    reader = workspace.find_model(Head.QUESTION_ANSWERING, model).name
    files = reading_order(files_of(workspace, table, [FileState.READ]), first)
    anew_by = reader if anew else ""
    missing = _missing(workspace, table, files, anew_by)
    pace = _FillProgress(report, missing)
    read = failed = 0
    with closing(_claim_files(workspace, table, missing, report)) as claimed:
        for file, some in claimed:
            pace.begin(file)
            for cell in _read_cells(workspace, file, some, pace, model, device, anew_by):
                if cell.state is CellState.FAILED:
                    failed += 1
                else:
                    read += 1
                report.partial(cell)
                pace.count()
    before = len(files) * len(table.columns) - sum(len(columns) for _, columns in missing)
    in_part = workspace.tables.count(
        (column.number for column in table.columns),
        (file.sha256 for file in files),
        CellState.ABSENT_IN_PART,
    )
    return Filled(read, before, failed, in_part, time.perf_counter() - began)


def fill_others(workspace: Workspace, current: int, report: Report) -> None:
    """Fill all tables but the one with the number `current`, one after another; the progress is that of each."""
    for table in tables(workspace, report):
        if table.number != current and table.library:
            fill(workspace, table, _OtherTable(report, table.name))


class _OtherTable(Quiet):
    """Passes on the progress of filling a table that is not shown, with its name, but none of its cells."""

    def __init__(self, report: Report, name: str) -> None:
        super().__init__(report)
        self._what = Message("Filling {table}", table=name)

    def progress(self, progress: Progress) -> None:
        """Pass on the progress, with the table's name."""
        if progress.total:
            self._report.progress(replace(progress, what=self._what))


def _missing(
    workspace: Workspace, table: AnswerTable, files: Iterable[LibraryFile], anew_by: str = "", most: int = -1
) -> list[_Missing]:
    """The files with cells to be read, in their order; up to `most` of these cells count, or all."""
    lacking = {file.sha256: file.why_unread for file in files}
    numbers = [column.number for column in table.columns]
    unread = set(workspace.tables.unread(numbers, lacking, anew_by=anew_by, most=most))
    return [
        (file, columns)
        for file in files
        if (columns := [each for each in table.columns if (file.sha256, each.number) in unread])
    ]


def _claim_files(
    workspace: Workspace, table: AnswerTable, missing: Sequence[_Missing], report: Report
) -> Generator[_Missing, None, None]:
    """Yield the files with missing cells, each locked for this process; those that other processes read come last."""
    left = list(missing)
    while left:
        others = []
        for file, columns in left:
            name = f"table-{table.number}-{file.sha256[:16]}.lock"
            lock = Lock(workspace.paths.tables_file.with_name(name))
            try:
                is_ours = lock.take()
            except OSError:
                is_ours = True  # without a lock, a cell is read twice at worst
            if not is_ours:
                others.append((file, columns))
                continue
            try:
                yield file, columns
            finally:
                lock.release()
        left = others
        report.check()
        time.sleep(_POLL_SECONDS if left else 0.0)


def reading_order(files: Iterable[LibraryFile], first: Collection[str] = ()) -> list[LibraryFile]:
    """The files in reading order, without duplicates of the same bytes.

    Those whose SHA-256 is in `first` come before the others, and among both the shortest first.
    """
    by_bytes: dict[str, LibraryFile] = {}
    for file in files:
        by_bytes.setdefault(file.sha256, file)
    return sorted(by_bytes.values(), key=lambda file: (file.sha256 not in first, _cost(file)))


def _read_cells(
    workspace: Workspace,
    file: LibraryFile,
    columns: Sequence[Column],
    report: Report,
    model: str,
    device: str,
    anew_by: str,
) -> Iterator[Cell]:
    """Yield a file's cells for these columns: stored ones, and failed ones with the reason, which are not stored."""
    try:
        opened = workspace.library.opened(file)
    except SpanlightError:
        return  # it has changed, and the next update reads it
    store = workspace.tables
    for column in columns:
        report.check()
        unread = store.unread([column.number], {file.sha256: file.why_unread}, anew_by=anew_by)
        if not unread and (there := store.cell(column.number, file.sha256)) is not None:
            yield there  # another process has read it
            continue
        cell = read_cell(workspace, column, file, opened, report, model=model, device=device)
        if cell.state is CellState.FAILED:
            yield cell
            continue
        stored = store.put(cell)
        if stored is not None:
            yield stored


def read_cell(
    workspace: Workspace,
    column: Column,
    file: LibraryFile,
    opened: Opened,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> Cell:
    """Ask a document, opened from a library's file, a column's question; the cell has failed if the model process dies.

    Raises as `ask` does otherwise.
    """
    question = Question(column.question, (opened.document,))
    try:
        reading = ask(workspace, question, report, model=model, device=device)
    except EngineLost as fault:
        return Cell(column.number, file.sha256, CellState.FAILED, reason=str(fault))
    shown, state = reading.shown, _STATES[reading.outcome]
    if state is CellState.ABSENT and file.why_unread:
        state = CellState.ABSENT_IN_PART
    return Cell(
        column.number,
        file.sha256,
        state,
        kept_answer(opened, shown) if shown is not None else None,
        reading.no_answer_probability,
        reading.model,
        time.time(),
        reason=file.why_unread,
        read_as=reading.read_as,
    )


class _FillProgress(Quiet):
    """Reports how many cells are done, and the time left, estimated from the words that are still to be read.

    It takes the progress of the cell that is being read. The reader's loading does not count as time that was read.
    """

    def __init__(self, report: Report, missing: Sequence[_Missing]) -> None:
        super().__init__(report)
        self._total = sum(len(columns) for _, columns in missing)
        self._words = sum(_cost(file) * len(columns) for file, columns in missing)
        self._done, self._read, self._part = 0, 0, 0.0
        self._cost = 0  # of a cell of the file that is being read
        self._began: tuple[float, float] | None = None  # the moment, and the words read by then
        self._tell(None)

    def begin(self, file: LibraryFile) -> None:
        """Take note of the file whose cells are read now."""
        self._cost = _cost(file)

    def progress(self, progress: Progress) -> None:
        """Report the progress of the cell that is being read."""
        if progress.total:
            self._part = max(self._part, progress.fraction)
            self._estimate()

    def count(self) -> None:
        """Count the cell as done."""
        self._done, self._read, self._part = self._done + 1, self._read + self._cost, 0.0
        self._estimate()

    def _estimate(self) -> None:
        now, read = time.perf_counter(), self._read + self._part * self._cost
        if self._began is None:
            self._began = now, read
        began, before = self._began
        self._tell((now - began) * (self._words - read) / (read - before) if read > before else None)

    def _tell(self, left: float | None) -> None:
        self._report.progress(Progress(self._done, self._total, Message("cells"), left, part=self._part))


def _cost(file: LibraryFile) -> int:
    """The cost of a question to a file, in words; of a long file only the likeliest passages are read.

    For texts that do not separate words by spaces, words are estimated from bytes.
    """
    words = max(file.words, file.size // 6) if file.kind in (Kind.TEXT, Kind.MARKDOWN) else file.words
    return 50 + min(words, 6_000)
