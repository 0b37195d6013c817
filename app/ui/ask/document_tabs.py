"""The open documents as tabs, with a new one, opening a file, and bringing a closed one back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QFont, QFontMetrics, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionTab,
    QTabBar,
    QToolButton,
)

from app.ui.kit.theme import Theme, mark

_UNDO_MS = 20_000


class TabStrip(QTabBar):
    """The tabs themselves; the middle mouse button closes one (`middle_clicked`)."""

    middle_clicked = Signal(int)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            index = self.tabAt(event.position().toPoint())
            if index >= 0:
                self.middle_clicked.emit(index)
        super().mouseReleaseEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Qt scrolls until the current tab is visible, but not back where there is room again.
        front = self.currentIndex()
        if front > 0 and self.tabRect(0).left() < 0 and event.size().width() > event.oldSize().width():
            silent = self.blockSignals(True)
            self.setCurrentIndex(0)
            self.setCurrentIndex(front)
            self.blockSignals(silent)

    def initStyleOption(self, option: QStyleOptionTab, index: int) -> None:
        super().initStyleOption(option, index)
        if index != self.currentIndex():
            return
        # Qt elides by the bar's font; the tab in front has the style sheet's bolder one, and would be cut at both ends.
        room = self.style().subElementRect(QStyle.SubElement.SE_TabBarTabText, option, self).width()
        words, flags = self.tabText(index), Qt.TextFlag.TextShowMnemonic.value
        option.text = self._in_front().elidedText(words, self.elideMode(), room, flags)

    def tabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        if index != self.currentIndex():
            # As wide as it will be in front, so that the row stays as it is, and no name is cut where there is room.
            words = self.tabText(index)
            more = self._in_front().horizontalAdvance(words) - self.fontMetrics().horizontalAdvance(words)
            hint.setWidth(hint.width() + max(0, more))
        return hint

    def _in_front(self) -> QFontMetrics:
        font = self.font()
        font.setWeight(QFont.Weight.DemiBold)
        return QFontMetrics(font)

    def minimumTabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * 20), hint.height())


class DocumentTabs(QFrame):
    """A row of tabs; the view keeps their documents.

    `chosen` and `close_requested` carry a tab's index; the other requests are sent by their buttons. `recent_requested`
    carries the path of a file opened before, or is empty to clear that list.
    """

    recent_requested = Signal(str)

    chosen = Signal(int)
    close_requested = Signal(int)
    new_requested = Signal()
    open_requested = Signal()
    undo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "frame")
        self.strip = TabStrip()
        self.strip.setAccessibleName("Open documents")
        self.strip.setDrawBase(False)
        self.strip.setExpanding(False)
        self.strip.setElideMode(Qt.TextElideMode.ElideRight)
        self.strip.setUsesScrollButtons(True)
        self.strip.setStyleSheet("QTabBar::tear { width: 0; border: 0; }")
        self.strip.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._new, self._open, self._recent = QToolButton(), QToolButton(), QToolButton()
        for button, name, tip in (
            (self._new, "New text", "New text  (Ctrl+T)"),
            (self._open, "Open files", "Open files  (Ctrl+O)"),
            (self._recent, "Files opened before", "Files opened before"),
        ):
            button.setAccessibleName(name)
            button.setToolTip(tip)
        self._files = QMenu(self)
        self._files.setToolTipsVisible(True)
        self._files.triggered.connect(self._recent_chosen)
        self._recent.setMenu(self._files)
        self._recent.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._recent.setStyleSheet("QToolButton::menu-indicator { image: none; width: 0; }")
        self._recent.hide()
        self._closed = QLabel()
        self._closed.setProperty("ink", "quiet")
        self._undo = QPushButton("Undo")
        self._undo.setAccessibleName("Bring the closed text back")
        self._undo.setToolTip("Bring it back  (Ctrl+Shift+T)")
        mark(self._undo, kind="link")
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.strip, 0, Qt.AlignmentFlag.AlignBottom)
        self._row.addWidget(self._new)
        self._row.addWidget(self._open)
        self._row.addWidget(self._recent)
        self._row.addStretch(1)
        self._row.addWidget(self._closed)
        self._row.addWidget(self._undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_UNDO_MS)
        self._timer.timeout.connect(self.forget_closed)
        self.strip.currentChanged.connect(self.chosen)
        self.strip.middle_clicked.connect(self.close_requested)
        self._new.clicked.connect(self.new_requested)
        self._open.clicked.connect(self.open_requested)
        self._undo.clicked.connect(self.undo_requested)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.forget_closed()

    def add(self, title: str, tip: str = "", at: int = -1) -> int:
        """Add a tab, by default at the end; returns its index."""
        self.strip.blockSignals(True)
        index = self.strip.insertTab(at if at >= 0 else self.strip.count(), "")
        close = QToolButton()
        close.setToolTip("Close  (Ctrl+W)")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.clicked.connect(self._close_clicked)
        self.strip.setTabButton(index, QTabBar.ButtonPosition.RightSide, close)
        self.strip.blockSignals(False)
        self.rename(index, title, tip)
        self._restyle()
        return index

    def rename(self, index: int, title: str, tip: str = "") -> None:
        """Give a tab another title; `tip` is its tool tip, such as a file's path."""
        self.strip.setTabText(index, title.replace("&", "&&"))
        self.strip.setTabToolTip(index, tip or title)
        close = self.strip.tabButton(index, QTabBar.ButtonPosition.RightSide)
        if close is not None:
            close.setAccessibleName(f"Close {title}")

    def remove(self, index: int) -> None:
        """Remove a tab without a signal."""
        self.strip.blockSignals(True)
        self.strip.removeTab(index)
        self.strip.blockSignals(False)

    def select(self, index: int) -> None:
        """Make a tab the current one without a signal."""
        self.strip.blockSignals(True)
        self.strip.setCurrentIndex(index)
        self.strip.blockSignals(False)

    def title(self, index: int) -> str:
        """A tab's title."""
        return self.strip.tabText(index).replace("&&", "&")

    def set_recent(self, paths: Sequence[str]) -> None:
        """Offer files opened before, the latest first."""
        self._files.clear()
        for path in paths:
            action = self._files.addAction(Path(path).name.replace("&", "&&") or path)
            action.setData(path)
            action.setToolTip(path)
        self._files.addSeparator()
        self._files.addAction("Forget these").setData("")
        self._recent.setVisible(bool(paths))

    def show_closed(self, title: str) -> None:
        """Show that a text was closed, and offer for a while to restore it."""
        short = title if len(title) <= 24 else f"{title[:23]}…"
        self._closed.setText(f"“{short}” closed")
        self._closed.show()
        self._undo.show()
        self._timer.start()

    @Slot()
    def forget_closed(self) -> None:
        """Hide the offer to restore a closed text."""
        self._timer.stop()
        self._closed.hide()
        self._undo.hide()

    def undo_button(self) -> QPushButton:
        """The button that restores a closed text."""
        return self._undo

    @Slot(QAction)
    def _recent_chosen(self, action: QAction) -> None:
        self.recent_requested.emit(str(action.data()))

    @Slot()
    def _close_clicked(self) -> None:
        for index in range(self.strip.count()):
            if self.strip.tabButton(index, QTabBar.ButtonPosition.RightSide) is self.sender():
                self.close_requested.emit(index)
                return

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        size = QSize(theme.step(4), theme.step(4))
        for button, icon in ((self._new, "plus"), (self._open, "open"), (self._recent, "down")):
            button.setIcon(theme.icon(icon))
            button.setIconSize(size)
        for index in range(self.strip.count()):
            close = self.strip.tabButton(index, QTabBar.ButtonPosition.RightSide)
            if isinstance(close, QToolButton):
                close.setIcon(theme.icon("close"))
                close.setIconSize(QSize(theme.step(3.5), theme.step(3.5)))
        for scroller in self.strip.findChildren(QToolButton):
            if scroller.objectName().startswith("Scroll"):
                scroller.raise_()  # above the tabs' own buttons, which were added later
        for widget in (self._closed, self._undo):
            widget.setFont(theme.font("small"))
        self._row.setContentsMargins(theme.step(3), 0, theme.step(3), 0)
        self._row.setSpacing(theme.step(1))
