"""The switch at the right end of the status line: offline, or the network on demand only."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from app.core import wording
from app.ui.kit.theme import Theme, mark

OFFLINE, ON_DEMAND = "Offline", "Network: only when asked"
_TIPS = {
    True: "Nothing is reached over the network: models cannot be looked up or downloaded.\n"
    "Click to allow that, each time you ask for it.",
    False: "The network is used only when you look up or download a model on the page Models, for nothing else.\n"
    "Your texts never leave this computer. Click to go offline.",
}


class NetworkButton(QPushButton):
    """A flat button that shows the network mode. `offline_requested` carries whether the user wants to be offline."""

    offline_requested = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._offline = False
        self._busy = ""
        self.setProperty("kind", "foot")
        self.setCheckable(True)
        self.clicked.connect(self._clicked)
        mark(self, type="small")
        self._update_label()

    def set_offline(self, offline: bool) -> None:
        """Show the mode."""
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
        words = self._busy if self._busy and not self._offline else OFFLINE if self._offline else ON_DEMAND
        self.setChecked(self._offline)
        self.setText(words)
        self.setToolTip(_TIPS[self._offline])
        self.setAccessibleName(f"Offline switch: {words}")
        self.setAccessibleDescription(_TIPS[self._offline].replace("\n", " "))
        icon = "offline" if self._offline else "network"
        self.setIcon(self._theme.icon(icon, "accent" if self._busy and not self._offline else "ink_quiet"))


def downloading(done: int, total: int) -> str:
    """A download's progress in few words; in bytes if the total is not known.

    Once everything is downloaded, the model is checked and tried out, which needs no network.
    """
    if 0 < total <= done:
        return "Trying the new model"
    return f"Downloading {done * 100 // total}%" if total else f"Downloading {wording.size(done)}"
