"""Fills the current table in the work lane, and makes way for other work."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.answer_table import AnswerTable, Cell
from app.core.errors import EngineLost
from app.core.library import FileState
from app.core.message import Message
from app.core.report import Progress, Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.table.answer_model import AnswerModel


def _fill(
    workspace: Workspace,
    table: AnswerTable,
    known: frozenset[tuple[str, int]],
    first: tuple[str, ...],
    report: Report,
) -> None:
    """Fill a table; stored cells that are not known here come first, as partial results like those that are read.

    They were read by a job that was dropped before it could tell, or by another process.
    """
    from app.flows.answer_table.fill import fill

    for key, cell in workspace.tables.cells(table).items():
        if key not in known:
            report.partial(cell)
    fill(workspace, table, report, first=first)


class Filling(QObject):
    """Reads what is not read yet, as long as it is not paused; a question asked elsewhere comes first.

    `changed` is sent when the progress or the state has changed; `failed` carries an error, after which it is paused;
    `lost` is sent when the model process died.
    """

    changed = Signal()
    failed = Signal(object)
    lost = Signal()

    def __init__(self, workspace: Workspace, lanes: Lanes, model: AnswerModel, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lane, self._model = workspace, lanes.work, model
        self._table: AnswerTable | None = None
        self._job: Job | None = None
        self._starting = False
        self._fruitless = False
        self._first: list[str] = []
        self._queue: list[tuple[str, int]] = []
        self.seconds_left: float | None = None
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._start)
        self._lane.begun.connect(self._other_work)
        self._lane.rested.connect(self._rested)

    @property
    def paused(self) -> bool:
        """Whether the person paused it, or an error did."""
        return self._workspace.settings.table_paused

    def state(self) -> str:
        """What to show: "full", "paused", "filling", or "waiting" for other work."""
        read, total = self._model.counted()
        if read == total:
            return "full"
        if self.paused or self._fruitless:
            return "paused"
        return "filling" if self._job is not None and not self._job.waiting else "waiting"

    def take(self, table: AnswerTable | None) -> None:
        """Fill this table from now on; its files or questions may be others than before."""
        self._drop()
        self._table, self._fruitless = table, False
        self._soon.start()

    @Slot()
    def toggle(self) -> None:
        pause = self.state() in ("filling", "waiting")
        self._workspace.settings.table_paused = pause
        self._fruitless = False
        self._drop()
        self._soon.start()
        self.changed.emit()

    def stop(self) -> bool:
        """Pause; returns whether it was running."""
        if self._job is None:
            return False
        self.toggle()
        return True

    def show_first(self, files: Sequence[str]) -> None:
        """Read these files, by their SHA-256, before the others: they are on the screen."""
        wanted = list(files)
        if wanted and wanted != self._first and not set(wanted) <= set(self._first[: len(wanted)]):
            self._first = wanted
            if self._job is not None:
                self._drop()
                self._soon.start()

    @Slot()
    def _start(self) -> None:
        if (
            self._job is not None
            or self._table is None
            or self.state() in ("full", "paused")
            or not self._lane.free
        ):
            self.changed.emit()  # where there is other work it goes on when that is over
            return
        known = frozenset(key for key in self._model.cells if self._model.is_read(key))
        self._queue = self._in_order()
        self._starting = True
        job = self._lane.start(_fill, self._workspace, self._table, known, tuple(self._first))
        self._starting = False
        job.name = Message("the filling of the table")
        job.started.connect(self._started)
        self._job = job.then(self._done, self._failed, progress=self._progressed, partial=self._cell_read)
        self.changed.emit()

    def _in_order(self) -> list[tuple[str, int]]:
        """The cells still to be read, in the order in which they are."""
        shas = dict.fromkeys(self._first)
        shas |= dict.fromkeys(row.file.sha256 for row in self._model.rows if row.file.state is FileState.READ)
        keys = [(sha256, column.number) for sha256 in shas for column in self._model.columns]
        return [key for key in keys if not self._model.is_read(key)]

    @Slot()
    def _started(self) -> None:
        self._show_reading()
        self.changed.emit()

    @Slot(object)
    def _cell_read(self, cell: Cell) -> None:
        self._model.take_cells([cell])
        if (key := (cell.sha256, cell.column)) in self._queue:
            self._queue.remove(key)
        self._show_reading()

    def _show_reading(self) -> None:
        self._model.set_reading(self._queue[:1])

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        self.seconds_left = progress.seconds_left
        self.changed.emit()

    @Slot(object)
    def _done(self, result: object) -> None:
        self._end()
        # What could not be read now is not tried again and again.
        self._fruitless = self.state() != "full"
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
    def _other_work(self, job: Job) -> None:
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
        self._job, self.seconds_left = None, None
        self._model.set_reading(())
