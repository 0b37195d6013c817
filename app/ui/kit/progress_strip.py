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

# The interval between announcements of the progress to a screen reader.
ANNOUNCE_EVERY_MS = 5000


def waiting_for(blocker: str) -> str:
    """The words shown while a job waits for another one, given by its name."""
    return tr("Waits for {ahead} to end", ahead=blocker)


def in_words(what: str, progress: Progress) -> str:
    """The activity, the share done and the time left, as far as known: "Reading, 34%, about 20 seconds left"."""
    parts = [what]
    if progress.total:
        parts.append(
            wording.percent(progress.fraction) if progress.fraction else Message("{number}%", number=0)
        )
    if progress.seconds_left is not None:
        parts.append(wording.time_left(progress.seconds_left))
    return ", ".join(map(localised, parts))


class QueueStatus(QObject):
    """Shows in a strip what a job waits for, and `words` once the job starts; it lives as long as the job."""

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
        blocker = self._lane.blocker_of(job) if isinstance(job, Job) else ""
        self._strip.show_busy(waiting_for(blocker) if blocker else self._words)


class ProgressStrip(QFrame):
    """A thin bar with a line of words and a button that stops or, with `pauses`, pauses; hidden while nothing runs.

    `stop_asked` is sent by the button. A screen reader is told the words every few seconds; work that ends sooner is
    not announced.
    """

    stop_asked = Signal()

    def __init__(self, theme: Theme, *, pauses: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._words = plain_label(type="small", ink="quiet")
        self._since_announced = QElapsedTimer()
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

    def show_busy(self, words: str) -> None:
        """Show work whose progress is not known."""
        self._theme.show_busy(self._bar)
        self._show(words)

    def show_paused(self, words: str, fraction: float) -> None:
        """Show why the work is paused, with the bar at the fraction done."""
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
        if not self._since_announced.isValid():
            self._since_announced.start()
        elif self._since_announced.hasExpired(ANNOUNCE_EVERY_MS):
            self._since_announced.start()
            announce(self, words, polite=True)

    def words(self) -> str:
        """The words above the bar."""
        return self._words.text()

    def focus_stop(self) -> None:
        """Put the keyboard focus on the button."""
        self._stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def has_focus(self) -> bool:
        """Whether the button has the keyboard focus."""
        return self._stop.hasFocus()

    def clear(self) -> None:
        """Hide the strip."""
        self.hide()
        self._since_announced.invalidate()
        # A busy bar is animated: it must not run on while hidden.
        self._bar.setRange(0, 1)
        self._bar.reset()
