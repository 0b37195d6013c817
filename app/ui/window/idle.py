"""Unloads models that were idle for long."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, QTimer, Slot

from app.core import wording
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.window.reader import Reader

_log = logging.getLogger(__name__)


class Idle(QObject):
    """Has the models unloaded once the work lane was idle for settings.unload_minutes, 0 for never.

    `minute_ms` is the length of a minute in milliseconds.
    """

    def __init__(
        self, workspace: Workspace, lanes: Lanes, reader: Reader, parent: QObject, minute_ms: int = 60_000
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lane = lanes.work
        self._reader = reader
        self._job: Job | None = None
        self._worked = False
        self.minute_ms = minute_ms
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._over)
        self._lane.rested.connect(self.wait)
        self._lane.begun.connect(self._work_begun)

    @Slot()
    def wait(self) -> None:
        """Restart the waiting time."""
        minutes = self._workspace.settings.unload_minutes
        if minutes:
            self._timer.start(minutes * self.minute_ms)
        else:
            self._timer.stop()

    @Slot()
    def _over(self) -> None:
        if self._worked and self._lane.idle and self._workspace.engine.alive:
            from app.flows.models.devices import unload

            self._job = self._lane.start_aside(unload, self._workspace)
            self._job.done.connect(self._unloaded)
            self._job.failed.connect(self._failed)

    @Slot(object)
    def _work_begun(self, job: Job) -> None:
        self._timer.stop()
        self._worked = True
        if self._job is not None and self._job.running:
            # Too late to cancel it: it may have unloaded the models already.
            self._job.drop()
            self._reader.start()

    @Slot(object)
    def _unloaded(self, use: object) -> None:
        self._worked = False
        self._reader.put_away(wording.count(self._workspace.settings.unload_minutes, "minute"))

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        _log.warning("models not put away: %s", error)
