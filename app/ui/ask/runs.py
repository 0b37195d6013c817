"""Questions on their way through the reader: one that is read for, and those paused for it, read again later."""

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
    """A question that is read for, by `job`, or whose reading is paused: a job's news belong to nothing else.

    The reader cannot go on in the middle: what was paused is read from the beginning again, and ends as if it had been
    left alone. Until then what was found stays, as long as less of the text was read than that came of: `least`, 0 to 1
    where it was paused before. `late` is the newest result that this holds back.
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
        """Whether something else stands in its sheet by now, as an entry of the history."""
        return self.sheet.outcome is not self.outcome

    def begin(self, job: Job) -> None:
        """Be read for by a job, from the beginning."""
        self.job, self.began, self.late = job, perf_counter(), None
        self.outcome.paused, self.outcome.note = False, ""

    def drop(self) -> None:
        """Have its job end, if it has one, and say nothing more."""
        if self.job is not None:
            self.job.drop()
            self.job = None

    def progressed(self, progress: Progress) -> bool:
        """Note how far the reading came; returns whether that lets in a result that was held back."""
        # What is counted is windows of the model: to a person the text is read.
        reading = "Reading again" if progress.fraction < self.outcome.reached else "Reading"
        self.outcome.progress = replace(progress, what=reading if progress.total else progress.what)
        return self.late is not None and progress.fraction >= self.least

    def may_take(self, result: Reading) -> bool:
        """Whether a result came of as much of the text as what was found before; else it is held back.

        What another model found, which was chosen since, is let in at once; not what the quick reader finds again for
        the careful one.
        """
        share, before = result.share_read, self.outcome.reading
        same = before is None or result.model in (before.model, before.finder)
        behind = share is not None and share < self.least and same
        self.late = result if behind else None
        return not behind

    def pause(self) -> None:
        """Note how far it came; it is to be read from the beginning later."""
        self.drop()
        self._count()
        outcome = self.outcome
        outcome.note = outcome.stopped("Paused")
        found = outcome.reading.share_read if outcome.reading is not None else 0.0
        outcome.reached = max(outcome.fraction, found or 0.0)
        self.least = outcome.reached if found is None else found
        outcome.progress, outcome.paused = None, True

    def end(self, how: str = "Stopped") -> None:
        """Note how far it came that is not read to its end."""
        self._count()
        outcome = self.outcome
        outcome.ended = outcome.note = outcome.stopped(how)
        outcome.running = outcome.paused = False

    def _count(self) -> None:
        """Count in what was read since the last answer; not where that answer came of more of the text."""
        outcome = self.outcome
        read = outcome.progress.fraction if outcome.progress is not None else 0.0
        if outcome.reading is not None and not outcome.paused and read >= self.least:
            outcome.reading = outcome.reading.stopped(outcome.progress, perf_counter() - self.began)


class Runs:
    """The question that is read for, if any, and those whose reading is paused."""

    def __init__(self) -> None:
        self.now: Run | None = None
        self._paused: list[Run] = []

    def all(self) -> list[Run]:
        """All of them, the one that is read for first."""
        return [*([self.now] if self.now is not None else []), *self._paused]

    def of(self, sheet: Sheet) -> Run | None:
        """The one about a sheet."""
        return next((run for run in self.all() if run.sheet is sheet), None)

    def paused(self) -> Run | None:
        """The paused one that was asked last."""
        return max(self._paused, key=lambda run: run.outcome.asked, default=None)

    def take_out(self, run: Run) -> None:
        """Have one end, and say nothing more."""
        run.drop()
        if run is self.now:
            self.now = None
        else:
            self._paused.remove(run)

    def pause(self) -> Run | None:
        """Pause the one that is read for; returns it, None where there was none to be paused."""
        if self.now is not None and self.now.job is not None:
            self.now.job.deliver()  # it may have come to its end just now
        run = self.now
        if run is None:
            return None
        self.take_out(run)
        if run.replaced:
            return None
        run.pause()
        self._paused.append(run)
        return run
