"""The scroll bar of a document, with a mark for every answer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

from app.ui.theme import Theme


class AnswerMap(QScrollBar):
    """A scroll bar on a thin track that shows where the answers stand; a click on a mark goes there.

    `mark_clicked` carries the mark's index.
    """

    mark_clicked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._theme = theme
        self._marks: tuple[float, ...] = ()
        self._chosen = -1
        self.setMouseTracking(True)
        self.setAccessibleName("Place in the text")
        theme.changed.connect(self._restyle)

    def set_marks(self, marks: Sequence[float], chosen: int = -1) -> None:
        """Take the answers' places as shares of the text's height, 0 to 1, and which one is chosen."""
        wanted = (tuple(marks), chosen)
        if wanted != (self._marks, self._chosen):
            self._marks, self._chosen = wanted
            self.setAccessibleDescription(f"{len(self._marks)} answers marked" if self._marks else "")
            self.update()

    def marks(self) -> tuple[float, ...]:
        """The places marked."""
        return self._marks

    def mark_rect(self, index: int) -> QRectF:
        """Where a mark is drawn, in the bar's pixels."""
        theme = self._theme
        track = self._track()
        thick = theme.step(1.5) if index == self._chosen else theme.step(0.75)
        y = track.top() + self._marks[index] * track.height() - thick / 2
        y = min(max(y, track.top()), track.bottom() - thick)
        return QRectF(track.left(), y, track.width(), thick)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._mark_at(event.position())
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.mark_clicked.emit(index)
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            over = self._mark_at(event.position()) >= 0
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for index in sorted(range(len(self._marks)), key=lambda each: each == self._chosen):
            painter.setBrush(theme.colour("accent" if index == self._chosen else "mark"))
            rect = self.mark_rect(index)
            painter.drawRoundedRect(rect, rect.height() / 3, rect.height() / 3)

    def _track(self) -> QRectF:
        inset = self._theme.step(0.5)
        return QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)

    def _mark_at(self, place: QPointF) -> int:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        slider = self.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, self
        )
        reach = self._theme.step(1.5)
        near = [
            (abs(self.mark_rect(index).center().y() - place.y()), index) for index in range(len(self._marks))
        ]
        distance, index = min(near, default=(reach + 1, -1))
        exact = distance <= self._theme.step(0.75)
        if distance > reach or (slider.contains(place.toPoint()) and not exact):
            return -1
        return index

    @Slot()
    def _restyle(self) -> None:
        self.update()
