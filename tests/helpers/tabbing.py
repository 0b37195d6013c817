"""Where Tab leads, as a person finds out: by pressing it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget


def tab_order(window: QWidget) -> list[QWidget]:
    """Every widget of an active window that Tab comes to, once each, from the first one on.

    `QWidget.nextInFocusChain` would tell as much, but PySide takes what it returns for the asked widget's child: once
    around, the window belongs to a widget of its own, and Python's collector may free it twice.
    """
    window.setFocus(Qt.FocusReason.TabFocusReason)
    found: list[QWidget] = []
    while True:
        QApplication.sendEvent(
            QApplication.focusWidget() or window,
            QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
        )
        focused = QApplication.focusWidget()
        if focused is None or focused in found:
            return found
        found.append(focused)
