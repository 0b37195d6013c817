"""Start and end scores as bars over the tokens of a window: start above, end below, the tokens in between."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from app.core.inside import InputWindow, Part, SpanScores
from app.core.message import Message
from app.core.wording import percent
from app.ui.inspect.charts.painting import Columns, ScrollingChart, blended
from app.ui.inspect.charts.tokens import labels_of, part_names, parts_of, token_name
from app.ui.kit.chart import Table, number, tick_label, ticks
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

LOGITS, PROBABILITIES = "logits", "probabilities"
RUNNERS_UP = 4  # spans that are marked besides the best one
_INVITATION = Message("Point at a token, or walk with the arrow keys.")
NO_SCORES = SpanScores(InputWindow(()), (), (), (), (), (), (), 0.0, 0.0)


class BarsSizes:
    """The sizes and positions of the chart's parts in pixels, at the theme's text size."""

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


class TokenBars(ScrollingChart):
    """Bars that point away from the tokens: start scores upwards, end scores downwards, on one scale.

    The chosen span is shaded, and runners-up are dotted. The dashed line in each half is the score of [CLS], with which
    spans are compared. Columns that do not fit are scrolled, with an overview below.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Start and end scores"))
        self._scores = NO_SCORES
        self._labels: tuple[str, ...] = ()
        self._marked: tuple[int, int] | None = None
        self.set_measure(LOGITS)

    def set_scores(self, scores: SpanScores, text: str = "", pair: str = "") -> None:
        """Show a window's scores; the text and the question give byte-level pieces their letters."""
        self._scores = scores
        self._labels = labels_of(scores.window, text, pair)
        self.set_measure(self._measure)
        self._marked = None
        self.fit()
        if scores.spans:
            self.columns.centre((scores.spans[0].first + scores.spans[0].last) / 2)
        self.begin()

    @Slot(str)
    def set_measure(self, measure: str) -> None:
        """Show LOGITS or PROBABILITIES."""
        scores, self._measure = self._scores, measure
        if measure == PROBABILITIES:
            self._starts, self._ends = scores.start_probabilities, scores.end_probabilities
            self._low, self._high = 0.0, 1.0
        else:
            self._starts, self._ends = scores.start_logits, scores.end_logits
            self._low = min((0.0, *self._starts, *self._ends))
            self._high = max((0.0, *self._starts, *self._ends))
        if self._high - self._low < 1e-6:
            self._high = self._low + 1.0
        self.update()

    @Slot(int, int)
    def mark_span(self, first: int, last: int) -> None:
        """Outline a span that is hovered elsewhere."""
        self._marked = (first, last)
        self.update()

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        scores = self._scores
        name = token_name(scores.window, index, self._labels[index])
        return tr(
            "{token}: start {start} ({start_percent}), end {end} ({end_percent})",
            token=name,
            start=number(scores.start_logits[index]),
            start_percent=percent(scores.start_probabilities[index]),
            end=number(scores.end_logits[index]),
            end_percent=percent(scores.end_probabilities[index]),
        )

    def table(self) -> Table:
        columns = (
            Message("token"), Message("piece"), Message("id"), Message("part"), Message("start logit"),
            Message("start probability"), Message("end logit"), Message("end probability"), Message("candidate"),
        )  # fmt: skip
        scores, names = self._scores, part_names(self._scores.window)
        rows = (
            (
                *(at + 1, token.piece, token.id, names[token.part]),
                *(scores.start_logits[at], scores.start_probabilities[at]),
                *(scores.end_logits[at], scores.end_probabilities[at]),
                Message("yes") if scores.candidates[at] else Message("no"),
            )
            for at, token in enumerate(scores.window.tokens)
        )
        return Table(columns, tuple(rows))

    def place_at(self, point: QPointF) -> int:
        sizes = BarsSizes(self.theme)
        return self.columns.at(point.x() - sizes.left) if 0 <= point.y() < sizes.bottom else -1

    def current_moved(self) -> None:
        if self._current >= 0:
            self.columns.show(self._current)

    # Sizes

    def sizeHint(self) -> QSize:
        sizes, step = BarsSizes(self.theme), self.theme.step
        below = sizes.words + (sizes.strip + step(3) if self.columns.scrolls else step(1))
        return QSize(step(200), round(sizes.bottom + below))

    def picture_size(self) -> QSize:
        sizes = BarsSizes(self.theme)
        wide = sizes.left + self.count() * self.columns.column_width + sizes.right
        return QSize(round(wide), round(sizes.bottom + self.theme.step(2)))

    def fit(self) -> None:
        sizes, scrolled = BarsSizes(self.theme), self.columns.scrolls
        room = self.width() - sizes.left - sizes.right
        self.columns.fit(self.count(), room, sizes.least, sizes.most)
        if self.columns.scrolls != scrolled:
            self.updateGeometry()

    def overview(self) -> QRectF:
        sizes = BarsSizes(self.theme)
        if not self.columns.scrolls:
            return QRectF()
        return QRectF(sizes.left, sizes.bottom + self.theme.step(2), self.columns.width, sizes.strip)

    def centre(self, across: float, down: float) -> None:
        self.columns.centre(across * self.count() - 0.5)

    def _y(self, value: float, sizes: BarsSizes, below: bool) -> float:
        """The y position of a value: upwards in the upper half, downwards in the lower one."""
        share = (value - self._low) / (self._high - self._low)
        return sizes.lower + sizes.lane * share if below else sizes.top + sizes.lane * (1 - share)

    # Drawing

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        if not self._labels:
            return
        view, sizes = self.columns, BarsSizes(self.theme)
        if whole:
            view = Columns()
            room = size.width() - sizes.left - sizes.right
            view.fit(self.count(), room + 1, self.columns.column_width, self.columns.column_width)
        painter.save()
        painter.translate(sizes.left, 0)
        painter.setClipRect(QRectF(0, 0, view.width, sizes.bottom + 1))
        self._draw_parts(painter, view, sizes)
        self._draw_spans(painter, view, sizes)
        if self._current >= 0 and not whole:
            self._draw_current(painter, view, sizes)
        for below in (False, True):
            self._draw_grid(painter, view, sizes, below)
            self._draw_bars(painter, view, sizes, below)
            self._draw_null(painter, view, sizes, below)
        self._draw_labels(painter, view, sizes)
        if self._marked is not None and not whole:
            rect = _room(view, sizes, *self._marked)
            self.outline(painter, rect.adjusted(0.75, 0.75, -0.75, -0.75), "ink", 1.5)
        painter.restore()
        self._draw_axis(painter, sizes, False, tr("Start"))
        self._draw_axis(painter, sizes, True, tr("End"))
        if whole:
            return
        if view.scrolls:
            self._draw_overview(painter)
        rect = QRectF(sizes.left, self.height() - sizes.words, self.width() - sizes.left, sizes.words)
        self.write_current(painter, rect, _INVITATION)

    def _draw_parts(self, painter: QPainter, view: Columns, sizes: BarsSizes) -> None:
        """Draw another background behind special tokens and the question, and the name of each part above it."""
        names = part_names(self._scores.window)
        painter.setFont(self.theme.font("small"))
        for part, first, behind in parts_of(self._scores.window):
            left, right = view.left(first), view.left(behind)
            if part is not Part.TEXT:
                rect = QRectF(left, sizes.top, right - left, sizes.bottom - sizes.top)
                painter.fillRect(rect, self.theme.colour("desk"))
            name = localised(names[part])
            text = name[:1].upper() + name[1:]
            seen = max(left, 0.0)
            if part is not Part.SPECIAL and right - seen > painter.fontMetrics().horizontalAdvance(text):
                self.write(painter, QRectF(seen, 0, right - seen, sizes.top), text, role="ink_quiet")

    def _draw_spans(self, painter: QPainter, view: Columns, sizes: BarsSizes) -> None:
        theme, spans = self.theme, self._scores.spans
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for span in reversed(spans[1 : 1 + RUNNERS_UP]):
            rect = _room(view, sizes, span.first, span.last)
            painter.fillRect(rect, theme.colour("other_ground"))
            painter.setPen(QPen(theme.colour("other_line"), 1.0, Qt.PenStyle.DotLine))
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
        if spans:
            rect = _room(view, sizes, spans[0].first, spans[0].last)
            pale = QColor(theme.colour("answer_ground"))
            pale.setAlphaF(0.38)
            painter.fillRect(QRectF(rect.left(), sizes.top, rect.width(), sizes.bottom - sizes.top), pale)
            painter.fillRect(rect, theme.colour("answer_ground"))
            for y in (rect.top(), rect.bottom() - 2):
                painter.fillRect(QRectF(rect.left(), y, rect.width(), 2), theme.colour("answer_line"))

    def _draw_current(self, painter: QPainter, view: Columns, sizes: BarsSizes) -> None:
        left = view.left(self._current)
        shade = QColor(self.theme.colour("selection"))
        shade.setAlphaF(0.6)
        painter.fillRect(QRectF(left, sizes.top, view.column_width, sizes.bottom - sizes.top), shade)
        self.outline(
            painter, QRectF(left + 0.5, sizes.middle + 0.5, view.column_width - 1, sizes.room - 1), "ink"
        )

    def _draw_grid(self, painter: QPainter, view: Columns, sizes: BarsSizes, below: bool) -> None:
        wide = min(view.width, view.length)
        for value in ticks(self._low, self._high):
            y = round(self._y(value, sizes, below)) + 0.5
            painter.setPen(self.theme.colour("line_strong" if abs(value) < 1e-12 else "line"))
            painter.drawLine(QPointF(0, y), QPointF(wide, y))

    def _draw_bars(self, painter: QPainter, view: Columns, sizes: BarsSizes, below: bool) -> None:
        theme, values = self.theme, self._ends if below else self._starts
        full = theme.colour("series")
        pale = blended(full, theme.colour("panel"), 0.5)
        best = -1
        if self._scores.spans:
            best = self._scores.spans[0].last if below else self._scores.spans[0].first
        zero = self._y(0.0, sizes, below)
        inset = max(1.0, view.column_width * 0.16)
        painter.setPen(Qt.PenStyle.NoPen)
        for index in view.seen():
            strong = self._scores.candidates[index] and values[index] > 0
            painter.setBrush(theme.colour("answer_line") if index == best else full if strong else pale)
            y = self._y(values[index], sizes, below)
            left, wide = view.left(index) + inset, view.column_width - 2 * inset
            painter.drawRect(QRectF(left, min(y, zero), wide, max(1.0, abs(y - zero))))

    def _draw_null(self, painter: QPainter, view: Columns, sizes: BarsSizes, below: bool) -> None:
        theme, value = self.theme, (self._ends if below else self._starts)[0]
        y = round(self._y(value, sizes, below)) + 0.5
        wide = min(view.width, view.length)
        painter.setPen(QPen(theme.colour("ink_quiet"), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, y), QPointF(wide, y))
        metrics = QFontMetricsF(theme.font("small"))
        text = f"{self._labels[0]} {localised(percent(value)) if self._measure == PROBABILITIES else number(value)}"
        size, high = metrics.horizontalAdvance(text) + theme.step(2), metrics.height()
        over = y - high - 1 if y - high - 1 >= (sizes.lower if below else sizes.top) else y + 1
        rect = QRectF(wide - size, over, size, high)
        ground = QColor(theme.colour("panel"))
        ground.setAlphaF(0.88)
        painter.fillRect(rect, ground)
        self.write(painter, rect, text, "small", "ink_quiet", Qt.AlignmentFlag.AlignHCenter)

    def _draw_labels(self, painter: QPainter, view: Columns, sizes: BarsSizes) -> None:
        room = sizes.room - self.theme.step(2)
        for index in view.seen():
            quiet = self._scores.window.tokens[index].part is not Part.TEXT
            foot = QPointF(view.left(index) + view.column_width / 2, sizes.middle + (sizes.room + room) / 2)
            role = "ink_quiet" if quiet else "ink"
            self.write_upwards(painter, foot, room, self._labels[index], role, Qt.AlignmentFlag.AlignHCenter)

    def _draw_axis(self, painter: QPainter, sizes: BarsSizes, below: bool, name: str) -> None:
        step = self.theme.step
        painter.setFont(self.theme.font("small"))
        high = painter.fontMetrics().height()
        for value in ticks(self._low, self._high):
            rect = QRectF(0, self._y(value, sizes, below) - high / 2, sizes.left - step(1.5), high)
            text = (
                tr("{number:.0f}%", number=value * 100)
                if self._measure == PROBABILITIES
                else tick_label(value)
            )
            self.write(painter, rect, text, "small", "ink_quiet", Qt.AlignmentFlag.AlignRight)
        painter.save()
        painter.translate(high / 2 + step(0.5), (sizes.lower if below else sizes.top) + sizes.lane / 2)
        painter.rotate(-90)
        rect = QRectF(-sizes.lane / 2, -high / 2, sizes.lane, high)
        self.write(painter, rect, name, "small_strong", side=Qt.AlignmentFlag.AlignHCenter)
        painter.restore()

    def _draw_overview(self, painter: QPainter) -> None:
        """Draw every token's scores and the chosen span in small, and a frame around the visible range."""
        theme, strip, view = self.theme, self.overview(), self.columns
        painter.fillRect(strip, theme.colour("desk"))
        each, middle, half = strip.width() / self.count(), strip.center().y(), strip.height() / 2
        if self._scores.spans:
            span = self._scores.spans[0]
            wide = max(2.0, (span.last + 1 - span.first) * each)
            rect = QRectF(strip.left() + span.first * each, strip.top(), wide, strip.height())
            painter.fillRect(rect, theme.colour("answer_ground"))
        colour, reach = theme.colour("series"), self._high - self._low
        for values, down in ((self._starts, False), (self._ends, True)):
            for index, value in enumerate(values):
                # Squared, so that only outstanding scores are visible.
                length = ((value - self._low) / reach) ** 2 * half
                top = middle if down else middle - length
                painter.fillRect(QRectF(strip.left() + index * each, top, each, length), colour)
        painter.setPen(theme.colour("ink"))
        if self._current >= 0:
            x = strip.left() + (self._current + 0.5) * each
            painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom()))
        share = strip.width() / view.length
        box = QRectF(strip.left() + view.offset * share, strip.top(), view.width * share, strip.height())
        self.outline(painter, box.adjusted(0.75, 0.75, -0.75, -0.75), "accent", 1.5, 3)


def _room(view: Columns, sizes: BarsSizes, first: int, last: int) -> QRectF:
    """The rectangle of a span's labels."""
    left = view.left(first)
    return QRectF(left, sizes.middle, view.left(last + 1) - left, sizes.room)
