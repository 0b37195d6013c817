"""A Report for transfers of bytes: how many, how fast and how long yet, on the terminal's one line."""

from __future__ import annotations

from app.cli.terminal import TerminalReport
from app.core.offers import Downloading
from app.core.report import Progress
from app.core.wording import size, time_left


class TransferReport:
    """Shows progress in bytes, with the speed from a download's partial results; else like a TerminalReport."""

    def __init__(self, report: TerminalReport) -> None:
        self._report = report
        self._speed = 0.0
        self._total = 0

    def progress(self, progress: Progress) -> None:
        """Draw the number of bytes; work of unknown size is shown by its name."""
        if not progress.total:
            self._report.progress(progress)
            return
        fetching = progress.total == self._total and self._speed > 0
        speed = f", {size(round(self._speed))} a second" if fetching else ""
        left = f", {time_left(progress.seconds_left)}" if progress.seconds_left is not None else ""
        done = f"{size(progress.done)} of {size(progress.total)}"
        self._report.draw(f"{progress.what or 'Working'}: {done}{speed}{left}")

    def partial(self, result: object) -> None:
        """Keep a download's speed for the next line."""
        if isinstance(result, Downloading):
            self._speed, self._total = result.speed, result.total

    def notice(self, sentence: str) -> None:
        """Write the sentence on a line of its own."""
        self._report.notice(sentence)

    def check(self) -> None:
        """Raise Stopped after Ctrl+C."""
        self._report.check()
