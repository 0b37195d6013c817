"""Thumbnails of all heads of a layer, to choose one from."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPainter, QPen, QResizeEvent

from app.core.inside import Attention
from app.ui.inspect.charts.attention_levels import habit, levels
from app.ui.inspect.charts.scale import pooled, rising_table
from app.ui.inspect.charts.tokens import labels_of
from app.ui.kit.chart import Chart, Table
from app.ui.kit.theme import Theme


class AttentionHeads(Chart):
    """A small picture of each head's grid, painted one after another so that the window never waits.

    Its places are heads; `head_chosen` carries the one that the user picked.
    """

    head_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Heads of this layer")
        self._attention: Attention | None = None
        self._labels: tuple[str, ...] = ()
        self._head = 0
        self._images: dict[int, QImage] = {}
        self._habits: dict[int, str] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._paint_next)
        self.chosen.connect(self._choose)

    def set_attention(self, attention: Attention, text: str = "", pair: str = "") -> None:
        """Show a layer's heads."""
        self._attention = attention
        self._labels = labels_of(attention.window, text, pair)
        self._head = min(self._head, attention.heads - 1)
        self._images, self._habits = {}, {}
        self._timer.start()
        self.begin()

    def set_head(self, head: int) -> None:
        """Outline the head that is shown large."""
        self._head = head
        self.update()

    def painted(self) -> bool:
        """Whether every head's picture is there."""
        return len(self._images) == self.count()

    def count(self) -> int:
        return self._attention.heads if self._attention is not None else 0

    def describe(self, index: int) -> str:
        if self._attention is None:
            return ""
        if index not in self._habits:
            self._habits[index] = habit(self._attention, index, self._labels)
        return f"Head {index + 1} of {self.count()} looks {self._habits[index]}"

    def table(self) -> Table:
        rows = tuple((at + 1, self.describe(at).partition(" looks ")[2]) for at in range(self.count()))
        return Table(("head", "looks"), rows)

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
            place = max(0, self._current) + (across if key == Qt.Key.Key_Down else -across)
            return place if 0 <= place < self.count() else max(0, self._current)
        return super().stepped(key, leap)

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        theme = self.theme
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        across = self._across(size.width())
        if whole:
            self._paint_all()
        for index in range(self.count()):
            self._draw_head(painter, index, across, -1 if whole else self._current)
        if whole or not self.count():
            return
        rows = -(-self.count() // across)
        painter.setFont(theme.font("small"))
        place = QRectF(theme.step(1), rows * self._pitch_down(), size.width(), theme.step(6))
        here = self._current if self._current >= 0 else self._head
        painter.setPen(theme.colour("ink"))
        painter.drawText(
            place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.describe(here)
        )

    def _draw_head(self, painter: QPainter, index: int, across: int, current: int) -> None:
        theme = self.theme
        row, column = divmod(index, across)
        left = column * self._pitch() + theme.step(1)
        side = self._side()
        place = QRectF(left, row * self._pitch_down() + theme.step(1), side, side)
        if index in self._images:
            painter.drawImage(place, self._images[index])
        else:
            painter.fillRect(place, theme.colour("track"))
        chosen = index == self._head
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("accent" if chosen else "line"), 2.0 if chosen else 1.0))
        painter.drawRect(place.adjusted(-1, -1, 1, 1))
        if index == current:
            painter.setPen(QPen(theme.colour("ink"), 1.5))
            painter.drawRect(place.adjusted(-3, -3, 3, 3))
        painter.setFont(theme.font("small_strong" if chosen else "small"))
        painter.setPen(theme.colour("ink" if chosen else "ink_quiet"))
        words = QRectF(left, place.bottom() + theme.step(0.75), side, theme.step(5))
        painter.drawText(words, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, str(index + 1))

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

    def _paint_all(self) -> None:
        for at in range(self.count()):
            if at not in self._images:
                self._paint(at)

    def _paint(self, head: int) -> None:
        assert self._attention is not None
        small, side = pooled(levels(self._attention, head), len(self._labels), round(1.4 * self._side()))
        image = QImage(small, side, side, side, QImage.Format.Format_Indexed8)
        image.setColorTable(rising_table(self.theme))
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        self._images[head] = image

    @Slot(int)
    def _choose(self, head: int) -> None:
        self._head = head
        self.head_chosen.emit(head)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    @Slot()
    def restyle(self) -> None:
        self._images = {}
        if self._attention is not None:
            self._timer.start()
        super().restyle()
