"""One thing after another tried and timed; one that fails does not end the others."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.core.checks import Checked
from app.core.errors import SpanlightError
from app.core.report import Progress, Report, Stopped
from app.engine.child import ChildBug


class Trial:
    """Tries things and keeps what came of each; every one is handed to the report as a partial result too."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.parts: list[Checked] = []

    def run(self, what: str, deed: Callable[[], object]) -> bool:
        """Try one thing; whether it works. Raises Stopped where the work is to stop, nothing else."""
        self.report.check()
        self.report.progress(Progress(0, 0, what))
        began, fault = time.monotonic(), ""
        try:
            deed()
        except Stopped:
            raise
        except Exception as error:
            fault = words_of(error)
        self.add(Checked(what, time.monotonic() - began, fault))
        return not fault

    def add(self, part: Checked) -> None:
        """Take down what was tried elsewhere."""
        self.parts.append(part)
        self.report.partial(part)


def require(right: bool, fault: str) -> None:
    """Raise SpanlightError with the fault, one sentence, unless all is right."""
    if not right:
        raise SpanlightError(fault)


def words_of(error: BaseException) -> str:
    """What is wrong, on one line."""
    if isinstance(error, SpanlightError):
        cause = error.__cause__
        return _line(f"{error} ({_told(cause)})" if cause is not None else str(error))
    if isinstance(error, ChildBug):  # its text is a traceback, whose last line says what was raised
        return _line((str(error).strip().splitlines() or [""])[-1])
    return _line(_told(error))


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _line(words: str) -> str:
    return " ".join(words.split())
