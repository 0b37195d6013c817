"""The types of names: how each looks on the page, what it is called, how many there are, and whether it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel

from app.core import wording
from app.ui.heads.names.name_styles import NameStyle, NameSwatch
from app.ui.kit.theme import Theme

# From so many types on they stand in two columns.
_ONE_COLUMN = 6


class NameLegend(QFrame):
    """A row for each type with a tick; `changed` is sent when a tick was set or taken away."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._styles: tuple[NameStyle, ...] = ()
        self._ticks: list[QCheckBox] = []
        self._counts: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName("Types of names")
        theme.changed.connect(self._restyle)

    def set_styles(self, styles: Sequence[NameStyle]) -> None:
        """Take the types, in their order; those that were there already keep their ticks."""
        if tuple(styles) == self._styles:
            return
        hidden = {
            style.label for style, tick in zip(self._styles, self._ticks, strict=True) if not tick.isChecked()
        }
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.deleteLater()
        self._styles, self._ticks, self._counts = tuple(styles), [], []
        columns = 1 if len(styles) <= _ONE_COLUMN else 2
        high = -(-len(styles) // columns)
        for at, style in enumerate(styles):
            tick = QCheckBox(style.plain)
            tick.setChecked(style.label not in hidden)
            tick.setToolTip(f"{style.label}: show or hide on the page")
            tick.toggled.connect(self.changed)
            number = QLabel()
            number.setProperty("ink", "quiet")
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row, column = at % high, at // high * 3
            self._grid.addWidget(NameSwatch(self._theme, style), row, column)
            self._grid.addWidget(tick, row, column + 1)
            self._grid.addWidget(number, row, column + 2)
            self._grid.setColumnStretch(column + 1, 1)
            self._ticks.append(tick)
            self._counts.append(number)
        self._restyle()

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Say how many names there are of each type."""
        for style, tick, label in zip(self._styles, self._ticks, self._counts, strict=True):
            number = counts.get(style.label, 0)
            label.setText(f"{number:,}" if number else "none")
            tick.setAccessibleName(f"Show {style.plain}, {wording.count(number, 'place')}")

    def hidden(self) -> frozenset[int]:
        """The numbers of the types whose ticks were taken away."""
        return frozenset(
            style.number
            for style, tick in zip(self._styles, self._ticks, strict=True)
            if not tick.isChecked()
        )

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        for label in self._counts:
            label.setFont(theme.font("small"))
        self._grid.setHorizontalSpacing(theme.step(2.5))
        self._grid.setVerticalSpacing(theme.step(0.5))
