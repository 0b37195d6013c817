"""Two panes with a splitter between them; and those of a list and the page of its chosen item."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QStackedWidget, QWidget

from app.ui.kit.boxes import column
from app.ui.kit.parts import Scrolling
from app.ui.kit.theme import Theme


class Panes(QSplitter):
    """Panes beside each other, or one above the other where they are too wide for that, as with large text.

    Sizes are set with `place` and read with `placed`: always those of panes beside each other.
    """

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._beside: list[int] = []
        self.setChildrenCollapsible(False)

    def place(self, sizes: list[int]) -> None:
        """Set the sizes of the panes beside each other."""
        self._beside = sizes
        if not self.are_stacked():
            self.setSizes(sizes)

    def placed(self) -> list[int]:
        """The sizes of the panes beside each other, now or when they last were."""
        return self._beside if self.are_stacked() else self.sizes()

    def are_stacked(self) -> bool:
        """Whether they are one above the other."""
        return self.orientation() is Qt.Orientation.Vertical

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest pane: what is narrower than all of them stacks them."""
        return QSize(max(self._least(), default=0), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Look again whether there is room when a pane needs more or less of it."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange(self.width())
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange(event.size().width())
        super().resizeEvent(event)

    def _least(self) -> list[int]:
        panes = [pane for at in range(self.count()) if (pane := self.widget(at)) and not pane.isHidden()]
        return [max(pane.minimumWidth(), pane.minimumSizeHint().width()) for pane in panes]

    def _arrange(self, wide: int) -> None:
        least = self._least()
        stacked = wide < sum(least) + (len(least) - 1) * self.handleWidth()
        if stacked == self.are_stacked() or not self.isVisible():
            return
        if stacked:
            self._beside = self.sizes()
            self.setOrientation(Qt.Orientation.Vertical)
            self.setSizes([self.height() // 2] * self.count())
        else:
            self.setOrientation(Qt.Orientation.Horizontal)
            self.setSizes(self._beside)


class TwoPanes(Panes):
    """`left` is a column on the desk's ground, in the `side` that scrolls; `right` a stack of pages on a panel."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        inner = QFrame()
        inner.setProperty("kind", "desk")
        self.left = column(theme, gap=3, margins=(4, 5, 4, 4), parent=inner)
        # It scrolls, so that all of it can be reached in a low window or at a large text size.
        self.side = Scrolling(inner)
        self.right = QStackedWidget()
        self.right.setProperty("kind", "panel")
        self.addWidget(self.side)
        self.addWidget(self.right)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setHandleWidth(1)
        theme.in_steps(inner.setMinimumWidth, 72)
        theme.in_steps(self.right.setMinimumWidth, 76)

    def show_right(self, page: QWidget) -> None:
        """Show a page at the right, which is added to the stack if it is new."""
        if self.right.indexOf(page) < 0:
            self.right.addWidget(page)
        self.right.setCurrentWidget(page)

    def restore(self, sizes: list[int]) -> None:
        """Set the saved sizes, or the default ones."""
        self.place(sizes if len(sizes) == 2 else [self._theme.step(96), self._theme.step(200)])
