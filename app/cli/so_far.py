"""The best answer so far of a reading that is stopped with Ctrl+C."""

from __future__ import annotations

from time import perf_counter

from app.cli.terminal import TerminalReport
from app.core.report import Progress
from app.core.results import Reading


class SoFar:
    """A report that passes everything on, and holds on to the last partial result and how far reading came."""

    def __init__(self, report: TerminalReport) -> None:
        self._report = report
        self._began = perf_counter()
        self._at: Progress | None = None
        self._best: Reading | None = None

    def best(self) -> Reading | None:
        """What was found until now, as a reading that was stopped now; None before anything was found."""
        return self._best and self._best.stopped(self._at, perf_counter() - self._began)

    def progress(self, progress: Progress) -> None:
        """Say how far the reading has come."""
        self._at = progress
        self._report.progress(progress)

    def partial(self, result: object) -> None:
        """Take the best reading so far."""
        if isinstance(result, Reading):
            self._best = result

    def notice(self, sentence: str) -> None:
        """Write the sentence on a line of its own."""
        self._report.notice(sentence)

    def check(self) -> None:
        """Raise Stopped after Ctrl+C."""
        self._report.check()
