"""The document in the middle and the question beside it, with a line to drag between them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.settings.settings import Settings
from app.ui.kit.theme import Theme

_KEPT = "ask"
# In steps: what the side takes of a window with room, what it needs to look well, and the least for each part.
_SIDE, _SIDE_WELL, _PAGE_LEAST = 98, 76, 50


class AskPanes(QSplitter):
    """`above` and `page` in the middle, `side` beside them, as wide as it was left, or as the window allows."""

    def __init__(
        self, theme: Theme, settings: Settings, above: QWidget, page: QWidget, side: QWidget
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self._settings = settings
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(above)
        column.addWidget(page, 1)
        middle.setMinimumWidth(theme.step(_PAGE_LEAST))
        self.addWidget(middle)
        self.addWidget(side)
        self.setStretchFactor(0, 1)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.splitterMoved.connect(self._moved)
        kept = settings.splitters.get(_KEPT)
        self._placed = kept is not None
        if kept is not None:
            self.setSizes(kept)

    def keep(self) -> None:
        """Put the line's place into the settings, where a person has chosen one."""
        if self._placed:
            self._settings.splitters[_KEPT] = self.sizes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the side its share as long as nobody has chosen another one."""
        super().resizeEvent(event)
        if not self._placed:
            step = self._theme.step
            wide = max(step(_SIDE_WELL), min(step(_SIDE), self.width() // 3))
            self.setSizes([self.width() - wide, wide])

    @Slot()
    def _moved(self) -> None:
        self._placed = True
