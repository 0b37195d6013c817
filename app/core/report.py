"""Reports of a long task while it runs, and how it is stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Stopped(Exception):
    """Raised by `Report.check` when the work is to stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a task; `total` is 0 if not known yet.

    `seconds_left` is None until there is enough to estimate it from. `document` is the index of the one of several
    documents that is read just now, -1 if unknown.
    """

    done: int
    total: int
    what: str = ""
    seconds_left: float | None = None
    document: int = -1

    @property
    def fraction(self) -> float:
        """Share done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


class Report(Protocol):
    """Receives the reports of a flow or task; may be called from any thread."""

    def progress(self, progress: Progress) -> None:
        """Report the progress."""

    def partial(self, result: object) -> None:
        """Report the best result so far."""

    def notice(self, sentence: str) -> None:
        """Report something the user should know about how the work is done, once: memory ran out, say."""

    def check(self) -> None:
        """Raise Stopped when the work is to stop."""


class Silent:
    """A Report that ignores everything and never stops."""

    def progress(self, progress: Progress) -> None:
        """Ignore the progress."""

    def partial(self, result: object) -> None:
        """Ignore the partial result."""

    def notice(self, sentence: str) -> None:
        """Ignore the sentence."""

    def check(self) -> None:
        """Never stop."""


class Relay:
    """A Report that passes everything on to another; a subclass changes or drops what is not to go on as it is."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def progress(self, progress: Progress) -> None:
        """Pass on the progress."""
        self._report.progress(progress)

    def partial(self, result: object) -> None:
        """Pass on the partial result."""
        self._report.partial(result)

    def notice(self, sentence: str) -> None:
        """Pass on the sentence."""
        self._report.notice(sentence)

    def check(self) -> None:
        """Raise Stopped when the work is to stop."""
        self._report.check()


class Quiet(Relay):
    """A Report of a part of some work, whose own progress and partial results are not passed on."""

    def progress(self, progress: Progress) -> None:
        """Ignore the progress."""

    def partial(self, result: object) -> None:
        """Ignore the partial result."""
