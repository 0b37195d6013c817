"""What stands in a list's place where a search finds nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.theme import Theme, mark


class NothingFound(QFrame):
    """A few words, a link that shows everything again, and one to what was meant, where that can be told.

    `acted` is sent by the one, `named` by the other, with what was meant.
    """

    acted = Signal()
    named = Signal(str)

    def __init__(self, theme: Theme, words: str) -> None:
        super().__init__()
        self._theme = theme
        self._words = QLabel(words)
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("ink", "quiet")
        self.button = QPushButton("Show all")
        self.button.setAccessibleName("Show all")
        mark(self.button, kind="link")
        self.button.clicked.connect(self.acted)
        self._meant = ""
        self.meant = QPushButton()
        mark(self.meant, kind="link")
        self.meant.clicked.connect(self._go)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._words)
        self._column.addWidget(self.meant, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def mean(self, name: str) -> None:
        """Offer what was meant by this name; nothing where it is empty."""
        self._meant = name
        self.meant.setText(f"Show {name}")
        self.meant.setAccessibleName(f"Show {name}")
        self.meant.setVisible(bool(name))

    @Slot()
    def _go(self) -> None:
        self.named.emit(self._meant)

    @Slot()
    def _restyle(self) -> None:
        step = self._theme.step
        self._words.setFont(self._theme.font("ui"))
        self._words.setContentsMargins(step(1), 0, 0, 0)
        self._column.setContentsMargins(step(2), step(2), step(2), 0)
        self._column.setSpacing(step(1))
