"""How likely is this very word: a field, and what came out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout

from app.core import wording
from app.core.results import Guess
from app.ui.kit.theme import Theme


def said_of(guess: Guess) -> str:
    """How likely the word asked about is, in a sentence without its stop."""
    if not guess.pieces:
        return "The model's vocabulary cannot spell this word"
    number = wording.finely(guess.probability)
    if not guess.rank:
        return f"{number}, read as {guess.pieces} pieces, one after the other"
    place = "the likeliest of all" if guess.rank == 1 else f"number {guess.rank:,} in the model's vocabulary"
    return f"{number}, {place}"


class WordQuestion(QFrame):
    """A field for any word. `asked` is sent on Enter or the button, `edited` for what a person types."""

    asked = Signal()
    edited = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._label = QLabel("How likely is …")
        self.field = QLineEdit()
        self.field.setPlaceholderText("any word")
        self.field.setAccessibleName("How likely is this word in the blank")
        self._label.setBuddy(self.field)
        self.field.textEdited.connect(self.edited)
        self.field.returnPressed.connect(self.asked)
        self._ask = QPushButton("Ask")
        self._ask.setAccessibleName("Ask how likely the word is")
        self._ask.clicked.connect(self.asked)
        self._answer = QLabel()
        self._answer.setWordWrap(True)
        self._answer.setTextFormat(Qt.TextFormat.PlainText)
        self._row = QHBoxLayout()
        self._row.addWidget(self._label)
        self._row.addWidget(self.field, 1)
        self._row.addWidget(self._ask)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        self._column.addWidget(self._answer)
        theme.changed.connect(self._restyle)
        self._restyle()

    def word(self) -> str:
        """What was typed, without blanks around it."""
        return self.field.text().strip()

    def set_word(self, word: str) -> None:
        """Put a word into the field, unless it says so already."""
        if self.word() != word:
            self.field.setText(word)

    def show_answer(self, guess: Guess | None) -> None:
        """Say how likely the word in the field is, where that is known of it."""
        known = guess is not None and guess.word == self.word()
        self._answer.setVisible(known)
        self._answer.setText(said_of(guess) if guess is not None and known else "")

    def answer(self) -> str:
        """What is said of the word; empty while nothing is known of it."""
        return self._answer.text()

    @Slot()
    def _restyle(self) -> None:
        self._label.setFont(self._theme.font("ui"))
        self._answer.setFont(self._theme.font("strong"))
        self._row.setSpacing(self._theme.step(2))
        self._column.setSpacing(self._theme.step(2))
