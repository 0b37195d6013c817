"""A square of tokens by tokens as a heat map: a part large enough for labels, next to an overview."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent

from app.ui.inspect.charts.matrix_painting import MatrixPicture, MatrixSizes
from app.ui.inspect.charts.scale import pooled, rising_table
from app.ui.inspect.charts.sideways import Sideways
from app.ui.kit.chart import Chart
from app.ui.kit.theme import Theme

_LEAP = 10
_LARGEST_PICTURE = 1600
_SMALL = 176


class Matrix(Chart):
    """Cells of one byte each, painted once into an image; the current place is a row, `column` its current cell.

    `cell_hovered` carries row and column of the cell that the user moved to. A matrix overrides `best_column`,
    `lines` and `table`; a cell of level 0 is empty.
    """

    cell_hovered = Signal(int, int)

    def __init__(self, theme: Theme, title: str, down: str, across: str, measure: str) -> None:
        super().__init__(theme, title)
        self._names = (down, across)
        self._measure = measure
        self._labels: tuple[str, ...] = ()
        self._cells = b""
        self._image, self._small = QImage(), QImage()
        self._legend = ("", "")
        self._marks: tuple[tuple[int, int], ...] = ()
        self.column = -1
        self._rows, self._columns = Sideways(), Sideways()
        self._dragging = False

    def set_cells(
        self,
        labels: tuple[str, ...],
        cells: bytes,
        legend: tuple[str, str],
        marks: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Take labels, a level (0 to 255) for each cell in rows, the words at the scale's ends, cells to outline."""
        self._labels, self._cells = labels, cells
        self._legend, self._marks = legend, tuple(marks)
        self._paint_image()
        self.column = -1
        self._fit()
        if self._marks:
            self._rows.centre(self._marks[0][0])
            self._columns.centre(self._marks[0][1])
        self.begin()

    def level(self, row: int, column: int) -> int:
        """A cell's level, 0 for none."""
        return self._cells[row * len(self._labels) + column]

    def best_column(self, row: int) -> int:
        """The cell of a row that is shown when only the row is known."""
        side = len(self._labels)
        levels = self._cells[row * side : (row + 1) * side]
        return levels.index(max(levels))

    def lines(self, row: int, column: int) -> tuple[str, ...]:
        """A cell in words: a title first, then its numbers."""
        raise NotImplementedError

    def set_cell(self, row: int, column: int) -> None:
        """Make a cell the current one, without a signal."""
        side = len(self._labels)
        if 0 <= row < side and 0 <= column < side and (row, column) != (self._current, self.column):
            self._current, self.column = row, column
            self._rows.show(row)
            self._columns.show(column)
            self.setAccessibleDescription(self.describe(row))
            self.update()

    @Slot(int)
    def set_current(self, index: int) -> None:
        if index < 0:
            self.column = -1
            super().set_current(-1)
        elif index != self._current and index < self.count():
            self.set_cell(index, self.best_column(index))

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        column = self.column if index == self._current and self.column >= 0 else self.best_column(index)
        return ". ".join(self.lines(index, column))

    def place_at(self, point: QPointF) -> int:
        cell = self.cell_at(point)
        return cell[0] if cell is not None else -1

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """The cell at a point of the widget."""
        sizes = self._sizes()
        row, column = self._rows.at(point.y() - sizes.top), self._columns.at(point.x() - sizes.left)
        if row < 0 or column < 0 or not self.level(row, column):
            return None
        return row, column

    def sizeHint(self) -> QSize:
        sizes = self._sizes()
        panel = sizes.words + (sizes.thumb if self._rows.scrolls else 0.0)
        high = max(self._rows.width, panel) if self._labels else 0.0
        return QSize(self.theme.step(200), round(sizes.top + high + self.theme.step(2)))

    def picture_size(self) -> QSize:
        sizes, cell = self._sizes(), self._whole_cell()
        side = cell * self.count()
        return QSize(
            round(sizes.left + side + sizes.gap + sizes.panel), round(sizes.top + side + self.theme.step(3))
        )

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        if not self._labels:
            return
        sizes = self._sizes()
        rows, columns = self._rows, self._columns
        if whole:
            cell = self._whole_cell()
            rows, columns = Sideways(), Sideways()
            for way in (rows, columns):
                way.fit(self.count(), cell * self.count() + 1, cell, cell)
        picture = MatrixPicture(self.theme, self._image, self._labels, self._names)
        current = None if whole or self._current < 0 else (self._current, self.column)
        picture.draw(painter, sizes, rows, columns, self._marks, current)
        left = sizes.left + columns.width + sizes.gap
        scrolls = not whole and self._rows.scrolls
        top = sizes.top
        if scrolls:
            picture.draw_whole(painter, self._thumb(), self._small, rows, columns)
            top = self._thumb().bottom() + self.theme.step(4)
        top = picture.draw_legend(painter, QRectF(left, top, sizes.panel, 0), self._measure, self._legend)
        if not whole:
            lines = self.lines(*current) if current is not None else ()
            place = QRectF(left, top + self.theme.step(4), sizes.panel, size.height() - top)
            picture.draw_lines(painter, place, lines)

    # Sizes

    def _sizes(self) -> MatrixSizes:
        return MatrixSizes(self.theme, self.width())

    def _thumb(self) -> QRectF:
        sizes = self._sizes()
        return QRectF(sizes.left + self._columns.width + sizes.gap, sizes.top, sizes.thumb, sizes.thumb)

    def _whole_cell(self) -> float:
        return max(2.0, min(self._rows.column, float(_LARGEST_PICTURE // max(1, self.count()))))

    def _fit(self) -> None:
        sizes, count = self._sizes(), self.count()
        if count:
            cell = min(sizes.most, max(sizes.least, sizes.side / count))
            seen = min(float(count), max(1.0, sizes.side // cell))
            for way in (self._rows, self._columns):
                way.fit(count, seen * cell, cell, cell)
        self.updateGeometry()

    def _paint_image(self) -> None:
        side = len(self._labels)
        # Rows of an image of one byte per pixel may begin at any byte if their length is given.
        image = QImage(self._cells, side, side, side, QImage.Format.Format_Indexed8)
        image.setColorTable(rising_table(self.theme))
        self._image = image.copy()
        small, few = pooled(self._cells, side, _SMALL)
        self._small = QImage(small, few, few, few, QImage.Format.Format_Indexed8).copy()
        self._small.setColorTable(rising_table(self.theme))

    # Mouse and keys

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        leaps = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        far = _LEAP if leaps else 1
        way = {
            keys.Key_Left: (0, -far), keys.Key_Right: (0, far), keys.Key_Up: (-far, 0), keys.Key_Down: (far, 0),
            keys.Key_PageUp: (-_LEAP, 0), keys.Key_PageDown: (_LEAP, 0),
        }.get(keys(event.key()))  # fmt: skip
        if way is not None and self._labels:
            self._walk(*way)
        elif event.key() in (keys.Key_Home, keys.Key_End) and self._labels:
            self._to_end(event.key() == keys.Key_Home)
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, across: int) -> None:
        """Go to the next cell in a direction, skipping empty ones."""
        if self._current < 0:
            self._go_to(*(self._marks[0] if self._marks else (0, self.best_column(0))))
            return
        side = self.count()
        row = min(side - 1, max(0, self._current + down))
        column = min(side - 1, max(0, self.column + across))
        if not self.level(row, column):
            sign = 1 if down + across > 0 else -1
            if across:
                ahead = range(column, side) if sign > 0 else range(column, -1, -1)
                column = next((at for at in ahead if self.level(row, at)), self.column)
            else:
                line = range(row, side) if sign > 0 else range(row, -1, -1)
                row = next((at for at in line if self._filled(at)), self._current)
                if not self.level(row, column):
                    column = self._nearest(row, column)
        self._go_to(row, column)

    def _to_end(self, home: bool) -> None:
        row = max(0, self._current)
        filled = [at for at in range(self.count()) if self.level(row, at)]
        if filled:
            self._go_to(row, filled[0] if home else filled[-1])

    def _filled(self, row: int) -> bool:
        side = self.count()
        return any(self._cells[row * side : (row + 1) * side])

    def _nearest(self, row: int, column: int) -> int:
        filled = [at for at in range(self.count()) if self.level(row, at)]
        return min(filled, key=lambda at: abs(at - column), default=column)

    def _go_to(self, row: int, column: int) -> None:
        other_row = row != self._current
        self.set_cell(row, column)
        if other_row:
            self.hovered.emit(row)
        self.cell_hovered.emit(row, column)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._drag(event.position())
            return
        cell = self.cell_at(event.position())
        if cell is not None and cell != (self._current, self.column):
            self._go_to(*cell)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._rows.scrolls and self._thumb().contains(event.position()):
            self._dragging = True
            self._drag(event.position())
            return
        cell = self.cell_at(event.position())
        if cell is not None:
            self._go_to(*cell)
            self.chosen.emit(cell[0])

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        super().mouseReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        across = event.angleDelta().x() or (event.angleDelta().y() if shift else 0)
        if not across or not self._columns.scrolls:
            event.ignore()  # the page scrolls
            return
        self._columns.scroll_to(self._columns.offset - across)
        self.update()
        event.accept()

    def _drag(self, point: QPointF) -> None:
        thumb, side = self._thumb(), self.count()
        self._columns.centre((point.x() - thumb.left()) / thumb.width() * side - 0.5)
        self._rows.centre((point.y() - thumb.top()) / thumb.height() * side - 0.5)
        self.update()

    @Slot()
    def restyle(self) -> None:
        if self._labels:
            for image in (self._image, self._small):
                image.setColorTable(rising_table(self.theme))
        self._fit()
        super().restyle()
