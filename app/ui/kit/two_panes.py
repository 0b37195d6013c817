"""A list at the left and the page of the chosen item at the right, with a splitter between them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.ui.kit.parts import Scrolling
from app.ui.kit.theme import Theme


class TwoPanes(QSplitter):
    """`left` is a column on the desk's ground, in the `side` that scrolls; `right` a stack of pages on a panel."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        inner = QFrame()
        inner.setProperty("kind", "desk")
        self.left = QVBoxLayout(inner)
        # It scrolls, so that all of it can be reached in a low window or at a large text size.
        self.side = Scrolling(inner)
        self.right = QStackedWidget()
        self.right.setProperty("kind", "panel")
        self.addWidget(self.side)
        self.addWidget(self.right)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setHandleWidth(1)
        theme.in_steps(self.side.setMinimumWidth, 74)
        theme.in_steps(self.right.setMinimumWidth, 76)
        theme.space(self.left, 3, (4, 5, 4, 4))

    def show_right(self, page: QWidget) -> None:
        """Show a page at the right, which is added to the stack if it is new."""
        if self.right.indexOf(page) < 0:
            self.right.addWidget(page)
        self.right.setCurrentWidget(page)

    def restore(self, sizes: list[int]) -> None:
        """Set the saved sizes, or the default ones."""
        self.setSizes(sizes if len(sizes) == 2 else [self._theme.step(96), self._theme.step(200)])
