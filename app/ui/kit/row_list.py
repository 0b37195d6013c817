"""Lists of painted rows: the model, and the bases of the delegates and of the views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core.legible import legible_line, legible_lines
from app.ui.kit.flow_text import line_pen, own_pen
from app.ui.kit.parts import as_tip, draw_line
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

ROW = Qt.ItemDataRole.UserRole
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
Index = QModelIndex | QPersistentModelIndex


class RowModel(QAbstractListModel):
    """Rows of any kind; `words` gives a row's name, its text for screen readers, and its tool tip."""

    def __init__(self, words: Callable[[Any], tuple[str, str, str]]) -> None:
        super().__init__()
        self._words = words
        self.rows: Any = ()  # a tuple; a model that changes single rows keeps a list

    def take(self, rows: Sequence[Any]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW:
            return row
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
        if role not in roles:
            return None
        words = self._words(row)[roles.index(role)]
        return as_tip(words) if role == Qt.ItemDataRole.ToolTipRole else legible_lines(localised(words))


class RowDelegate(QStyledItemDelegate):
    """Paints rows: a subclass gives a row's height in `row_height`, and paints its content in `draw`.

    With `line` a hairline is below the rows that are neither chosen nor under the mouse. A subclass with `MIRRORS` lays
    its rows out from left to right; in a right-to-left layout the methods of this class mirror what they draw, and the
    subclass mirrors its own rectangles with `mirrored`.
    """

    MIRRORS = False

    def __init__(self, theme: Theme, *, line: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._line = line
        self._heights: dict[str, int] = {}
        self._mirrored_row: QRectF | None = None  # the row that is being painted, if it is mirrored

    @property
    def is_mirrored(self) -> bool:
        """Whether the row that is being painted is mirrored."""
        return self._mirrored_row is not None

    def mirrored(self, rect: QRectF) -> QRectF:
        """Return a rectangle of the row, mirrored if the row is."""
        row = self._mirrored_row
        if row is None:
            return rect
        return rect.translated(row.left() + row.right() - rect.left() - rect.right(), 0)

    def row_height(self, index: Index) -> int:
        """The height of a row in pixels; for an invalid index, that of a typical row."""
        raise NotImplementedError

    def draw(self, painter: QPainter, rect: QRectF, row: Any, option: QStyleOptionViewItem) -> None:
        """Paint a row in its rectangle."""
        raise NotImplementedError

    def restyle(self) -> None:
        """Forget the heights of the fonts, which have changed."""
        self._heights.clear()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._theme.step(40), self.row_height(index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        option.index = cast(QModelIndex, index)  # the view leaves it unset
        from_right = self.MIRRORS and option.direction is Qt.LayoutDirection.RightToLeft
        self._mirrored_row = QRectF(option.rect) if from_right else None
        self.draw(painter, QRectF(option.rect), index.data(ROW), option)
        painter.restore()

    def line_height(self, use: str) -> int:
        """The height in pixels of a line in the font of a use; cached, as it is needed for every row."""
        if use not in self._heights:
            self._heights[use] = QFontMetrics(self._theme.font(use)).height()
        return self._heights[use]

    def draw_ground(
        self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, *, bar: bool = True
    ) -> bool:
        """Paint the background of a row, with a bar at the side if it is chosen; returns whether it is."""
        theme = self._theme
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_ground" if chosen else "hover"))
            painter.drawRoundedRect(rect.adjusted(0, 0, 0, -1), theme.step(1.5), theme.step(1.5))
        elif self._line:
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.colour("line"))
        if chosen and bar:
            inset = min(theme.step(2), round(rect.height() / 6))
            side = QRectF(rect.left(), rect.top() + inset, theme.step(0.75), rect.height() - 2 * inset)
            painter.fillRect(self.mirrored(side), theme.colour("accent"))
        return chosen

    def draw_focus(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem) -> None:
        """Paint a ring around the row that has the keyboard focus."""
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(self._theme.colour("focus"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            radius = self._theme.step(1.5)
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -1.5), radius, radius)

    def draw_text(
        self,
        painter: QPainter,
        rect: QRectF,
        text: str,
        font: str = "ui",
        ink: str = "ink",
        side: Qt.AlignmentFlag = LEFT,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> int:
        """Paint a line of text in a font and a colour of the theme, elided where it does not fit; returns its width."""
        if self.is_mirrored:
            side = LEFT if side == RIGHT else RIGHT
        return draw_line(painter, self._theme, self.mirrored(rect), text, font, ink, side, elide)

    def wrapped_height(self, text: str, width: float, font: str = "small") -> int:
        """The height in pixels of a text that is wrapped at a width."""
        room = QRect(0, 0, max(40, int(width)), 10_000)
        metrics = QFontMetrics(self._theme.font(font))
        return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, legible_line(localised(text))).height()

    def draw_wrapped(
        self, painter: QPainter, rect: QRectF, text: str, font: str = "small", ink: str = "ink"
    ) -> None:
        """Paint a text that is wrapped at the width of its rectangle, in a font and a colour of the theme."""
        painter.setFont(self._theme.font(font))
        painter.setPen(self._theme.colour(ink))
        ways = Qt.AlignmentFlag
        side = ways.AlignRight if self.is_mirrored else ways.AlignLeft
        flags = side | ways.AlignAbsolute | Qt.TextFlag.TextWordWrap
        painter.drawText(self.mirrored(rect), flags, legible_line(localised(text)))

    def draw_lit(
        self, painter: QPainter, line: QRectF, words: str, *, faint: bool = False, own: bool = False
    ) -> None:
        """Paint words highlighted as in their document: with a background and a line under them.

        The line is dashed if they are `faint`; `own` words are those that the person chose instead.
        """
        theme = self._theme
        font = theme.font("quote")
        metrics = QFontMetrics(font)
        pad = theme.step(0.75)
        room = int(line.width() - 2 * pad)
        shown = metrics.elidedText(legible_lines(localised(words)), Qt.TextElideMode.ElideRight, room)
        wide = metrics.horizontalAdvance(shown) + 2 * pad
        box = self.mirrored(QRectF(line.left(), line.top(), wide, line.height()))
        ground = "own_ground" if own else "other_ground" if faint else "answer_ground"
        painter.fillRect(box, theme.colour(ground))
        pen = own_pen(theme.colour("own_line")) if own else line_pen(theme.colour("answer_line"), True, faint)
        painter.setPen(pen)
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.setFont(font)
        painter.setPen(theme.colour("ink"))
        painter.drawText(box.adjusted(pad, 0, pad, 0), LEFT, shown)


def menu_place(view: QAbstractItemView, event: QContextMenuEvent) -> tuple[QModelIndex, QPoint]:
    """The item that a context menu was asked for, invalid if none, and where on the screen to open the menu.

    With the mouse it is the item under it, with the keyboard the current one.
    """
    if event.reason() == QContextMenuEvent.Reason.Keyboard:
        index = view.currentIndex()
        return index, view.viewport().mapToGlobal(view.visualRect(index).center())
    return view.indexAt(view.viewport().mapFromGlobal(event.globalPos())), event.globalPos()


class RowList(QListView):
    """A list with one row chosen; Esc is left to the window, which stops the work.

    A `bare` list has no frame and no ground of its own, and is scrolled by pixels.
    """

    def __init__(
        self, theme: Theme, name: str, model: RowModel, painter: QStyledItemDelegate, *, bare: bool = False
    ) -> None:
        super().__init__()
        self._theme = theme
        self._model = model
        self._row_delegate = painter
        self.setModel(model)
        self.setItemDelegate(painter)
        self.setAccessibleName(localised(name))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        if bare:
            self.setProperty("bare", "true")
            self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
            self.viewport().setAutoFillBackground(False)
        theme.changed.connect(self._restyle)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return False
        return super().event(event)

    @Slot()
    def _restyle(self) -> None:
        if isinstance(self._row_delegate, RowDelegate):
            self._row_delegate.restyle()
        self.scheduleDelayedItemsLayout()
        self.viewport().update()
