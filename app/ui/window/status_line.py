"""The status line at the foot of the window: the reader's state, notes on the last work, and the offline switch."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.ui.kit.boxes import row
from app.ui.kit.parts import ElidedLabel, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr
from app.ui.window.network import NetworkButton

# For each state the dot's colour, and whether it is filled, so that colour is never the only cue.
_DOTS = {
    "loading": ("mark", False),
    "ready": ("likely", True),
    "fault": ("fault", False),
    "away": ("ink_quiet", False),
    "": ("ink_quiet", False),
}


class StatusDot(QWidget):
    """A small dot: filled when the reader is ready, else a ring."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state = ""

    def set_state(self, state: str) -> None:
        """Set the state: `loading`, `ready`, `fault`, `away` or empty."""
        self._state = state
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        role, filled = _DOTS[self._state]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.colour(role))
        if filled:
            painter.setBrush(self._theme.colour(role))
        radius = min(self.width(), self.height()) / 2 - 1
        painter.drawEllipse(QPointF(self.width() / 2, self.height() / 2), radius, radius)


class StatusLine(QFrame):
    """The reader's state with its dot, notes on the last work and the libraries, and the offline switch `network`.

    While another page's table is being filled, its progress, and `pause` to pause it.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._dot = StatusDot(theme)
        self._state = ElidedLabel()
        self._state.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._note = ElidedLabel()
        self._page_notes: dict[str, str] = {}
        self._page = self._upkeep = self._filling = ""
        self.pause = push_button(theme, tr("Pause"), kind="foot", name=tr("Pause the filling of the table"))
        mark(self.pause, type="small")
        self.pause.hide()
        self.network = NetworkButton(theme)
        self.setProperty("kind", "status")
        self.setAccessibleName(tr("Status"))
        row(
            theme, self._dot, self._state, (self._note, 1), self.pause, self.network,
            gap=2, margins=(3.5, 0, 2, 0), parent=self,
        )  # fmt: skip
        mark(self._state, self._note, type="small", ink="quiet")
        theme.in_steps(self._note.setContentsMargins, 1, 0, 0, 0)
        theme.in_steps(self.setFixedHeight, 7)
        theme.in_steps(self._dot.setFixedSize, 2.25, 2.25)
        theme.changed.connect(self._fit)
        self._fit()

    def set_state(self, state: str, text: str, tip: str = "") -> None:
        """Show the reader's state (`loading`, `ready`, `fault` or `away`), with a text beside the dot."""
        self._dot.set_state(state)
        self._state.set_full_text(text, tip)
        self._fit()

    def set_note(self, page: str, text: str) -> None:
        """Set the note on the last work of a page, given by its key; an empty one clears it."""
        self._page_notes[page] = text
        self._show_notes()

    def show_page(self, page: str) -> None:
        """Show the note of another page."""
        self._page = page
        self._show_notes()

    @Slot(str)
    def set_upkeep(self, text: str) -> None:
        """Show a note on the libraries, behind that of the page; an empty one clears it."""
        self._upkeep = text
        self._show_notes()

    def set_filling(self, text: str) -> None:
        """Show the progress of a table's filling, with a button to pause it; an empty one clears it."""
        self._filling = text
        self.pause.setVisible(bool(text))
        self._show_notes()

    def _show_notes(self) -> None:
        notes = (self._page_notes.get(self._page, ""), self._upkeep, self._filling)
        self._note.set_full_text("  ·  ".join(filter(None, notes)))

    def state(self) -> str:
        """Return the text beside the dot."""
        return self._state.full_text()

    def note(self) -> str:
        """Return the notes on the last work, on the libraries and on the filling of a table."""
        return self._note.full_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        self._state.setFixedWidth(
            min(self._state.natural_width(), max(self._theme.step(20), self.width() * 6 // 10))
        )
