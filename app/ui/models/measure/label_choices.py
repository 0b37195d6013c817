"""A mapping from a model's labels to the examples' labels, chosen by the user where their names differ."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QVBoxLayout

from app.ui.kit.theme import Theme

MOST_LABELS = 30
_WORDS = "The model calls things by other names. Say what each stands for in these examples; several may stand for one."


class LabelChoices(QFrame):
    """A row for each of the model's labels with a choice of the examples' labels; hidden while there is none.

    `chosen` is sent for every choice.
    """

    chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: list[tuple[QLabel, QComboBox]] = []
        self._words = QLabel(_WORDS)
        self._words.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(2, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._words)
        self._column.addLayout(self._grid)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def ask(self, model_labels: Sequence[str], set_labels: Sequence[str]) -> None:
        """Ask for these; only equal names are preset."""
        self.clear()
        for at, label in enumerate(model_labels[:MOST_LABELS]):
            name, choice = QLabel(label), QComboBox()
            name.setTextFormat(Qt.TextFormat.PlainText)
            choice.addItem("Nothing here", "")
            for wanted in set_labels:
                choice.addItem(wanted, wanted)
            same = next((each for each in set_labels if each.casefold() == label.casefold()), "")
            choice.setCurrentIndex(max(0, choice.findData(same)))
            choice.setAccessibleName(f"{label} stands for")
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            choice.activated.connect(self.chosen)
            name.setBuddy(choice)
            self._grid.addWidget(name, at, 0)
            self._grid.addWidget(choice, at, 1)
            self._rows.append((name, choice))
        self._restyle()
        self.show()
        if self._rows:
            self._rows[0][1].setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """Hide the question."""
        for row in self._rows:
            for widget in row:
                self._grid.removeWidget(widget)
                widget.deleteLater()
        self._rows = []
        self.hide()

    def choices(self) -> dict[str, QComboBox]:
        """Each label's choice."""
        return {name.text(): choice for name, choice in self._rows}

    def answer(self) -> dict[str, str]:
        """The examples' label for each of the model's that has one; empty while nothing is asked."""
        return {
            label: choice.currentData() for label, choice in self.choices().items() if choice.currentData()
        }

    @Slot()
    def _restyle(self) -> None:
        self._words.setFont(self._theme.font("small_strong"))
        for name, _ in self._rows:
            name.setFont(self._theme.font("ui"))
        self._grid.setHorizontalSpacing(self._theme.step(4))
        self._grid.setVerticalSpacing(self._theme.step(1))
        self._column.setSpacing(self._theme.step(2))
