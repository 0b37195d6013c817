"""Enter presses the button that has the focus, as Space does, on every system.

Qt has it so with the themes of GNOME and KDE only, and in dialogs.
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
            self._held.begin(watched)
            button.click()
        return True


class _Held(QObject):
    """Keeps Enter that is still held down from whatever has the focus since it pressed a button, in any window.

    Where another window has come up, X tells of the first repeat as of a release and a press, both of the same moment.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._released = -1  # the moment, in milliseconds, of a release that may be none
        self._ending = QTimer(self)
        self._ending.setSingleShot(True)
        self._ending.setInterval(_RELEASE_MS)
        self._ending.timeout.connect(self._end)
        self._window: QObject | None = None

    def begin(self, window: QObject) -> None:
        """Look at every window's keys until the key, pressed in this window, is let go."""
        self._end()
        self._window = window
        if app := QApplication.instance():
            app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow what the held key repeats."""
        kind = event.type()
        if kind == QEvent.Type.ApplicationDeactivate:
            self._end()  # another program may be told of its release
        elif isinstance(event, QKeyEvent) and kind in _KEYS and isinstance(watched, QWindow):
            return self._swallows(watched, event)
        return False

    def _swallows(self, window: QWindow, event: QKeyEvent) -> bool:
        enter = event.key() in _ENTER
        if enter and (event.isAutoRepeat() or event.timestamp() == self._released):
            if event.type() == QEvent.Type.KeyPress:
                self._released, self._window = -1, window
                self._ending.stop()
            event.accept()  # of a shortcut's key too: then it is no shortcut
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
