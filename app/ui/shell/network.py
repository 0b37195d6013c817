"""The offline switch, and what the network is used for now."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import SpanlightError
from app.core.offers import Downloading
from app.flows.workspace import Workspace
from app.ui.jobs import Job, Lanes
from app.ui.messages import fault_of
from app.ui.widgets.network_button import NetworkButton, downloading


class NetworkSwitch(QObject):
    """Keeps settings.offline and the switch alike, and says there how far a download is.

    `changed` carries the setting's name once it was changed here; `failed` the Fault where it could not be saved.
    """

    changed = Signal(str)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, button: NetworkButton, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._button = button
        button.asked.connect(self._asked)
        lanes.network.begun.connect(self._begun)
        lanes.network.rested.connect(self._rested)
        self.settings_changed()

    def settings_changed(self) -> None:
        """Show which of the two holds now."""
        self._button.set_offline(self._workspace.settings.offline)

    @Slot(bool)
    def _asked(self, offline: bool) -> None:
        self._workspace.settings.offline = offline
        try:
            self._workspace.save_settings()
        except SpanlightError as error:
            self.failed.emit(fault_of(error))
        self.settings_changed()
        self.changed.emit("offline")

    @Slot(object)
    def _begun(self, job: Job) -> None:
        job.partial.connect(self._heard)
        for end in (job.done, job.failed):
            end.connect(self._over)
        job.stopped.connect(self._rested)

    @Slot(object)
    def _heard(self, result: object) -> None:
        if isinstance(result, Downloading):
            self._button.set_busy(downloading(result.done, result.total))

    @Slot(object)
    def _over(self, outcome: object) -> None:
        self._rested()

    @Slot()
    def _rested(self) -> None:
        self._button.set_busy("")
