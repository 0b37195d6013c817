"""The reliability diagram of a reader: accuracy over confidence for each kind of text, and by the person's verdicts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QMargins, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QSizePolicy, QWidget

from app.core.message import Message
from app.core.reliability import (
    BINS,
    Bins,
    Reliability,
    ReliabilityBin,
    TextKind,
    calibration_error_in_words,
    interval,
    question_count,
)
from app.flows.teach.calibration import OwnVerdicts
from app.ui.kit.boxes import column, row, turn
from app.ui.kit.chart import Chart, Table, ticks
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

TITLE = Message("When it says 70%, how often is it right?")
# A line of the chart: a kind of text, or None for the person's verdicts.
_Series = TextKind | None
_SERIES: tuple[_Series, ...] = (*TextKind, None)
_TITLES: dict[_Series, str] = {
    TextKind.PARAGRAPHS: Message("Paragraphs"),
    TextKind.LONG_DOCUMENTS: Message("Long documents"),
    TextKind.TABLES: Message("Tables"),
    None: Message("Your verdicts"),
}
# Bins of fewer questions are not shown: their accuracy is chance. Those of verdicts have an interval, and need fewer.
_FEWEST, _FEWEST_JUDGED = 10, 3
_LINE_COLOURS = {
    TextKind.PARAGRAPHS: "name_1_line", TextKind.LONG_DOCUMENTS: "name_4_line", TextKind.TABLES: "name_2_line",
    None: "name_3_line",
}  # fmt: skip
_INVITATION = Message("Point at a mark, or walk with the arrow keys.")
_DIAGONAL_EXPLAINED = Message("On the dashed line, it is right exactly as often as it says.")
_RIGHT_EXPLAINED = Message(
    "Words count as right when they share about half or more with a known answer (F1 of 0.5 or more), and never when"
    " the text does not answer. Marks for fewer than {fewest} questions are left out.",
    fewest=_FEWEST,
)
_VERDICTS_EXPLAINED = Message(
    "Of the answers that you judged, those are right whose words you found right. The line through their mark is the"
    " interval that holds the true share 95 times in 100."
)
# In steps: the side of the square, and the width of the card below which the words are placed under it.
_SIDE, _NARROW = 56, 150


@dataclass(frozen=True, slots=True)
class _Mark:
    """A bin with enough questions to be shown: number `at` of the bins of its series."""

    kind: _Series
    at: int
    bin: ReliabilityBin


class ReliabilityChart(Chart):
    """A square with confidence on the x axis and accuracy on the y axis, a line and marks for each kind of text.

    The person's verdicts have marks with intervals. The chart's places are the marks, series after series; `words` has
    a summary of each series that has marks.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, localised(TITLE))
        self.words: dict[_Series, str] = {}
        self._marks: tuple[_Mark, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_reliability(self, reliability: Reliability, own: Bins = ()) -> None:
        """Show the bins with enough questions, and with enough answers that the person judged."""
        bins = {kind: own if kind is None else reliability.get(kind, ()) for kind in _SERIES}
        self._marks = tuple(
            _Mark(kind, at, each)
            for kind in _SERIES
            for at, each in enumerate(bins[kind])
            if each.questions >= (_FEWEST_JUDGED if kind is None else _FEWEST)
        )
        self.words = {mark.kind: _summary(mark.kind, bins[mark.kind]) for mark in self._marks}
        self.begin()

    def count(self) -> int:
        return len(self._marks)

    def describe(self, index: int) -> str:
        mark = self._marks[index]
        number = mark.bin.questions
        questions = Message("{n:,} question", "{n:,} questions", n=number)
        return tr(
            "{kind}: says {said} on average, is right in {right} of {questions}",
            kind=_TITLES[mark.kind], said=_percent(mark.bin.said), right=_percent(mark.bin.right),
            questions=questions if mark.kind else _answer_count(number),
        )  # fmt: skip

    def about(self) -> str:
        return " ".join([*(f"{words}." for words in self.words.values()), super().about()])

    def table(self) -> Table:
        rows = (
            (
                str(mark.kind or "your verdicts"),
                mark.at / BINS,
                (mark.at + 1) / BINS,
                mark.bin.questions,
                mark.bin.said,
                mark.bin.right,
            )
            for mark in self._marks
        )
        return Table(("kind", "from", "to", "questions", "said", "right"), tuple(rows))

    def place_at(self, point: QPointF) -> int:
        apart = [(self._point(mark.bin) - point).manhattanLength() for mark in self._marks]
        nearest = min(apart, default=0.0)
        return apart.index(nearest) if apart and nearest <= self.theme.step(3) else -1

    def sizeHint(self) -> QSize:
        return QSize(self.theme.step(_SIDE), self.theme.step(_SIDE)).grownBy(self._margins())

    def _margins(self) -> QMargins:
        """The room around the square for the axes' labels."""
        step, metrics = self.theme.step, QFontMetrics(self.theme.font("small"))
        label, line = metrics.horizontalAdvance(_percent(1.0)), metrics.height()
        return QMargins(label + step(2.5), line + step(2), label // 2 + step(1), 2 * line + step(2))

    def _plot(self) -> QRectF:
        """The square's rectangle, narrower if there is no room for all of it."""
        side, margins = self.theme.step(_SIDE), self._margins()
        wide = max(1, min(side, self.width() - margins.left() - margins.right()))
        return QRectF(margins.left(), margins.top(), wide, side)

    def _point(self, of: ReliabilityBin) -> QPointF:
        return self._at(of.said, of.right)

    def _at(self, said: float, right: float) -> QPointF:
        plot = self._plot()
        return QPointF(plot.left() + said * plot.width(), plot.bottom() - right * plot.height())

    # Drawing

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        self._draw_grid(painter)
        for kind in TextKind:
            points = [self._point(mark.bin) for mark in self._marks if mark.kind is kind]
            painter.setPen(QPen(self.theme.colour(_LINE_COLOURS[kind]), self.theme.step(0.5)))
            painter.drawPolyline(QPolygonF(points))
        painter.setPen(QPen(self.theme.colour(_LINE_COLOURS[None]), 1.0))
        for own in (mark.bin for mark in self._marks if mark.kind is None):
            low, high = interval(round(own.right * own.questions), own.questions)
            painter.drawLine(self._at(own.said, low), self._at(own.said, high))
        for index, mark in enumerate(self._marks):
            here = self._point(mark.bin)
            _draw_mark(painter, self.theme, mark.kind, here)
            if index == self._current and not whole:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self.theme.colour("ink"), 1.5))
                painter.drawEllipse(here, self.theme.step(2.5), self.theme.step(2.5))

    def _draw_grid(self, painter: QPainter) -> None:
        theme, step, plot = self.theme, self.theme.step, self._plot()
        painter.setFont(theme.font("small"))
        metrics = painter.fontMetrics()
        line, label = metrics.height(), metrics.horizontalAdvance(_percent(1.0))
        for value in ticks(0.0, 1.0, 5):
            y = plot.bottom() - value * plot.height()
            painter.setPen(QPen(theme.colour("line"), 1.0))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(theme.colour("ink_quiet"))
            rect = QRectF(0, y - line / 2, plot.left() - step(1.5), line)
            painter.drawText(
                rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _percent(value)
            )
        for value in ticks(0.0, 1.0, 5 if plot.width() > 5.2 * label else 1):
            x = plot.left() + value * plot.width()
            painter.setPen(QPen(theme.colour("line"), 1.0))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            painter.setPen(theme.colour("ink_quiet"))
            rect = QRectF(x - label, plot.bottom() + step(1), 2 * label, line)
            painter.drawText(rect, Qt.AlignmentFlag.AlignHCenter, _percent(value))
        painter.setPen(QPen(theme.colour("line_strong"), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(plot.bottomLeft(), plot.topRight())
        painter.setPen(theme.colour("ink_quiet"))
        inside = plot.adjusted(step(1.5), step(1), -step(1.5), -step(1))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, tr("too unsure"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, tr("too sure"))
        painter.setFont(theme.font("small_strong"))
        rect = QRectF(step(1), step(0.5), self.width(), line)
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft, tr("How often it is right"))
        rect = QRectF(0, plot.bottom() + step(1) + line, plot.left() + plot.right(), line)
        painter.drawText(rect, Qt.AlignmentFlag.AlignHCenter, tr("How sure it says it is"))


class ReliabilityCard(QFrame):
    """The chart below its title, and a summary in words; hidden if there are too few questions and no verdicts.

    `follow_requested` carries whether the calibration is to be adjusted to the person's verdicts; `list_requested` is
    sent to see these.
    """

    follow_requested = Signal(bool)
    list_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.chart = ReliabilityChart(theme)
        self.follow = QCheckBox()
        tip = tr("Otherwise its probabilities are those that it came with; your verdicts stay")
        self.follow.setToolTip(as_tip(tip))
        self._verdict_count = plain_label(type="small", ink="quiet")
        self.list = push_button(theme, tr("See your verdicts"), kind="link", tip=tr("On the page Teach"))
        self._explanation = plain_label(type="small", ink="quiet")
        self._legend = {kind: (_LegendSample(theme, kind), plain_label()) for kind in _SERIES}
        self._description = plain_label(type="small", ink="quiet")
        self._description.setAlignment(Qt.AlignmentFlag.AlignTop)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        for at, (key, line) in enumerate(self._legend.values()):
            grid.addWidget(key, at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(line, at, 1)
        theme.space(grid, 2)
        link = (self.list, 0, Qt.AlignmentFlag.AlignLeft)
        words = column(
            theme,
            grid,
            self.follow,
            self._verdict_count,
            link,
            self._explanation,
            self._description,
            1,
            gap=3,
        )
        self._row = row(theme, (self.chart, 0, Qt.AlignmentFlag.AlignTop), (words, 1), gap=6)
        column(theme, plain_label(TITLE, type="strong"), self._row, gap=2, parent=self)
        self.chart.hovered.connect(self._describe_mark)
        self.follow.clicked.connect(self.follow_requested)
        self.list.clicked.connect(self.list_requested)
        theme.changed.connect(self._arrange)
        self._arrange()
        self.hide()

    def show_bins(self, reliability: Reliability, own: OwnVerdicts | None = None) -> None:
        """Show the chart of a model's measured reliability, and of the person's verdicts on it."""
        self.chart.set_reliability(reliability, own.bins if own is not None else ())
        for kind, parts in self._legend.items():
            for part in parts:
                part.setVisible(kind in self.chart.words)
            # No line break between a number and its noun.
            words = self.chart.words.get(kind, "")
            parts[1].setText(re.sub(r"(?<=\d) ", "\N{NO-BREAK SPACE}", words))
        self._description.setText(_INVITATION)
        known, judged = any(self.chart.words.keys() - {None}), None in self.chart.words
        how = [
            _DIAGONAL_EXPLAINED,
            *([_RIGHT_EXPLAINED] if known else []),
            *([_VERDICTS_EXPLAINED] if judged else []),
        ]
        self._explanation.setText(" ".join(map(localised, how)))
        for shown in (self.chart, self._explanation, self._description):
            shown.setVisible(bool(self.chart.words))
        self.follow.setVisible(own is not None and own.enough)
        self._verdict_count.setVisible(own is not None and not own.enough)
        self.list.setVisible(own is not None)
        if own is not None:
            self.follow.setText(
                tr(
                    "Adjust its probabilities to your {n:,} verdict",
                    "Adjust its probabilities to your {n:,} verdicts",
                    n=own.number,
                )
            )
            self.follow.setChecked(own.followed)
            self._verdict_count.setText(f"{localised(own.in_words)}.")
        self.setVisible(bool(self.chart.words) or own is not None)

    @Slot(int)
    def _describe_mark(self, index: int) -> None:
        self._description.setText(self.chart.describe(index))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @Slot()
    def _arrange(self) -> None:
        # Always two lines high, so that nothing moves if a mark's description is longer.
        line = QFontMetrics(self._theme.font("small")).lineSpacing()
        self._description.setMinimumHeight(2 * line)
        turn(self._row, beside=self.width() >= self._theme.step(_NARROW))


class _LegendSample(QWidget):
    """A series' sample in the legend: a stretch of its line with its mark."""

    def __init__(self, theme: Theme, kind: _Series) -> None:
        super().__init__()
        self._theme = theme
        self._kind = kind
        theme.in_steps(self.setFixedSize, 6, 4.25)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, middle = self._theme, self.height() / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour(_LINE_COLOURS[self._kind]), theme.step(0.5)))
        painter.drawLine(QPointF(0, middle), QPointF(self.width(), middle))
        _draw_mark(painter, theme, self._kind, QPointF(self.width() / 2, middle))


def _draw_mark(painter: QPainter, theme: Theme, kind: _Series, at: QPointF) -> None:
    """Draw a disc, a square, a triangle or a diamond, with an outline that separates it from the line."""
    painter.setPen(QPen(theme.colour("panel"), 1.0))
    painter.setBrush(theme.colour(_LINE_COLOURS[kind]))
    half = float(theme.step(1.25))
    match kind:
        case TextKind.PARAGRAPHS:
            painter.drawEllipse(at, half, half)
        case TextKind.LONG_DOCUMENTS:
            painter.drawRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half))
        case TextKind.TABLES:
            corners = (QPointF(0, -1.2 * half), QPointF(1.2 * half, half), QPointF(-1.2 * half, half))
            painter.drawPolygon(QPolygonF([at + corner for corner in corners]))
        case None:
            wide = 1.35 * half
            ends = (QPointF(0, -wide), QPointF(wide, 0), QPointF(0, wide), QPointF(-wide, 0))
            painter.drawPolygon(QPolygonF([at + end for end in ends]))


def _summary(kind: _Series, bins: Bins) -> str:
    """A series in words: a kind of text's error; of the person's verdicts the means, since their bins are small."""
    if kind is not None:
        return localised(calibration_error_in_words(kind, bins))
    number = question_count(bins)
    said = sum(each.questions * each.said for each in bins) / number
    right = sum(each.questions * each.right for each in bins) / number
    return tr(
        "{kind}: says {said} on average, is right in {right} ({answers})",
        kind=_TITLES[None], said=_percent(said), right=_percent(right), answers=_answer_count(number),
    )  # fmt: skip


def _answer_count(number: int) -> str:
    return Message("{n:,} answer", "{n:,} answers", n=number)


def _percent(share: float) -> str:
    return tr("{number}%", number=round(100 * share))
