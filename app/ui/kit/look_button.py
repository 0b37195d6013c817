"""The button that leads from a result to how the model came to it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QPushButton

from app.ui.kit.theme import Theme


class LookButton(QPushButton):
    """A button “Look inside”, with its icon unless it is `bare`, and its shortcut as the tool tip."""

    def __init__(self, theme: Theme, *, bare: bool = False) -> None:
        super().__init__("Look inside")
        self._theme = theme
        self.setAccessibleName("Look inside")
        self.setToolTip("See how the model came to this  (Ctrl+I)")
        if not bare:
            theme.changed.connect(self._restyle)
            self._restyle()

    @Slot()
    def _restyle(self) -> None:
        self.setIcon(self._theme.icon("inspect", "ink"))
        self.setIconSize(QSize(self._theme.step(4), self._theme.step(4)))
