"""A layout that wraps a row of widgets into further lines where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle


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
