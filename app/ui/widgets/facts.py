"""Facts in two columns: what each is called, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel

from app.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact; `tip` is the field's own term or what else a curious person wants to know."""

    name: str
    value: str
    tip: str = ""


class FactsGrid(QFrame):
    """Facts one below the other, quiet names at the left; the values can be selected and copied."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()
        self._labels: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        theme.changed.connect(self._restyle)

    def set_facts(self, facts: Sequence[Fact]) -> None:
        """Show these; those without a value are left out."""
        self._facts = tuple(fact for fact in facts if fact.value)
        while len(self._labels) < len(self._facts):
            self._add_row()
        for at, (name, value) in enumerate(self._labels):
            shown = at < len(self._facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                fact = self._facts[at]
                name.setText(fact.name)
                value.setText(fact.value)
                value.setAccessibleName(f"{fact.name}: {fact.value}")
                for label in (name, value):
                    label.setToolTip(fact.tip)
        self._restyle()

    def value(self, name: str) -> str:
        """What is said under a name, empty where nothing is."""
        return next((fact.value for fact in self._facts if fact.name == name), "")

    def _add_row(self) -> None:
        name, value = QLabel(), QLabel()
        name.setProperty("ink", "quiet")
        for label in (name, value):
            label.setTextFormat(Qt.TextFormat.PlainText)
        value.setWordWrap(True)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        at = len(self._labels)
        self._grid.addWidget(name, at, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, at, 1)
        self._labels.append((name, value))

    @Slot()
    def _restyle(self) -> None:
        step = self._theme.step
        for name, value in self._labels:
            name.setFont(self._theme.font("ui"))
            value.setFont(self._theme.font("ui"))
        self._grid.setHorizontalSpacing(step(6))
        self._grid.setVerticalSpacing(step(2))
        self._grid.setColumnMinimumWidth(0, step(28))
