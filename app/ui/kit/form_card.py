"""A card of form rows, each with a heading and a hint; a column of cards; a line edit that is checked while typing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QLineEdit, QWidget

from app.ui.kit.boxes import column, row
from app.ui.kit.parts import Scrolling, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised

# The greatest width of a card, in steps.
MOST_WIDE = 210
# How long after the last key a line is checked.
_CHECK_AFTER_MS = 250
# Below this width of a column, in steps, headings are placed above their widgets.
_NARROW = 176
# The least width of headings, in steps.
_HEADINGS = 36
# The least height of a row without its hint, in steps.
_LINE = 9


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the card; without a heading it spans the full width."""

    widget: QWidget
    heading: QLabel | None = None
    hint: QLabel | None = None
    wide: bool = True


class FormCard(QFrame):
    """A title, which may be empty, above rows of a heading, a widget, and a hint, which may be empty."""

    def __init__(self, theme: Theme, title: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._rows: list[_Row] = []
        self._narrow = False
        self.setProperty("kind", "card")
        self._grid = QGridLayout(self)
        self._grid.setColumnStretch(1, 1)
        heading = plain_label(title, type="strong", wrap=False)
        heading.setVisible(bool(title))
        self.setAccessibleName(heading.text())
        self._add(_Row(heading))
        theme.in_steps(heading.setContentsMargins, 0, 0, 0, 2.5)
        theme.in_steps(self._grid.setHorizontalSpacing, 8)
        theme.in_steps(self._grid.setVerticalSpacing, 1)
        theme.changed.connect(self._fit)
        self._fit()

    def add_row(self, title: str, widget: QWidget, hint: str = "", *, wide: bool = True) -> QLabel:
        """Add a row, its widget as wide as the card has room unless `wide` is off; returns the label of its hint."""
        heading, words = plain_label(title, type="strong", wrap=False), plain_label(type="small")
        heading.setBuddy(widget)
        self._add(_Row(widget, heading, words, wide))
        set_hint(words, hint)
        self._fit()
        return words

    def show_rows(self, titles: Collection[str], shown: bool) -> None:
        """Show or hide the rows with these headings."""
        wanted = set(map(localised, titles))
        for each in self._rows:
            if each.heading is not None and each.heading.text() in wanted:
                for part in (each.heading, each.widget):
                    part.setVisible(shown)
                if each.hint is not None:
                    each.hint.setVisible(shown and bool(each.hint.text()))
        self._fit()

    def add_full_width(self, widget: QWidget) -> None:
        """Add a widget that is as wide as the card."""
        self._add(_Row(widget))

    def set_narrow(self, narrow: bool) -> None:
        """Place headings above their widgets, or to the left of them."""
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for each in self._rows:
            for part in (each.heading, each.widget, each.hint):
                if part is not None:
                    self._grid.removeWidget(part)
        for at, each in enumerate(self._rows):
            self._place(3 * at, each)
        self._fit()

    def least_width(self) -> int:
        """The width in pixels that the card needs for headings to the left of their widgets."""
        rows = [row for row in self._rows if row.heading is not None and not row.widget.isHidden()]
        headings = max((row.heading.sizeHint().width() for row in rows if row.heading), default=0)
        widgets = max((row.widget.minimumSizeHint().width() for row in rows), default=0)
        beside = max(headings, self._theme.step(_HEADINGS)) + self._grid.horizontalSpacing() + widgets
        return beside + 2 * self._theme.step(6)

    def _add(self, row: _Row) -> None:
        self._place(3 * len(self._rows), row)
        self._rows.append(row)

    def _place(self, at: int, row: _Row) -> None:
        """Put a row into three lines of the grid: the heading if it is above, the widget, the hint."""
        align = Qt.AlignmentFlag.AlignVCenter
        if not row.wide:
            align |= Qt.AlignmentFlag.AlignLeft
        if row.heading is None or row.hint is None:
            self._grid.addWidget(row.widget, at + 1, 0, 1, 2)
        elif self._narrow:
            self._grid.addWidget(row.heading, at, 0, 1, 2)
            self._grid.addWidget(row.widget, at + 1, 0, 1, 2, align)
            self._grid.addWidget(row.hint, at + 2, 0, 1, 2)
        else:
            self._grid.addWidget(row.heading, at + 1, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(row.widget, at + 1, 1, align)
            self._grid.addWidget(row.hint, at + 2, 1)

    @Slot()
    def _fit(self) -> None:
        """Set the grid's sizes for the current text size and width."""
        step, last = self._theme.step, self._rows[-1]
        for at, each in enumerate(self._rows):
            if each.heading is not None and each.hint is not None:
                there = not each.widget.isHidden()
                # Beside a widget of one line the heading is level with it; a higher one begins level with it.
                each.heading.setMinimumHeight(0 if self._narrow else step(_LINE))
                each.heading.setContentsMargins(0, step(1.75) if self._narrow else 0, 0, 0)
                # A hint is nearer to its own widget than to the next one.
                each.hint.setContentsMargins(0, 0, 0, step(3) if each is not last else 0)
                self._grid.setRowMinimumHeight(3 * at + 1, step(_LINE) if there else 0)
                self._grid.setRowMinimumHeight(3 * at + 2, step(1) if there else 0)
        edge = step(4 if self._narrow else 6)
        self._grid.setContentsMargins(edge, edge, edge, edge)
        # Widgets are aligned across the cards of a column.
        self._grid.setColumnMinimumWidth(0, 0 if self._narrow else step(_HEADINGS))


def set_hint(hint: QLabel, words: str, ink: str = "quiet") -> None:
    """Set a row's hint and its ink; empty words hide it."""
    hint.setText(words)
    if hint.property("ink") != ink:
        mark(hint, ink=ink)
    hint.setVisible(bool(words))


def side_by_side(theme: Theme, first: QWidget, last: QWidget) -> QWidget:
    """Two widgets in a row, the first as wide as there is room."""
    both = QWidget()
    row(theme, (first, 1), last, gap=1.5, parent=both)
    return both


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
        self._soon = QTimer(self, singleShot=True, interval=_CHECK_AFTER_MS)
        self._soon.timeout.connect(self._send_typed)
        self.line.textEdited.connect(self._edited)
        self.line.editingFinished.connect(self._send_typed)
        row(theme, (self.line, 1), self.button, gap=2, parent=self)

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
        """Set the text as if it were typed: `typed` is sent at once."""
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


class CardColumn(Scrolling):
    """A scrolling column of cards, no wider than is easily read."""

    def __init__(self, theme: Theme) -> None:
        inner = QWidget()
        super().__init__(inner, sideways=True)
        self._theme = theme
        self._parts: list[QWidget] = []
        self._column = column(theme, 1, gap=5, margins=(6, 5, 6, 6), parent=inner)
        theme.changed.connect(self._fit)

    def add(self, part: QWidget) -> None:
        """Add a card below the others."""
        # In a row of its own: a column asks for the height of wrapped text at the column's width, not the card's.
        self._column.insertLayout(self._column.count() - 1, row(self._theme, (part, 1000), 1))
        self._parts.append(part)
        self._theme.in_steps(part.setMaximumWidth, MOST_WIDE)
        self._fit()

    def fill(self, page: QWidget) -> None:
        """Lay the column out as the only content of a page."""
        row(self._theme, self, parent=page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        margins = self._column.contentsMargins()
        wide, cards = self.viewport().width(), [card for card in self._parts if isinstance(card, FormCard)]
        room = wide - margins.left() - margins.right()
        narrow = 0 < wide < self._theme.step(_NARROW) or any(card.least_width() > room for card in cards)
        for card in cards:
            card.set_narrow(narrow)
