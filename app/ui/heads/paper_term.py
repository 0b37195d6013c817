"""A page's explanation in plain words, with the paper's term."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.ui.kit.theme import Theme, mark


class PaperTerm(QLabel):
    """A quiet line: a sentence or two in plain words, then the technical term in italics."""

    def __init__(self, theme: Theme, words: str, term: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setProperty("ink", "quiet")
        self.show_term(words, term)
        mark(self, type="small")

    def show_term(self, words: str, term: str) -> None:
        """Show a sentence and its term."""
        self.setText(f"{escape(words)} <i>{escape(term)}</i>")
        self.setAccessibleName(f"{words} {term}")
