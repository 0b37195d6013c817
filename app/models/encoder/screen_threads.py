"""Rows of a batch, or layers, computed side by side, each by one thread from beginning to end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Any

import torch

# How often the caller looks whether it is to break off.
_LOOK_EVERY = 0.02


class BrokenOff(Exception):
    """Told to a row's computation that its result is not wanted any more."""


class Rows:
    """Computes rows on as many threads as PyTorch uses.

    PyTorch shares each operation out over its threads and waits for the last of them, some hundred times a row. A
    thread that computes a whole row waits for none: a batch takes less time, above all where cores differ in speed or
    something else is running: 16 windows take 340 ms where they took 440 with each operation shared out over two
    threads, and a third of the time beside other work. Where there are more threads than rows, each row has several.
    """

    def __init__(self) -> None:
        self._threads = torch.get_num_threads()
        self._pool = ThreadPoolExecutor(self._threads, "screen")

    def __call__(
        self, count: int, compute: Callable[[int, Callable[[], None]], Any], check: Callable[[], None]
    ) -> None:
        """Calls `compute` with each number below `count` and with what it is to call now and then.

        `check` is called in this thread meanwhile; what it raises is raised when nothing is computed any more, as is
        the first exception of a row.
        """
        broken = Event()

        def look() -> None:
            if broken.is_set():
                raise BrokenOff

        rows = iter(range(count))
        workers = min(count, self._threads)

        def work() -> None:
            try:
                torch.set_num_threads(self._threads // workers)  # this thread's only
                with torch.inference_mode():
                    for row in rows:
                        look()
                        compute(row, look)
            except BaseException:
                broken.set()
                raise

        running: set[Future[None]] = set()
        try:
            for _ in range(workers):
                running.add(self._pool.submit(work))
            _watch(running, check)
        finally:
            broken.set()
            wait(running)
            # New threads would begin with the number that was set last.
            torch.set_num_threads(self._threads)
        faults = [fault for one in running if (fault := one.exception())]
        faults.sort(key=lambda fault: isinstance(fault, BrokenOff))
        if faults:
            raise faults[0]


def _watch(running: set[Future[None]], check: Callable[[], None]) -> None:
    while not all(one.done() for one in running):
        check()
        if any(one.done() and one.exception() for one in running):
            return
        wait(running, _LOOK_EVERY, FIRST_EXCEPTION)
