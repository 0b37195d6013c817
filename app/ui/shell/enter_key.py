"""Enter presses the button that has the focus, as Space does, on every system.

Qt has it so with the themes of GNOME and KDE only, and in dialogs.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.KeyRelease)


class EnterKey(QObject):
    """Looks at the keys of a window that is on the screen, before what lies around a button takes them for itself."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._held = _Held(self)
        if handle := window.windowHandle():
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Press the button, once for as long as the key is held down."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() not in _ENTER or event.modifiers() not in _PLAIN:
            return False
        button = QApplication.focusWidget()
        if not isinstance(button, QAbstractButton) or QApplication.activePopupWidget() is not None:
            return False
        if not event.isAutoRepeat():
            self._held.begin()
            button.click()
        return True


class _Held(QObject):
    """Keeps Enter that is still held down from whatever has the focus since it pressed a button, in any window."""

    def begin(self) -> None:
        """Look at every window's keys until the key is let go."""
        if app := QApplication.instance():
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow what the held key repeats."""
        kind = event.type()
        if kind == QEvent.Type.ApplicationDeactivate:
            self._end()  # another program may be told of its release
        elif isinstance(event, QKeyEvent) and kind in _KEYS:
            if event.isAutoRepeat():
                if event.key() in _ENTER:
                    event.accept()  # of a shortcut's key too: then it is no shortcut
                    return True
            elif kind == QEvent.Type.KeyPress or event.key() in _ENTER:
                self._end()
        return False

    def _end(self) -> None:
        if app := QApplication.instance():
            app.removeEventFilter(self)
