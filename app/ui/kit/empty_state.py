"""What a list or a pane shows while it has nothing to show."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.theme import Theme, mark


class EmptyState(QFrame):
    """An icon, a title, a few words, and a button that may be hidden. `acted` is sent by the button."""

    acted = Signal()

    def __init__(self, theme: Theme, icon: str, *, kind: str = "panel") -> None:
        super().__init__()
        self._theme = theme
        self._name = icon
        self._icon, self._title, self._words = QLabel(), QLabel(), QLabel()
        self._title.setProperty("type", "answer")
        self._words.setProperty("ink", "quiet")
        column = QVBoxLayout(self)
        column.addStretch(2)
        for label in (self._icon, self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            # Not by alignment, which would not take the wrapped text's height for this width.
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(label, 1000)
            row.addStretch(1)
            column.addLayout(row)
        self.button = QPushButton()
        self.button.clicked.connect(self.acted)
        self.button.hide()
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.space(column, 3, (8, 0, 8, 0))
        self.setProperty("kind", kind)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_message(
        self, title: str, words: str, action: str = "", *, primary: bool = True, tip: str = ""
    ) -> None:
        """Show a message; `action` is the button's label, empty for no button."""
        self._title.setText(title)
        self._words.setText(words)
        self.button.setText(action)
        self.button.setAccessibleName(action)
        self.button.setToolTip(tip)
        self.button.setVisible(bool(action))
        mark(self.button, kind="primary" if primary else "")

    def title(self) -> str:
        """The title of the message."""
        return self._title.text()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        icon = theme.icon(self._name, "ink_quiet")
        self._icon.setPixmap(icon.pixmap(QSize(theme.step(10), theme.step(10)), self.devicePixelRatioF()))
        self._words.setMaximumWidth(theme.step(130))
