"""Which page is seen, said in a corner while the pages are scrolled."""

from __future__ import annotations

from PySide6.QtCore import Property, QEasingCurve, QPropertyAnimation, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.kit.theme import Theme

_SHOWN_MS, _FADE_MS = 900, 220


class PageHint(QWidget):
    """A small pill with "page 22 of 71" that stays while the pages move, and then goes quietly."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._room = parent
        self._words = ""
        self._strength = 1.0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_SHOWN_MS)
        self._fade = QPropertyAnimation(self, b"strength", self)
        self._fade.setDuration(_FADE_MS)
        self._fade.setStartValue(1.0)
        self._fade.setEndValue(0.0)
        self._fade.setEasingCurve(QEasingCurve.Type.InOutQuad)
        self._rest.timeout.connect(self._fade.start)
        self._fade.finished.connect(self._gone)
        self.hide()

    def say(self, words: str) -> None:
        """Show these words for a moment."""
        self._fade.stop()
        self._strength = 1.0
        self._rest.start()
        if words != self._words:
            self._words = words
            self.place()
        self.show()
        self.update()

    def words(self) -> str:
        """What is shown; empty while nothing is."""
        return self._words if self.isVisible() else ""

    def place(self) -> None:
        """Stand in the lower right corner of the pages."""
        theme = self._theme
        metrics = QFontMetricsF(theme.font("small"))
        width = round(metrics.horizontalAdvance(self._words)) + theme.step(6)
        height = round(metrics.height()) + theme.step(2.5)
        room = self._room
        self.setGeometry(
            room.width() - width - theme.step(4), room.height() - height - theme.step(4), width, height
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._strength)
        painter.setPen(self._theme.colour("line"))
        painter.setBrush(self._theme.colour("raised"))
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.setPen(self._theme.colour("ink_quiet"))
        painter.setFont(self._theme.font("small"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._words)

    def _get_strength(self) -> float:
        return self._strength

    def _set_strength(self, strength: float) -> None:
        self._strength = strength
        self.update()

    strength = Property(float, _get_strength, _set_strength)

    @Slot()
    def _gone(self) -> None:
        self.hide()
