"""Fill a table: read every file of its library for every question."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.errors import EngineLost, SpanlightError
from app.core.layout import Kind, Opened
from app.core.library import FileState, LibraryFile
from app.core.message import Message
from app.core.models import Head
from app.core.report import Progress, Quiet, Report
from app.core.requests import Question
from app.core.results import Outcome
from app.flows.answer_table.tables import files_of
from app.flows.ask.question import ask
from app.flows.history.history import kept_answer
from app.flows.workspace import Workspace
from app.models.disk.locks import Lock, held

_STATES = {
    Outcome.ANSWER: CellState.ANSWER,
    Outcome.LOW_CONFIDENCE: CellState.LOW_CONFIDENCE,
    Outcome.ABSENT: CellState.ABSENT,
}
# A file with the columns that were not read of it.
_Missing = tuple[LibraryFile, Sequence[Column]]
# Seconds until files that others read are looked at again.
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Filled:
    """What filling a table did.

    `read` counts the cells read now, `before` those that were there already, `failed` those that the reader broke down
    over: they are tried again the next time.
    """

    read: int
    before: int
    failed: int
    seconds: float


def lock_table(workspace: Workspace, table: AnswerTable) -> AbstractContextManager[None]:
    """No other command fills this table meanwhile. Raises Busy, which says who does."""
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
    """Read every cell of a table that is not stored yet, all of a file together; each is stored as soon as it is read.

    Files whose SHA-256 is in `first` come first, in that order. Only files that the library's index has read are asked,
    as they were then. With `anew`, the cells that another model read are read again; verdicts stay. A file that another
    process is reading for this table is left to it. Each cell is a partial result (Cell). After a stop or a kill the
    next call goes on from there. Raises as `ask` does, and SpanlightError where the table's library was removed;
    Stopped when cancelled.
    """
    began = time.perf_counter()
    reader = workspace.find_model(Head.QUESTION_ANSWERING, model).name
    files = _reading_order(files_of(workspace, table, [FileState.READ]), first)
    stored = {
        key: cell
        for key, cell in workspace.tables.cells(table).items()
        if cell.state is not CellState.UNREAD and not (anew and cell.model != reader)
    }
    missing = [
        (file, columns)
        for file in files
        if (columns := [each for each in table.columns if (file.sha256, each.number) not in stored])
    ]
    pace = _FillProgress(report, missing)
    read = failed = 0
    with closing(_claim_files(workspace, table, missing, report)) as claimed:
        for file, some in claimed:
            for cell in _read_cells(
                workspace, file, some, Quiet(report), model, device, reader if anew else ""
            ):
                if cell.state is CellState.FAILED:
                    failed += 1
                else:
                    read += 1
                report.partial(cell)
                pace.cell(file)
    before = len(files) * len(table.columns) - sum(len(columns) for _, columns in missing)
    return Filled(read, before, failed, time.perf_counter() - began)


def _claim_files(
    workspace: Workspace, table: AnswerTable, missing: Sequence[_Missing], report: Report
) -> Generator[_Missing, None, None]:
    """The files with what is missing, each claimed for this process meanwhile; those that others read come last."""
    left = list(missing)
    while left:
        others = []
        for file, columns in left:
            name = f"table-{table.number}-{file.sha256[:16]}.lock"
            lock = Lock(workspace.paths.tables_file.with_name(name))
            try:
                is_ours = lock.take()
            except OSError:
                is_ours = True  # no lock can be made here: at worst a cell is read twice
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


def _reading_order(files: Sequence[LibraryFile], first: Sequence[str]) -> list[LibraryFile]:
    """The files in the order to read them; of those with the same bytes one."""
    by_bytes: dict[str, LibraryFile] = {}
    for file in files:
        by_bytes.setdefault(file.sha256, file)
    order = dict.fromkeys((*(sha256 for sha256 in first if sha256 in by_bytes), *by_bytes))
    return [by_bytes[sha256] for sha256 in order]


def _read_cells(
    workspace: Workspace,
    file: LibraryFile,
    columns: Sequence[Column],
    report: Report,
    model: str,
    device: str,
    instead_of_others: str,
) -> Iterator[Cell]:
    """The cells of a file for these columns, each stored, or failed with the reason and not stored."""
    try:
        opened = workspace.library.opened(file)
    except SpanlightError:
        return  # it changed meanwhile: the next update reads it
    for column in columns:
        report.check()
        there = workspace.tables.cell(column.number, file.sha256)
        if (
            there is not None
            and there.state is not CellState.UNREAD
            and instead_of_others in ("", there.model)
        ):
            yield there  # another process was faster
            continue
        cell = read_cell(workspace, column, file.sha256, opened, report, model=model, device=device)
        if cell.state is CellState.FAILED:
            yield cell
            continue
        stored = workspace.tables.put(cell, instead=bool(instead_of_others))
        if stored is not None:
            yield stored


def read_cell(
    workspace: Workspace,
    column: Column,
    sha256: str,
    opened: Opened,
    report: Report,
    *,
    model: str = "",
    device: str = "",
) -> Cell:
    """Ask a document with the bytes of `sha256` a column's question; where the reader breaks down, the cell has failed.

    Raises as `ask` does otherwise.
    """
    question = Question(column.question, (opened.document,))
    try:
        reading = ask(workspace, question, report, model=model, device=device)
    except EngineLost as fault:
        return Cell(column.number, sha256, CellState.FAILED, reason=str(fault))
    shown = reading.shown
    return Cell(
        column.number,
        sha256,
        _STATES[reading.outcome],
        kept_answer(opened, shown) if shown is not None else None,
        reading.no_answer_probability,
        reading.model,
        time.time(),
    )


class _FillProgress:
    """Reports how many cells are done, and the time left by the words that there are still to read."""

    def __init__(self, report: Report, missing: Sequence[_Missing]) -> None:
        self._report = report
        self._total = sum(len(columns) for _, columns in missing)
        self._words = sum(_cost(file) * len(columns) for file, columns in missing)
        self._left = self._words
        self._done = 0
        self._began = time.perf_counter()
        report.progress(Progress(0, self._total, Message("cells")))

    def cell(self, file: LibraryFile) -> None:
        """Note that one more cell of this file is done."""
        self._done += 1
        self._left -= _cost(file)
        seconds = time.perf_counter() - self._began
        left = seconds * self._left / max(1, self._words - self._left)
        self._report.progress(Progress(self._done, self._total, Message("cells"), max(0.0, left)))


def _cost(file: LibraryFile) -> int:
    """How long a question to a file takes, in words: of a long one only its likeliest passages are read.

    Texts without spaces between their words have as many as their bytes tell.
    """
    words = max(file.words, file.size // 6) if file.kind in (Kind.TEXT, Kind.MARKDOWN) else file.words
    return 50 + min(words, 6_000)
