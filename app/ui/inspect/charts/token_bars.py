"""Start and end scores over the tokens of a window: start above, end below, the tokens between them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QResizeEvent, QWheelEvent

from app.core.inside import SpanScores
from app.core.wording import percent
from app.ui.inspect.charts.bars_painting import LOGITS, BarsPicture, BarsSizes
from app.ui.inspect.charts.sideways import Sideways
from app.ui.inspect.charts.tokens import labels_of, part_names, share_name
from app.ui.kit.chart import Chart, Table, number
from app.ui.kit.theme import Theme

_INVITE = "Point at a token, or walk with the arrow keys."


class TokenBars(Chart):
    """Bars that point away from the tokens: start scores upwards, end scores downwards, on one scale.

    The chosen span is shaded and runners-up are dotted; a dashed line in each half is [CLS]'s score, which a
    span is compared with. Columns that do not fit scroll, with an overview strip below.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Start and end scores")
        self._scores: SpanScores | None = None
        self._picture: BarsPicture | None = None
        self._labels: tuple[str, ...] = ()
        self._measure = LOGITS
        self._marked: tuple[int, int] | None = None
        self._view = Sideways()
        self._dragging = False

    def set_scores(self, scores: SpanScores, text: str = "", pair: str = "") -> None:
        """Show a window's scores; the text and the question give byte-level pieces their letters."""
        self._scores = scores
        self._labels = labels_of(scores.window, text, pair)
        self._picture = BarsPicture(self.theme, scores, self._labels, self._measure)
        self._marked = None
        self._fit()
        if scores.spans:
            self._view.centre((scores.spans[0].first + scores.spans[0].last) / 2)
        self.begin()

    def set_measure(self, measure: str) -> None:
        """Show LOGITS or PROBABILITIES."""
        self._measure = measure
        if self._scores is not None:
            self._picture = BarsPicture(self.theme, self._scores, self._labels, measure)
        self.update()

    def measure(self) -> str:
        """LOGITS or PROBABILITIES."""
        return self._measure

    @Slot(int, int)
    def mark_span(self, first: int, last: int) -> None:
        """Outline a span that is hovered elsewhere; a first token below 0 for none."""
        marked = (first, last) if first >= 0 else None
        if marked != self._marked:
            self._marked = marked
            self.update()

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        scores = self._scores
        if scores is None:
            return ""
        name = share_name(scores.window, index, self._labels[index])
        start = f"start {number(scores.start_logits[index])} ({percent(scores.start_probabilities[index])})"
        end = f"end {number(scores.end_logits[index])} ({percent(scores.end_probabilities[index])})"
        return f"{name}: {start}, {end}"

    def table(self) -> Table:
        columns = ("token", "piece", "id", "part", "start logit", "start probability", "end logit",
                   "end probability", "candidate")  # fmt: skip
        scores = self._scores
        if scores is None:
            return Table(columns)
        numbers = zip(
            scores.start_logits,
            scores.start_probabilities,
            scores.end_logits,
            scores.end_probabilities,
            strict=True,
        )
        names = part_names(scores.window)
        known = zip(scores.window.tokens, numbers, scores.candidates, strict=True)
        return Table(
            columns,
            tuple(
                (at + 1, token.piece, token.id, names[token.part], *values, "yes" if may else "no")
                for at, (token, values, may) in enumerate(known)
            ),
        )

    def place_at(self, point: QPointF) -> int:
        sizes = BarsSizes(self.theme)
        return self._view.at(point.x() - sizes.left) if 0 <= point.y() < sizes.bottom else -1

    def current_moved(self) -> None:
        if self._current >= 0:
            self._view.show(self._current)

    def sizeHint(self) -> QSize:
        sizes, step = BarsSizes(self.theme), self.theme.step
        below = sizes.words + (sizes.strip + step(3) if self._view.scrolls else step(1))
        return QSize(step(200), round(sizes.bottom + below))

    def picture_size(self) -> QSize:
        sizes = BarsSizes(self.theme)
        wide = sizes.left + self.count() * self._view.column + sizes.right
        return QSize(round(wide), round(sizes.bottom + self.theme.step(2)))

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        picture, view, sizes = self._picture, self._view, BarsSizes(self.theme)
        if picture is None:
            return
        if whole:
            view = Sideways()
            room = size.width() - sizes.left - sizes.right
            view.fit(self.count(), room + 1, self._view.column, self._view.column)
            picture.draw(painter, view)
            return
        picture.draw(painter, view, self._current, self._marked)
        if view.scrolls:
            picture.draw_strip(painter, self._strip(), view, self._current)
        self._draw_words(painter, sizes)

    def _draw_words(self, painter: QPainter, sizes: BarsSizes) -> None:
        theme, chosen = self.theme, self._current >= 0
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink" if chosen else "ink_quiet"))
        place = QRectF(sizes.left, self.height() - sizes.words, self.width() - sizes.left, sizes.words)
        text = self.describe(self._current) if chosen else _INVITE
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    def _strip(self) -> QRectF:
        sizes = BarsSizes(self.theme)
        return QRectF(sizes.left, sizes.bottom + self.theme.step(2), self._view.width, sizes.strip)

    def _fit(self) -> None:
        sizes, scrolled = BarsSizes(self.theme), self._view.scrolls
        room = self.width() - sizes.left - sizes.right
        self._view.fit(self.count(), room, sizes.least, sizes.most)
        if self._view.scrolls != scrolled:
            self.updateGeometry()

    # Mouse and keys

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        sideways = event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            sideways = sideways or event.angleDelta().y()
        if not sideways or not self._view.scrolls:
            event.ignore()  # the page scrolls
            return
        self._view.scroll_to(self._view.offset - sideways)
        self.update()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._view.scrolls and self._strip().contains(event.position()):
            self._dragging = True
            self._drag(event.position())
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._drag(event.position())
            return
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        super().mouseReleaseEvent(event)

    def _drag(self, point: QPointF) -> None:
        """Scroll to a place of the strip."""
        strip = self._strip()
        self._view.centre((point.x() - strip.left()) / strip.width() * self.count() - 0.5)
        self.update()

    @Slot()
    def restyle(self) -> None:
        self._fit()
        super().restyle()
