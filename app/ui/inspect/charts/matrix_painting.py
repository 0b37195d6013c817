"""Painting of a matrix: cells with labels, marks, the overview, the colour scale and the current cell's words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPen

from app.ui.inspect.charts.scale import rising
from app.ui.inspect.charts.sideways import Sideways
from app.ui.kit.theme import Theme

_SHARP = 2
_INVITE = "Point at a cell, or walk with the arrow keys."


class MatrixSizes:
    """The sizes of the parts, in pixels at the theme's text size, for a widget of `width` pixels."""

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


class MatrixPicture:
    """The picture of an image of cells (a pixel a cell) with the tokens' labels down and across."""

    def __init__(self, theme: Theme, image: QImage, labels: tuple[str, ...], names: tuple[str, str]) -> None:
        self.theme = theme
        self.image = image
        self.labels = labels
        self.names = names

    def draw(
        self,
        painter: QPainter,
        sizes: MatrixSizes,
        rows: Sideways,
        columns: Sideways,
        marks: Sequence[tuple[int, int]],
        current: tuple[int, int] | None,
    ) -> None:
        """Draw the cells that are seen, their labels, the marked cells, the current one with its row and column."""
        theme = self.theme
        area = QRectF(sizes.left, sizes.top, columns.width, rows.width)
        painter.save()
        painter.setClipRect(area.adjusted(-1, -1, 1, 1))
        self._draw_cells(painter, area, rows, columns)
        for at, (row, column) in reversed(list(enumerate(marks))):
            place = _cell(area, rows, columns, row, column)
            width = 2.0 if at == 0 else 1.2
            line = Qt.PenStyle.SolidLine if at == 0 else Qt.PenStyle.DotLine
            painter.setPen(QPen(theme.colour("ink"), width, line))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place.adjusted(-1, -1, 1, 1))
        if current is not None:
            self._draw_cross(painter, area, _cell(area, rows, columns, *current))
        painter.restore()
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))
        self._draw_names(painter, sizes, area)
        if columns.column >= theme.step(2):
            self._draw_labels(painter, sizes, rows, columns, current)

    def _draw_cells(self, painter: QPainter, area: QRectF, rows: Sideways, columns: Sideways) -> None:
        # Made larger here, cell by cell: a picture that is scaled when it is shown would be blurred.
        part = self.image.copy(columns.seen().start, rows.seen().start, len(columns.seen()), len(rows.seen()))
        cell = columns.column
        large = part.scaled(
            max(1, round(part.width() * cell * _SHARP)),
            max(1, round(part.height() * cell * _SHARP)),
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.FastTransformation,
        )
        left = area.left() + columns.left(columns.seen().start)
        top = area.top() + rows.left(rows.seen().start)
        painter.drawImage(QRectF(left, top, part.width() * cell, part.height() * cell), large)

    def _draw_cross(self, painter: QPainter, area: QRectF, place: QRectF) -> None:
        guide = QColor(self.theme.colour("ink"))
        guide.setAlphaF(0.3)
        painter.setPen(QPen(guide, 1.0))
        middle = place.center()
        painter.drawLine(QPointF(area.left(), middle.y()), QPointF(place.left(), middle.y()))
        painter.drawLine(QPointF(middle.x(), area.top()), QPointF(middle.x(), place.top()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.theme.colour("panel"), 3.0))
        painter.drawRect(place)
        painter.setPen(QPen(self.theme.colour("focus"), 2.0))
        painter.drawRect(place)

    def _draw_names(self, painter: QPainter, sizes: MatrixSizes, area: QRectF) -> None:
        theme = self.theme
        down, across = self.names
        painter.setFont(theme.font("small_strong"))
        painter.setPen(theme.colour("ink"))
        high = painter.fontMetrics().height()
        painter.drawText(
            QRectF(area.left(), 0, area.width(), high), Qt.AlignmentFlag.AlignLeft, f"{across} →"
        )
        painter.drawText(
            QRectF(0, area.top() - high - theme.step(1), sizes.left - theme.step(2), high),
            Qt.AlignmentFlag.AlignRight,
            f"{down} ↓",
        )

    def _draw_labels(
        self,
        painter: QPainter,
        sizes: MatrixSizes,
        rows: Sideways,
        columns: Sideways,
        current: tuple[int, int] | None,
    ) -> None:
        theme = self.theme
        font = theme.font("small")
        font.setPixelSize(round(min(font.pixelSize(), columns.column * 0.86)))
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
                text = metrics.elidedText(self.labels[index], Qt.TextElideMode.ElideRight, int(room * 0.94))
                painter.save()
                if along:
                    painter.translate(sizes.left + middle, sizes.top - theme.step(1))
                    painter.rotate(-90)
                    place = QRectF(0, -way.column, room, 2 * way.column)
                    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
                else:
                    place = QRectF(0, sizes.top + middle - way.column, wide + theme.step(1), 2 * way.column)
                    painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
                painter.restore()

    def draw_whole(
        self, painter: QPainter, thumb: QRectF, small: QImage, rows: Sideways, columns: Sideways
    ) -> None:
        """Draw the overview of the matrix, and the visible range."""
        theme, side = self.theme, len(self.labels)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(thumb, small.convertToFormat(QImage.Format.Format_RGB32))
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.drawRect(thumb.adjusted(-0.5, -0.5, 0.5, 0.5))
        share = thumb.width() / side
        box = QRectF(
            thumb.left() + columns.offset / columns.column * share,
            thumb.top() + rows.offset / rows.column * share,
            columns.width / columns.column * share,
            rows.width / rows.column * share,
        )
        painter.setPen(QPen(theme.colour("accent"), 1.5))
        painter.drawRoundedRect(box, 2, 2)

    def draw_legend(self, painter: QPainter, place: QRectF, name: str, ends: tuple[str, str]) -> float:
        """Draw the colour scale with its name and the words at its ends; returns its bottom."""
        theme = self.theme
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink_quiet"))
        high = painter.fontMetrics().height()
        painter.drawText(
            QRectF(place.left(), place.top(), place.width(), high), Qt.AlignmentFlag.AlignLeft, name
        )
        top = place.top() + high + theme.step(1)
        bar = QRectF(place.left(), top, min(place.width(), theme.step(44)), theme.step(2.5))
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for part in range(9):
            gradient.setColorAt(part / 8, rising(theme, part / 8))
        painter.fillRect(bar, gradient)
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.setPen(theme.colour("ink_quiet"))
        words = QRectF(bar.left(), bar.bottom() + theme.step(1), bar.width(), high)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, ends[0])
        painter.drawText(words, Qt.AlignmentFlag.AlignRight, ends[1])
        return words.bottom()

    def draw_lines(self, painter: QPainter, place: QRectF, lines: Sequence[str]) -> None:
        """Draw the current cell's words, the first line large; a prompt if there is no current cell."""
        theme = self.theme
        wrap = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        for at, line in enumerate(lines or (_INVITE,)):
            first = at == 0 and bool(lines)
            painter.setFont(theme.font("quote" if first else "small"))
            painter.setPen(theme.colour("ink" if lines else "ink_quiet"))
            text = line if len(line) < 160 else f"{line[:158]}…"
            needed = painter.boundingRect(place, int(wrap), text)
            painter.drawText(place, int(wrap), text)
            place = place.adjusted(0, needed.height() + theme.step(1), 0, 0)


def _cell(area: QRectF, rows: Sideways, columns: Sideways, row: int, column: int) -> QRectF:
    corner = QPointF(area.left() + columns.left(column), area.top() + rows.left(row))
    return QRectF(corner.x(), corner.y(), columns.column, rows.column)
