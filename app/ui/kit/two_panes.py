"""Panes with splitters between them; and the two panes of a list and its chosen item."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QStackedWidget, QWidget

from app.ui.kit.boxes import column
from app.ui.kit.parts import Scrolling
from app.ui.kit.theme import Theme


class Panes(QSplitter):
    """Panes side by side, or stacked where they do not fit side by side, as with large text.

    `set_widths` and `widths` are about the panes side by side, also while they are stacked.
    """

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._widths: list[int] = []
        self.setChildrenCollapsible(False)

    def set_widths(self, widths: list[int]) -> None:
        """Set the widths of the panes side by side."""
        self._widths = widths
        if not self.are_stacked():
            self.setSizes(widths)

    def widths(self) -> list[int]:
        """The widths of the panes side by side, now or when they last were."""
        return self._widths if self.are_stacked() else self.sizes()

    def are_stacked(self) -> bool:
        """Whether the panes are stacked."""
        return self.orientation() is Qt.Orientation.Vertical

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest pane, since panes that do not fit side by side are stacked."""
        return QSize(max(self._least(), default=0), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Stack or unstack the panes when one of them needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange(self.width())
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange(event.size().width())
        super().resizeEvent(event)

    def _least(self) -> list[int]:
        """The least widths of the visible panes."""
        panes = [pane for at in range(self.count()) if (pane := self.widget(at)) and not pane.isHidden()]
        return [max(pane.minimumWidth(), pane.minimumSizeHint().width()) for pane in panes]

    def _arrange(self, wide: int) -> None:
        least = self._least()
        stacked = wide < sum(least) + (len(least) - 1) * self.handleWidth()
        if stacked == self.are_stacked() or not self.isVisible():
            return
        if stacked:
            self._widths = self.sizes()
            self.setOrientation(Qt.Orientation.Vertical)
            self.setSizes([self.height() // 2] * self.count())
        else:
            self.setOrientation(Qt.Orientation.Horizontal)
            self.setSizes(self._widths)


class TwoPanes(Panes):
    """At the left a column, `left`, in the scroll area `side`; at the right a stack of pages, `right`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        inner = QFrame()
        inner.setProperty("kind", "desk")
        self.left = column(theme, gap=3, margins=(4, 5, 4, 4), parent=inner)
        # It scrolls, for low windows and large text.
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
        """Show a page at the right, added to the stack if it is new."""
        if self.right.indexOf(page) < 0:
            self.right.addWidget(page)
        self.right.setCurrentWidget(page)

    def restore(self, widths: list[int]) -> None:
        """Set the saved widths, or the default ones."""
        self.set_widths(widths if len(widths) == 2 else [self._theme.step(96), self._theme.step(200)])
