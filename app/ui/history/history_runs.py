"""What takes its time with the history: asking again, and exporting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core import wording
from app.core.errors import EngineLost, PasswordNeeded
from app.core.history import Entry
from app.core.report import Progress
from app.flows.history.export import Exported
from app.flows.history.history import Comparison, check_again
from app.flows.workspace import Workspace
from app.ui.history.history_panel import HistoryPanel
from app.ui.history.history_work import export_listed
from app.ui.kit.in_line import InLine
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

_NOTES_SHOWN = 3
_LOCKED = "Open it with Enter, type the password there, and ask again there."


class HistoryRuns(QObject):
    """Runs one of them at a time, and shows how far it is and what came of it.

    `note` is one line for the status line; `lost` says that the model process died.
    """

    note = Signal(str)
    lost = Signal()

    def __init__(self, workspace: Workspace, lanes: Lanes, panel: HistoryPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._panel = panel
        self._job: Job | None = None
        self._checked: Entry | None = None
        panel.strip.stop_asked.connect(self.stop)

    @Slot()
    def stop(self) -> bool:
        """Stop what runs; returns whether there was something to stop."""
        if self._job is None or not self._job.running:
            return False
        self._job.stop()
        return True

    @Slot(object)
    def check(self, entry: Entry) -> None:
        """Ask an entry's question again, and say below it what changed."""
        self._begin(f"Asking again: {' '.join(entry.question.split())}")
        self._checked = entry
        self._panel.list.history.say(entry.number, "Asking again…")
        job = self._lanes.work.start(check_again, self._workspace, entry)
        job.name = "the work on History"
        InLine(self._lanes.work, job, self._panel.strip, f"Asking again: {' '.join(entry.question.split())}")
        self._follow(job, self._check_done)

    def export(self, words: str, kind: str, path: Path) -> None:
        """Export all entries with these words, also those that have not come into view yet."""
        self._begin("Exporting")
        job = self._lanes.documents.start(export_listed, self._workspace, words, kind, path)
        self._follow(job, self._exported)

    def _begin(self, words: str) -> None:
        self.stop()
        self._panel.notice.clear()
        self._panel.strip.waiting(words)
        self.note.emit("")

    def _follow(self, job: Job, done: Callable[..., object]) -> None:
        self._job = job
        job.progress.connect(self._progressed)
        job.done.connect(done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)

    @Slot(object)
    def _check_done(self, comparison: Comparison) -> None:
        self._checked = None
        self._panel.strip.clear()
        number = comparison.entry.number
        self._panel.list.history.say(number, " ".join(comparison.sentences), not comparison.same)
        self.note.emit(comparison.sentences[0])

    @Slot(object)
    def _exported(self, exported: Exported) -> None:
        self._panel.strip.clear()
        names = ", ".join(file.name for file in exported.files) or "no file"
        said = f"{wording.count(exported.count, 'answer')} exported to {names}"
        self.note.emit(said)
        if exported.notes:
            more = len(exported.notes) - _NOTES_SHOWN
            rest = (f"And {more:,} more of this kind.",) if more > 0 else ()
            self._panel.notice.show_hint(f"{said}.", " ".join((*exported.notes[:_NOTES_SHOWN], *rest)))

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        self._panel.strip.show_progress(progress)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._over()
        fault = fault_of(error)
        hint = _LOCKED if isinstance(error, PasswordNeeded) else fault.hint
        self._panel.notice.show_fault(fault.sentence, hint, fault.report)
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def _stopped(self) -> None:
        self._over()
        self.note.emit("Stopped")

    def _over(self) -> None:
        self._panel.strip.clear()
        if self._checked is not None:
            self._panel.list.history.say(self._checked.number, "")
            self._checked = None
