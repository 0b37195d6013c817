"""The status line at the window's foot: the reader's state, the last result, and the network switch."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.ui.kit.network_button import NetworkButton
from app.ui.kit.theme import Theme, mark

# The dot's colour role, and whether it is filled, so that colour is never the only cue.
_DOTS = {
    "loading": ("mark", False),
    "ready": ("likely", True),
    "fault": ("fault", False),
    "away": ("ink_quiet", False),
    "": ("ink_quiet", False),
}


class StatusDot(QWidget):
    """A small dot: filled when ready, a ring while loading, when unloaded or on an error."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state = ""

    def set_state(self, state: str) -> None:
        """Set the state: `loading`, `ready`, `fault`, `away` or empty."""
        self._state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw in the theme's colours."""
        role, filled = _DOTS[self._state]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.colour(role))
        if filled:
            painter.setBrush(self._theme.colour(role))
        radius = min(self.width(), self.height()) / 2 - 1
        painter.drawEllipse(QPointF(self.width() / 2, self.height() / 2), radius, radius)


class ElidedLabel(QLabel):
    """A label that elides its text where there is no room; the full text is then its tool tip."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._full_text = ""
        self._tip = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.set_full_text(text)

    def full_text(self) -> str:
        """The text without elision."""
        return self._full_text

    def set_full_text(self, text: str, tip: str = "") -> None:
        """Set the text, and an optional tool tip."""
        self._full_text, self._tip = text, tip
        self.setAccessibleName(text)
        self._cut()

    def natural_width(self) -> int:
        """The width in pixels that the full text needs."""
        self.ensurePolished()
        return self.fontMetrics().horizontalAdvance(self._full_text) + 2

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the new width."""
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        shown = self.fontMetrics().elidedText(
            self._full_text, Qt.TextElideMode.ElideRight, max(0, self.contentsRect().width())
        )
        if shown != self.text():
            self.setText(shown)
        self.setToolTip(self._tip or (self._full_text if shown != self._full_text else ""))


class StatusLine(QFrame):
    """The reader's state with its dot, a note on the last piece of work, and the offline switch (`network`)."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._dot = StatusDot(theme)
        self._state = ElidedLabel()
        self._state.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._note = ElidedLabel()
        self.network = NetworkButton(theme)
        self.setProperty("kind", "status")
        self.setAccessibleName("Status")
        layout = QHBoxLayout(self)
        layout.addWidget(self._dot)
        layout.addWidget(self._state)
        layout.addWidget(self._note, 1)
        layout.addWidget(self.network)
        mark(self._state, self._note, type="small", ink="quiet")
        theme.in_steps(self._note.setContentsMargins, 1, 0, 0, 0)
        theme.in_steps(self.setFixedHeight, 7)
        theme.in_steps(self._dot.setFixedSize, 2.25, 2.25)
        theme.space(layout, 2, (3.5, 0, 2, 0))
        theme.changed.connect(self._fit)
        self._fit()

    def set_state(self, state: str, text: str, tip: str = "") -> None:
        """Show the reader's state (`loading`, `ready`, `fault` or `away`), with words next to the dot."""
        self._dot.set_state(state)
        self._state.set_full_text(text, tip)
        self._fit()

    def set_note(self, text: str) -> None:
        """Show what was last read and how fast; an empty text clears it."""
        self._note.set_full_text(text)

    def state(self) -> str:
        """The words next to the dot."""
        return self._state.full_text()

    def note(self) -> str:
        """The note on the last piece of work."""
        return self._note.full_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the new width."""
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        self._state.setFixedWidth(
            min(self._state.natural_width(), max(self._theme.step(20), self.width() * 6 // 10))
        )
