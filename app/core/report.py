"""What a long piece of work says while it runs, and how it is stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Stopped(Exception):
    """Raised by `Report.check` when the work is to stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a piece of work has come; `total` is 0 where it is not known yet.

    `seconds_left` is None until there is enough to estimate it from.
    """

    done: int
    total: int
    what: str = ""
    seconds_left: float | None = None

    @property
    def fraction(self) -> float:
        """Share done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


class Report(Protocol):
    """What a flow or task is handed to tell of its work; it may be called from any thread."""

    def progress(self, progress: Progress) -> None:
        """Say how far the work has come."""

    def partial(self, result: object) -> None:
        """Hand over the best result so far."""

    def notice(self, sentence: str) -> None:
        """Say something that a person should know of how the work is done, once: memory ran out, say."""

    def check(self) -> None:
        """Raise Stopped when the work is to stop."""


class Silent:
    """A Report that tells nobody and never stops."""

    def progress(self, progress: Progress) -> None:
        """Ignore the progress."""

    def partial(self, result: object) -> None:
        """Ignore the partial result."""

    def notice(self, sentence: str) -> None:
        """Ignore the sentence."""

    def check(self) -> None:
        """Never stop."""
