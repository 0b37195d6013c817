"""The scroll bar of a document, with a mark for each answer and the heat of possible answers."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QImage, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QToolTip

from app.core.wording import percent
from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# Heat below this is not shown: a model finds a little almost everywhere.
_LEAST_HEAT = 0.1


def heat_over_height(heat: Sequence[float], ranges: Sequence[tuple[float, float]]) -> list[float]:
    """Return the heat of equal parts of the document's height, as many as of the text: in each the highest there.

    `heat` is that of equal parts of the text; `ranges` are the shares of the height, 0 to 1, at which each of these
    begins and ends.
    """
    parts = len(heat)
    spread = [0.0] * parts
    for value, (top, bottom) in zip(heat, ranges, strict=True):
        if value <= 0.0:
            continue
        first = min(parts - 1, max(0, int(top * parts)))
        # A part that ends exactly at an edge does not reach into the next one.
        last = min(parts - 1, max(first, ceil(bottom * parts) - 1))
        for part in range(first, last + 1):
            spread[part] = max(spread[part], value)
    return spread


def _alpha(value: float) -> int:
    """Return the opacity of a heat, 0 to 255; squared, so that the strip is calm where much is unlikely."""
    return 0 if value < _LEAST_HEAT else round(255 * min(1.0, 0.06 + 0.94 * min(1.0, value) ** 2))


class AnswerMap(QScrollBar):
    """A scroll bar on a thin track that shows where the answers are; a click outside the handle goes there.

    `marks` and `heat` are drawn only where the document scrolls: a shorter text is seen whole, and its words stand
    higher than their share of the bar.

    `mark_clicked` carries a mark's index, `place_clicked` the share of the height, 0 to 1, of a click elsewhere, or of
    the hottest part near it.
    """

    mark_clicked = Signal(int)
    place_clicked = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._theme = theme
        self.marks: tuple[float, ...] = ()
        self._chosen = -1
        self.heat: tuple[float, ...] = ()
        # The tool tips of the chosen mark and of the others.
        self.marked = (tr("The place that is shown"), tr("Another place"))
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Place in the text"))

    def set_marks(self, marks: Sequence[float], chosen: int = -1) -> None:
        """Set the answers' marks as shares of the document's height, 0 to 1, and the index of the chosen one.

        A negative mark is not drawn.
        """
        wanted = (tuple(marks), chosen)
        if wanted != (self.marks, self._chosen):
            self.marks, self._chosen = wanted
            shown = sum(mark >= 0 for mark in self.marks)
            self.setAccessibleDescription(
                tr("{n:,} place marked", "{n:,} places marked", n=shown) if shown else ""
            )
            self.update()

    def set_heat(self, heat: Sequence[float]) -> None:
        """Set the heat, 0 to 1, of equal parts of the document's height; empty for none."""
        if tuple(heat) != self.heat:
            self.heat = tuple(heat)
            self.update()

    def mark_rect(self, index: int) -> QRectF:
        """Return where a mark is drawn, in the bar's pixels."""
        theme = self._theme
        track = self._track()
        thick = theme.step(1.5) if index == self._chosen else theme.step(0.75)
        y = track.top() + self.marks[index] * track.height() - thick / 2
        y = min(max(y, track.top()), track.bottom() - thick)
        return QRectF(track.left(), y, track.width(), thick)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            place = event.position()
            index, hot, track = self._mark_at(place), self._hot_at(place), self._track()
            outside = index >= 0 or not self._slider().contains(place)
            if index >= 0:
                self.mark_clicked.emit(index)
            elif outside:
                share = (place.y() - track.top()) / max(1.0, track.height())
                self.place_clicked.emit(hot[0] if hot is not None else min(1.0, max(0.0, share)))
            if outside:
                event.accept()
                return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            place = event.position()
            over = self._mark_at(place) >= 0 or self._hot_at(place) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self.tip_at(QPointF(event.pos()))
            if tip:
                QToolTip.showText(event.globalPos(), as_tip(tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def tip_at(self, place: QPointF) -> str:
        """Return the tool tip at a point of the bar; empty without one."""
        index = self._mark_at(place)
        if index >= 0:
            return self.marked[0] if index == self._chosen else self.marked[1]
        hot = self._hot_at(place)
        if hot is None:
            return ""
        return tr("Answers were seen here, at most {percent} likely", percent=percent(hot[1]))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = self._track()
        painter.setBrush(theme.colour("track"))
        painter.drawRoundedRect(track, track.width() / 2, track.width() / 2)
        painter.end()
        super().paintEvent(event)
        if not self._scrolls():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if max(self.heat, default=0.0) >= _LEAST_HEAT:
            self._draw_heat(painter, track)
        for index in sorted(range(len(self.marks)), key=lambda each: each == self._chosen):
            if self.marks[index] < 0:
                continue
            painter.setBrush(theme.colour("accent" if index == self._chosen else "mark"))
            rect = self.mark_rect(index)
            painter.drawRoundedRect(rect, rect.height() / 3, rect.height() / 3)

    def _draw_heat(self, painter: QPainter, track: QRectF) -> None:
        """Draw the heat as a strip on the track's left side, stronger where likelier."""
        # No more parts than pixels: smoothing would lose a narrow peak between two of them.
        parts = max(1, min(len(self.heat), int(track.height())))
        rgb = self._theme.colour("mark").rgb() & 0xFFFFFF
        column = array("I", (_alpha(value) << 24 | rgb for value in self._pooled(parts)))
        pixels = column.tobytes()  # QImage refers to these and does not own them
        image = QImage(pixels, 1, parts, 4, QImage.Format.Format_ARGB32)
        shape = QPainterPath()
        shape.addRoundedRect(track, track.width() / 2, track.width() / 2)
        painter.save()
        painter.setClipPath(shape)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(track.left(), track.top(), self._theme.step(1), track.height()), image)
        painter.restore()

    def _pooled(self, parts: int) -> list[float]:
        """Return the heat of fewer parts, the highest in each."""
        edges = [part * len(self.heat) // parts for part in range(parts + 1)]
        return [max(self.heat[start:end]) for start, end in pairwise(edges)]

    def _track(self) -> QRectF:
        inset = self._theme.step(0.5)
        return QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)

    def _scrolls(self) -> bool:
        return self.maximum() > self.minimum()

    def _slider(self) -> QRectF:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ScrollBar, QStyle.SubControl.SC_ScrollBarSlider
        return QRectF(self.style().subControlRect(control, option, part, self))

    def _mark_at(self, place: QPointF) -> int:
        if not self._scrolls():
            return -1
        reach = self._theme.step(1.5)
        near = [
            (abs(self.mark_rect(index).center().y() - place.y()), index)
            for index, mark in enumerate(self.marks)
            if mark >= 0
        ]
        distance, index = min(near, default=(reach + 1, -1))
        exact = distance <= self._theme.step(0.75)
        if distance > reach or (self._slider().contains(place) and not exact):
            return -1
        return index

    def _hot_at(self, place: QPointF) -> tuple[float, float] | None:
        """Return the share of the height and the heat of the hottest part near a point outside the handle, if any."""
        track = self._track()
        if not self.heat or not self._scrolls() or track.height() <= 0 or self._slider().contains(place):
            return None
        reach = self._theme.step(1) / track.height()
        at = (place.y() - track.top()) / track.height()
        count = len(self.heat)
        first, last = int((at - reach) * count), int((at + reach) * count)
        near = [
            (self.heat[part], -abs(part - at * count), part)
            for part in range(max(0, first), min(count, last + 1))
        ]
        value, _, part = max(near, default=(0.0, 0.0, 0))
        return ((part + 0.5) / count, value) if value >= _LEAST_HEAT else None
