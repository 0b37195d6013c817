"""What the tests of a supervised child share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.report import Progress, Stopped

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are told apart on POSIX only")


class Listener:
    """Keeps what is reported; raises Stopped from the moment `stop_when` says so."""

    def __init__(self, stop_when: Callable[[Listener], bool] = lambda _: False) -> None:
        self.told: list[Progress] = []
        self.partials: list[Any] = []
        self.notices: list[str] = []
        self._stop_when = stop_when

    def progress(self, progress: Progress) -> None:
        self.told.append(progress)

    def partial(self, result: object) -> None:
        self.partials.append(result)

    def notice(self, sentence: str) -> None:
        self.notices.append(sentence)

    def check(self) -> None:
        if self._stop_when(self):
            raise Stopped


def once_begun(listener: Listener) -> bool:
    return bool(listener.partials)


def gone(pid: int, within: float = 20.0) -> bool:
    """Whether a process ends; one that its parent has yet to collect counts as ended."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
