"""A grid of facts: each name with its value at the right, or below it in a narrow window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel

from app.ui.kit.parts import as_tip, plain_label
from app.ui.kit.theme import Theme

# Below this width of the grid, in steps, names are placed above their values.
_NARROW = 84


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact; `tip` is the technical term or further detail."""

    name: str
    value: str
    tip: str = ""


class FactsGrid(QFrame):
    """Facts, one below the other; the values can be selected and copied."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()
        self._labels: list[tuple[QLabel, QLabel]] = []
        self._narrow = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        theme.changed.connect(self._arrange)

    def set_facts(self, facts: Sequence[Fact]) -> None:
        """Show these facts; those without a value are left out."""
        self._facts = tuple(fact for fact in facts if fact.value)
        while len(self._labels) < len(self._facts):
            self._labels.append((plain_label(ink="quiet", wrap=False), plain_label(selectable=True)))
            self._place(len(self._labels) - 1)
        for at, (name, value) in enumerate(self._labels):
            shown = at < len(self._facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                fact = self._facts[at]
                name.setText(fact.name)
                value.setText(fact.value)
                value.setAccessibleName(f"{name.text()}: {value.text()}")
                for label in (name, value):
                    label.setToolTip(as_tip(fact.tip))
        self._arrange()

    def value(self, name: str) -> str:
        """The value of the fact of this name; empty if there is none."""
        return next((fact.value for fact in self._facts if fact.name == name), "")

    def _place(self, at: int) -> None:
        """Put a name to the left of its value, or above it in a narrow window."""
        for part in self._labels[at]:
            self._grid.removeWidget(part)
        name, value = self._labels[at]
        self._grid.addWidget(name, 2 * at, 0, Qt.AlignmentFlag.AlignTop)
        below = int(self._narrow)
        self._grid.addWidget(value, 2 * at + below, 1 - below)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._narrow != self._is_narrow():
            self._arrange()

    def _is_narrow(self) -> bool:
        return self.width() < self._theme.step(_NARROW)

    @Slot()
    def _arrange(self) -> None:
        if self._narrow != self._is_narrow():
            self._narrow = not self._narrow
            for at in range(len(self._labels)):
                self._place(at)
        step = self._theme.step
        for _, value in self._labels:
            value.setContentsMargins(0, 0, 0, step(1.5) if self._narrow else 0)
        self._grid.setHorizontalSpacing(0 if self._narrow else step(6))
        self._grid.setVerticalSpacing(step(0.5 if self._narrow else 2))
        self._grid.setColumnMinimumWidth(0, 0 if self._narrow else step(28))
        for column in (0, 1):
            self._grid.setColumnStretch(column, int((column == 0) == self._narrow))
