"""Vectors of equal width as strips of coloured cells, one below the other, aligned by dimension."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from app.core.message import Message
from app.ui.inspect.charts.painting import diverging, draw_scale
from app.ui.kit.chart import Chart, Table, number
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_INVITATION = Message("Point at a cell, or walk with the arrow keys.")
_STEPS = 127


class VectorStrip(Chart):
    """Whole vectors as strips on one colour scale, and below them the dimensions around the current one, enlarged.

    A cell's colour depends on the square root of its share of the largest number, so that small ones stay visible.
    """

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme, title)
        self._names: tuple[str, ...] = ()
        self._vectors: tuple[tuple[float, ...], ...] = ()
        self._images: tuple[QImage, ...] = ()
        self._largest = 0.0

    def set_vectors(self, vectors: Sequence[tuple[str, Sequence[float]]]) -> None:
        """Show these vectors of equal width, each with its name."""
        self._names = tuple(name for name, _ in vectors)
        self._vectors = tuple(tuple(values) for _, values in vectors)
        self._largest = max((abs(value) for values in self._vectors for value in values), default=0.0)
        self._paint_images()
        self.begin()

    def count(self) -> int:
        return len(self._vectors[0]) if self._vectors else 0

    def describe(self, index: int) -> str:
        numbers = (
            f"{localised(name)} {number(vector[index])}"
            for name, vector in zip(self._names, self._vectors, strict=True)
        )
        return tr(
            "Dimension {number} of {count}: {values}",
            number=index + 1,
            count=self.count(),
            values=", ".join(numbers),
        )

    def table(self) -> Table:
        rows = ((at + 1, *values) for at, values in enumerate(zip(*self._vectors, strict=True)))
        return Table((Message("dimension"), *self._names), tuple(rows))

    def sizeHint(self) -> QSize:
        step = self.theme.step
        return QSize(step(200), round(self._lens_top() + len(self._vectors) * self._cell() + step(15)))

    def place_at(self, point: QPointF) -> int:
        strips = self._strips(self.width())
        count = self.count()
        if not count or not strips.left() <= point.x() < strips.right():
            return -1
        if strips.top() <= point.y() < strips.bottom():
            return int((point.x() - strips.left()) / strips.width() * count)
        lens = self._lens_top()
        if lens <= point.y() < lens + len(self._vectors) * self._cell():
            index = self._lens_first() + int((point.x() - strips.left()) // self._cell())
            return index if index < min(count, self._lens_first() + self._lens_count()) else -1
        return -1

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        theme = self.theme
        if not self._vectors:
            return
        strips = self._strips(size.width())
        for at, image in enumerate(self._images):
            rect = QRectF(
                strips.left(),
                strips.top() + at * theme.step(9) + theme.step(1),
                strips.width(),
                theme.step(7),
            )
            painter.drawImage(rect, image.scaled(max(1, round(rect.width() * 2)), 1))
            self.outline(painter, rect.adjusted(-0.5, -0.5, 0.5, 0.5), "line")
            room = QRectF(theme.step(1), rect.top(), rect.left() - theme.step(3), rect.height())
            self.write(painter, room, self._names[at], side=Qt.AlignmentFlag.AlignRight)
        current = -1 if whole else self._current
        if current >= 0:
            x = strips.left() + (current + 0.5) / self.count() * strips.width()
            painter.setPen(QPen(theme.colour("ink"), 1.0))
            painter.drawLine(
                QPointF(x, strips.top() - theme.step(1)), QPointF(x, strips.bottom() + theme.step(1))
            )
        self._draw_lens(painter, strips, current)
        self._draw_legend(painter, strips)
        if not whole:
            painter.setFont(theme.font("small"))
            text = self.describe(current) if current >= 0 else localised(_INVITATION)
            fits = painter.fontMetrics().horizontalAdvance(text) <= strips.width()
            # A long text begins at the chart's edge, where it has more room.
            left = strips.left() if fits else float(theme.step(1))
            rect = QRectF(left, self._words_top(), strips.right() - left, theme.step(6))
            self.write_current(painter, rect, _INVITATION)

    # Sizes

    def _cell(self) -> float:
        return float(self.theme.step(6))

    def _strips(self, width: float) -> QRectF:
        """The rectangle of all strips, for a chart of `width` pixels."""
        step = self.theme.step
        left = step(40)
        return QRectF(left, step(2), max(1.0, width - left - step(2)), len(self._vectors) * float(step(9)))

    def _lens_top(self) -> float:
        return self._strips(self.width()).bottom() + self.theme.step(5)

    def _words_top(self) -> float:
        return self._lens_top() + len(self._vectors) * self._cell() + self.theme.step(1)

    def _lens_count(self) -> int:
        return max(1, min(self.count(), int(self._strips(self.width()).width() // self._cell())))

    def _lens_first(self) -> int:
        """The first of the enlarged dimensions."""
        seen = self._lens_count()
        return min(max(0, self.count() - seen), max(0, self._current - seen // 2))

    # Drawing

    def _share(self, value: float) -> float:
        share = (abs(value) / self._largest) ** 0.5 if self._largest else 0.0
        return -share if value < 0 else share

    def _paint_images(self) -> None:
        colours = [diverging(self.theme, step / _STEPS).rgb() for step in range(-_STEPS, _STEPS + 1)]
        self._images = tuple(self._line(vector, colours) for vector in self._vectors)

    def _line(self, vector: tuple[float, ...], colours: list[int]) -> QImage:
        cells = array("I", (colours[round(self._share(value) * _STEPS) + _STEPS] for value in vector))
        width = len(vector)
        return QImage(cells.tobytes(), width, 1, width * 4, QImage.Format.Format_RGB32).copy()

    def _draw_lens(self, painter: QPainter, strips: QRectF, current: int) -> None:
        theme, cell, top = self.theme, self._cell(), self._lens_top()
        first, seen = self._lens_first(), self._lens_count()
        each = strips.width() / self.count()
        box = QRectF(strips.left() + first * each, strips.top(), seen * each, strips.height())
        self.outline(painter, box, "accent", 1.5, 2)
        lens = QRectF(strips.left(), top, seen * cell, len(self._vectors) * cell)
        painter.drawLine(QPointF(box.left(), box.bottom()), lens.topLeft())
        painter.drawLine(QPointF(box.right(), box.bottom()), lens.topRight())
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink_quiet"))
        # A single strip is lower than two lines of text.
        high = max(lens.height(), 2.0 * painter.fontMetrics().lineSpacing())
        room = QRectF(theme.step(1), top + (lens.height() - high) / 2, strips.left() - theme.step(3), high)
        text = tr("Dimensions\n{first} to {last}", first=first + 1, last=first + seen)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        for at, vector in enumerate(self._vectors):
            for column in range(seen):
                rect = QRectF(lens.left() + column * cell, top + at * cell, cell - 1, cell - 1)
                painter.fillRect(rect, diverging(theme, self._share(vector[first + column])))
        if current >= 0:
            here = QRectF(lens.left() + (current - first) * cell - 1, top - 1, cell + 1, lens.height() + 1)
            self.outline(painter, here, "ink", 1.5)

    def _draw_legend(self, painter: QPainter, strips: QRectF) -> None:
        """Draw the colour scale with the numbers at its ends, quarters and middle."""
        theme = self.theme
        wide = min(strips.width(), float(theme.step(80)))
        bar = QRectF(strips.left(), self._words_top() + theme.step(6.5), wide, theme.step(2))
        draw_scale(painter, bar, -1.0, partial(diverging, theme))
        painter.setFont(theme.font("small"))
        high = painter.fontMetrics().height()
        for share in (-1.0, -0.5, 0.0, 0.5, 1.0):
            value = self._largest * share * abs(share)
            x = bar.left() + (share + 1) / 2 * bar.width()
            painter.setPen(theme.colour("ink_quiet"))
            painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + theme.step(0.75)))
            rect = QRectF(x - theme.step(12), bar.bottom() + theme.step(0.75), theme.step(24), high)
            self.write(painter, rect, number(value), "small", "ink_quiet", Qt.AlignmentFlag.AlignHCenter)

    def restyle(self) -> None:
        self._paint_images()
        super().restyle()
