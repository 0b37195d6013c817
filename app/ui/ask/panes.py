"""The Ask page's two panes: the document, and the question with its answers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.settings.settings import Settings
from app.ui.kit.boxes import column, row
from app.ui.kit.theme import Theme

_SPLITTER = "ask"
# In steps: the side panel's usual and preferred least widths, the page's preferred least width, which takes precedence
# where there is no room for both, and the page's least width.
_SIDE, _SIDE_WELL, _PAGE_WELL, _PAGE_LEAST = 98, 76, 62, 50


class AskPanes(QSplitter):
    """`page` in the middle with `above` over it, and `side` at the right, as wide as saved or as fits the window.

    `row` holds the page, `column` holds that row: further widgets can be added beside the page and below it.
    """

    def __init__(
        self, theme: Theme, settings: Settings, above: QWidget, page: QWidget, side: QWidget
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self._settings = settings
        middle = QWidget()
        self.row = row(theme, (page, 1))
        self.column = column(theme, above, (self.row, 1), parent=middle)
        theme.in_steps(middle.setMinimumWidth, _PAGE_LEAST)
        self.addWidget(middle)
        self.addWidget(side)
        self.setStretchFactor(0, 1)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.splitterMoved.connect(self._moved)
        saved = settings.splitters.get(_SPLITTER)
        self._placed = saved is not None
        if saved is not None:
            self.setSizes(saved)

    def keep(self) -> None:
        """Save the splitter's position in the settings, where the user has moved it."""
        if self._placed:
            self._settings.splitters[_SPLITTER] = self.sizes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the side panel's width as long as the user has not moved the splitter."""
        super().resizeEvent(event)
        if not self._placed:
            step = self._theme.step
            wide = max(step(_SIDE_WELL), min(step(_SIDE), self.width() * 3 // 8))
            wide = min(wide, self.width() - step(_PAGE_WELL))
            self.setSizes([self.width() - wide, wide])

    @Slot()
    def _moved(self) -> None:
        self._placed = True
