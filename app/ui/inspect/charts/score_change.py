"""Sentences, and how a score changes without each of them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.core.inside import Removals
from app.core.wording import percent
from app.ui.kit.chart import Chart, Table, number, signed
from app.ui.kit.theme import Theme

_CHANGE = "Change of the score"


class ScoreChange(Chart):
    """A row for each sentence: a bar to the left where the score falls without it, to the right where it rises.

    Its places are sentences, in the order of the text.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Score without each sentence")
        self._removals: Removals | None = None
        self._values = False

    def set_removals(self, removals: Removals, *, values: bool = False) -> None:
        """Show these sentences; `values` if the score is a value, which has no probability."""
        self._removals = removals
        self._values = values
        self.begin()

    def change(self, index: int) -> float:
        """The change of the score when a sentence is removed."""
        removals = self._removals
        return removals.sentences[index].score - removals.score if removals is not None else 0.0

    def count(self) -> int:
        return len(self._removals.sentences) if self._removals is not None else 0

    def describe(self, index: int) -> str:
        removals = self._removals
        if removals is None:
            return ""
        sentence = removals.sentences[index]
        holds = ", which holds the answer" if sentence.holds_focus else ""
        likely = f", {percent(removals.probability)} becomes {percent(sentence.probability)}"
        return (
            f"Without sentence {index + 1} of {self.count()}{holds}: score {number(removals.score)} becomes"
            f" {number(sentence.score)} ({signed(self.change(index))}){'' if self._values else likely}."
            f" {' '.join(sentence.text.split())}"
        )

    def table(self) -> Table:
        columns = ("sentence", "text", "start", "end", "score", "score without", "change", "probability",
                   "probability without", "holds the answer")  # fmt: skip
        removals = self._removals
        if removals is None:
            return Table(columns)
        return Table(
            columns,
            tuple(
                (
                    at + 1,
                    sentence.text,
                    sentence.span.start,
                    sentence.span.end,
                    removals.score,
                    sentence.score,
                    self.change(at),
                    removals.probability,
                    sentence.probability,
                    "yes" if sentence.holds_focus else "no",
                )
                for at, sentence in enumerate(removals.sentences)
            ),
        )

    def sizeHint(self) -> QSize:
        return QSize(self.theme.step(200), round(self._top() + max(1, self.count()) * self._high()))

    def place_at(self, point: QPointF) -> int:
        index = int((point.y() - self._top()) // self._high()) if point.y() >= self._top() else -1
        return index if index < self.count() else -1

    def stepped(self, key: int, leap: bool) -> int | None:
        ways = {Qt.Key.Key_Up: Qt.Key.Key_Left, Qt.Key.Key_Down: Qt.Key.Key_Right}
        return super().stepped(ways.get(Qt.Key(key), key), leap)

    def _top(self) -> float:
        return float(self.theme.step(7))

    def _high(self) -> float:
        return 2 * QFontMetricsF(self.theme.font("quote")).lineSpacing() + self.theme.step(4)

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        removals, theme = self._removals, self.theme
        if removals is None:
            return
        wide = size.width() - 2 * theme.step(1)
        metrics = QFontMetricsF(theme.font("small_strong"))
        numbers_width = max(
            metrics.horizontalAdvance(text) for text in (_CHANGE, "> 99% → > 99%")
        ) + theme.step(2)
        room = max(theme.step(20), wide - max(numbers_width, wide * 0.16) - theme.step(10))
        words = QRectF(theme.step(2), 0, room * 0.66, 0)
        bars = QRectF(words.right() + theme.step(4), 0, room * 0.34, 0)
        numbers = QRectF(
            bars.right() + theme.step(4), 0, max(numbers_width, wide - bars.right() - theme.step(4)), 0
        )
        painter.setFont(theme.font("small_strong"))
        painter.setPen(theme.colour("ink_quiet"))
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for place, text in ((words, "Without this sentence"), (numbers, _CHANGE)):
            painter.drawText(QRectF(place.left(), 0, place.width(), self._top()), left, text)
        middle = bars.center().x()
        half = QRectF(bars.left(), 0, bars.width() / 2 - theme.step(1), self._top())
        painter.drawText(half, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, "falls")
        half.moveLeft(middle + theme.step(1))
        painter.drawText(half, left, "rises")
        largest = max((abs(self.change(at)) for at in range(self.count())), default=0.0) or 1.0
        for index in range(self.count()):
            top = self._top() + index * self._high()
            row = QRectF(0.5, top + 0.5, size.width() - 1, self._high() - 1)
            self._draw_ground(painter, row, words, index, whole)
            self._draw_words(painter, row, words, index)
            self._draw_bar(painter, row, bars, self.change(index) / largest)
            self._draw_numbers(painter, row, numbers, index)

    def _draw_ground(self, painter: QPainter, row: QRectF, words: QRectF, index: int, whole: bool) -> None:
        theme, removals = self.theme, self._removals
        assert removals is not None
        if index == self._current and not whole:
            painter.setPen(QPen(theme.colour("ink"), 1.0))
            painter.setBrush(theme.colour("hover"))
            painter.drawRoundedRect(row, theme.step(1), theme.step(1))
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.drawLine(row.topLeft(), row.topRight())
        if removals.sentences[index].holds_focus:
            inset = theme.step(1.5)
            mark = QRectF(row.left() + 1, row.top() + inset, theme.step(0.75), row.height() - 2 * inset)
            painter.fillRect(mark, theme.colour("answer_line"))

    def _draw_words(self, painter: QPainter, row: QRectF, words: QRectF, index: int) -> None:
        theme, removals = self.theme, self._removals
        assert removals is not None
        painter.setFont(theme.font("quote"))
        painter.setPen(theme.colour("ink"))
        metrics = painter.fontMetrics()
        text = " ".join(removals.sentences[index].text.split())
        # Two lines' worth of words, less what breaking them between words may cost.
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(words.width() * 1.8))
        place = QRectF(words.left(), row.top(), words.width(), row.height())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        painter.drawText(place, int(flags), text)

    def _draw_bar(self, painter: QPainter, row: QRectF, bars: QRectF, share: float) -> None:
        theme, high = self.theme, self.theme.step(3)
        middle, y = bars.center().x(), row.center().y() - high / 2
        long = max(1.0, abs(share) * bars.width() / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("scale_high" if share > 0 else "scale_low"))
        painter.drawRoundedRect(QRectF(middle if share > 0 else middle - long, y, long, high), 2, 2)
        painter.setPen(QPen(theme.colour("line_strong"), 1.0))
        painter.drawLine(QPointF(middle, row.top() + 2), QPointF(middle, row.bottom() - 2))

    def _draw_numbers(self, painter: QPainter, row: QRectF, numbers: QRectF, index: int) -> None:
        theme, removals = self.theme, self._removals
        assert removals is not None
        painter.setFont(theme.font("strong"))
        painter.setPen(theme.colour("ink"))
        high = painter.fontMetrics().height()
        top = row.center().y() - high
        place = QRectF(numbers.left(), top, numbers.width(), high)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft, signed(self.change(index)))
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink_quiet"))
        shown = number if self._values else percent
        text = f"{shown(removals.probability)} → {shown(removals.sentences[index].probability)}"
        painter.drawText(place.translated(0, high), Qt.AlignmentFlag.AlignLeft, text)
