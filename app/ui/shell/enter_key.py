"""Enter presses the button that has the focus, as Space does, on every system.

Qt has it so with the themes of GNOME and KDE only, and in dialogs.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class EnterKey(QObject):
    """Looks at the keys of a window that is on the screen, before what lies around a button takes them for itself."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        if handle := window.windowHandle():
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Press the button, once for as long as the key is held down."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or event.modifiers() not in _PLAIN:
            return False
        button = QApplication.focusWidget()
        if not isinstance(button, QAbstractButton) or QApplication.activePopupWidget() is not None:
            return False
        if not event.isAutoRepeat():
            button.click()
        return True
