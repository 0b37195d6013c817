"""From a question to a reading: runs it in the work lane, and has its news shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import EngineLost
from app.core.report import Progress
from app.flows.workspace import Workspace
from app.ui.jobs import Job, Lanes
from app.ui.messages import fault_of
from app.ui.views.answers import Answers
from app.ui.views.in_line import waits_for
from app.ui.views.outcome import Outcome
from app.ui.views.sheet import Sheet
from app.ui.widgets.answer_panel import AnswerPanel

if TYPE_CHECKING:
    from app.core.results import Reading


@dataclass(frozen=True, slots=True)
class _Run:
    """A job, and what was asked of it: its news belong to nothing else."""

    job: Job
    sheet: Sheet
    outcome: Outcome

    @property
    def replaced(self) -> bool:
        """Whether something else stands in its sheet by now, as an entry of the history."""
        return self.sheet.outcome is not self.outcome


class Asking(QObject):
    """Asks about one sheet at a time: the one that is up when the question is asked.

    `note` is one line for the status line; `lost` says that the model process died; `answered` carries a sheet whose
    document was read to the end, or as far as to where it was stopped; `asked` one that a person asks about,
    `left` one whose question brought nothing, as it was stopped or failed; `over` that nothing is being read any more,
    however that came.
    """

    note = Signal(str)
    asked = Signal(object)
    left = Signal(object)
    answered = Signal(object)
    over = Signal()
    lost = Signal()

    def __init__(
        self, workspace: Workspace, lanes: Lanes, panel: AnswerPanel, answers: Answers, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._panel = panel
        self._answers = answers
        self._run: _Run | None = None
        self._began = 0.0

    def forget(self, sheet: Sheet) -> None:
        """Drop what is being read for a sheet that goes away, or that something else is shown in."""
        if self._run is not None and sheet is self._run.sheet:
            self._run.job.drop()
            self._end(self._over(self._run))

    @Slot(object)
    def outdated(self, sheet: Sheet) -> None:
        """Show that a sheet's text is another one by now, or is back; of a text that was emptied nothing is said."""
        outcome = sheet.outcome
        if outcome is not None and (outcome.hidden or not outcome.stale):
            asked = self._run is not None and sheet is self._run.sheet
            if asked and outcome.hidden and not sheet.pane.is_empty():
                self.stop()  # another text stands there; what was found by now waits for its own
            self._answers.light(sheet)
            if self._answers.sheet is sheet:
                self.note.emit("" if outcome.hidden else outcome.note)
        self._answers.show_if_up(sheet)

    @property
    def running(self) -> bool:
        """Whether a document is being read for a question."""
        return self._run is not None

    def ask(self, sheet: Sheet, *, question: str = "", whole: bool = False, example: bool = False) -> None:
        """Ask the question in the box about a sheet; with `whole` all of it is read, whatever the settings say.

        A `question` that is given was taken before, for a sheet that need not be up. An `example` is asked by Spanlight
        itself, and is remembered nowhere.
        """
        panel, up = self._panel, self._answers.sheet is sheet
        waited, question = bool(question), question or panel.box.question()
        if not waited:
            panel.notice.clear()
        missing = lacks(sheet, question)
        if missing is not None:
            if up:
                panel.notice.show_hint(*missing)
            if not question:
                panel.box.setFocus()
            return
        opened = sheet.asked()
        run = self._run
        if run is not None and run.sheet is sheet and (run.replaced or run.outcome.reading is None):
            run.job.drop()
        elif run is not None:
            run.job.stop()  # what was found by now is kept
        if up and sheet.outcome is not None and sheet.outcome.nearest:
            panel.threshold.open(False)
        if not example and not waited:
            sheet.history = panel.box.remember()
        outcome = sheet.outcome = Outcome(question, opened, example=example)
        outcome.waiting = "Waiting for the reader"
        sheet.pane.put_out()
        sheet.pane.set_heat(())
        sheet.pane.hold()
        if up:
            panel.strip.clear()
        from app.core.requests import Question
        from app.flows.ask import ask

        request = Question(
            question,
            (opened.document,),
            self._workspace.settings.ask_top_k,
            self._answers.threshold(),
            quick=self._workspace.settings.ask_quick and not whole,
        )
        job = self._lanes.work.start(ask, self._workspace, request)
        job.name = "the work on Ask"
        self._run = _Run(job, sheet, outcome)
        job.moved.connect(self._moved)
        job.started.connect(self._started)
        job.progress.connect(self._progressed)
        job.partial.connect(self._partly)
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)
        if up:
            self.note.emit("")  # what it says is of the question before
        self._show_place(self._run)
        if not example:
            self.asked.emit(sheet)

    @Slot()
    def stop(self) -> bool:
        """Stop reading; the best answer so far stays. Returns whether anything was being read."""
        if self._run is None:
            return False
        self._run.job.stop()
        return True

    def end(self) -> Sheet | None:
        """Stop reading, the window being about to go; the sheet that was read, where there was an answer by now."""
        run, self._run = self._run, None
        if run is None:
            return None
        run.job.drop()
        run.outcome.running = False
        self._end(run)  # nothing is over by that: nothing is to begin after it
        return run.sheet if run.outcome.reading and not run.replaced else None

    # What a job says; one that is not the job of what was asked last is not heeded

    def _of(self, job: QObject | None) -> _Run | None:
        return self._run if self._run is not None and self._run.job is job else None

    @Slot()
    def _moved(self) -> None:
        if (run := self._of(self.sender())) is not None:
            self._show_place(run)

    def _show_place(self, run: _Run) -> None:
        ahead = self._lanes.work.ahead(run.job)
        run.outcome.waiting = waits_for(ahead) if ahead else "Waiting for the reader"
        self._answers.show()

    @Slot()
    def _started(self) -> None:
        if (run := self._of(self.sender())) is not None:
            self._began = perf_counter()
            run.outcome.waiting = "Reading"
            self._answers.show()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        run = self._of(self.sender())
        if run is not None and not run.replaced:
            # What is counted is windows of the model: to a person the text is read.
            what = "Reading" if progress.total else progress.what
            run.outcome.progress = replace(progress, what=what)
            if self._answers.sheet is run.sheet and not run.outcome.hidden:
                self._panel.strip.show_progress(run.outcome.progress)

    @Slot(object)
    def _partly(self, result: object) -> None:
        from app.core.results import Reading

        run = self._of(self.sender())
        if run is None or run.replaced or not isinstance(result, Reading):
            return
        sheet, outcome = run.sheet, run.outcome
        before = outcome.answers()[:1]
        outcome.take(result)
        self._answers.light(sheet)
        # The page goes along only as long as the person leaves it where it was put.
        kept = outcome.kept is not None or sheet.pane.moved_by_person()
        if result.answers[:1] != before and not kept:
            sheet.pane.reveal(0)
        self._answers.show_if_up(sheet)

    @Slot(object)
    def _done(self, result: Reading) -> None:
        run = self._of(self.sender())
        if run is None:
            return
        self._over(run)
        if run.replaced:
            return
        before = run.outcome.best_span
        run.outcome.take(result)
        run.outcome.note = run.outcome.read_in()
        self._say(run.sheet)
        self._settle(run, seen=before is not None and before == run.outcome.best_span)
        self.answered.emit(run.sheet)

    @Slot()
    def _stopped(self) -> None:
        run = self._of(self.sender())
        if run is None:
            return
        self._end(self._over(run))
        if run.replaced:
            return
        self._say(run.sheet)
        self._settle(run, seen=True)
        if run.outcome.reading is not None:
            self.answered.emit(run.sheet)
        else:
            self.left.emit(run.sheet)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        run = self._of(self.sender())
        if run is None:
            return
        self._over(run)
        if not run.replaced and run.outcome.reading is None:
            run.sheet.outcome = None
            self._answers.show_if_up(run.sheet)
        elif not run.replaced:
            self._end(run, "Broke off")
            self._settle(run, seen=True)
        fault = fault_of(error)
        self._panel.notice.show_fault(fault.sentence, fault.hint, fault.report)
        self.left.emit(run.sheet)
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _end(self, run: _Run, how: str = "Stopped") -> None:
        """Note how far a reading came that is not read to its end."""
        outcome = run.outcome
        outcome.ended = outcome.note = outcome.stopped(how)
        if outcome.reading is not None:  # what was read since the last answer came counts too
            outcome.reading = outcome.reading.stopped(outcome.progress, perf_counter() - self._began)

    def _over(self, run: _Run) -> _Run:
        self._run, run.outcome.running = None, False
        self.over.emit()
        return run

    def _say(self, sheet: Sheet) -> None:
        """Say in the status line what came of a sheet's question, if that sheet is up."""
        if sheet.said is not None and self._answers.sheet is sheet:
            self.note.emit(sheet.said.note)

    def _settle(self, run: _Run, *, seen: bool) -> None:
        """Show what came of it; the page stays where a person went who had `seen` the answer before, or has another."""
        sheet, outcome = run.sheet, run.outcome
        self._answers.light(sheet)
        if not ((seen or outcome.kept is not None) and sheet.pane.moved_by_person()):
            sheet.pane.reveal(outcome.chosen)
        self._answers.show_if_up(sheet)


def lacks(sheet: Sheet, question: str) -> tuple[str, str] | None:
    """What lacks before a question can be asked about a sheet: a sentence and a hint; None where nothing does."""
    if not question:
        return "There is no question yet.", "Type what you want to know, then press Enter."
    if not sheet.is_open:
        return "This file is not open.", "The page says why. Your question stays here."
    opened = sheet.asked()
    if opened.document.text.strip():
        return None
    if opened.is_text:
        return "There is no text to read yet.", "Paste one on the page, or open a file (Ctrl+O)."
    return " ".join(opened.notes) or "This document holds no text to read.", ""
