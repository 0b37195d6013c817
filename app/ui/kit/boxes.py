"""Rows and columns of widgets, with lengths in steps of the theme's rhythm."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QStyle, QVBoxLayout, QWidget

from app.ui.kit.theme import Theme

Item = QWidget | QLayout
Part = Item | int | tuple[Item, int] | tuple[Item, int, Qt.AlignmentFlag]
Margins = tuple[float, float, float, float]


class FlowRow(QLayout):
    """Widgets side by side at their preferred sizes, in as many lines as they need; hidden ones take no room.

    Lines begin at the right in a right-to-left layout. With `squeezed`, widgets that do not fit one line take their
    least sizes.
    """

    def __init__(self, *, squeezed: bool = False) -> None:
        super().__init__()
        self._squeezed = squeezed
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        gaps = max(0, len(sizes) - 1) * self.spacing()
        high = max((size.height() for size in sizes), default=0)
        return QSize(sum(size.width() for size in sizes) + gaps, high)

    def minimumSize(self) -> QSize:
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(
            max((size.width() for size in sizes), default=0),
            max((size.height() for size in sizes), default=0),
        )

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the widgets if `move`; returns the height that they take."""
        x, y, high = rect.x(), rect.y(), 0
        around = self.parentWidget()
        way = around.layoutDirection() if around is not None else Qt.LayoutDirection.LeftToRight
        is_tight = self._squeezed and self.sizeHint().width() > rect.width()
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.minimumSize() if is_tight else item.sizeHint()
            wide = min(size.width(), max(rect.width(), item.minimumSize().width()))
            if x > rect.x() and x + wide > rect.x() + rect.width():
                x, y, high = rect.x(), y + high + self.spacing(), 0
            if move:
                item.setGeometry(QStyle.visualRect(way, rect, QRect(x, y, wide, size.height())))
            x += wide + self.spacing()
            high = max(high, size.height())
        return y + high - rect.y()


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
