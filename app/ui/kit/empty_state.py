"""What a list or a pane shows while it has nothing to show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.ui.kit.parts import IconLabel, as_tip, plain_label, push_button
from app.ui.kit.theme import Theme, mark


class EmptyState(QFrame):
    """An icon, a title, a few words, and a button that may be hidden."""

    def __init__(self, theme: Theme, icon: str, *, kind: str = "panel") -> None:
        super().__init__()
        self._title, self._words = plain_label(type="answer"), plain_label(ink="quiet")
        column = QVBoxLayout(self)
        column.addStretch(2)
        column.addWidget(IconLabel(theme, theme.icon(icon), 10), 0, Qt.AlignmentFlag.AlignHCenter)
        for label in (self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            # Not by alignment, which would not take the wrapped text's height for this width.
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(label, 1000)
            row.addStretch(1)
            column.addLayout(row)
        self.button = push_button(theme)
        self.button.hide()
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.space(column, 3, (8, 0, 8, 0))
        self.setProperty("kind", kind)
        theme.in_steps(self._words.setMaximumWidth, 130)

    def show_message(
        self, title: str, words: str, action: str = "", *, primary: bool = True, tip: str = ""
    ) -> None:
        """Show a message; `action` is the button's label, empty for no button."""
        self._title.setText(title)
        self._words.setText(words)
        self.button.setText(action)
        self.button.setAccessibleName(self.button.text())
        self.button.setToolTip(as_tip(tip))
        self.button.setVisible(bool(action))
        mark(self.button, kind="primary" if primary else "")

    def title(self) -> str:
        """The title of the message."""
        return self._title.text()
