"""A part of a section: its own heading, a few words, tools in a row, and the result."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.kit.flow_row import FlowRow
from app.ui.kit.theme import Theme


def within(label: QLabel) -> QHBoxLayout:
    """A row that limits wrapped text to its maximum width: without it Qt would take its height at any width."""
    row = QHBoxLayout()
    row.addWidget(label, 1)
    row.addStretch(0)
    return row


class Part(QFrame):
    """A card below others in a section; its content is hidden until there is something to show."""

    def __init__(self, theme: Theme, title: str, term: str, about: str) -> None:
        super().__init__()
        self._theme = theme
        self._title, self._term, self._about = QLabel(title), QLabel(term), QLabel(about)
        self._term.setProperty("ink", "quiet")
        self._about.setWordWrap(True)
        names = QHBoxLayout()
        names.addWidget(self._title)
        names.addWidget(self._term, 1, Qt.AlignmentFlag.AlignBottom)
        self._names = names
        self._tools = FlowRow()
        self._labels: list[QLabel] = []
        self._content = QWidget()
        self.content = QVBoxLayout(self._content)
        self.content.setContentsMargins(0, 0, 0, 0)
        self._column = QVBoxLayout(self)
        self._column.addLayout(names)
        self._column.addLayout(within(self._about))
        self._column.addLayout(self._tools)
        self._column.addWidget(self._content)
        self.setProperty("kind", "card")
        self.setAccessibleName(title)
        theme.changed.connect(self._restyle)
        self._restyle()

    def tools(self, *widgets: QWidget) -> None:
        """Put these in a row below the words."""
        for widget in widgets:
            self._tools.add(widget)
        self._labels += [widget for widget in widgets if isinstance(widget, QLabel)]
        self._restyle()

    def add(self, *widgets: QWidget) -> None:
        """Add these to the result, one below the other."""
        for widget in widgets:
            self.content.addWidget(widget)

    def hide_content(self) -> None:
        """Hide the result."""
        self._content.hide()

    def show_content(self) -> None:
        """Show the result."""
        self._content.show()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("strong"))
        self._term.setFont(theme.font("small"))
        self._about.setMaximumWidth(theme.step(190))
        self._names.setSpacing(theme.step(2.5))
        self._tools.setSpacing(theme.step(3))
        for label in self._labels:
            label.setMinimumHeight(theme.step(7.5))  # as high as the buttons next to it
            label.setFont(theme.font("small"))
        self.content.setSpacing(theme.step(3))
        self._column.setSpacing(theme.step(3))
        edge = theme.step(4)
        self._column.setContentsMargins(edge, edge, edge, edge)
