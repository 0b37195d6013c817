"""Runs trials one after another and times each; a failed trial does not end the others."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.errors import SpanlightError
from app.core.report import Progress, Report, Stopped
from app.engine.child import ChildBug


@dataclass(frozen=True, slots=True)
class TrialResult:
    """A trial, the seconds that it took, and its fault, empty if it worked."""

    what: str
    seconds: float
    fault: str = ""

    @property
    def ok(self) -> bool:
        """Whether the trial worked."""
        return not self.fault


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All trials in order, and the versions by name; `log` is what the processes printed, if a trial failed."""

    parts: tuple[TrialResult, ...]
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    log: str = ""

    @property
    def failed(self) -> tuple[TrialResult, ...]:
        """The trials that failed."""
        return tuple(part for part in self.parts if not part.ok)

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        failed = self.failed
        if not failed:
            return f"All {len(self.parts)} things that were tried work."
        first = f"{failed[0].what}: {failed[0].fault}"
        return f"{len(failed)} of {len(self.parts)} things that were tried failed; the first: {first}"


@dataclass(frozen=True, slots=True)
class WindowTrial:
    """The order for the window's self-check, which runs in a process of its own.

    `resources` is the folder of its resources, `folder` is for all files that it writes, `modules` are those to import.
    """

    resources: str
    folder: str
    modules: tuple[str, ...] = ()


class Trial:
    """Runs trials, and keeps their results, which are also reported as partial results."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.parts: list[TrialResult] = []

    def run(self, what: str, action: Callable[[], object]) -> bool:
        """Run a trial, and return whether it worked. Raises nothing but Stopped."""
        self.report.check()
        self.report.progress(Progress(0, 0, what))
        began, fault = time.monotonic(), ""
        try:
            action()
        except Stopped:
            raise
        except Exception as error:
            fault = words_of(error)
        self.add(TrialResult(what, time.monotonic() - began, fault))
        return not fault

    def add(self, part: TrialResult) -> None:
        """Add the result of a trial, which may have run in another process."""
        self.parts.append(part)
        self.report.partial(part)


def require(right: bool, fault: str) -> None:
    """Raise SpanlightError with `fault`, a sentence, unless `right`."""
    if not right:
        raise SpanlightError(fault)


def words_of(error: BaseException) -> str:
    """The error on one line."""
    if isinstance(error, SpanlightError):
        cause = error.__cause__
        return _line(f"{error} ({_type_and_text(cause)})" if cause is not None else str(error))
    if isinstance(error, ChildBug):  # its text is a traceback, whose last line has the exception
        return _line((str(error).strip().splitlines() or [""])[-1])
    return _line(_type_and_text(error))


def _type_and_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _line(words: str) -> str:
    return " ".join(words.split())
