"""A search line for lists."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QToolButton, QWidget

from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_SEARCH_AFTER_MS = 120


class SearchLine(QLineEdit):
    """A line edit with a magnifying glass at its left and a button that clears it.

    Esc clears it too, except while `busy_sign` is shown: then Esc is left to the window, which stops the work.
    `searched` is sent a moment after the text has changed, `down_requested` on Enter or the arrow down to the list.
    """

    searched = Signal()
    down_requested = Signal()

    def __init__(self, theme: Theme, placeholder: str, busy_sign: QWidget | None = None) -> None:
        super().__init__()
        self._busy_sign = busy_sign
        self._theme = theme
        self.setPlaceholderText(localised(placeholder))
        self.setAccessibleName(self.placeholderText())
        self._glass = QAction(self)
        self._glass.setEnabled(False)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.clear_action = QAction(tr("Clear"), self)
        self.clear_action.setToolTip(as_tip(tr("Clear  (Esc)")))
        self.clear_action.setVisible(False)
        self.clear_action.triggered.connect(self.clear)
        self.addAction(self.clear_action, QLineEdit.ActionPosition.TrailingPosition)
        self._soon = QTimer(self, interval=_SEARCH_AFTER_MS, singleShot=True)
        self._soon.timeout.connect(self.searched)
        self.textChanged.connect(self._typed)
        for button in self.findChildren(QToolButton):
            action = button.defaultAction()
            button.installEventFilter(self)
            button.setAccessibleName(tr("Clear") if action is self.clear_action else tr("Search"))
        self._glass.setIcon(theme.icon("search"))
        self.clear_action.setIcon(theme.icon("close"))
        theme.changed.connect(self._size_icons)
        self._size_icons()

    @property
    def pending(self) -> bool:
        """Whether `searched` is still to be sent for what was typed."""
        return self._soon.isActive()

    def cancel_pending(self) -> None:
        """Do not send `searched` for what was typed: the caller is searching already."""
        self._soon.stop()

    def go_in(self) -> None:
        """Put the keyboard focus here, with the text selected."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.down_requested.emit()
                return True
            busy = self._busy_sign is not None and not self._busy_sign.isHidden()
            if event.key() == Qt.Key.Key_Escape and self.text() and not busy:
                self.clear()
                return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_icons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Paint the icons in the size of larger text, as Qt paints them in one size only."""
        if event.type() == QEvent.Type.Paint and isinstance(watched, QToolButton) and self._growth():
            rect = QRect(QPoint(), watched.iconSize())
            rect.moveCenter(watched.rect().center())
            mode = QIcon.Mode.Normal if watched.isEnabled() else QIcon.Mode.Disabled
            watched.icon().paint(QPainter(watched), rect, mode=mode)
            return True
        return super().eventFilter(watched, event)

    def _growth(self) -> int:
        """By how many pixels icons are larger than Qt's."""
        usual = self.style().pixelMetric(QStyle.PixelMetric.PM_SmallIconSize)
        return max(0, self._theme.step(4) - usual)

    @Slot()
    def _size_icons(self) -> None:
        """Have both icons grow with the text, as Qt gives them one size only."""
        more = self._growth()
        self.setTextMargins(more, 0, more if self.text() else 0, 0)
        for button in self.findChildren(QToolButton) if more else ():
            size, gap = button.iconSize(), self._theme.step(2)
            is_clear = button.defaultAction() is self.clear_action
            left = self.width() - size.width() - gap if is_clear else gap
            button.setGeometry(QRect(QPoint(left, (self.height() - size.height()) // 2), size))

    @Slot(str)
    def _typed(self, text: str) -> None:
        self.clear_action.setVisible(bool(text))
        self._size_icons()
        self._soon.start()
