"""A list of devices to choose from, each with its advantage or drawback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QLabel, QRadioButton, QWidget

from app.ui.kit.theme import Theme


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One device: its title, its description, a text at the right end, and whether it can be chosen.

    `tip` is the description in technical terms.
    """

    key: str
    title: str
    words: str
    aside: str = ""
    usable: bool = True
    tip: str = ""


class DeviceRows(QFrame):
    """A row for each device, one of them chosen. `chosen` carries the key of the one that the user picked."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[DeviceRow, ...] = ()
        self._buttons: dict[str, QRadioButton] = {}
        self._small: list[QLabel] = []
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._clicked)
        self.setAccessibleName(name)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(0, 1)
        theme.changed.connect(self._restyle)

    def set_rows(self, rows: Sequence[DeviceRow], chosen: str) -> None:
        """Show these rows, one of them chosen; the keyboard focus stays where it is."""
        if tuple(rows) != self._rows:
            focused = next((key for key, button in self._buttons.items() if button.hasFocus()), "")
            self._rows = tuple(rows)
            self._build()
            if focused in self._buttons:
                self._buttons[focused].setFocus(Qt.FocusReason.OtherFocusReason)
        self.select(chosen)

    def select(self, key: str) -> None:
        """Choose a row without sending `chosen`."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def selected(self) -> str:
        """The key of the chosen row, empty for none."""
        return next((key for key, button in self._buttons.items() if button.isChecked()), "")

    def words(self, key: str) -> str:
        """The description of a device."""
        return next((row.words for row in self._rows if row.key == key), "")

    def button(self, key: str) -> QRadioButton | None:
        """The button of a row."""
        return self._buttons.get(key)

    def focus_chosen(self) -> None:
        """Put the keyboard focus on the chosen row."""
        if button := self._buttons.get(self.selected()):
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        for button in self._buttons.values():
            self._group.removeButton(button)
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item else None
            if isinstance(widget, QWidget):
                widget.hide()
                widget.deleteLater()
        self._buttons.clear()
        self._small.clear()
        for at, row in enumerate(self._rows):
            button = QRadioButton(row.title)
            button.setEnabled(row.usable)
            button.setProperty("key", row.key)
            button.setAccessibleDescription(f"{row.words} {row.aside}".strip())
            words, aside = QLabel(row.words), QLabel(row.aside)
            for label in (words, aside):
                label.setProperty("ink", "quiet")
                label.setTextFormat(Qt.TextFormat.PlainText)
            words.setWordWrap(True)
            words.setToolTip(row.tip)
            button.setToolTip(row.tip)
            self._small += [words, aside]
            self._group.addButton(button)
            self._buttons[row.key] = button
            self._grid.addWidget(button, 2 * at, 0)
            self._grid.addWidget(aside, 2 * at, 1, Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(words, 2 * at + 1, 0, 1, 2)
        order = [
            self,
            *self._buttons.values(),
        ]  # created later than what follows, they would be last in Tab order
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)
        self._restyle()

    @Slot(object)
    def _clicked(self, button: QRadioButton) -> None:
        self.chosen.emit(button.property("key"))

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        for button in self._buttons.values():
            button.setFont(theme.font("ui"))
        for label in self._small:
            label.setFont(theme.font("small"))
        for words in self._small[::2]:
            words.setContentsMargins(theme.step(6.75), 0, 0, theme.step(2.5))
        self._grid.setVerticalSpacing(0)
        self._grid.setHorizontalSpacing(theme.step(4))
