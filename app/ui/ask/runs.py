"""Questions in progress: the one being read for, and the paused ones, which are read again later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from app.core.report import Progress
from app.ui.ask.outcome import Outcome
from app.ui.ask.sheet import Sheet
from app.ui.kit.jobs import Job

if TYPE_CHECKING:
    from app.core.requests import Question
    from app.core.results import Reading


@dataclass(eq=False, slots=True)
class Run:
    """A question that is being read for by `job`, or whose reading is paused.

    The reader cannot resume in the middle: a paused question is read from the beginning again, with the same final
    result. Until then its earlier answers stay shown until as much of the text was read as for them: `least`, 0 to 1.
    `late` is the newest result that is held back for that.
    """

    sheet: Sheet
    outcome: Outcome
    request: Question
    job: Job | None = None
    began: float = 0.0
    least: float = 0.0
    late: Reading | None = None

    @property
    def replaced(self) -> bool:
        """Whether its sheet shows something else by now, an entry of the history, say."""
        return self.sheet.outcome is not self.outcome

    def begin(self, job: Job) -> None:
        """Begin the reading by a job, from the start of the text."""
        self.job, self.began, self.late = job, perf_counter(), None
        self.outcome.paused, self.outcome.note = False, ""

    def drop(self) -> None:
        """End its job, if it has one, without further signals."""
        if self.job is not None:
            self.job.drop()
            self.job = None

    def progressed(self, progress: Progress) -> bool:
        """Note the progress; returns whether a result that was held back may be shown now."""
        # The progress counts windows of the model; the user sees that the text is read.
        reading = "Reading again" if progress.fraction < self.outcome.reached else "Reading"
        self.outcome.progress = replace(progress, what=reading if progress.total else progress.what)
        return self.late is not None and progress.fraction >= self.least

    def may_take(self, result: Reading) -> bool:
        """Whether a result comes from as much of the text as the earlier answers; else it is held back.

        A result of another model, chosen since, may be shown at once, but not one of the quick reader before the
        careful one's.
        """
        share, before = result.share_read, self.outcome.reading
        same = before is None or result.model in (before.model, before.finder)
        behind = share is not None and share < self.least and same
        self.late = result if behind else None
        return not behind

    def pause(self) -> None:
        """Note the progress and pause; it is read from the beginning later."""
        self.drop()
        self._count()
        outcome = self.outcome
        outcome.note = outcome.stopped("Paused")
        found = outcome.reading.share_read if outcome.reading is not None else 0.0
        outcome.reached = max(outcome.fraction, found or 0.0)
        self.least = outcome.reached if found is None else found
        outcome.progress, outcome.paused = None, True

    def end(self, how: str = "Stopped") -> None:
        """End a reading that is not finished, with a note of its progress."""
        self._count()
        outcome = self.outcome
        outcome.ended = outcome.note = outcome.stopped(how)
        outcome.running = outcome.paused = False

    def _count(self) -> None:
        """Add what was read since the last answer to the reading, unless that answer comes from more of the text."""
        outcome = self.outcome
        read = outcome.progress.fraction if outcome.progress is not None else 0.0
        if outcome.reading is not None and not outcome.paused and read >= self.least:
            outcome.reading = outcome.reading.stopped(outcome.progress, perf_counter() - self.began)


class Runs:
    """The question that is being read for, if any, and the paused ones."""

    def __init__(self) -> None:
        self.now: Run | None = None
        self._paused: list[Run] = []

    def all(self) -> list[Run]:
        """All runs, the one being read for first."""
        return [*([self.now] if self.now is not None else []), *self._paused]

    def of(self, sheet: Sheet) -> Run | None:
        """The run of a sheet, if any."""
        return next((run for run in self.all() if run.sheet is sheet), None)

    def paused(self) -> Run | None:
        """The paused run with the latest question."""
        return max(self._paused, key=lambda run: run.outcome.asked_at, default=None)

    def take_out(self, run: Run) -> None:
        """Remove a run, and end its job without further signals."""
        run.drop()
        if run is self.now:
            self.now = None
        else:
            self._paused.remove(run)

    def pause(self) -> Run | None:
        """Pause the run being read for; returns it, None where there was none."""
        if self.now is not None and self.now.job is not None:
            self.now.job.deliver()  # it may just have finished
        run = self.now
        if run is None:
            return None
        self.take_out(run)
        if run.replaced:
            return None
        run.pause()
        self._paused.append(run)
        return run
