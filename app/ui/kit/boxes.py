"""Rows and columns of widgets, with lengths in steps of the theme's rhythm."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from app.ui.kit.flow_row import FlowRow
from app.ui.kit.theme import Theme

Item = QWidget | QLayout
Part = Item | int | tuple[Item, int] | tuple[Item, int, Qt.AlignmentFlag]
Margins = tuple[float, float, float, float]


def row(
    theme: Theme, *parts: Part, gap: float = 0, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None
) -> QHBoxLayout:
    """A row of parts: each a widget or a layout, alone or with its stretch and alignment, or an empty stretch.

    `gap` and `margins` (left, top, right, bottom) are in steps; with a `parent` the row becomes its layout.
    """
    box = QHBoxLayout()
    _fill(box, theme, parts, gap, margins, parent)
    return box


def column(
    theme: Theme, *parts: Part, gap: float = 0, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None
) -> QVBoxLayout:
    """A column of parts; everything else as for `row`."""
    box = QVBoxLayout()
    _fill(box, theme, parts, gap, margins, parent)
    return box


def flow(theme: Theme, *widgets: QWidget, gap: float = 2) -> FlowRow:
    """Widgets side by side at their preferred sizes, in as many lines as they need."""
    box = FlowRow()
    for widget in widgets:
        box.addWidget(widget)
    theme.space(box, gap)
    return box


def turn(box: QBoxLayout, *, beside: bool) -> None:
    """Make a box a row, or a column."""
    ways = QBoxLayout.Direction
    box.setDirection(ways.LeftToRight if beside else ways.TopToBottom)


def _fill(
    box: QBoxLayout,
    theme: Theme,
    parts: tuple[Part, ...],
    gap: float,
    margins: Margins,
    parent: QWidget | None,
) -> None:
    if parent is not None:
        parent.setLayout(box)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        item, stretch, *alignment = part if isinstance(part, tuple) else (part, 0)
        if isinstance(item, QLayout):
            box.addLayout(item, stretch)
            for each in alignment:
                box.setAlignment(item, each)
        else:
            box.addWidget(item, stretch, *alignment)
    theme.space(box, gap, margins)
