"""Whose tag a word has that the model reads in several pieces."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from app.core.requests import PieceJoining
from app.ui.heads.paper_term import PaperTerm
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme

_CHOICES = (
    (PieceJoining.FIRST.value, "First piece"),
    (PieceJoining.AVERAGE.value, "Average"),
    (PieceJoining.MAX.value, "Surest piece"),
)
_TERMS = {
    PieceJoining.FIRST: ("Its first piece's tag is the word's:", "first"),
    PieceJoining.AVERAGE: ("Its pieces' probabilities are averaged:", "average"),
    PieceJoining.MAX: ("The piece that the model is surest of counts:", "max"),
}


class JoiningChoice(QFrame):
    """Three ways side by side, and what the one in force does. `chosen` carries the PieceJoining that was picked."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heading = QLabel("A word read in pieces goes by its")
        self._heading.setProperty("ink", "quiet")
        self.ways = Segments(theme, "A word read in pieces goes by its", _CHOICES)
        self.ways.chosen.connect(self._picked)
        self._about = PaperTerm(theme, "", "")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for widget in (self._heading, self.ways, self._about):
            self._column.addWidget(widget)
        theme.changed.connect(self._restyle)
        self._restyle()

    def select(self, joining: PieceJoining) -> None:
        """Show a way as the one in force."""
        self.ways.select(joining.value)
        self._about.say(*_TERMS[joining])

    @Slot(str)
    def _picked(self, key: str) -> None:
        self.select(PieceJoining(key))
        self.chosen.emit(PieceJoining(key))

    @Slot()
    def _restyle(self) -> None:
        self._heading.setFont(self._theme.font("small"))
        self._column.setSpacing(self._theme.step(1.5))
