"""When the window was painted for the first time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget


class FirstPaint(QObject):
    """Watches a window; `first` is sent once, after all of it has been painted and nothing else was waiting."""

    first = Signal()
    _over = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._over.connect(self._painted, Qt.ConnectionType.QueuedConnection)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            # Its widgets are painted after it, in the same turn of the event loop.
            self._over.emit()
        return False

    @Slot()
    def _painted(self) -> None:
        self.first.emit()
