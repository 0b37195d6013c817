"""The foot of a card: buttons for a result, and the model, the device and the time that it took."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.ui.kit.flow_row import FlowRow
from app.ui.kit.look_button import LookButton
from app.ui.kit.parts import plain_label
from app.ui.kit.theme import Theme


class CardFoot(QWidget):
    """Buttons, “Look inside” the last of them, above the source; `look_requested` is sent by it."""

    look_requested = Signal()

    def __init__(self, theme: Theme, *buttons: QPushButton) -> None:
        super().__init__()
        look = LookButton(theme)
        look.clicked.connect(self.look_requested)
        self._source = plain_label(type="small", ink="quiet")
        row = FlowRow()
        for button in (*buttons, look):
            row.add(button)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self._source)
        theme.space(row, 2)
        theme.space(column, 2)
        self._source.hide()

    def show_source(self, source: str) -> None:
        """Show which model found the result; an empty text hides the line."""
        self._source.setText(source)
        self._source.setVisible(bool(source))

    def source(self) -> str:
        """The text of the source line."""
        return self._source.text()
