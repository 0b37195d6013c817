"""A heat map of tokens by tokens: a scrolled part that is large enough for labels, next to an overview."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPen

from app.core.message import Message
from app.ui.inspect.charts.painting import (
    Columns,
    ScrollingChart,
    draw_scale,
    image_of,
    pooled,
    rising,
    rising_table,
)
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

_LEAP = 10
_LARGEST_PICTURE = 1600
_SMALL = 176
_SHARP = 2
_INVITATION = Message("Point at a cell, or walk with the arrow keys.")


class MatrixSizes:
    """The sizes of a matrix's parts in pixels, at the theme's text size, for a widget of `width` pixels."""

    def __init__(self, theme: Theme, width: float) -> None:
        step = theme.step
        self.left = float(step(24))
        self.top = float(step(21))
        self.gap = float(step(6))
        self.least = float(step(3.5))
        self.most = float(step(6))
        # Large enough for forty tokens, smaller in a narrow window.
        room = width - self.left - self.gap
        self.side = min(float(step(142)), max(float(step(40)), room - step(52)))
        self.panel = max(float(step(36)), min(float(step(52)), room - self.side))
        self.thumb = min(float(step(44)), self.panel)
        # The part of the panel below the overview: the scale, and the words of a cell.
        self.words = float(step(30))


class Matrix(ScrollingChart):
    """Cells of one byte each, painted once into an image.

    The chart's places are rows: the current cell is in the current row and in `column`. A cell of level 0 is empty.
    `cell_hovered` carries row and column of the cell that the user moved to. A subclass overrides `best_column`,
    `lines` and `table`.
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
        self._rows = Columns()

    def set_cells(
        self,
        labels: tuple[str, ...],
        cells: bytes,
        legend: tuple[str, str],
        marks: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show these cells.

        `cells` are levels (0 to 255), row by row; `legend` is the text at both ends of the scale, and `marks` are cells
        to outline, as (row, column), the first of them stronger.
        """
        self._labels, self._cells = labels, cells
        self._legend, self._marks = legend, tuple(marks)
        self._image = image_of(cells, len(labels), self.theme)
        self._small = image_of(*pooled(cells, len(labels), _SMALL), self.theme)
        self.column = -1
        self.fit()
        if self._marks:
            self._rows.centre(self._marks[0][0])
            self.columns.centre(self._marks[0][1])
        self.begin()

    def level(self, row: int, column: int) -> int:
        """A cell's level, 0 for an empty one."""
        return self._cells[row * len(self._labels) + column]

    def best_column(self, row: int) -> int:
        """The column of the cell to make current when only the row is known."""
        side = len(self._labels)
        levels = self._cells[row * side : (row + 1) * side]
        return levels.index(max(levels))

    def lines(self, row: int, column: int) -> tuple[str, ...]:
        """A cell in words: a title, then a line for each of its numbers."""
        raise NotImplementedError

    def set_cell(self, row: int, column: int) -> None:
        """Make a cell the current one, without a signal."""
        side = len(self._labels)
        if 0 <= row < side and 0 <= column < side and (row, column) != (self._current, self.column):
            self._current, self.column = row, column
            self._rows.show(row)
            self.columns.show(column)
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
        """The row and column of the cell at a point of the widget; None for an empty one, and outside of all."""
        sizes = self._sizes()
        row, column = self._rows.at(point.y() - sizes.top), self.columns.at(point.x() - sizes.left)
        if row < 0 or column < 0 or not self.level(row, column):
            return None
        return row, column

    # Sizes

    def sizeHint(self) -> QSize:
        sizes = self._sizes()
        panel = sizes.words + (sizes.thumb if self._rows.scrolls else 0.0)
        high = max(self._rows.width, panel) if self._labels else 0.0
        return QSize(self.theme.step(200), round(sizes.top + high + self.theme.step(2)))

    def picture_size(self) -> QSize:
        sizes, side = self._sizes(), self._whole_cell() * self.count()
        return QSize(
            round(sizes.left + side + sizes.gap + sizes.panel), round(sizes.top + side + self.theme.step(3))
        )

    def fit(self) -> None:
        sizes, count = self._sizes(), self.count()
        if count:
            cell = min(sizes.most, max(sizes.least, sizes.side / count))
            seen = min(float(count), max(1.0, sizes.side // cell))
            for way in (self._rows, self.columns):
                way.fit(count, seen * cell, cell, cell)
        self.updateGeometry()

    def overview(self) -> QRectF:
        sizes = self._sizes()
        if not self._rows.scrolls:
            return QRectF()
        left = sizes.left + self.columns.width + sizes.gap
        return QRectF(left, sizes.top, sizes.thumb, sizes.thumb)

    def centre(self, across: float, down: float) -> None:
        self.columns.centre(across * self.count() - 0.5)
        self._rows.centre(down * self.count() - 0.5)

    def _sizes(self) -> MatrixSizes:
        return MatrixSizes(self.theme, self.width())

    def _whole_cell(self) -> float:
        return max(2.0, min(self._rows.column_width, float(_LARGEST_PICTURE // max(1, self.count()))))

    # Mouse and keys

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
            row = max(0, self._current)
            if filled := self._filled(row):
                self._go_to(row, filled[0] if event.key() == keys.Key_Home else filled[-1])
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, across: int) -> None:
        """Go to the next cell in a direction, skipping empty ones."""
        if self._current < 0:
            self._go_to(*(self._marks[0] if self._marks else (0, self.best_column(0))))
            return
        last = self.count() - 1
        row = min(last, max(0, self._current + down))
        column = min(last, max(0, self.column + across))
        if not self.level(row, column):
            behind = 0 if down + across < 0 else last
            step = -1 if down + across < 0 else 1
            if across:
                ahead = range(column, behind + step, step)
                column = next((at for at in ahead if self.level(row, at)), self.column)
            else:
                ahead = range(row, behind + step, step)
                row = next((at for at in ahead if self._filled(at)), self._current)
                nearest = column
                column = min(self._filled(row), key=lambda at: abs(at - nearest), default=column)
        self._go_to(row, column)

    def _filled(self, row: int) -> list[int]:
        """The columns of a row's cells that are not empty."""
        return [at for at in range(self.count()) if self.level(row, at)]

    def _go_to(self, row: int, column: int) -> None:
        other_row = row != self._current
        self.set_cell(row, column)
        if other_row:
            self.hovered.emit(row)
        self.cell_hovered.emit(row, column)

    def go_to_point(self, point: QPointF) -> bool:
        cell = self.cell_at(point)
        if cell is not None and cell != (self._current, self.column):
            self._go_to(*cell)
        return cell is not None

    @Slot()
    def restyle(self) -> None:
        for image in (self._image, self._small):
            if not image.isNull():
                image.setColorTable(rising_table(self.theme))
        super().restyle()

    # Drawing

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        if not self._labels:
            return
        sizes, rows, columns = self._sizes(), self._rows, self.columns
        if whole:
            cell = self._whole_cell()
            rows, columns = Columns(), Columns()
            for way in (rows, columns):
                way.fit(self.count(), cell * self.count() + 1, cell, cell)
        current = None if whole or self._current < 0 else (self._current, self.column)
        area = QRectF(sizes.left, sizes.top, columns.width, rows.width)
        painter.save()
        painter.setClipRect(area.adjusted(-1, -1, 1, 1))
        self._draw_cells(painter, area, rows, columns)
        for at, mark in reversed(list(enumerate(self._marks))):
            line = Qt.PenStyle.SolidLine if at == 0 else Qt.PenStyle.DotLine
            painter.setPen(QPen(self.theme.colour("ink"), 2.0 if at == 0 else 1.2, line))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(_cell(area, rows, columns, *mark).adjusted(-1, -1, 1, 1))
        if current is not None:
            self._draw_cross(painter, area, _cell(area, rows, columns, *current))
        painter.restore()
        self.outline(painter, area.adjusted(-0.5, -0.5, 0.5, 0.5), "line")
        self._draw_names(painter, sizes, area)
        if columns.column_width >= self.theme.step(2):
            self._draw_labels(painter, sizes, rows, columns, current)
        rect = QRectF(area.right() + sizes.gap, sizes.top, sizes.panel, size.height() - sizes.top)
        if not whole and self._rows.scrolls:
            self._draw_overview(painter)
            rect.setTop(self.overview().bottom() + self.theme.step(4))
        rect.setTop(self._draw_legend(painter, rect) + self.theme.step(4))
        if not whole:
            self._draw_lines(painter, rect, self.lines(*current) if current is not None else ())

    def _draw_cells(self, painter: QPainter, area: QRectF, rows: Columns, columns: Columns) -> None:
        # Enlarged here without smoothing: an image that is scaled as it is drawn would be blurred.
        part = self._image.copy(
            columns.seen().start, rows.seen().start, len(columns.seen()), len(rows.seen())
        )
        cell = columns.column_width
        large = part.scaled(
            max(1, round(part.width() * cell * _SHARP)),
            max(1, round(part.height() * cell * _SHARP)),
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.FastTransformation,
        )
        left = area.left() + columns.left(columns.seen().start)
        top = area.top() + rows.left(rows.seen().start)
        painter.drawImage(QRectF(left, top, part.width() * cell, part.height() * cell), large)

    def _draw_cross(self, painter: QPainter, area: QRectF, rect: QRectF) -> None:
        guide = QColor(self.theme.colour("ink"))
        guide.setAlphaF(0.3)
        painter.setPen(QPen(guide, 1.0))
        middle = rect.center()
        painter.drawLine(QPointF(area.left(), middle.y()), QPointF(rect.left(), middle.y()))
        painter.drawLine(QPointF(middle.x(), area.top()), QPointF(middle.x(), rect.top()))
        self.outline(painter, rect, "panel", 3.0)
        self.outline(painter, rect, "focus", 2.0)

    def _draw_names(self, painter: QPainter, sizes: MatrixSizes, area: QRectF) -> None:
        step, (down, across) = self.theme.step, self._names
        painter.setFont(self.theme.font("small_strong"))
        high = painter.fontMetrics().height()
        self.write(painter, QRectF(area.left(), 0, area.width(), high), f"{across} →", "small_strong")
        rect = QRectF(0, area.top() - high - step(1), sizes.left - step(2), high)
        self.write(painter, rect, f"{down} ↓", "small_strong", side=Qt.AlignmentFlag.AlignRight)

    def _draw_labels(
        self,
        painter: QPainter,
        sizes: MatrixSizes,
        rows: Columns,
        columns: Columns,
        current: tuple[int, int] | None,
    ) -> None:
        """Draw the tokens' labels, in letters no larger than a cell."""
        theme = self.theme
        font = theme.font("small")
        font.setPixelSize(round(min(font.pixelSize(), columns.column_width * 0.86)))
        painter.setFont(font)
        metrics = painter.fontMetrics()
        wide, high = sizes.left - theme.step(2), sizes.top - theme.step(6)
        for way, along in ((rows, False), (columns, True)):
            for index in way.seen():
                middle = way.left(index + 0.5)
                if not 0 <= middle <= way.width:
                    continue
                here = current is not None and current[1 if along else 0] == index
                painter.setPen(theme.colour("ink" if here else "ink_quiet"))
                font.setBold(here)
                painter.setFont(font)
                room = high if along else wide
                text = metrics.elidedText(self._labels[index], Qt.TextElideMode.ElideRight, int(room * 0.94))
                painter.save()
                if along:
                    painter.translate(sizes.left + middle, sizes.top - theme.step(1))
                    painter.rotate(-90)
                    rect = QRectF(0, -way.column_width, room, 2 * way.column_width)
                    side = Qt.AlignmentFlag.AlignLeft
                else:
                    rect = QRectF(
                        0, sizes.top + middle - way.column_width, wide + theme.step(1), 2 * way.column_width
                    )
                    side = Qt.AlignmentFlag.AlignRight
                painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter, text)
                painter.restore()

    def _draw_overview(self, painter: QPainter) -> None:
        """Draw all cells in small, and a frame around the visible ones."""
        thumb, rows, columns = self.overview(), self._rows, self.columns
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(thumb, self._small.convertToFormat(QImage.Format.Format_RGB32))
        painter.restore()
        self.outline(painter, thumb.adjusted(-0.5, -0.5, 0.5, 0.5), "line")
        share = thumb.width() / self.count()
        box = QRectF(
            thumb.left() + columns.offset / columns.column_width * share,
            thumb.top() + rows.offset / rows.column_width * share,
            columns.width / columns.column_width * share,
            rows.width / rows.column_width * share,
        )
        self.outline(painter, box, "accent", 1.5, 2)

    def _draw_legend(self, painter: QPainter, rect: QRectF) -> float:
        """Draw the colour scale with its name and the text at its ends; returns its bottom."""
        step = self.theme.step
        painter.setFont(self.theme.font("small"))
        high = painter.fontMetrics().height()
        name = QRectF(rect.left(), rect.top(), rect.width(), high)
        self.write(painter, name, self._measure, role="ink_quiet")
        bar = QRectF(rect.left(), name.bottom() + step(1), min(rect.width(), step(44)), step(2.5))
        draw_scale(painter, bar, 0.0, partial(rising, self.theme))
        self.outline(painter, bar.adjusted(-0.5, -0.5, 0.5, 0.5), "line")
        words = QRectF(bar.left(), bar.bottom() + step(1), bar.width(), high)
        for end, side in zip(
            self._legend, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True
        ):
            self.write(painter, words, end, role="ink_quiet", side=side)
        return words.bottom()

    def _draw_lines(self, painter: QPainter, rect: QRectF, lines: Sequence[str]) -> None:
        """Draw the current cell's words, the first line large; an invitation if there is no current cell."""
        theme = self.theme
        wrap = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        for at, line in enumerate(lines or (localised(_INVITATION),)):
            painter.setFont(theme.font("quote" if lines and at == 0 else "small"))
            painter.setPen(theme.colour("ink" if lines else "ink_quiet"))
            text = line if len(line) < 160 else f"{line[:158]}…"
            needed = painter.boundingRect(rect, int(wrap), text)
            painter.drawText(rect, int(wrap), text)
            rect = rect.adjusted(0, needed.height() + theme.step(1), 0, 0)


def _cell(area: QRectF, rows: Columns, columns: Columns, row: int, column: int) -> QRectF:
    corner = QPointF(area.left() + columns.left(column), area.top() + rows.left(row))
    return QRectF(corner.x(), corner.y(), columns.column_width, rows.column_width)
