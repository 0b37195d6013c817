"""What the history says while it has nothing to show."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.theme import Theme, mark

NOTHING = (
    "Nothing asked yet",
    "Ask a document something: the question, its answer and the place are kept here.",
)
OFF = ("No history is kept", "What you ask is not kept. The switch below changes that.")


class HistoryEmpty(QFrame):
    """A sentence, what to do, and a button: to ask, or to show everything again after a search."""

    ask_asked = Signal()
    all_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._icon = QLabel()
        self._title = QLabel()
        self._words = QLabel()
        self._words.setProperty("ink", "quiet")
        for label in (self._icon, self._title, self._words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.ask = QPushButton("Ask a question")
        self.ask.setToolTip("To the page where documents are asked  (Ctrl+1)")
        self.ask.clicked.connect(self.ask_asked)
        mark(self.ask, kind="primary")
        self.all = QPushButton("Show everything")
        self.all.clicked.connect(self.all_asked)
        self._column = QVBoxLayout(self)
        self._column.addStretch(2)
        for part in (self._icon, self._title, self._words):
            self._column.addWidget(part)
        for button in (self.ask, self.all):
            button.setAccessibleName(button.text())
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addStretch(3)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_nothing(self, kept: bool) -> None:
        """Say that nothing was asked yet, or that nothing is kept."""
        self._say(*(NOTHING if kept else OFF), searched=False)
        self.ask.setVisible(kept)

    def show_not_found(self, words: str) -> None:
        """Say that a search found nothing."""
        short = words if len(words) <= 60 else f"{words[:59]}…"
        self._say("Nothing found", f"No question, answer or document here has “{short}”.", searched=True)

    def title(self) -> str:
        """What is said first."""
        return self._title.text()

    def _say(self, title: str, words: str, *, searched: bool) -> None:
        self._title.setText(title)
        self._words.setText(words)
        self.ask.setVisible(not searched)
        self.all.setVisible(searched)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        size = theme.step(10)
        icon = theme.icon("history", "ink_quiet").pixmap(QSize(size, size), self.devicePixelRatioF())
        self._icon.setPixmap(icon)
        self._title.setFont(theme.font("answer"))
        self._words.setFont(theme.font("ui"))
        self._column.setSpacing(theme.step(3))
