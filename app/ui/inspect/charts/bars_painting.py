"""Painting of start and end scores: two halves, the tokens between them, and an overview strip."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from app.core.inside import Part, SpanScores
from app.core.wording import percent
from app.ui.inspect.charts.scale import mixed
from app.ui.inspect.charts.sideways import Sideways
from app.ui.inspect.charts.tokens import part_names, parts_of
from app.ui.kit.chart import number, tick_label, ticks
from app.ui.kit.theme import Theme

LOGITS, PROBABILITIES = "logits", "probabilities"
_RUNNERS_UP = 4


class BarsSizes:
    """The positions of the picture's parts, in pixels at the theme's text size."""

    def __init__(self, theme: Theme) -> None:
        step = theme.step
        self.left = float(step(16))
        self.right = float(step(2))
        self.top = float(step(6))
        self.lane = float(step(26))
        self.room = float(step(16))
        self.strip = float(step(8))
        self.words = float(step(6))
        # The tokens' labels are vertical: a column is at least as wide as a line of text is high.
        self.least = max(float(step(4)), QFontMetricsF(theme.font("small")).height())
        self.most = float(step(9))

    @property
    def middle(self) -> float:
        """The top of the tokens' labels."""
        return self.top + self.lane

    @property
    def lower(self) -> float:
        """The top of the lower half."""
        return self.middle + self.room

    @property
    def bottom(self) -> float:
        """The bottom of both halves."""
        return self.lower + self.lane


class BarsPicture:
    """A window's scores on one scale, and how each part of their picture is drawn."""

    def __init__(self, theme: Theme, scores: SpanScores, labels: tuple[str, ...], measure: str) -> None:
        self.theme = theme
        self.sizes = BarsSizes(theme)
        self.scores = scores
        self.labels = labels
        self.chances = measure == PROBABILITIES
        self.starts = scores.start_probabilities if self.chances else scores.start_logits
        self.ends = scores.end_probabilities if self.chances else scores.end_logits
        self.low = 0.0 if self.chances else min((0.0, *self.starts, *self.ends))
        self.high = 1.0 if self.chances else max((0.0, *self.starts, *self.ends))
        if self.high - self.low < 1e-6:
            self.high = self.low + 1.0

    def height(self, value: float, below: bool) -> float:
        """The y position of a value: upwards in the upper half, downwards in the lower one."""
        sizes = self.sizes
        share = (value - self.low) / (self.high - self.low)
        return sizes.lower + sizes.lane * share if below else sizes.top + sizes.lane * (1 - share)

    def draw(
        self, painter: QPainter, view: Sideways, current: int = -1, marked: tuple[int, int] | None = None
    ) -> None:
        """Draw both halves with their axes, the tokens between them."""
        sizes = self.sizes = BarsSizes(self.theme)
        painter.save()
        painter.translate(sizes.left, 0)
        painter.setClipRect(QRectF(0, 0, view.width, sizes.bottom + 1))
        self._draw_parts(painter, view, sizes)
        self._draw_spans(painter, view, sizes)
        if current >= 0:
            self._draw_current(painter, view, sizes, current)
        for below in (False, True):
            self._draw_grid(painter, view, below)
            self._draw_bars(painter, view, below)
            self._draw_null(painter, view, below, sizes)
        self._draw_labels(painter, view, sizes)
        if marked is not None:
            painter.setPen(QPen(self.theme.colour("ink"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(_room(view, sizes, *marked).adjusted(0.75, 0.75, -0.75, -0.75))
        painter.restore()
        self._draw_axis(painter, False, sizes, "Start")
        self._draw_axis(painter, True, sizes, "End")

    def _draw_parts(self, painter: QPainter, view: Sideways, sizes: BarsSizes) -> None:
        """Draw special tokens and the question's on another background, with the part's name above."""
        theme, names = self.theme, part_names(self.scores.window)
        painter.setFont(theme.font("small"))
        for part, first, behind in parts_of(self.scores.window):
            left, right = view.left(first), view.left(behind)
            if part is not Part.TEXT:
                place = QRectF(left, sizes.top, right - left, sizes.bottom - sizes.top)
                painter.fillRect(place, theme.colour("desk"))
            text = names[part].capitalize()
            seen = max(left, 0.0)
            if part is not Part.SPECIAL and right - seen > painter.fontMetrics().horizontalAdvance(text):
                painter.setPen(theme.colour("ink_quiet"))
                place = QRectF(seen, 0, right - seen, sizes.top)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _draw_spans(self, painter: QPainter, view: Sideways, sizes: BarsSizes) -> None:
        theme = self.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for span in reversed(self.scores.spans[1 : 1 + _RUNNERS_UP]):
            place = _room(view, sizes, span.first, span.last)
            painter.fillRect(place, theme.colour("other_ground"))
            painter.setPen(QPen(theme.colour("other_line"), 1.0, Qt.PenStyle.DotLine))
            painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
        if self.scores.spans:
            chosen = self.scores.spans[0]
            place = _room(view, sizes, chosen.first, chosen.last)
            pale = QColor(theme.colour("answer_ground"))
            pale.setAlphaF(0.38)
            painter.fillRect(QRectF(place.left(), sizes.top, place.width(), sizes.bottom - sizes.top), pale)
            painter.fillRect(place, theme.colour("answer_ground"))
            for y in (place.top(), place.bottom() - 2):
                painter.fillRect(QRectF(place.left(), y, place.width(), 2), theme.colour("answer_line"))

    def _draw_current(self, painter: QPainter, view: Sideways, sizes: BarsSizes, current: int) -> None:
        left = view.left(current)
        shade = QColor(self.theme.colour("selection"))
        shade.setAlphaF(0.6)
        painter.fillRect(QRectF(left, sizes.top, view.column, sizes.bottom - sizes.top), shade)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.theme.colour("ink"), 1.0))
        painter.drawRect(QRectF(left + 0.5, sizes.middle + 0.5, view.column - 1, sizes.room - 1))

    def _draw_grid(self, painter: QPainter, view: Sideways, below: bool) -> None:
        wide = min(view.width, view.length)
        for value in ticks(self.low, self.high):
            y = round(self.height(value, below)) + 0.5
            painter.setPen(self.theme.colour("line_strong" if abs(value) < 1e-12 else "line"))
            painter.drawLine(QPointF(0, y), QPointF(wide, y))

    def _draw_bars(self, painter: QPainter, view: Sideways, below: bool) -> None:
        theme, values = self.theme, self.ends if below else self.starts
        full = theme.colour("series")
        pale = mixed(full, theme.colour("panel"), 0.5)
        best = -1
        if self.scores.spans:
            best = self.scores.spans[0].last if below else self.scores.spans[0].first
        zero = self.height(0.0, below)
        inset = max(1.0, view.column * 0.16)
        painter.setPen(Qt.PenStyle.NoPen)
        for index in view.seen():
            strong = self.scores.candidates[index] and values[index] > 0
            painter.setBrush(theme.colour("answer_line") if index == best else full if strong else pale)
            y = self.height(values[index], below)
            left, wide = view.left(index) + inset, view.column - 2 * inset
            painter.drawRect(QRectF(left, min(y, zero), wide, max(1.0, abs(y - zero))))

    def _draw_null(self, painter: QPainter, view: Sideways, below: bool, sizes: BarsSizes) -> None:
        theme, value = self.theme, (self.ends if below else self.starts)[0]
        y = round(self.height(value, below)) + 0.5
        wide = min(view.width, view.length)
        painter.setPen(QPen(theme.colour("ink_quiet"), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, y), QPointF(wide, y))
        painter.setFont(theme.font("small"))
        metrics = QFontMetricsF(theme.font("small"))
        text = f"{self.labels[0]} {percent(value) if self.chances else number(value)}"
        size, high = metrics.horizontalAdvance(text) + theme.step(2), metrics.height()
        top = sizes.lower if below else sizes.top
        over = y - high - 1 if y - high - 1 >= top else y + 1
        place = QRectF(wide - size, over, size, high)
        ground = QColor(theme.colour("panel"))
        ground.setAlphaF(0.88)
        painter.fillRect(place, ground)
        painter.setPen(theme.colour("ink_quiet"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_labels(self, painter: QPainter, view: Sideways, sizes: BarsSizes) -> None:
        theme = self.theme
        painter.setFont(theme.font("small"))
        metrics, room = painter.fontMetrics(), sizes.room - theme.step(2)
        for index in view.seen():
            quiet = self.scores.window.tokens[index].part is not Part.TEXT
            painter.setPen(theme.colour("ink_quiet" if quiet else "ink"))
            text = metrics.elidedText(self.labels[index], Qt.TextElideMode.ElideRight, int(room))
            painter.save()
            painter.translate(view.left(index) + view.column / 2, sizes.middle + sizes.room / 2)
            painter.rotate(-90)
            place = QRectF(-room / 2, -view.column, room, 2 * view.column)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
            painter.restore()

    def _draw_axis(self, painter: QPainter, below: bool, sizes: BarsSizes, name: str) -> None:
        theme = self.theme
        painter.setFont(theme.font("small"))
        high = painter.fontMetrics().height()
        painter.setPen(theme.colour("ink_quiet"))
        for value in ticks(self.low, self.high):
            place = QRectF(0, self.height(value, below) - high / 2, sizes.left - theme.step(1.5), high)
            text = f"{value * 100:.0f}%" if self.chances else tick_label(value)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.save()
        painter.setFont(theme.font("small_strong"))
        painter.setPen(theme.colour("ink"))
        painter.translate(high / 2 + theme.step(0.5), (sizes.lower if below else sizes.top) + sizes.lane / 2)
        painter.rotate(-90)
        place = QRectF(-sizes.lane / 2, -high / 2, sizes.lane, high)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)
        painter.restore()

    def draw_strip(self, painter: QPainter, strip: QRectF, view: Sideways, current: int) -> None:
        """Draw the overview of the window: every token's scores, the chosen span, and the visible range."""
        theme, count = self.theme, len(self.labels)
        painter.fillRect(strip, theme.colour("desk"))
        each, middle, half = strip.width() / count, strip.center().y(), strip.height() / 2
        if self.scores.spans:
            span = self.scores.spans[0]
            wide = max(2.0, (span.last + 1 - span.first) * each)
            place = QRectF(strip.left() + span.first * each, strip.top(), wide, strip.height())
            painter.fillRect(place, theme.colour("answer_ground"))
        colour, reach = theme.colour("series"), self.high - self.low
        for values, down in ((self.starts, False), (self.ends, True)):
            for index, value in enumerate(values):
                # Squares of the height over the lowest value, so that only outstanding scores are visible.
                length = ((value - self.low) / reach) ** 2 * half
                top = middle if down else middle - length
                painter.fillRect(QRectF(strip.left() + index * each, top, each, length), colour)
        painter.setPen(theme.colour("ink"))
        if current >= 0:
            x = strip.left() + (current + 0.5) * each
            painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom()))
        share = strip.width() / view.length
        box = QRectF(strip.left() + view.offset * share, strip.top(), view.width * share, strip.height())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("accent"), 1.5))
        painter.drawRoundedRect(box.adjusted(0.75, 0.75, -0.75, -0.75), 3, 3)


def _room(view: Sideways, sizes: BarsSizes, first: int, last: int) -> QRectF:
    """The rectangle of a span's labels."""
    left = view.left(first)
    return QRectF(left, sizes.middle, view.left(last + 1) - left, sizes.room)
