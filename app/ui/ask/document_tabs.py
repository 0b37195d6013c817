"""The open documents as tabs, with buttons for a new text, for opening files, and to reopen a closed tab."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QFont, QFontMetrics, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionTab,
    QStylePainter,
    QTabBar,
    QToolButton,
)

from app.core.legible import legible
from app.ui.kit.boxes import row
from app.ui.kit.parts import as_tip, caption, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

_UNDO_MS = 20_000


class TabStrip(QTabBar):
    """The tabs; a preview's title is in italics. `middle_clicked` carries the index of the tab to close."""

    middle_clicked = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def set_preview(self, index: int, on: bool) -> None:
        """Set whether a tab is a preview, whose place the next file opened from a list of answers takes."""
        if bool(self.tabData(index)) != on:
            self.setTabData(index, on)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QStylePainter(self)
        for index in range(self.count()):
            # Of a tab that is scrolled half out of sight, the cross would be left without the name. Qt sends no
            # signal when it scrolls the tabs: it only paints them.
            self.tabButton(index, QTabBar.ButtonPosition.RightSide).setVisible(
                self.tabRect(index).left() >= 0
            )
            if not self.tabData(index):
                continue
            option = QStyleOptionTab()
            super().initStyleOption(option, index)
            room = self.style().subElementRect(QStyle.SubElement.SE_TabBarTabText, option, self)
            font = self.font()
            font.setItalic(True)
            ink = "ink" if index == self.currentIndex() else "ink_quiet"
            if index == self.currentIndex():
                font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            painter.setPen(self._theme.colour(ink))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextShowMnemonic
            words = QFontMetrics(font).elidedText(self.tabText(index), self.elideMode(), room.width(), flags)
            painter.drawText(room, int(flags), words)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            index = self.tabAt(event.position().toPoint())
            if index >= 0:
                self.middle_clicked.emit(index)
        super().mouseReleaseEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Qt scrolls until the current tab is visible, but not back when there is room again.
        front = self.currentIndex()
        if front > 0 and self.tabRect(0).left() < 0 and event.size().width() > event.oldSize().width():
            with QSignalBlocker(self):
                self.setCurrentIndex(0)
                self.setCurrentIndex(front)

    def initStyleOption(self, option: QStyleOptionTab, index: int) -> None:
        super().initStyleOption(option, index)
        if self.tabData(index):
            option.text = ""  # drawn in paintEvent: the style sheet's font would undo the italics
            return
        if index != self.currentIndex():
            return
        # Qt elides by the bar's font; the tab in front has the style sheet's bolder one, and would be cut at both ends.
        room = self.style().subElementRect(QStyle.SubElement.SE_TabBarTabText, option, self).width()
        words, flags = self.tabText(index), Qt.TextFlag.TextShowMnemonic.value
        option.text = self._current_metrics().elidedText(words, self.elideMode(), room, flags)

    def tabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        if index != self.currentIndex():
            # As wide as with the bold font of the current tab, so that choosing it neither moves tabs nor elides it.
            words = self.tabText(index)
            more = self._current_metrics().horizontalAdvance(words) - self.fontMetrics().horizontalAdvance(
                words
            )
            hint.setWidth(hint.width() + max(0, more))
        return hint

    def _current_metrics(self) -> QFontMetrics:
        font = self.font()
        font.setWeight(QFont.Weight.DemiBold)
        return QFontMetrics(font)

    def minimumTabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * 20), hint.height())


class DocumentTabs(QFrame):
    """The tabs, `strip`, with the buttons `documents`, `new`, `open`, and, after a tab was closed, `undo`.

    `close_requested` carries a tab's index, `recent_requested` the path of a recent file, or an empty one to clear the
    list of recent files.
    """

    recent_requested = Signal(str)
    close_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "frame")
        self.strip = TabStrip(theme)
        self.strip.setAccessibleName(tr("Open documents"))
        self.strip.setDrawBase(False)
        self.strip.setExpanding(False)
        self.strip.setElideMode(Qt.TextElideMode.ElideRight)
        self.strip.setUsesScrollButtons(True)
        self.strip.setStyleSheet("QTabBar::tear { width: 0; border: 0; }")
        self.strip.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.new, self.open, self._recent = QToolButton(), QToolButton(), QToolButton()
        self.documents = QToolButton()
        self.documents.setCheckable(True)
        for button, icon, name, tip in (
            (self.documents, "list", tr("List of documents"), tr("List of documents  (Ctrl+B)")),
            (self.new, "plus", tr("New text"), tr("New text  (Ctrl+T)")),
            (self.open, "open", tr("Open files"), tr("Open files  (Ctrl+O)")),
            (self._recent, "down", tr("Files opened before"), tr("Files opened before")),
        ):
            button.setIcon(theme.icon(icon))
            button.setAccessibleName(name)
            button.setToolTip(as_tip(tip))
        self._files = QMenu(self)
        self._files.setToolTipsVisible(True)
        self._files.triggered.connect(self._recent_chosen)
        self._recent.setMenu(self._files)
        self._recent.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._recent.setStyleSheet("QToolButton::menu-indicator { image: none; width: 0; }")
        self._recent.hide()
        self._closed = plain_label(type="small", ink="quiet", wrap=False)
        self.undo = push_button(
            theme,
            tr("Undo"),
            kind="link",
            name=tr("Bring the closed text back"),
            tip=tr("Bring it back  (Ctrl+Shift+T)"),
        )
        mark(self.undo, type="small")
        strip = self.strip, 0, Qt.AlignmentFlag.AlignBottom
        row(
            theme, self.documents, strip, self.new, self.open, self._recent, 1, self._closed, self.undo,
            gap=1, margins=(3, 0, 3, 0), parent=self,
        )  # fmt: skip
        self._timer = QTimer(self, interval=_UNDO_MS, singleShot=True)
        self._timer.timeout.connect(self.forget_closed)
        theme.changed.connect(self._resize_close_buttons)
        self.strip.middle_clicked.connect(self.close_requested)
        self.forget_closed()

    def add(self, title: str, tip: str = "", at: int = -1) -> int:
        """Add a tab, by default at the end; returns its index."""
        with QSignalBlocker(self.strip):
            index = self.strip.insertTab(at if at >= 0 else self.strip.count(), "")
        close = QToolButton()
        close.setIcon(self._theme.icon("close"))
        mark(close, kind="close")
        close.setToolTip(as_tip(tr("Close  (Ctrl+W)")))
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.clicked.connect(self._close_clicked)
        self.strip.setTabButton(index, QTabBar.ButtonPosition.RightSide, close)
        self.rename(index, title, tip)
        for scroller in self.strip.findChildren(QToolButton):
            if scroller.objectName().startswith("Scroll"):
                scroller.raise_()  # above the tabs' own buttons, which were added later
        return index

    def rename(self, index: int, title: str, tip: str = "") -> None:
        """Set a tab's title; `tip` is its tool tip, such as a file's path."""
        self.strip.setTabText(index, caption(title))
        self.strip.setTabToolTip(index, as_tip(tip or title))
        close = self.strip.tabButton(index, QTabBar.ButtonPosition.RightSide)
        if close is not None:
            close.setAccessibleName(tr("Close {title}", title=title))

    def remove(self, index: int) -> None:
        """Remove a tab without sending a signal."""
        with QSignalBlocker(self.strip):
            self.strip.removeTab(index)

    def select(self, index: int) -> None:
        """Make a tab the current one without sending a signal."""
        with QSignalBlocker(self.strip):
            self.strip.setCurrentIndex(index)

    def set_recent(self, paths: Sequence[str]) -> None:
        """Set the menu of recent files, the latest first."""
        self._files.clear()
        for path in paths:
            action = self._files.addAction(caption(legible(Path(path).name or path)))
            action.setData(path)
            action.setToolTip(as_tip(path))
        self._files.addSeparator()
        self._files.addAction(tr("Forget these")).setData("")
        self._recent.setVisible(bool(paths))

    def show_closed(self, title: str) -> None:
        """Say that a text was closed, and offer for a while to reopen it."""
        short = title if len(title) <= 24 else f"{title[:23]}…"
        self._closed.setText(tr("“{title}” closed", title=short))
        self._closed.show()
        self.undo.show()
        self._timer.start()

    @Slot()
    def forget_closed(self) -> None:
        """Hide the offer to reopen a closed text."""
        self._timer.stop()
        self._closed.hide()
        self.undo.hide()

    @Slot()
    def _resize_close_buttons(self) -> None:
        """Fit the close buttons to the text size: Qt keeps the size that they were added with."""
        for index in range(self.strip.count()):
            self.strip.tabButton(index, QTabBar.ButtonPosition.RightSide).adjustSize()
        self.strip.updateGeometry()

    @Slot(QAction)
    def _recent_chosen(self, action: QAction) -> None:
        self.recent_requested.emit(str(action.data()))

    @Slot()
    def _close_clicked(self) -> None:
        for index in range(self.strip.count()):
            if self.strip.tabButton(index, QTabBar.ButtonPosition.RightSide) is self.sender():
                self.close_requested.emit(index)
                return
