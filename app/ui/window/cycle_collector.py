"""Garbage collection of cycles in the window's thread alone, a little at a time, between its events."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from app.ui.kit.jobs import Lanes

_EVERY_MS = 1000
_AWAY_MS = 10_000
_FEW = 700  # Python's own threshold for the youngest generation
_OFTEN = 10  # every tenth collection is of all tracked objects, the others of new ones
MOST = 30_000  # the objects that are walked in about 5 ms


class CycleCollector(QObject):
    """Collects cycles from timers of the window's thread; automatic collection is off.

    Left to itself, Python's collector runs in whatever thread allocates next: a closed page would be destroyed in a
    lane, where Qt allows no widget to die, or in the middle of a paint event. It also walks every object: a large
    document stops the window for tenths of a second. Here, at most MOST objects are walked at a time while the window
    is in use; the rest (modules of the start, parts of a document, which hold no cycles) is set aside with `gc.freeze`,
    and searched once the user is in another program and no lane works.
    """

    def __init__(self, lanes: Lanes, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lanes = (lanes.work, lanes.documents, lanes.pages, lanes.files, lanes.network, lanes.lookups)
        self._watched = 0
        self._looks = 0
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)
        self._timer.start(_EVERY_MS)
        self._away = QTimer(self, singleShot=True)
        self._away.timeout.connect(self.look_through)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._state_changed)

    @Slot()
    def look(self) -> None:
        """Collect among the new objects, and now and then among all tracked ones."""
        new = gc.get_count()[0]  # counts on while automatic collection is off
        if new < _FEW:
            return
        self._watched += new
        self._looks += 1
        if self._watched > MOST:
            self._watched = 0
            gc.freeze()
        else:
            gc.collect(0 if self._looks % _OFTEN else 2)

    @Slot()
    def look_through(self) -> None:
        """Collect among all objects, frozen ones included, once no lane works."""
        if not all(lane.idle for lane in self._lanes):
            self._away.start(_AWAY_MS)
            return
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._watched = 0

    @Slot(Qt.ApplicationState)
    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._away.stop()
        else:
            self._away.start(_AWAY_MS)
