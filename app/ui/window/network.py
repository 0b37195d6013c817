"""The offline switch in the status line, which also shows the present use of the network."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.core import wording
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.messages import fault_of
from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_OFFLINE, _ON_DEMAND = Message("Offline"), Message("Network: only when asked")
_TIPS = {
    True: Message(
        "Nothing is reached over the network: models cannot be looked up or downloaded.\n"
        "Click to allow that, each time you ask for it."
    ),
    False: Message(
        "The network is used only when you look up or download a model on the page Models, for nothing else.\n"
        "Your texts never leave this computer. Click to go offline."
    ),
}


class NetworkButton(QPushButton):
    """A flat button that shows whether the network may be used.

    `offline_requested` carries whether the user wants to be offline.
    """

    offline_requested = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._offline = False
        self._busy = ""
        self.setProperty("kind", "foot")
        self.setCheckable(True)
        self.clicked.connect(self._clicked)
        mark(self, type="small")
        self._update_label()

    def set_offline(self, offline: bool) -> None:
        """Show whether Spanlight is offline."""
        self._offline = offline
        self._update_label()

    def set_busy(self, words: str) -> None:
        """Show what the network is used for now ("Downloading 34%"); empty for nothing."""
        if words != self._busy:
            self._busy = words
            self._update_label()

    @Slot()
    def _clicked(self) -> None:
        self.setChecked(self._offline)  # until the owner of the setting changes it
        self.offline_requested.emit(not self._offline)

    def _update_label(self) -> None:
        words = localised(_OFFLINE if self._offline else self._busy or _ON_DEMAND)
        tip = localised(_TIPS[self._offline])
        self.setChecked(self._offline)
        self.setText(words)
        self.setToolTip(as_tip(tip))
        self.setAccessibleName(tr("Offline switch: {state}", state=words))
        self.setAccessibleDescription(tip.replace("\n", " "))
        icon = "offline" if self._offline else "network"
        self.setIcon(self._theme.icon(icon, "accent" if self._busy and not self._offline else "ink_quiet"))


def downloading(done: int, total: int) -> str:
    """Return a download's progress in few words, in bytes if the total is not known.

    Once everything is downloaded, the model is tried out, which needs no network.
    """
    if 0 < total <= done:
        return tr("Trying the new model")
    if total:
        return tr("Downloading {number}%", number=done * 100 // total)
    return tr("Downloading {size}", size=wording.size(done))


class NetworkSwitch(QObject):
    """Keeps settings.offline and the switch in step, and shows the progress of a download on the switch.

    Settings changed by another process are taken over when the window becomes active, and after a use of the network.
    `changed` carries the name of a setting changed here or by another process; `failed` carries the Fault where a
    setting could not be saved.
    """

    changed = Signal(str)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, button: NetworkButton, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._button = button
        self._job: Job | None = None
        button.offline_requested.connect(self._requested)
        lanes.network.begun.connect(self._begun)
        lanes.network.rested.connect(self._rested)
        for lane in (lanes.network, lanes.lookups):
            lane.rested.connect(self._look)
        QGuiApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]
        self.settings_changed()

    def settings_changed(self) -> None:
        """Show whether the network is on or off."""
        self._button.set_offline(self._workspace.settings.offline)

    @Slot(Qt.ApplicationState)
    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._look()

    @Slot()
    def _look(self) -> None:
        if self._job is None or not self._job.running:
            job = self._lanes.files.start(do, self._workspace.chosen_elsewhere)
            self._job = job.then(self._settings_taken_over)

    @Slot(object)
    def _settings_taken_over(self, names: tuple[str, ...]) -> None:
        if names:
            self.settings_changed()
        for name in names:
            # The reader's model is loaded again by its head's name.
            self.changed.emit(Head.QUESTION_ANSWERING.value if name == "models" else name)

    @Slot(bool)
    def _requested(self, offline: bool) -> None:
        self._workspace.settings.offline = offline
        try:
            self._workspace.save_settings()
        except SpanlightError as error:
            self.failed.emit(fault_of(error))
        self.settings_changed()
        self.changed.emit("offline")

    @Slot(object)
    def _begun(self, job: Job) -> None:
        job.partial.connect(self._progressed)
        for end in (job.done, job.failed, job.stopped):
            end.connect(self._rested)

    @Slot(object)
    def _progressed(self, result: object) -> None:
        from app.core.offers import Downloading

        if isinstance(result, Downloading):
            self._button.set_busy(downloading(result.done, result.total))

    @Slot()
    def _rested(self) -> None:
        self._button.set_busy("")
