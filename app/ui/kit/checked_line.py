"""A line edit whose text is checked while it is typed."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.ui.kit.parts import push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

_AFTER_MS = 250


class CheckedLine(QWidget):
    """A line edit, and a button to choose a value if `choose` names one.

    `typed` carries the text a moment after it changed.
    """

    typed = Signal(str)

    def __init__(self, theme: Theme, name: str, placeholder: str, choose: str = "") -> None:
        super().__init__()
        self._last_sent = ""
        self.line = QLineEdit()
        self.line.setAccessibleName(localised(name))
        self.line.setPlaceholderText(localised(placeholder))
        self.button = push_button(theme, choose, name=f"{localised(choose)} ({localised(name)})")
        self.button.setVisible(bool(choose))
        self.setFocusProxy(self.line)
        self._soon = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._soon.timeout.connect(self._send_typed)
        self.line.textEdited.connect(self._edited)
        self.line.editingFinished.connect(self._send_typed)
        row = QHBoxLayout(self)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        theme.space(row, 2)

    def text(self) -> str:
        """The text of the line."""
        return self.line.text()

    def set_text(self, text: str) -> None:
        """Set the text without sending `typed`."""
        self._soon.stop()
        self._last_sent = text
        if text != self.line.text():
            self.line.setText(text)

    def take(self, text: str) -> None:
        """Set the text as if it had been typed."""
        self.line.setText(text)
        self._send_typed()

    @Slot(str)
    def _edited(self, text: str) -> None:
        self._soon.start()

    @Slot()
    def _send_typed(self) -> None:
        self._soon.stop()
        if self.line.text() != self._last_sent:
            self._last_sent = self.line.text()
            self.typed.emit(self._last_sent)
