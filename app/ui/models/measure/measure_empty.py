"""What is said while nothing was measured yet: what it is good for, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from app.ui.kit.empty_page import SampleButton
from app.ui.kit.theme import Theme

_WORDS = (
    "A model reads examples whose answers are known: how often it is right, how fast it is, and whether its"
    " probabilities can be trusted are kept here, so that two models can be compared. Take examples that are like your"
    " own texts where you have them; small sets come along to try."
)


class MeasureEmpty(QFrame):
    """A title, a few sentences, and a button for each thing to try. `tried` carries its index."""

    tried = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title, self._words = QLabel("How good is a model?"), QLabel(_WORDS)
        self._words.setProperty("ink", "quiet")
        self._words.setWordWrap(True)
        self._buttons: list[SampleButton] = []
        self._row = QHBoxLayout()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._title)
        # Alone Qt would ask how high the words are at any width.
        words = QHBoxLayout()
        words.addWidget(self._words, 1)
        words.addStretch(0)
        self._column.addLayout(words)
        self._column.addLayout(self._row)
        theme.changed.connect(self._restyle)
        self._restyle()

    def offer(self, things: Sequence[tuple[str, str]]) -> None:
        """Offer things to try: a title and a line for each."""
        for button in self._buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for at, (title, line) in enumerate(things):
            button = SampleButton(self._theme, title, line)
            button.setProperty("thing", at)
            button.clicked.connect(self._clicked)
            self._buttons.append(button)
            self._row.addWidget(button, 1)

    def buttons(self) -> list[SampleButton]:
        """The buttons, in their order."""
        return self._buttons

    def set_busy(self, busy: bool) -> None:
        """Whether something is being measured."""
        for button in self._buttons:
            button.setEnabled(not busy)

    @Slot()
    def _clicked(self) -> None:
        self.tried.emit(self.sender().property("thing"))

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("answer"))
        self._words.setFont(theme.font("ui"))
        self._words.setMaximumWidth(theme.step(190))
        for button in self._buttons:
            button.restyle()
        self._row.setSpacing(theme.step(3))
        self._column.setSpacing(theme.step(3))
