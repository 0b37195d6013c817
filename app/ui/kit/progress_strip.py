"""A line of progress: what is done, how far, the time left, and Stop."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QProgressBar

from app.core import wording
from app.core.message import Message
from app.core.report import Progress
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Job, Lane
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.spoken import announce
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

# How often a screen reader is told how far something is, in milliseconds.
TOLD_EVERY_MS = 5000


def waits_for(ahead: str) -> str:
    """The text of a job that waits for another one."""
    return tr("Waits for {ahead} to end", ahead=ahead)


def in_words(what: str, progress: Progress) -> str:
    """What is done, how far, and the time left, the last two if known: "Reading, 34%, about 20 seconds left"."""
    parts = [what]
    if progress.total:
        parts.append(wording.percent(progress.fraction) if progress.done else Message("{number}%", number=0))
    if progress.seconds_left is not None:
        parts.append(wording.time_left(progress.seconds_left))
    return ", ".join(map(localised, parts))


class QueueStatus(QObject):
    """Shows in a strip what a job waits for, and `words` once it starts; it lives as long as the job."""

    def __init__(self, lane: Lane, job: Job, strip: ProgressStrip, words: str) -> None:
        super().__init__(job)
        # The job is its parent: a second reference here would make a cycle that is never freed.
        self._lane, self._strip, self._words = lane, strip, words
        job.moved.connect(self._show_state)
        job.started.connect(self._show_state)
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        job = self.parent()
        ahead = self._lane.ahead(job) if isinstance(job, Job) else ""
        self._strip.waiting(waits_for(ahead) if ahead else self._words)


class ProgressStrip(QFrame):
    """A thin bar with a line of words and a Stop button, or one to pause; hidden while nothing runs.

    `stop_asked` is sent when it is pressed. A screen reader is told the words every few seconds, and nothing of work
    that is over before.
    """

    stop_asked = Signal()

    def __init__(self, theme: Theme, *, pauses: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._words = plain_label(type="small", ink="quiet")
        self._since_told = QElapsedTimer()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress"))
        if pauses:
            self._stop = push_button(theme, tr("Pause"), icon="pause", tip=tr("Pause  (Esc)"))
        else:
            self._stop = push_button(theme, tr("Stop"), icon="stop", tip=tr("Stop  (Esc)"))
        self._stop.clicked.connect(self.stop_asked)
        row(theme, (column(theme, self._words, self._bar, gap=1.5), 1), self._stop, gap=3, parent=self)
        self.setAccessibleName(tr("Progress"))
        self.hide()

    def waiting(self, words: str) -> None:
        """Show that work has begun whose length is not known yet."""
        self._theme.show_busy(self._bar)
        self._show(words)

    def rest(self, words: str, fraction: float) -> None:
        """Show why the work pauses, with the bar at the fraction done."""
        self._bar.setRange(0, 1000)
        self._bar.setValue(round(fraction * 1000))
        self._show(words)

    def show_progress(self, progress: Progress) -> None:
        """Show the progress, and the time left if it is known."""
        if progress.total:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(progress.fraction * 1000))
        else:
            self._theme.show_busy(self._bar)
        self._show(in_words(progress.what or Message("Reading"), progress))

    def _show(self, words: str) -> None:
        self._words.setText(words)
        self._bar.setAccessibleDescription(localised(words))
        self.show()
        if not self._since_told.isValid():
            self._since_told.start()
        elif self._since_told.hasExpired(TOLD_EVERY_MS):
            self._since_told.start()
            announce(self, words, polite=True)

    def words(self) -> str:
        """The words above the bar."""
        return self._words.text()

    def focus_stop(self) -> None:
        """Put the keyboard focus on Stop."""
        self._stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def has_focus(self) -> bool:
        """Whether Stop has the keyboard focus."""
        return self._stop.hasFocus()

    def clear(self) -> None:
        """Hide the strip."""
        self.hide()
        self._since_told.invalidate()
        # A busy bar is animated: it must not run on while hidden.
        self._bar.setRange(0, 1)
        self._bar.reset()
