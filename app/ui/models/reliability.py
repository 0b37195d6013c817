"""The calibration of a reader: a line of accuracy over confidence for each kind of text, explained in words."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.reliability import BINS, Reliability, ReliabilityBin, TextKind, off_in_words
from app.core.wording import count
from app.ui.kit.chart import Chart, Table, ticks
from app.ui.kit.parts import plain_label
from app.ui.kit.theme import Theme

TITLE = "When it says 70\N{NO-BREAK SPACE}%, how often is it right?"
# With fewer questions the share of right answers is chance.
_FEWEST = 10
_COLOURS = {
    TextKind.PARAGRAPHS: "name_1_line", TextKind.LONG_DOCUMENTS: "name_4_line", TextKind.TABLES: "name_2_line",
}  # fmt: skip
_INVITE = "Point at a mark, or walk with the arrow keys."
_HOW = (
    "On the dashed line, it is right exactly as often as it says. Words count as right when they share about half or"
    " more with a known answer (F1 of 0.5 or more), and never when the text does not answer. Marks for fewer than"
    f" {_FEWEST} questions are left out."
)
# The side of the square, and the total width below which the words are placed under it, in steps.
_SIDE, _NARROW = 56, 150


@dataclass(frozen=True, slots=True)
class _Mark:
    """A bin with enough questions to be shown: number `at` of its kind of text."""

    kind: TextKind
    at: int
    bin: ReliabilityBin


class ReliabilityChart(Chart):
    """A square with confidence on the x axis and accuracy on the y axis, a line and marks for each kind of text.

    Its places are the marks, kind after kind; `words` has a summary of each kind with marks.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, TITLE)
        self.words: dict[TextKind, str] = {}
        self._marks: tuple[_Mark, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_reliability(self, reliability: Reliability) -> None:
        """Show the bins with enough questions."""
        self._marks = tuple(
            _Mark(kind, at, each)
            for kind in TextKind
            for at, each in enumerate(reliability.get(kind, ()))
            if each.questions >= _FEWEST
        )
        self.words = {mark.kind: off_in_words(mark.kind, reliability[mark.kind]) for mark in self._marks}
        self.begin()

    def count(self) -> int:
        return len(self._marks)

    def describe(self, index: int) -> str:
        mark = self._marks[index]
        return (
            f"{mark.kind.capitalize()}: says {_percent(mark.bin.said)} on average, is right in"
            f" {_percent(mark.bin.right)} of {count(mark.bin.questions, 'question')}"
        )

    def about(self) -> str:
        return " ".join([*(f"{words}." for words in self.words.values()), super().about()])

    def table(self) -> Table:
        rows = (
            (str(mark.kind), mark.at / BINS, (mark.at + 1) / BINS, mark.bin.questions, mark.bin.said, mark.bin.right)
            for mark in self._marks
        )  # fmt: skip
        return Table(("kind", "from", "to", "questions", "said", "right"), tuple(rows))

    def place_at(self, point: QPointF) -> int:
        apart = [(self._point(mark.bin) - point).manhattanLength() for mark in self._marks]
        nearest = min(apart, default=0.0)
        return apart.index(nearest) if apart and nearest <= self.theme.step(3) else -1

    def sizeHint(self) -> QSize:
        step = self.theme.step
        return QSize(step(_SIDE) + self._around().width(), step(_SIDE) + self._around().height())

    def _around(self) -> QRect:
        """The room for the axes' labels: at the left and above as its position, on both sides as its size."""
        step, metrics = self.theme.step, QFontMetrics(self.theme.font("small"))
        label, line = metrics.horizontalAdvance(_percent(1.0)), metrics.height()
        return QRect(label + step(2.5), line + step(2), round(1.5 * label) + step(3.5), 3 * line + step(4))

    def _plot(self) -> QRectF:
        """The square, narrower if there is no room."""
        side, around = self.theme.step(_SIDE), self._around()
        wide = max(1, min(side, self.width() - around.width()))
        return QRectF(around.left(), around.top(), wide, side)

    def _point(self, of: ReliabilityBin) -> QPointF:
        plot = self._plot()
        return QPointF(plot.left() + of.said * plot.width(), plot.bottom() - of.right * plot.height())

    # Drawing

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        self._draw_grid(painter)
        for kind in TextKind:
            points = [self._point(mark.bin) for mark in self._marks if mark.kind is kind]
            painter.setPen(QPen(self.theme.colour(_COLOURS[kind]), self.theme.step(0.5)))
            painter.drawPolyline(QPolygonF(points))
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
            place = QRectF(0, y - line / 2, plot.left() - step(1.5), line)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _percent(value)
            )
        for value in ticks(0.0, 1.0, 5 if plot.width() > 5.2 * label else 1):
            x = plot.left() + value * plot.width()
            painter.setPen(QPen(theme.colour("line"), 1.0))
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            painter.setPen(theme.colour("ink_quiet"))
            place = QRectF(x - label, plot.bottom() + step(1), 2 * label, line)
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, _percent(value))
        painter.setPen(QPen(theme.colour("line_strong"), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(plot.bottomLeft(), plot.topRight())
        painter.setPen(theme.colour("ink_quiet"))
        inside = plot.adjusted(step(1.5), step(1), -step(1.5), -step(1))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, "too unsure")
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, "too sure")
        painter.setFont(theme.font("small_strong"))
        place = QRectF(step(1), step(0.5), self.width(), line)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft, "How often it is right")
        place = QRectF(0, plot.bottom() + step(1) + line, plot.left() + plot.right(), line)
        painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, "How sure it says it is")


class ReliabilityCard(QFrame):
    """The chart below its title, and a summary in words; hidden if there are too few questions."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.chart = ReliabilityChart(theme)
        self._lines = {kind: (_Key(theme, kind), plain_label()) for kind in TextKind}
        self._description = plain_label(type="small", ink="quiet")
        self._description.setAlignment(Qt.AlignmentFlag.AlignTop)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        for row, (key, line) in enumerate(self._lines.values()):
            grid.addWidget(key, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(line, row, 1)
        words = QVBoxLayout()
        words.addLayout(grid)
        words.addWidget(plain_label(_HOW, type="small", ink="quiet"))
        words.addWidget(self._description)
        words.addStretch(1)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.addWidget(self.chart, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(words, 1)
        column = QVBoxLayout(self)
        column.addWidget(plain_label(TITLE, type="strong"))
        column.addLayout(self._row)
        for layout, spacing in ((grid, 2), (words, 3), (self._row, 6), (column, 2)):
            theme.space(layout, spacing)
        self.chart.hovered.connect(self._describe_mark)
        theme.changed.connect(self._arrange)
        self._arrange()
        self.hide()

    def show_bins(self, reliability: Reliability) -> None:
        """Show the chart of a model's measured reliability."""
        self.chart.set_reliability(reliability)
        for kind, parts in self._lines.items():
            for part in parts:
                part.setVisible(kind in self.chart.words)
            # No line break between a number and its noun.
            words = self.chart.words.get(kind, "").replace(" question", "\N{NO-BREAK SPACE}question")
            parts[1].setText(words)
        self._description.setText(_INVITE)
        self.setVisible(bool(self.chart.words))

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
        narrow = self.width() < self._theme.step(_NARROW)
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)


class _Key(QWidget):
    """The legend sample of a kind: a piece of its line with its mark."""

    def __init__(self, theme: Theme, kind: TextKind) -> None:
        super().__init__()
        self._theme = theme
        self._kind = kind
        theme.changed.connect(self._restyle)
        self._restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, middle = self._theme, self.height() / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour(_COLOURS[self._kind]), theme.step(0.5)))
        painter.drawLine(QPointF(0, middle), QPointF(self.width(), middle))
        _draw_mark(painter, theme, self._kind, QPointF(self.width() / 2, middle))

    @Slot()
    def _restyle(self) -> None:
        self.setFixedSize(self._theme.step(6), self._theme.step(4.25))
        self.update()


def _draw_mark(painter: QPainter, theme: Theme, kind: TextKind, at: QPointF) -> None:
    """Draw a disc, a square or a triangle, with an outline that separates it from the line."""
    painter.setPen(QPen(theme.colour("panel"), 1.0))
    painter.setBrush(theme.colour(_COLOURS[kind]))
    half = float(theme.step(1.25))
    match kind:
        case TextKind.PARAGRAPHS:
            painter.drawEllipse(at, half, half)
        case TextKind.LONG_DOCUMENTS:
            painter.drawRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half))
        case TextKind.TABLES:
            corners = (QPointF(0, -1.2 * half), QPointF(1.2 * half, half), QPointF(-1.2 * half, half))
            painter.drawPolygon(QPolygonF([at + corner for corner in corners]))


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"
