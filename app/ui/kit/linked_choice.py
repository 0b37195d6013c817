"""What was chosen elsewhere, in a line, and the way there."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.ui.kit.status_line import ElidedLabel
from app.ui.kit.theme import Theme, mark


class LinkedChoice(QWidget):
    """Words, and a link named after the place where they can be changed. `asked` is sent when it is followed."""

    asked = Signal()

    def __init__(self, theme: Theme, place: str) -> None:
        super().__init__()
        self._theme = theme
        self._words = ElidedLabel()
        self.link = QPushButton(place)
        mark(self.link, kind="link")
        self.link.clicked.connect(self.asked)
        self.setFocusProxy(self.link)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words, 1)
        row.addWidget(self.link)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_words(self, words: str) -> None:
        """Say what holds now."""
        self._words.set_whole(words)
        self.link.setAccessibleName(f"{words}. Change on {self.link.text()}")

    def words(self) -> str:
        """What is said."""
        return self._words.whole()

    @Slot()
    def _restyle(self) -> None:
        self._words.setFont(self._theme.font("ui"))
        self.link.setFont(self._theme.font("ui"))
