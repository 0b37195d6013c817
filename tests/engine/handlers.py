"""Handlers of supervised processes in tests, without torch: the first word of a request names the work."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report


class FileFault(SpanlightError):
    """An error of a class of its own."""


def make() -> Any:
    """A handler that counts its requests."""
    return Worker()


def make_badly() -> Any:
    """A factory that fails."""
    raise ImportError("no such library")


def make_behind_a_gate() -> Any:
    """A factory that waits, for at most half a minute, until the file that the environment names exists."""
    return Gated()


class Worker:
    def __init__(self) -> None:
        self.requests = 0
        self.warm = False

    def warm_up(self) -> None:
        self.warm = True

    def is_warm(self, _: Report) -> bool:
        return self.warm

    def __call__(self, request: tuple[Any, ...], report: Report) -> Any:
        self.requests += 1
        return getattr(self, request[0])(report, *request[1:])

    def pid(self, _: Report) -> int:
        return os.getpid()

    def count(self, _: Report) -> int:
        return self.requests

    def echo(self, _: Report, value: object) -> object:
        return value

    def tell(self, report: Report, times: int) -> str:
        for done in range(1, times + 1):
            report.progress(Progress(done, times, "telling"))
            if done % 100 == 0:
                report.partial(done)
        return "told"

    def phases(self, report: Report, names: tuple[str, ...]) -> None:
        for name in names:
            report.progress(Progress(0, 0, name))

    def notices(self, report: Report, sentences: tuple[str, ...]) -> str:
        for sentence in sentences:
            report.partial(sentence)
            report.notice(sentence)
        return "noticed"

    def until_stopped(self, report: Report) -> None:
        report.partial("begun")
        while True:
            report.check()
            time.sleep(0.001)

    def never_checks(self, report: Report) -> None:
        report.partial("begun")
        while True:
            sum(range(1000))

    def end(self, report: Report, how: int) -> None:
        report.partial("begun")
        if how < 0:
            os.kill(os.getpid(), -how)
            signal.pause()
        os._exit(how)

    def fault(self, _: Report) -> None:
        raise SpanlightError("The file is broken.", "Take another.")

    def told_fault(self, report: Report) -> None:
        where = Message("the {colour} one", colour="red")
        message = Message("{n:,} file in {folder}.", "{n:,} files in {folder}.", n=1204, folder=where)
        report.progress(Progress(1, 2, where))
        report.notice(message)
        raise SpanlightError(message, Message("Look there."))

    def own_fault(self, _: Report) -> None:
        raise FileFault("The file is locked.", "Unlock it.")

    def memory(self, _: Report) -> None:
        raise MemoryError

    def bug(self, _: Report) -> None:
        raise KeyError("nobody thought of this")

    def unpicklable(self, _: Report) -> object:
        return lambda: None

    def hostile(self, _: Report, marker: str) -> object:
        class Hostile:
            def __reduce__(self) -> object:
                return os.mkdir, (marker,)

        return [Hostile()]

    def noise(self, _: Report) -> None:
        print("said on standard output")
        print("said on standard error", file=sys.stderr)
        os.write(1, b"written to descriptor 1\n")
        os.write(2, b"written to descriptor 2\n")

    def environment(self, _: Report) -> tuple[int, str, bool]:
        in_batch = os.sched_getscheduler(0) == os.SCHED_BATCH
        return os.getppid(), Path("/proc/self/oom_score_adj").read_text().strip(), in_batch


class Gated(Worker):
    def warm_up(self) -> None:
        end = time.monotonic() + 30
        while not Path(os.environ["SPANLIGHT_TEST_GATE"]).exists() and time.monotonic() < end:
            time.sleep(0.01)
        super().warm_up()
