"""A card of choices: a heading at the left of each, words about it below; and the column that cards stand in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.ui.theme import Theme, mark

MOST_WIDE = 210


class FormCard(QFrame):
    """Rows of a heading, a widget, and a hint that may be empty; with a title above them where there is one."""

    def __init__(self, theme: Theme, title: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._headings: list[QLabel] = []
        self._hints: list[QLabel] = []
        self.setProperty("kind", "card")
        self._grid = QGridLayout(self)
        self._grid.setColumnStretch(1, 1)
        self._title = QLabel(title)
        self._title.setVisible(bool(title))
        self._rows = 1
        if title:
            self.setAccessibleName(title)
            self._grid.addWidget(self._title, 0, 0, 1, 2)
        theme.changed.connect(self._restyle)
        self._restyle()

    def add_row(self, title: str, widget: QWidget, hint: str = "", *, wide: bool = True) -> QLabel:
        """Add a row; what is not wide keeps its own width. Returns the label of its hint."""
        heading = QLabel(title)
        heading.setBuddy(widget)
        self._headings.append(heading)
        at = self._rows
        self._rows += 2
        self._grid.addWidget(heading, at, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(widget, at, 1, Qt.AlignmentFlag(0) if wide else Qt.AlignmentFlag.AlignLeft)
        words = QLabel()
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        self._hints.append(words)
        self._grid.addWidget(words, at + 1, 1)
        say(words, hint)
        self._restyle()
        return words

    def add_whole(self, widget: QWidget) -> None:
        """Add something that is as wide as the card."""
        self._grid.addWidget(widget, self._rows, 0, 1, 2)
        self._rows += 1
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("strong"))
        self._title.setContentsMargins(0, 0, 0, theme.step(1.5))
        for heading in self._headings:
            heading.setFont(theme.font("strong"))
            heading.setContentsMargins(0, theme.step(1.75), 0, 0)
        for hint in self._hints:
            hint.setFont(theme.font("small"))
        edge = theme.step(6)
        self._grid.setContentsMargins(edge, edge, edge, edge)
        self._grid.setHorizontalSpacing(theme.step(8))
        self._grid.setVerticalSpacing(theme.step(2))
        for heading in self._headings:
            row = self._grid.getItemPosition(self._grid.indexOf(heading))[0]  # type: ignore[index]
            self._grid.setRowMinimumHeight(row, theme.step(9))


def say(hint: QLabel, words: str, ink: str = "quiet") -> None:
    """Have a row's hint say something in an ink; empty words take it away."""
    hint.setText(words)
    if hint.property("ink") != ink:
        font = hint.font()
        mark(hint, ink=ink)
        hint.setFont(font)  # with a stylesheet in force Qt drops it
    hint.setVisible(bool(words))


class CardColumn(QScrollArea):
    """Cards one below the other, no wider than can be read well, to be scrolled."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._parts: list[QWidget] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        self._column.addStretch(1)
        self.setWidget(inner)
        theme.changed.connect(self._restyle)
        self._restyle()

    def add(self, part: QWidget, *, wide: bool = False) -> None:
        """Add a card below the others; a wide one takes all the width there is."""
        self._column.insertWidget(self._column.count() - 1, part)
        if not wide:
            self._parts.append(part)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._column.setContentsMargins(theme.step(8), theme.step(7), theme.step(8), theme.step(7))
        self._column.setSpacing(theme.step(5))
        for part in self._parts:
            part.setMaximumWidth(theme.step(MOST_WIDE))
