"""Progress reports of a long task, and how it is stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

ItemT = TypeVar("ItemT")


class Stopped(Exception):
    """Raised by `Report.check` when the work is to stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a task; `total` is 0 until it is known.

    `seconds_left` is None until it can be estimated. `document` is the index of the document being read, -1 if unknown.
    `part` is the share, 0 to 1, of the next one that is done.
    """

    done: int
    total: int
    what: str = ""
    seconds_left: float | None = None
    document: int = -1
    part: float = 0.0

    @property
    def fraction(self) -> float:
        """The share done, 0 to 1."""
        return min(1.0, (self.done + self.part) / self.total) if self.total else 0.0


class Report(Protocol):
    """Receives the reports of a flow or task; may be called from any thread."""

    def progress(self, progress: Progress) -> None:
        """Report the progress."""

    def partial(self, result: object) -> None:
        """Report the best result so far."""

    def notice(self, sentence: str) -> None:
        """Report, once, something that the user should know about the work: that memory ran out, say."""

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
    """A Report that passes everything on to another; subclasses change or drop some of it."""

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
    """A Report for a part of some work: passes on notices and stopping, but no progress and no partial results."""

    def progress(self, progress: Progress) -> None:
        """Ignore the progress."""

    def partial(self, result: object) -> None:
        """Ignore the partial result."""


def checked(items: Iterable[ItemT], report: Report) -> Iterator[ItemT]:
    """Yield items; raises Stopped before the next one when the work is to stop."""
    for item in items:
        report.check()
        yield item
