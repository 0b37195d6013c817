"""Where the name of any other model is typed or its address pasted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout

from app.ui.kit.theme import Theme


class RepositoryLine(QFrame):
    """A line and a button, and below them why what was typed is no name. `asked` carries what was typed."""

    asked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = QLabel("Any other model")
        self.line = QLineEdit()
        self.line.setPlaceholderText("organisation/name, or its address")
        self.line.setAccessibleName("A model's repository on Hugging Face, or its address")
        self.button = QPushButton("Show")
        self.button.setAccessibleName("Show this repository")
        self.button.setEnabled(False)
        self._row = QHBoxLayout()
        self._row.addWidget(self.line, 1)
        self._row.addWidget(self.button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._title)
        self._column.addLayout(self._row)
        self._fault = QLabel()
        self._fault.setWordWrap(True)
        self._fault.setTextFormat(Qt.TextFormat.PlainText)
        self._fault.setProperty("ink", "fault")
        self._fault.hide()
        self._column.addWidget(self._fault)
        self._title.setBuddy(self.line)
        self.line.textChanged.connect(self._typed)
        self.line.returnPressed.connect(self._ask)
        self.button.clicked.connect(self._ask)
        theme.changed.connect(self._restyle)
        self._restyle()

    def refuse(self, words: str) -> None:
        """Say why what was typed is no name, until something else is typed."""
        self._fault.setText(words)
        self._fault.setVisible(bool(words))
        self.line.setAccessibleDescription(words)
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.line.selectAll()

    def refusal(self) -> str:
        """What is said of what was typed, empty where nothing is wrong."""
        return self._fault.text() if self._fault.isVisibleTo(self) else ""

    @Slot(str)
    def _typed(self, text: str) -> None:
        self._fault.hide()
        self.line.setAccessibleDescription("")
        self.button.setEnabled(bool(text.strip()))

    @Slot()
    def _ask(self) -> None:
        if self.line.text().strip():
            self.asked.emit(self.line.text().strip())

    @Slot()
    def _restyle(self) -> None:
        self._title.setFont(self._theme.font("strong"))
        self._fault.setFont(self._theme.font("small"))
        self._column.setSpacing(self._theme.step(1.5))
        self._row.setSpacing(self._theme.step(2))
