"""Gives the passages of libraries vectors while nothing else is to do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.libraries import Libraries

if TYPE_CHECKING:
    from app.core.library import Library, LibraryStatus

_AFTER_MS = 2000  # an open document is prepared first

_log = logging.getLogger(__name__)


class Embedding(QObject):
    """Has passages without vectors embedded in the work lane, while nothing else is to do there.

    It stops at once when work begins, and goes on after it. Nothing is done before the libraries were listed, while one
    is updated, and while all of their passages have vectors. `progressed` is sent with its Progress in passages, and
    with None when it ends.
    """

    progressed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, libraries: Libraries, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lane = lanes.work
        self._libraries = libraries
        self._job: Job | None = None
        # What there was when it last ended by itself: with the same again nothing more is to do.
        self._tried: tuple[tuple[Library, LibraryStatus], ...] | None = None
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self._begin)
        self._lane.begun.connect(self._work_begun)
        self._lane.rested.connect(self._look)
        libraries.changed.connect(self._look)
        libraries.progressed.connect(self._look)

    @Slot()
    def _look(self) -> None:
        if any(status.embedded < status.passages for _, status in self._libraries.all):
            self._timer.start()

    @Slot()
    def _begin(self) -> None:
        found = self._libraries.all
        updated = any(self._libraries.progress_of(library) is not None for library, _ in found)
        if self._job is not None or found == self._tried or updated or not self._lane.idle:
            return
        from app.flows.library.embed import embed

        self._job = self._lane.start_aside(embed, self._workspace)
        self._job.progress.connect(self.progressed)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)

    @Slot(object)
    def _work_begun(self, job: Job) -> None:
        self._timer.stop()
        if self._job is not None:
            self._job.drop()
            self._end()

    @Slot(object)
    def _done(self, given: int) -> None:
        self._tried = self._libraries.all
        self._end()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        # Passages are found by their words without it.
        _log.warning("passages were given no vectors: %s", error)
        self._done(0)

    def _end(self) -> None:
        self._job = None
        self.progressed.emit(None)
        self._libraries.refresh()
