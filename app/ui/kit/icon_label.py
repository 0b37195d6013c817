"""An icon that stands by itself."""

from __future__ import annotations

from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.kit.theme import Theme


class IconLabel(QWidget):
    """An icon, `steps` wide and high."""

    def __init__(self, theme: Theme, icon: QIcon, steps: float) -> None:
        super().__init__()
        self._icon = icon
        theme.in_steps(self.setFixedSize, steps, steps)

    def set_icon(self, icon: QIcon) -> None:
        """Show another icon."""
        self._icon = icon
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._icon.paint(QPainter(self), self.rect())
