"""The button that leads from a result to how the model came to it."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from app.ui.kit.theme import Theme


class LookButton(QPushButton):
    """A button “Look inside”, with its icon unless it is `bare`, and its shortcut as the tool tip."""

    def __init__(self, theme: Theme, *, bare: bool = False) -> None:
        super().__init__("Look inside")
        self.setAccessibleName("Look inside")
        self.setToolTip("See how the model came to this  (Ctrl+I)")
        if not bare:
            self.setIcon(theme.icon("inspect", "ink"))
