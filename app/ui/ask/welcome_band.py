"""A few lines for new users, above the page with the sample."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.about import NAME
from app.settings.paths import short_path
from app.ui.kit.status_line import ElidedLabel
from app.ui.kit.theme import Theme, mark

# In steps of width: below the first the buttons are under the words, below the second the two facts are stacked.
_NARROW, _WIDE = 170, 230


class WelcomeBand(QFrame):
    """What Spanlight does, what is shown here, where data is stored, and that none of it leaves the computer.

    `open_asked` and `folder_asked` are sent by their buttons, `closed` by "Got it".
    """

    open_asked = Signal()
    folder_asked = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, data: Path) -> None:
        super().__init__()
        self._theme = theme
        mark(self, kind="welcome")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(f"Welcome to {NAME}")
        self._title = QLabel("Ask a document, and the answer lights up")
        self._line = QLabel()
        for label in (self._title, self._line):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._signs = [QLabel(), QLabel()]
        self._private = QLabel("Nothing that you open or ask leaves this computer.")
        self._private.setProperty("ink", "quiet")
        self._private.setWordWrap(True)
        self._place = ElidedLabel(f"What you keep lies in {short_path(data)}")
        self._place.setProperty("ink", "quiet")
        self.folder = QPushButton("Open the folder")
        mark(self.folder, kind="link")
        self.folder.setToolTip(str(data))
        self.folder.clicked.connect(self.folder_asked)
        self.open = QPushButton("Open a file of yours…")
        mark(self.open, kind="primary")
        self.open.setToolTip("Open files  (Ctrl+O)")
        self.open.clicked.connect(self.open_asked)
        self.close_button = QPushButton("Got it")
        self.close_button.setToolTip("Put this away  (Esc)")
        self.close_button.clicked.connect(self.closed)
        for button in (self.folder, self.open, self.close_button):
            button.setAccessibleName(button.text())
        self._before: QWidget | None = None
        self._lay_out()
        self._set_line(
            "This is a sample. The question at the right is being asked about it, on this computer…"
        )
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_answered(self, found: bool) -> None:
        """Show the text for after the sample was read; `found`: there is an answer."""
        if found:
            self._set_line(
                "This is a sample. The question at the right was asked about it: its answer is lit up in the text."
            )
        else:
            self._set_line("This is a sample. Ask it something, or open a file of yours.")

    def follow(self, before: QWidget) -> None:
        """Set the tab order: the buttons in their visual order, after the widget `before` the band."""
        self._before = before
        self._order()

    def _order(self) -> None:
        if self._before is None:
            return
        buttons = (self.open, self.close_button)
        one = self._before
        for after in (self.folder, *buttons) if self._shape == (True, False) else (*buttons, self.folder):
            QWidget.setTabOrder(one, after)
            one = after

    def line(self) -> str:
        """The text on the sample."""
        return self._line.text()

    def _set_line(self, words: str) -> None:
        self._line.setText(words)
        self._line.setAccessibleName(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the buttons and the facts where there is little room."""
        super().resizeEvent(event)
        self._arrange()

    def _lay_out(self) -> None:
        self._words = QVBoxLayout()
        self._words.addWidget(self._title)
        self._words.addWidget(self._line)
        self._facts = QGridLayout()
        self._words.addLayout(self._facts)
        private, place = QHBoxLayout(), QHBoxLayout()
        self._halves = (private, place)
        private.addWidget(self._signs[0])
        private.addWidget(self._private, 1)
        place.addWidget(self._signs[1])
        place.addWidget(self._place, 1000)
        place.addWidget(self.folder)
        place.addStretch(1)
        self._fact_parts: list[QWidget] = []
        for half in self._halves:
            part = QWidget()
            half.setContentsMargins(0, 0, 0, 0)
            part.setLayout(half)
            self._fact_parts.append(part)
        self._buttons = QWidget()
        self._row = QHBoxLayout(self._buttons)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.open)
        self._row.addWidget(self.close_button)
        self._row.addStretch(1)
        self._whole = QGridLayout(self)
        self._whole.addLayout(self._words, 0, 0)
        self._whole.setColumnStretch(0, 1)
        self._shape: tuple[bool, bool] | None = None

    @Slot()
    def _arrange(self) -> None:
        step = self._theme.step
        shape = self.width() < step(_NARROW), self.width() >= step(_WIDE)
        if shape == self._shape:
            return
        self._shape = narrow, wide = shape
        for part in (*self._fact_parts, self._buttons):
            self._facts.removeWidget(part)
            self._whole.removeWidget(part)
        for at, part in enumerate(self._fact_parts):
            self._facts.addWidget(part, 0 if wide else at, at if wide else 0)
        self._private.setWordWrap(not wide)
        self._facts.setColumnStretch(1, 1 if wide else 0)
        self._facts.setColumnStretch(0, 0 if wide else 1)
        if narrow:
            self._whole.addWidget(self._buttons, 1, 0)
        else:
            self._whole.addWidget(self._buttons, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        self._order()

    @Slot()
    def _restyle(self) -> None:
        theme, step = self._theme, self._theme.step
        self._title.setFont(theme.font("title"))
        self._line.setFont(theme.font("ui"))
        for label in (self._private, self._place, self.folder):
            label.setFont(theme.font("small"))
        self._place.setMaximumWidth(self._place.natural_width())
        size = step(4)
        for sign, icon in zip(self._signs, ("offline", "document"), strict=True):
            sign.setPixmap(theme.icon(icon, "accent").pixmap(QSize(size, size), self.devicePixelRatioF()))
        for half in self._halves:
            half.setSpacing(step(2))
        self._words.setSpacing(step(1.5))
        self._facts.setHorizontalSpacing(step(8))
        self._facts.setVerticalSpacing(0)
        self._row.setSpacing(step(2))
        self._whole.setHorizontalSpacing(step(8))
        self._whole.setVerticalSpacing(step(3))
        self._whole.setContentsMargins(step(6), step(4), step(6), step(4))
        self._shape = None
        self._arrange()
