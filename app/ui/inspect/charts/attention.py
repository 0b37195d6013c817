"""Charts of attention weights: all heads of a layer to choose from, and one head's weights as lines or as a grid."""

from __future__ import annotations

import math
import struct
import sys
from array import array
from functools import cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QResizeEvent

from app.core.inside import Attention, InputWindow
from app.core.message import Message
from app.core.wording import percent
from app.ui.inspect.charts.matrix import Matrix
from app.ui.inspect.charts.painting import image_of, pooled
from app.ui.inspect.charts.tokens import token_name
from app.ui.kit.chart import Cell, Chart, Table, number
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_NO_ATTENTION = Attention(InputWindow(()), 0, 0, 0, array("f"))
# The index of a float32's upper half among its two 16-bit halves.
_UPPER_HALF = 1 if sys.byteorder == "little" else 0
_MOST_NAMED = 5  # tokens in a description
_LEAST_DRAWN = 0.004  # a smaller weight has no line
_LABELLED_FROM = 2.0  # times the average weight, where not all labels fit
_INVITATION = Message("Point at a token to see what it looks at, or walk with the arrow keys.")


@cache
def _level_table() -> bytes:
    """The level for each upper half of a float32: 1 to 255, by the square root of a weight from 0 to 1."""
    values = (struct.unpack(">f", half.to_bytes(2) + b"\0\0")[0] for half in range(65536))
    return bytes(1 + round(254 * math.sqrt(min(1.0, value))) if value > 0 else 1 for value in values)


def levels(attention: Attention, head: int) -> bytes:
    """A level (1 to 255) for each weight of a head, row by row.

    It is looked up by the upper half of the float32, which has a precision of 1 part in 128: more than a colour shows.
    """
    halves = array("H", _weights(attention, head).tobytes())[_UPPER_HALF::2]
    return bytes(map(_level_table().__getitem__, halves))


def habit(attention: Attention, head: int, labels: tuple[str, ...]) -> str:
    """Where a head attends most, on average over all tokens: "most at the token before, 71% on average"."""
    length = len(attention.window.tokens)
    weights = _weights(attention, head)
    if not length:
        return ""
    columns = [sum(weights[at::length]) / length for at in range(length)]
    best = max(range(length), key=columns.__getitem__)
    shares = (
        sum(weights[:: length + 1]) / length,
        sum(weights[length :: length + 1]) / max(1, length - 1),
        sum(weights[1 : length * (length - 1) : length + 1]) / max(1, length - 1),
        columns[best],
    )
    share = percent(max(shares))
    match shares.index(max(shares)):
        case 0:
            return Message("most at the token itself, {percent} on average", percent=share)
        case 1:
            return Message("most at the token before, {percent} on average", percent=share)
        case 2:
            return Message("most at the token behind, {percent} on average", percent=share)
    return Message(
        "most at “{label}” (token {number}), {percent} on average",
        label=labels[best],
        number=best + 1,
        percent=share,
    )


def strongest(row: tuple[float, ...]) -> list[int]:
    """The indices of a row's weights, the largest first."""
    return sorted(range(len(row)), key=lambda at: -row[at])


def _weights(attention: Attention, head: int) -> array[float]:
    size = len(attention.window.tokens) ** 2
    return attention.weights[head * size : (head + 1) * size]


class AttentionHeads(Chart):
    """A small heat map of each head's weights; they are painted one at a time, so that the window never waits.

    The chart's places are heads.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Heads of this layer"))
        self._attention = _NO_ATTENTION
        self._labels: tuple[str, ...] = ()
        self._head = 0
        self._images: dict[int, QImage] = {}
        self._habits: dict[int, str] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._paint_next)

    def set_attention(self, attention: Attention, labels: tuple[str, ...]) -> None:
        """Show a layer's heads."""
        self._attention = attention
        self._labels = labels
        self._head = min(self._head, attention.heads - 1)
        self._images, self._habits = {}, {}
        self._timer.start()
        self.begin()

    def set_head(self, head: int) -> None:
        """Outline the head that is shown in full elsewhere."""
        self._head = head
        self.update()

    def count(self) -> int:
        return self._attention.heads

    def describe(self, index: int) -> str:
        return tr(
            "Head {number} of {count} looks {where}",
            number=index + 1,
            count=self.count(),
            where=self._habit(index),
        )

    def _habit(self, head: int) -> str:
        if head not in self._habits:
            self._habits[head] = habit(self._attention, head, self._labels)
        return self._habits[head]

    def table(self) -> Table:
        rows = tuple((at + 1, self._habit(at)) for at in range(self.count()))
        return Table((Message("head"), Message("looks")), rows)

    def sizeHint(self) -> QSize:
        rows = -(-self.count() // self._across(self.width())) if self.count() else 1
        return QSize(self.theme.step(200), round(rows * self._pitch_down() + self.theme.step(8)))

    def place_at(self, point: QPointF) -> int:
        across = self._across(self.width())
        column, row = int(point.x() // self._pitch()), int(point.y() // self._pitch_down())
        index = row * across + column
        return index if 0 <= column < across and 0 <= index < self.count() else -1

    def stepped(self, key: int, leap: bool) -> int | None:
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            across = self._across(self.width())
            index = max(0, self._current) + (across if key == Qt.Key.Key_Down else -across)
            return index if 0 <= index < self.count() else max(0, self._current)
        return super().stepped(key, leap)

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        across = self._across(size.width())
        for index in range(self.count()):
            if whole and index not in self._images:
                self._paint(index)
            self._draw_head(painter, index, across, whole)
        if self.count() and not whole:
            top = -(-self.count() // across) * self._pitch_down()
            rect = QRectF(self.theme.step(1), top, size.width(), self.theme.step(6))
            self.write(painter, rect, self.describe(self._current if self._current >= 0 else self._head))

    def _draw_head(self, painter: QPainter, index: int, across: int, whole: bool) -> None:
        theme, side = self.theme, self._side()
        row, column = divmod(index, across)
        left = column * self._pitch() + theme.step(1)
        rect = QRectF(left, row * self._pitch_down() + theme.step(1), side, side)
        if index in self._images:
            painter.drawImage(rect, self._images[index])
        else:
            painter.fillRect(rect, theme.colour("track"))
        chosen = index == self._head
        self.outline(
            painter, rect.adjusted(-1, -1, 1, 1), "accent" if chosen else "line", 2.0 if chosen else 1.0
        )
        if index == self._current and not whole:
            self.outline(painter, rect.adjusted(-3, -3, 3, 3), "ink", 1.5)
        font, ink = ("small_strong", "ink") if chosen else ("small", "ink_quiet")
        painter.setFont(theme.font(font))
        words = QRectF(left, rect.bottom() + theme.step(0.75), side, painter.fontMetrics().height())
        self.write(painter, words, str(index + 1), font, ink, Qt.AlignmentFlag.AlignHCenter)

    # Sizes

    def _side(self) -> float:
        return float(self.theme.step(24))

    def _pitch(self) -> float:
        return self._side() + self.theme.step(4)

    def _pitch_down(self) -> float:
        return self._side() + self.theme.step(8)

    def _across(self, width: float) -> int:
        return max(1, int(width // self._pitch()))

    # Pictures

    @Slot()
    def _paint_next(self) -> None:
        missing = next((at for at in range(self.count()) if at not in self._images), None)
        if missing is None:
            self._timer.stop()
            return
        self._paint(missing)
        self.update()

    def _paint(self, head: int) -> None:
        small, side = pooled(levels(self._attention, head), len(self._labels), round(1.4 * self._side()))
        self._images[head] = image_of(small, side, self.theme).convertToFormat(QImage.Format.Format_RGB32)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    @Slot()
    def restyle(self) -> None:
        self._images = {}
        self._timer.start()
        super().restyle()


class AttentionLines(Chart):
    """Lines from the current token to those that it attends to in one head, stronger for larger weights.

    All tokens are in a line above and in one below; labels are drawn as far as there is room, the strongest first.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("What a token looks at"))
        self._attention = _NO_ATTENTION
        self._labels: tuple[str, ...] = ()
        self._head = 0

    def set_attention(self, attention: Attention, labels: tuple[str, ...]) -> None:
        """Show a layer, keeping the number of the shown head."""
        current = self._current if self._attention.window == attention.window else -1
        self._attention = attention
        self._labels = labels
        self._head = min(self._head, attention.heads - 1)
        self.begin()
        self.set_current(current)

    def set_head(self, head: int) -> None:
        """Show another head."""
        if 0 <= head < self._attention.heads:
            self._head = head
            if self._current >= 0:
                self.setAccessibleDescription(self.describe(self._current))
            self.update()

    def current_moved(self) -> None:
        self.renewed.emit()

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        row = self._attention.row(self._head, index)
        named = ", ".join(
            tr("“{label}” {weight}", label=self._labels[at], weight=number(row[at]))
            for at in strongest(row)[:_MOST_NAMED]
        )
        token = token_name(self._attention.window, index, self._labels[index])
        return tr("{token} looks at {others}", token=token, others=named)

    def table(self) -> Table:
        """The current token's weights, or the first one's if none is current."""
        source = max(0, self._current)
        row = self._attention.row(self._head, source) if self._labels else ()
        rows = (
            (source + 1, at + 1, label, weight)
            for at, (label, weight) in enumerate(zip(self._labels, row, strict=True))
        )
        return Table((Message("from"), Message("to"), Message("piece"), Message("weight")), tuple(rows))

    def sizeHint(self) -> QSize:
        return QSize(self.theme.step(200), round(self._lower() + self._room() + self.theme.step(8)))

    def place_at(self, point: QPointF) -> int:
        each, edge = self._each(self.width()), self._edge()
        index = int((point.x() - edge) // each) if point.x() >= edge else -1
        return index if index < self.count() and point.y() < self._lower() + self._room() else -1

    # Sizes

    def _edge(self) -> float:
        return float(self.theme.step(3))

    def _upper(self) -> float:
        return float(self.theme.step(8))

    def _lower(self) -> float:
        return float(self.theme.step(46))

    def _room(self) -> float:
        return float(self.theme.step(18))

    def _each(self, width: float) -> float:
        return max(0.5, (width - 2 * self._edge()) / max(1, self.count()))

    def _x(self, index: int, width: float) -> float:
        return self._edge() + (index + 0.5) * self._each(width)

    # Drawing

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        if not self._labels:
            return
        theme, width, edge = self.theme, float(size.width()), self._edge()
        current = self._current
        row = self._attention.row(self._head, current) if current >= 0 else (0.0,) * self.count()
        painter.setPen(QPen(theme.colour("line"), 1.0))
        for y in (self._upper(), self._lower()):
            painter.drawLine(QPointF(edge, y), QPointF(width - edge, y))
        self._draw_ticks(painter, width)
        if current >= 0:
            self._draw_lines(painter, width, row)
            self._draw_from(painter, width)
        self._draw_labels(painter, width, row)
        rect = QRectF(edge, size.height() - theme.step(6), width - 2 * edge, theme.step(6))
        self.write_current(painter, rect, _INVITATION)

    def _draw_ticks(self, painter: QPainter, width: float) -> None:
        radius = min(2.5, max(0.6, self._each(width) * 0.3))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("line_strong"))
        for index in range(self.count()):
            x = self._x(index, width)
            for y in (self._upper(), self._lower()):
                painter.drawEllipse(QPointF(x, y), radius, radius)

    def _draw_lines(self, painter: QPainter, width: float, row: tuple[float, ...]) -> None:
        start = QPointF(self._x(self._current, width), self._upper())
        bend = (self._lower() - self._upper()) * 0.55
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for index in reversed(strongest(row)):
            weight = row[index]
            if weight < _LEAST_DRAWN:
                continue
            end = QPointF(self._x(index, width), self._lower())
            colour = QColor(self.theme.colour("scale_high"))
            colour.setAlphaF(min(1.0, 0.06 + 0.94 * weight**0.6))
            path = QPainterPath(start)
            path.cubicTo(start + QPointF(0, bend), end - QPointF(0, bend), end)
            painter.setPen(QPen(colour, 1.0 + 3.0 * min(1.0, weight)))
            painter.drawPath(path)

    def _draw_from(self, painter: QPainter, width: float) -> None:
        theme = self.theme
        x = self._x(self._current, width)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent"))
        painter.drawEllipse(QPointF(x, self._upper()), 4.0, 4.0)
        painter.setFont(theme.font("small_strong"))
        text = self._labels[self._current]
        wide = painter.fontMetrics().horizontalAdvance(text) + 4.0
        high = painter.fontMetrics().height()
        left = min(max(0.0, x - wide / 2), max(0.0, width - wide))
        rect = QRectF(left, self._upper() - theme.step(1.5) - high, wide, high)
        self.write(painter, rect, text, "small_strong", side=Qt.AlignmentFlag.AlignHCenter)

    def _draw_labels(self, painter: QPainter, width: float, row: tuple[float, ...]) -> None:
        """Draw labels under the lower tokens, the strongest first."""
        painter.setFont(self.theme.font("small"))
        high, room = painter.fontMetrics().height() * 0.92, self._room() - self.theme.step(2)
        taken: list[float] = []
        all_fit = self._each(width) >= high
        for index in strongest(row):
            if not all_fit and row[index] * len(row) < _LABELLED_FROM:
                break
            x = self._x(index, width)
            if any(abs(x - other) < high for other in taken):
                continue
            taken.append(x)
            role = "ink" if row[index] >= 0.05 else "ink_quiet"
            foot = QPointF(x, self._lower() + self.theme.step(2) + room)
            self.write_upwards(painter, foot, room, self._labels[index], role, Qt.AlignmentFlag.AlignRight)


class AttentionGrid(Matrix):
    """A head's weights; each row adds up to 1. Colours go by the square root, so that small weights are visible."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Attention"), tr("From"), tr("To"), tr("Attention weight"))
        self._attention = _NO_ATTENTION
        self._head = 0

    def set_attention(self, attention: Attention, labels: tuple[str, ...]) -> None:
        """Show a layer, keeping the number of the shown head."""
        self._attention = attention
        self._labels = labels
        self._head = min(self._head, attention.heads - 1)
        self._show()

    def set_head(self, head: int) -> None:
        """Show another head; the current cell stays."""
        if 0 <= head < self._attention.heads and head != self._head:
            cell = (self.current, self.column)
            self._head = head
            self._show()
            self.set_cell(*cell)

    def _show(self) -> None:
        self.title = tr(
            "Attention of layer {layer}, head {head}", layer=self._attention.layer + 1, head=self._head + 1
        )
        self.setAccessibleName(self.title)
        self.set_cells(self._labels, levels(self._attention, self._head), ("0", "1"))

    def best_column(self, row: int) -> int:
        weights = self._attention.row(self._head, row)
        return weights.index(max(weights))

    def lines(self, row: int, column: int) -> tuple[str, ...]:
        return (
            tr("“{one}” looks at “{other}”", one=self._labels[row], other=self._labels[column]),
            tr("Token {one} to token {other}", one=row + 1, other=column + 1),
            tr("Weight {weight}", weight=number(self._attention.row(self._head, row)[column])),
        )

    def table(self) -> Table:
        """The attention weights: a row for each query token, a column for each key token."""
        columns = (
            Message("token"),
            Message("from"),
            *(f"{at + 1} {label}" for at, label in enumerate(self._labels)),
        )
        rows: list[tuple[Cell, ...]] = [
            (at + 1, label, *self._attention.row(self._head, at)) for at, label in enumerate(self._labels)
        ]
        return Table(columns, tuple(rows))
