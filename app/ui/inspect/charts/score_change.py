"""How a score changes without each sentence of the text, as bars."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.core.inside import InputWindow, Removals
from app.core.message import Message
from app.core.wording import percent
from app.ui.inspect.charts.painting import RowsChart
from app.ui.kit.chart import Table, number, signed
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_CHANGE = Message("Change of the score")
_NOTHING = Removals(InputWindow(()), "", 0.0, 0.0, ())


class ScoreChange(RowsChart):
    """A row for each sentence: a bar to the left if the score falls without it, to the right if it rises.

    The chart's places are the sentences, in the order of the text.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Score without each sentence"))
        self._removals = _NOTHING
        self._values = False

    def set_removals(self, removals: Removals, *, values: bool = False) -> None:
        """Show these sentences; `values` tells that the score is a regression head's value, not a logit."""
        self._removals = removals
        self._values = values
        self.begin()

    def change(self, index: int) -> float:
        """The change of the score when a sentence is removed."""
        return self._removals.sentences[index].score - self._removals.score

    def count(self) -> int:
        return len(self._removals.sentences)

    def describe(self, index: int) -> str:
        removals, sentence = self._removals, self._removals.sentences[index]
        values: dict[str, object] = {
            "number": index + 1, "count": self.count(), "text": " ".join(sentence.text.split()),
            "before": number(removals.score), "score": number(sentence.score), "change": signed(self.change(index)),
            "likely": percent(removals.probability), "percent": percent(sentence.probability),
        }  # fmt: skip
        if sentence.holds_focus and self._values:
            return tr(
                "Without sentence {number} of {count}, which holds the answer: score {before} becomes {score}"
                " ({change}). {text}",
                **values,
            )
        if sentence.holds_focus:
            return tr(
                "Without sentence {number} of {count}, which holds the answer: score {before} becomes {score}"
                " ({change}), {likely} becomes {percent}. {text}",
                **values,
            )
        if self._values:
            return tr(
                "Without sentence {number} of {count}: score {before} becomes {score} ({change}). {text}",
                **values,
            )
        return tr(
            "Without sentence {number} of {count}: score {before} becomes {score} ({change}), {likely} becomes"
            " {percent}. {text}",
            **values,
        )

    def table(self) -> Table:
        columns = (
            Message("sentence"), Message("text"), Message("start"), Message("end"), Message("score"),
            Message("score without"), Message("change"), Message("probability"), Message("probability without"),
            Message("holds the answer"),
        )  # fmt: skip
        whole = self._removals
        rows = (
            (
                *(at + 1, one.text, one.span.start, one.span.end),
                *(whole.score, one.score, self.change(at), whole.probability, one.probability),
                Message("yes") if one.holds_focus else Message("no"),
            )
            for at, one in enumerate(whole.sentences)
        )
        return Table(columns, tuple(rows))

    # Size and drawing

    def sizeHint(self) -> QSize:
        return QSize(self.theme.step(200), round(self.top() + max(1, self.count()) * self.row_height()))

    def top(self) -> float:
        return float(self.theme.step(7))

    def row_height(self) -> float:
        return 2 * QFontMetricsF(self.theme.font("quote")).lineSpacing() + self.theme.step(4)

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        step = self.theme.step
        wide = size.width() - 2 * step(1)
        metrics, most = QFontMetricsF(self.theme.font("small_strong")), localised(percent(1.0))
        numbers_width = max(
            metrics.horizontalAdvance(text) for text in (localised(_CHANGE), f"{most} → {most}")
        ) + step(2)
        room = max(step(20), wide - max(numbers_width, wide * 0.16) - step(10))
        words = QRectF(step(2), 0, room * 0.66, self.top())
        bars = QRectF(words.right() + step(4), 0, room * 0.34, self.top())
        left = bars.right() + step(4)
        numbers = QRectF(left, 0, max(numbers_width, wide - left), self.top())
        half = QRectF(bars.left(), 0, bars.width() / 2 - step(1), self.top())
        self.write(painter, words, tr("Without this sentence"), "small_strong", "ink_quiet")
        self.write(painter, numbers, _CHANGE, "small_strong", "ink_quiet")
        self.write(painter, half, tr("falls"), "small_strong", "ink_quiet", Qt.AlignmentFlag.AlignRight)
        half.moveLeft(bars.center().x() + step(1))
        self.write(painter, half, tr("rises"), "small_strong", "ink_quiet")
        largest = max((abs(self.change(at)) for at in range(self.count())), default=0.0) or 1.0
        for index in range(self.count()):
            top = self.top() + index * self.row_height()
            row = QRectF(0.5, top + 0.5, size.width() - 1, self.row_height() - 1)
            self._draw_ground(painter, row, index, whole)
            self._draw_words(painter, row, words, index)
            self._draw_bar(painter, row, bars, self.change(index) / largest)
            self._draw_numbers(painter, row, numbers, index)

    def _draw_ground(self, painter: QPainter, row: QRectF, index: int, whole: bool) -> None:
        theme = self.theme
        if index == self._current and not whole:
            painter.setPen(QPen(theme.colour("ink"), 1.0))
            painter.setBrush(theme.colour("hover"))
            painter.drawRoundedRect(row, theme.step(1), theme.step(1))
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.drawLine(row.topLeft(), row.topRight())
        if self._removals.sentences[index].holds_focus:
            inset = theme.step(1.5)
            mark = QRectF(row.left() + 1, row.top() + inset, theme.step(0.75), row.height() - 2 * inset)
            painter.fillRect(mark, theme.colour("answer_line"))

    def _draw_words(self, painter: QPainter, row: QRectF, words: QRectF, index: int) -> None:
        painter.setFont(self.theme.font("quote"))
        painter.setPen(self.theme.colour("ink"))
        text = " ".join(self._removals.sentences[index].text.split())
        # Two lines of words, less what breaking between words may cost.
        wide = int(words.width() * 1.8)
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, wide)
        rect = QRectF(words.left(), row.top(), words.width(), row.height())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
        painter.drawText(rect, int(flags), text)

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
        whole, one = self._removals, self._removals.sentences[index]
        painter.setFont(self.theme.font("strong"))
        high = painter.fontMetrics().height()
        rect = QRectF(numbers.left(), row.center().y() - high, numbers.width(), high)
        self.write(painter, rect, signed(self.change(index)), "strong")
        rect.translate(0, high)
        painter.setFont(self.theme.font("small"))
        rect.setHeight(painter.fontMetrics().height())
        before, after = map(number if self._values else percent, (whole.probability, one.probability))
        self.write(painter, rect, f"{localised(before)} → {localised(after)}", role="ink_quiet")
