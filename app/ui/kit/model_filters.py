"""The search and filters above a list of models."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QVBoxLayout

from app.ui.kit.parts import as_tip
from app.ui.kit.search_line import SearchLine
from app.ui.kit.spoken import name_choice
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_ABREAST = 2

Choices = tuple[tuple[str, str], ...]


class ModelFilters(QFrame):
    """A search line, and below it, two abreast, a choice for each name in `filters` with its (key, title) pairs.

    `changed` is sent when a filter was chosen, and a moment after the search changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, placeholder: str, filters: dict[str, Choices]) -> None:
        super().__init__()
        self.search = SearchLine(theme, placeholder)
        self.search.searched.connect(self.changed)
        self.choices: dict[str, QComboBox] = {}
        grid = QGridLayout()
        for at, (name, choices) in enumerate(filters.items()):
            box = self.choices[name] = QComboBox()
            name_choice(box, name)
            box.setToolTip(as_tip(tr("{filter}: which models are listed", filter=name)))
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            self.offer(name, choices)
            box.activated.connect(self.changed)
            grid.addWidget(box, at // _ABREAST, at % _ABREAST)
            grid.setColumnStretch(at % _ABREAST, 1)
        column = QVBoxLayout(self)
        column.addWidget(self.search)
        column.addLayout(grid)
        theme.space(grid, 2)
        theme.space(column, 2)

    def words(self) -> str:
        """The text of the search."""
        return self.search.text()

    def choice(self, name: str) -> str:
        """The key that is chosen under a name."""
        return str(self.choices[name].currentData() or "")

    def choose(self, name: str, key: str) -> None:
        """Choose what a key stands for under a name, where it is offered."""
        self.choices[name].setCurrentIndex(max(0, self.choices[name].findData(key)))
        self.changed.emit()

    def offer(self, name: str, choices: Choices) -> None:
        """Set the choices of a filter; the current one stays if it is still offered."""
        box, before = self.choices[name], self.choice(name)
        box.clear()
        for key, title in choices:
            box.addItem(localised(title), key)
        box.setCurrentIndex(max(0, box.findData(before)))

    @property
    def narrowing(self) -> bool:
        """Whether a search or a filter is set."""
        return bool(self.words().strip()) or any(self.choice(name) for name in self.choices)

    @Slot()
    def clear(self) -> None:
        """Clear the search and all filters."""
        self.search.clear()
        for box in self.choices.values():
            box.setCurrentIndex(0)
        self.changed.emit()
