"""The placeholder of a pane of the Models page that has nothing to show."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.theme import Theme, mark


class ModelsEmpty(QFrame):
    """An icon, a title, a few words, and an optional button. `acted` is sent by the button."""

    acted = Signal()

    def __init__(self, theme: Theme, icon: str = "models") -> None:
        super().__init__()
        self._theme = theme
        self._name = icon
        self._icon, self._title, self._words = QLabel(), QLabel(), QLabel()
        self._words.setProperty("ink", "quiet")
        self._column = QVBoxLayout(self)
        self._column.addStretch(2)
        for label in (self._icon, self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            # Not by alignment, which would not take the wrapped text's height for this width.
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(label, 1000)
            row.addStretch(1)
            self._column.addLayout(row)
        self.button = QPushButton()
        mark(self.button, kind="primary")
        self.button.clicked.connect(self.acted)
        self.button.hide()
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addStretch(3)
        self.setProperty("kind", "panel")
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_message(self, title: str, words: str, act: str = "") -> None:
        """Show a message; `act` is the button's label, empty for no button."""
        self._title.setText(title)
        self._words.setText(words)
        self.button.setText(act)
        self.button.setAccessibleName(act)
        self.button.setVisible(bool(act))

    def title(self) -> str:
        """The title of the message."""
        return self._title.text()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        size = theme.step(10)
        icon = theme.icon(self._name, "ink_quiet").pixmap(QSize(size, size), self.devicePixelRatioF())
        self._icon.setPixmap(icon)
        self._title.setFont(theme.font("answer"))
        self._words.setFont(theme.font("ui"))
        self._words.setMaximumWidth(theme.step(130))
        self._column.setSpacing(theme.step(3))
        self._column.setContentsMargins(theme.step(8), 0, theme.step(8), 0)
