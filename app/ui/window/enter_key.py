"""Has Enter press the button with the focus, as Space does, on every system.

Qt does so only with the themes of GNOME and KDE, and in dialogs.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
_RELEASE_MS = 50


class EnterKey(QObject):
    """Filters the keys of a visible window before the widgets around a button take them."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._repeats = _RepeatFilter(self)
        if handle := window.windowHandle():
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Press the button once, however long the key is held down."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() not in _ENTER or event.modifiers() not in _PLAIN:
            return False
        button = QApplication.focusWidget()
        if not isinstance(button, QAbstractButton) or QApplication.activePopupWidget() is not None:
            return False
        if not event.isAutoRepeat():
            self._repeats.begin(watched)
            button.click()
        return True


class _RepeatFilter(QObject):
    """Swallows the repeats of an Enter key that has pressed a button and is still held down, in any window.

    Where the button has opened another window, X11 reports the first repeat as a release and a press at the same time.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._released = -1  # the time in milliseconds of a release that may be such a repeat, -1 without one
        self._ending = QTimer(self, interval=_RELEASE_MS, singleShot=True)
        self._ending.timeout.connect(self._end)
        self._window: QObject | None = None

    def begin(self, window: QObject) -> None:
        """Swallow repeats until the key, which was pressed in this window, is released."""
        self._end()
        self._window = window
        if app := QApplication.instance():
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow repeats of the held key."""
        kind = event.type()
        if kind == QEvent.Type.ApplicationDeactivate:
            self._end()  # its release may go to another program
        elif isinstance(event, QKeyEvent) and kind in _KEYS and isinstance(watched, QWindow):
            return self._swallows(watched, event)
        return False

    def _swallows(self, window: QWindow, event: QKeyEvent) -> bool:
        enter = event.key() in _ENTER
        if enter and (event.isAutoRepeat() or event.timestamp() == self._released):
            if event.type() == QEvent.Type.KeyPress:
                self._released, self._window = -1, window
                self._ending.stop()
            event.accept()  # of a ShortcutOverride event: no shortcut takes the key
            return True
        if enter and event.type() == QEvent.Type.KeyRelease and window is not self._window:
            self._released = event.timestamp()
            self._ending.start()
        elif event.type() != QEvent.Type.KeyRelease or enter:
            self._end()
        return False

    @Slot()
    def _end(self) -> None:
        self._released, self._window = -1, None
        self._ending.stop()
        if app := QApplication.instance():
            app.removeEventFilter(self)
