"""Prepares a long open document for questions while the user reads or types one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.window.reader import Reader

if TYPE_CHECKING:
    from app.core.text import Document

_AFTER_MS = 300  # the document's page comes first
LONG = 20_000  # code points: a shorter text is read as fast without

_log = logging.getLogger(__name__)


class Preparing(QObject):
    """Has the current file prepared in the work lane, while nothing else is to do there.

    `file_up` returns that file. It stops at once when work begins, and resumes after it. It is not shown, and nothing
    depends on it. Where the reader is not in memory, nothing is done.
    """

    def __init__(self, workspace: Workspace, lanes: Lanes, reader: Reader, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lane = lanes.work
        self._reader = reader
        self.file_up: Callable[[], Document | None] = lambda: None
        self._job: Job | None = None
        self._tried: Document | None = None
        self._doing: Document | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._begin)
        self._lane.begun.connect(self._work_begun)
        self._lane.rested.connect(self.look)
        reader.loaded.connect(self._loaded)

    @Slot()
    def look(self) -> None:
        """Check soon what is to do: another file may be shown."""
        self._timer.start()

    @Slot()
    def _loaded(self) -> None:
        # Another model, or another process: it has nothing yet.
        self._tried = None

    @Slot()
    def _begin(self) -> None:
        document = self.file_up()
        if document is None or document is self._tried or len(document.text) < LONG:
            return
        if not (self._lane.idle and self._reader.is_loaded):
            return
        from app.flows.ask.question import prepare

        self._doing = document
        self._job = self._lane.start_aside(prepare, self._workspace, (document,))
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)

    @Slot(object)
    def _work_begun(self, job: Job) -> None:
        if self._job is not None:
            self._job.drop()
        self._end()

    @Slot(object)
    def _done(self, result: object) -> None:
        self._tried = self._doing
        self._end()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        # A question shows the fault, if it is still there.
        _log.info("document not made ready: %s", error)
        self._tried = self._doing
        self._end()

    def _end(self) -> None:
        self._job = self._doing = None
