"""What is said of a job while others are before it in its lane."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.ui.kit.jobs import Job, Lane
from app.ui.kit.progress_strip import ProgressStrip


def waits_for(ahead: str) -> str:
    """What stands where a job's progress will."""
    return f"Waits for {ahead} to end"


class InLine(QObject):
    """Says in a strip what a job waits for, and from its beginning on `words`; it lives as long as the job."""

    def __init__(self, lane: Lane, job: Job, strip: ProgressStrip, words: str) -> None:
        super().__init__(job)
        # The job is its parent: held here too, neither of them would ever go.
        self._lane, self._strip, self._words = lane, strip, words
        job.moved.connect(self._say)
        job.started.connect(self._say)
        self._say()

    @Slot()
    def _say(self) -> None:
        job = self.parent()
        ahead = self._lane.ahead(job) if isinstance(job, Job) else ""
        self._strip.waiting(waits_for(ahead) if ahead else self._words)
