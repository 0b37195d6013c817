"""The foot of a card: buttons for a result, and the model, the device and the time that it took."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.kit.flow_row import FlowRow
from app.ui.kit.look_button import LookButton
from app.ui.kit.theme import Theme


class CardFoot(QWidget):
    """Buttons, “Look inside” the last of them, above the source; `look_asked` is sent by it."""

    look_asked = Signal()

    def __init__(self, theme: Theme, *buttons: QPushButton) -> None:
        super().__init__()
        self._theme = theme
        look = LookButton(theme)
        look.clicked.connect(self.look_asked)
        self._source = QLabel()
        self._source.setProperty("ink", "quiet")
        self._source.setWordWrap(True)
        self._source.setTextFormat(Qt.TextFormat.PlainText)
        self._row = FlowRow()
        for button in (*buttons, look):
            self._row.add(button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        self._column.addWidget(self._source)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._source.hide()

    def show_source(self, source: str) -> None:
        """Show which model found the result; an empty text hides the line."""
        self._source.setText(source)
        self._source.setVisible(bool(source))

    def source(self) -> str:
        """The text of the source line."""
        return self._source.text()

    @Slot()
    def _restyle(self) -> None:
        self._source.setFont(self._theme.font("small"))
        self._row.setSpacing(self._theme.step(2))
        self._column.setSpacing(self._theme.step(2))
