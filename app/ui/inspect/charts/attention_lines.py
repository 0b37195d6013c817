"""Lines from the current token to those it attends to in one head: the stronger the line, the larger the weight."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.core.inside import Attention
from app.ui.inspect.charts.attention_levels import strongest
from app.ui.inspect.charts.tokens import labels_of, share_name
from app.ui.kit.chart import Chart, Table, number
from app.ui.kit.theme import Theme

_NAMED = 5
_FAINTEST = 0.004
_NOTABLE = 2.0
_INVITE = "Point at a token to see what it looks at, or walk with the arrow keys."


class AttentionLines(Chart):
    """All tokens above and below, over the full width; labels are drawn as far as there is room, strongest first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "What a token looks at")
        self._attention: Attention | None = None
        self._labels: tuple[str, ...] = ()
        self._head = 0

    def set_attention(self, attention: Attention, text: str = "", pair: str = "") -> None:
        """Show a layer, keeping the number of the shown head."""
        same = self._attention is not None and self._attention.window == attention.window
        current = self._current if same else -1
        self._attention = attention
        self._labels = labels_of(attention.window, text, pair)
        self._head = min(self._head, attention.heads - 1)
        self.begin()
        self.set_current(current)

    def set_head(self, head: int) -> None:
        """Show another head."""
        if self._attention is not None and 0 <= head < self._attention.heads:
            self._head = head
            if self._current >= 0:
                self.setAccessibleDescription(self.describe(self._current))
            self.update()

    def current_moved(self) -> None:
        self.renewed.emit()

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        if self._attention is None:
            return ""
        row = self._attention.row(self._head, index)
        named = ", ".join(f"“{self._labels[at]}” {number(row[at])}" for at in strongest(row, _NAMED))
        return f"{share_name(self._attention.window, index, self._labels[index])} looks at {named}"

    def table(self) -> Table:
        """The current token's weights, or the first one's if none is current."""
        columns = ("from", "to", "piece", "weight")
        if self._attention is None:
            return Table(columns)
        source = max(0, self._current)
        row = self._attention.row(self._head, source)
        return Table(
            columns,
            tuple(
                (source + 1, at + 1, label, weight)
                for at, (label, weight) in enumerate(zip(self._labels, row, strict=True))
            ),
        )

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
        attention = self._attention
        if attention is None:
            return
        theme, width = self.theme, float(size.width())
        current = self._current
        row = attention.row(self._head, current) if current >= 0 else (0.0,) * self.count()
        painter.setPen(QPen(theme.colour("line"), 1.0))
        for y in (self._upper(), self._lower()):
            painter.drawLine(QPointF(self._edge(), y), QPointF(width - self._edge(), y))
        self._draw_ticks(painter, width)
        if current >= 0:
            self._draw_lines(painter, width, row)
            self._draw_from(painter, width)
        self._draw_labels(painter, width, row)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink" if current >= 0 else "ink_quiet"))
        place = QRectF(self._edge(), size.height() - theme.step(6), width - 2 * self._edge(), theme.step(6))
        text = self.describe(current) if current >= 0 else _INVITE
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

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
        for index in reversed(strongest(row, len(row))):
            weight = row[index]
            if weight < _FAINTEST:
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
        painter.setPen(theme.colour("ink"))
        text = self._labels[self._current]
        wide = painter.fontMetrics().horizontalAdvance(text) + 4.0
        left = min(max(0.0, x - wide / 2), max(0.0, width - wide))
        place = QRectF(left, 0, wide, self._upper() - theme.step(1.5))
        painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, text)

    def _draw_labels(self, painter: QPainter, width: float, row: tuple[float, ...]) -> None:
        """Draw labels under the lower tokens, the strongest first."""
        theme = self.theme
        painter.setFont(theme.font("small"))
        metrics = painter.fontMetrics()
        high, room = metrics.height() * 0.92, self._room() - theme.step(2)
        taken: list[float] = []
        all_fit = self._each(width) >= high
        for index in strongest(row, len(row)):
            # If there is no room for all labels, only those with at least twice the average weight.
            if not all_fit and row[index] * len(row) < _NOTABLE:
                break
            x = self._x(index, width)
            if any(abs(x - other) < high for other in taken):
                continue
            taken.append(x)
            strong = row[index] >= 0.05
            painter.setPen(theme.colour("ink" if strong else "ink_quiet"))
            painter.save()
            painter.translate(x, self._lower() + theme.step(2))
            painter.rotate(-90)
            text = metrics.elidedText(self._labels[index], Qt.TextElideMode.ElideRight, int(room))
            place = QRectF(-room, -high, room, 2 * high)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.restore()
