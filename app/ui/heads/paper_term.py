"""What happens on a page in plain words, and the paper's term beside it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel

from app.ui.kit.theme import Theme


class PaperTerm(QLabel):
    """A quiet line: a sentence or two for anybody, then in italics the term that a curious person looks up."""

    def __init__(self, theme: Theme, words: str, term: str) -> None:
        super().__init__()
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setProperty("ink", "quiet")
        self.say(words, term)
        theme.changed.connect(self._restyle)
        self._restyle()

    def say(self, words: str, term: str) -> None:
        """Take another sentence and its term."""
        self.setText(f"{escape(words)} <i>{escape(term)}</i>")
        self.setAccessibleName(f"{words} {term}")

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font("small"))
