"""Fills the current table in the work lane, after all other work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.answer_table import AnswerTable, Cell
from app.core.errors import EngineLost
from app.core.library import FileState
from app.core.message import Message
from app.core.report import Progress, Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.progress_strip import in_words
from app.ui.kit.translation import tr
from app.ui.table.answer_model import AnswerModel


def _fill(
    workspace: Workspace,
    table: AnswerTable,
    known: Mapping[tuple[str, int], Cell],
    first: tuple[str, ...],
    report: Report,
) -> None:
    """Fill a table; stored cells that are not among those `known` as read come first, as partial results.

    They were read by another process, or by a job that was dropped before they arrived.
    """
    from app.flows.answer_table.fill import fill

    store = workspace.tables
    for sha256, column in store.read(table):
        before = known.get((sha256, column))
        if (before is None or not before.can_be_judged) and (cell := store.cell(column, sha256)) is not None:
            report.partial(cell)
    fill(workspace, table, report, first=first)


class Filling(QObject):
    """Reads the cells that were not read yet, unless paused; all other work comes first.

    `changed` is sent when the progress or the state has changed, and then `progressed` carries how far the table is, in
    words; empty while it is not being filled. `failed` carries an error, which also pauses the
    filling; `lost` is sent when the model process died.
    """

    changed = Signal()
    progressed = Signal(str)
    failed = Signal(object)
    lost = Signal()

    def __init__(self, workspace: Workspace, lanes: Lanes, model: AnswerModel, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lane, self._model = workspace, lanes.work, model
        self._files = lanes.files
        self._table: AnswerTable | None = None
        self._job: Job | None = None
        self._starting = False
        self._is_incomplete = False  # the last job has ended with cells that it could not read
        self._is_outdated = False  # files have changed, or come first, since the job has listed them
        self._first: list[str] = []  # the files to read first, by their SHA-256
        self._queue: Iterator[tuple[str, int]] = iter(())  # the cells still to be read, in order
        self._being_read: tuple[str, int] | None = None
        self._progress = Progress(0, 0)  # as the job tells it
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._start)
        self.changed.connect(self._tell_progress)
        self._lane.begun.connect(self._give_way)
        self._lane.rested.connect(self._rested)

    @property
    def paused(self) -> bool:
        """Whether the person, or an error, has paused the filling."""
        return self._workspace.settings.table_paused

    def state(self) -> str:
        """The state to show: "full", "paused", "filling", or "waiting" for other work."""
        read, total = self._model.counts()
        if read == total:
            return "full"
        if self.paused or self._is_incomplete:
            return "paused"
        return "filling" if self._job is not None and not self._job.waiting else "waiting"

    @Slot()
    def _tell_progress(self) -> None:
        words = ""
        if self._table is not None and self.state() in ("filling", "waiting"):
            what = tr("Filling {table}", table=self._table.name)
            words = in_words(what, self.progress())
        self.progressed.emit(words)

    def progress(self) -> Progress:
        """How many of the table's cells were read, with the time left and the part of the next one that is done."""
        read, total = self._model.counts()
        return replace(self._progress, done=read, total=total)

    def take(self, table: AnswerTable | None) -> None:
        """Fill this table from now on; it may be the same one with other files or questions."""
        self._drop()
        if table is None or self._table is None or table.number != self._table.number:
            self._first = []
        self._table, self._is_incomplete = table, False
        self._soon.start()

    def files_changed(self) -> None:
        """Fill the cells of new and changed files too, but first let a cell that is being read come to its end."""
        if self._job is None:
            self.take(self._table)
        else:
            self._is_outdated = True
            self.changed.emit()

    @Slot()
    def toggle(self) -> None:
        """Pause the filling, or go on with it."""
        pause = self.state() in ("filling", "waiting")
        self._workspace.settings.table_paused = pause
        self._files.start_write(do, self._workspace.save_settings)  # a kill must not undo it
        self._is_incomplete = False
        self._drop()
        self._soon.start()
        self.changed.emit()

    @Slot()
    def stop(self) -> bool:
        """Pause the filling; returns whether the table was being filled, or was to be after other work."""
        is_filling = self.state() in ("filling", "waiting")
        if is_filling:
            self.toggle()
        return is_filling

    def show_first(self, files: Sequence[str]) -> None:
        """Read the files on the screen, given by their SHA-256, before the others, once the present cell is read."""
        wanted = list(files)
        if wanted and wanted != self._first and not set(wanted) <= set(self._first[: len(wanted)]):
            self._first = wanted
            self._is_outdated = self._job is not None

    @Slot()
    def _start(self) -> None:
        if (
            self._job is not None
            or self._table is None
            or self.state() in ("full", "paused")
            or not self._lane.free
        ):
            self.changed.emit()  # after other work, `_rested` goes on
            return
        self._queue, self._being_read = self._in_order(), None
        self._starting = True
        job = self._lane.start(
            _fill, self._workspace, self._table, dict(self._model.cells), tuple(self._first)
        )
        self._starting = False
        job.name = Message("the filling of the table")
        job.started.connect(self._started)
        self._job = job.then(self._done, self._failed, progress=self._progressed, partial=self._cell_read)
        self.changed.emit()

    def _in_order(self) -> Iterator[tuple[str, int]]:
        """Yield the cells still to be read, in the order in which the flow reads them."""
        from app.flows.answer_table.fill import reading_order

        files = [file for file in self._model.files() if file.state is FileState.READ]
        for file in reading_order(files, self._first):
            for column in self._model.columns:
                if not self._model.is_read((file.sha256, column.number)):
                    yield file.sha256, column.number

    @Slot()
    def _started(self) -> None:
        self._show_reading()
        self.changed.emit()

    @Slot(object)
    def _cell_read(self, cell: Cell) -> None:
        self._model.take_cells([cell])
        if (cell.sha256, cell.column) == self._being_read:
            self._being_read = None
        if self._is_outdated:
            self.take(self._table)
        else:
            self._show_reading()

    def _show_reading(self) -> None:
        """Show the next cell in order as being read, unless the one before is not there yet."""
        if self._being_read is None or self._model.is_read(self._being_read):
            self._being_read = next(self._queue, None)
        self._model.set_reading([] if self._being_read is None else [self._being_read], self._progress.part)

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        self._progress = progress
        self._show_reading()
        self.changed.emit()

    @Slot(object)
    def _done(self, result: object) -> None:
        # Cells that could not be read are not tried again until the person, or a change, asks for it.
        is_outdated = self._is_outdated
        self._end()
        self._is_incomplete = self.state() != "full" and not is_outdated
        self.changed.emit()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._end()
        self._workspace.settings.table_paused = True
        self.changed.emit()
        self.failed.emit(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot(object)
    def _give_way(self, job: Job) -> None:
        """Drop the filling before other work is queued, unless that is the filling itself."""
        if not self._starting and self._job is not None:
            self._drop()
            self.changed.emit()

    @Slot()
    def _rested(self) -> None:
        if self._job is None:
            self._soon.start()

    def _drop(self) -> None:
        if self._job is not None:
            self._job.drop()
            self._end()

    def _end(self) -> None:
        self._job, self._progress, self._is_outdated = None, Progress(0, 0), False
        self._model.set_reading(())
