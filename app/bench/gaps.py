"""The gaps of the window's event loop."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Slot


class Heartbeat(QObject):
    """Ticks every millisecond in the event loop of its own thread, and stores the gaps between ticks.

    `gaps` are milliseconds by phase; `begin` names the phase from then on. `work` is the time that the thread itself
    computed in each gap; for the rest it waited for a processor, or for Python's lock. `watched` is called at every
    tick, after the gap was stored.
    """

    def __init__(self, parent: QObject | None = None, watched: Callable[[], None] | None = None) -> None:
        super().__init__(parent)
        self.gaps: dict[str, array[float]] = {}
        self.work: dict[str, array[float]] = {}
        self.last = time.perf_counter()
        self._worked = time.thread_time()
        self.phase = ""
        self.watched = watched
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(1)

    def begin(self, phase: str) -> None:
        """Begin a phase; the time since the last tick still counts for the previous one."""
        self._take()
        self.phase = phase
        self.gaps.setdefault(phase, array("d"))
        self.work.setdefault(phase, array("d"))

    def stop(self) -> None:
        """Stop ticking."""
        self._take()
        self._timer.stop()

    def _take(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        if self.phase:
            self.gaps[self.phase].append((now - self.last) * 1000)
            self.work[self.phase].append((worked - self._worked) * 1000)
        self.last, self._worked = now, worked

    @Slot()
    def _tick(self) -> None:
        self._take()
        if self.watched is not None:
            self.watched()


def longest(gaps: array[float]) -> float:
    """Return the longest gap in milliseconds; 0 without ticks."""
    return max(gaps, default=0.0)


def percentile(gaps: array[float], share: float) -> float:
    """Return the percentile of the gaps, weighted by their length; 0 without ticks.

    `share` of the *time*, not of the gaps, was spent in gaps no longer than this: among a thousand short gaps and a
    long one, the user notices the long one.
    """
    whole, passed = sum(gaps), 0.0
    for gap in sorted(gaps):
        passed += gap
        if passed >= share * whole:
            return gap
    return 0.0
