"""Runs questions in the work lane, and has their results shown."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import EngineLost
from app.core.report import Progress
from app.flows.workspace import Workspace
from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.answers import Answers
from app.ui.ask.outcome import Outcome
from app.ui.ask.runs import Run, Runs
from app.ui.ask.sheet import Sheet
from app.ui.kit.jobs import Lanes
from app.ui.kit.messages import fault_of

if TYPE_CHECKING:
    from app.core.results import Reading


class Asking(QObject):
    """Asks about one sheet at a time: the current one when the question is asked.

    A question about another sheet is paused meanwhile, until `go_on`. `note` is one line for the status line; `lost` is
    sent when the model process died; `answered` carries a sheet whose document was read to the end, or to where it was
    stopped; `asked` one that the user asks about, `left` one whose question has no result, as it was stopped or failed;
    `over` is sent when nothing is being read any more, for whatever reason.
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
        self._runs = Runs()

    @Slot(object)
    def forget(self, sheet: Sheet) -> None:
        """Stop reading for a sheet that is closed, or that shows something else now."""
        self.stop(sheet)

    @Slot(object)
    def outdated(self, sheet: Sheet) -> None:
        """Show that a sheet's text has changed, or is back; for an emptied text nothing is shown."""
        outcome = sheet.outcome
        if outcome is not None and (outcome.hidden or not outcome.stale):
            if outcome.hidden and not sheet.pane.is_empty():
                self.stop(sheet)  # there is another text; the answers so far wait for their own
            self._answers.light(sheet)
            if self._answers.sheet is sheet:
                self.note.emit("" if outcome.hidden else outcome.note)
        self._answers.show_if_up(sheet)

    @property
    def since(self) -> float:
        """The time when the question now being read for was asked, in seconds since 1970; 0 without one."""
        return self._runs.now.outcome.asked_at if self._runs.now is not None else 0.0

    @property
    def paused_since(self) -> float:
        """The time when the latest paused question was asked; 0 without one."""
        paused = self._runs.paused()
        return paused.outcome.asked_at if paused is not None else 0.0

    def ask(self, sheet: Sheet, *, question: str = "", whole: bool = False, example: bool = False) -> None:
        """Ask the question in the box about a sheet; with `whole` every passage is read, whatever the settings say.

        A given `question` was typed earlier, for a sheet that need not be the current one. An `example` is asked by
        Spanlight itself, and is saved nowhere.
        """
        panel, up = self._panel, self._answers.sheet is sheet
        waited, question = bool(question), question or panel.box.question()
        if not waited:
            panel.notice.clear()
        missing = missing_input(sheet, question)
        if missing is not None:
            if up:
                panel.notice.show_hint(*missing)
            if not question:
                panel.box.setFocus()
            return
        opened = sheet.current_document()
        self._make_way(sheet)
        if up and sheet.outcome is not None and sheet.outcome.why_not:
            panel.threshold.open(False)
        if not example and not waited:
            sheet.history = panel.box.remember()
        settings = self._workspace.settings
        reading = "every" if whole else settings.ask_reading
        quick = reading == "quick"
        outcome = sheet.outcome = Outcome(question, opened, example=example, quick=quick)
        sheet.pane.clear_highlights()
        sheet.pane.set_heat(())
        sheet.pane.note_position()
        if up:
            panel.strip.clear()
        from app.core.requests import Question

        request = Question(
            question,
            (opened.document,),
            settings.ask_top_k,
            self._answers.threshold(),
            quick=quick,
            every=reading == "every",
        )
        self._begin(Run(sheet, outcome, request))
        if not example:
            self.asked.emit(sheet)

    def _make_way(self, sheet: Sheet) -> None:
        """End the reading for a sheet that is asked about again, and pause that for another one."""
        own = self._runs.of(sheet)
        if own is not None and (own.replaced or own.outcome.reading is None):
            self._runs.take_out(own)
        elif own is not None:
            self.stop(sheet)  # the answers so far are kept
        if (paused := self._runs.pause()) is not None:
            self._answers.show_if_up(paused.sheet)

    def _begin(self, run: Run) -> None:
        """Start the job of a question."""
        from app.flows.ask.question import ask

        job = self._lanes.work.start(ask, self._workspace, run.request)
        job.name = "the work on Ask"
        self._runs.now = run
        run.begin(job)
        job.moved.connect(self._moved)
        job.started.connect(self._started)
        job.progress.connect(self._progressed)
        job.partial.connect(self._partly)
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)
        if self._answers.sheet is run.sheet:
            self.note.emit("")  # it belongs to the question before
        self._show_place(run)

    def go_on(self) -> None:
        """Resume the latest paused question, unless one is being read for."""
        while self._runs.now is None and (run := self._runs.paused()) is not None:
            self._runs.take_out(run)
            if not run.replaced:
                self._begin(run)

    def stop(self, sheet: Sheet) -> bool:
        """Stop reading for a sheet, paused or not; the best answer so far stays. Returns whether there was any."""
        run = self._runs.of(sheet)
        if run is not None:
            self._leave(run)
        return run is not None

    def end(self) -> list[Sheet]:
        """Stop all reading before the window closes; the sheets that have an answer by now."""
        runs = self._runs.all()
        for run in runs:
            self._runs.take_out(run)  # without `over`, as nothing is to begin after it
            run.end()
        return [run.sheet for run in runs if run.outcome.reading and not run.replaced]

    # Signals of jobs; those of any job but the latest question's are ignored

    def _of(self, job: QObject | None) -> Run | None:
        run = self._runs.now
        return run if run is not None and run.job is job else None

    @Slot()
    def _moved(self) -> None:
        if (run := self._of(self.sender())) is not None:
            self._show_place(run)

    def _show_place(self, run: Run) -> None:
        from app.ui.kit.progress_strip import waits_for

        ahead = self._lanes.work.ahead(run.job) if run.job is not None else ""
        run.outcome.waiting = waits_for(ahead) if ahead else "Waiting for the reader"
        self._answers.show()

    @Slot()
    def _started(self) -> None:
        if (run := self._of(self.sender())) is not None:
            run.began = perf_counter()
            run.outcome.waiting = "Reading"
            self._answers.show()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        run = self._of(self.sender())
        if run is None or run.replaced:
            return
        if run.progressed(progress) and run.late is not None:
            self._find(run, run.late)
        if self._answers.sheet is run.sheet and not run.outcome.hidden and run.outcome.progress is not None:
            self._panel.strip.show_progress(run.outcome.progress)

    @Slot(object)
    def _partly(self, result: object) -> None:
        from app.core.results import Reading

        run = self._of(self.sender())
        if run is not None and not run.replaced and isinstance(result, Reading) and run.may_take(result):
            self._find(run, result)

    def _find(self, run: Run, result: Reading) -> None:
        """Show the answers so far."""
        sheet, outcome = run.sheet, run.outcome
        run.late, before = None, outcome.answers()[:1]
        outcome.take(result)
        self._answers.light(sheet)
        # The page scrolls to new answers only as long as the user has not scrolled it.
        stays = outcome.pinned is not None or sheet.pane.moved_by_user()
        if result.answers[:1] != before and not stays:
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
        self._show_note(run.sheet)
        self._settle(run, seen=before is not None and before == run.outcome.best_span)
        self.answered.emit(run.sheet)

    @Slot()
    def _stopped(self) -> None:
        if (run := self._of(self.sender())) is not None:
            self._leave(run)

    def _leave(self, run: Run) -> None:
        """Show how far an ended reading came, and have its answers saved."""
        self._over(run)
        run.end()
        if run.replaced:
            return
        self._show_note(run.sheet)
        self._settle(run, seen=True)
        (self.left if run.outcome.reading is None else self.answered).emit(run.sheet)

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
            run.end("Broke off")
            self._settle(run, seen=True)
        fault = fault_of(error)
        self._panel.notice.show_fault(fault.sentence, fault.hint, fault.report)
        found = not run.replaced and run.outcome.reading is not None
        (self.answered if found else self.left).emit(run.sheet)
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _over(self, run: Run) -> None:
        self._runs.take_out(run)
        run.outcome.running = False
        if self._runs.now is None:
            self.over.emit()

    def _show_note(self, sheet: Sheet) -> None:
        """Show the outcome of a sheet's question in the status line, if it is the current sheet."""
        if sheet.shown_outcome is not None and self._answers.sheet is sheet:
            self.note.emit(sheet.shown_outcome.note)

    def _settle(self, run: Run, *, seen: bool) -> None:
        """Show the outcome; a page that the user has scrolled stays where they had `seen` or pinned an answer."""
        sheet, outcome = run.sheet, run.outcome
        self._answers.light(sheet)
        if not ((seen or outcome.pinned is not None) and sheet.pane.moved_by_user()):
            sheet.pane.reveal(outcome.chosen)
        self._answers.show_if_up(sheet)


def missing_input(sheet: Sheet, question: str) -> tuple[str, str] | None:
    """What is missing to ask a question about a sheet, as a sentence and a hint; None where nothing is."""
    if not question:
        return "There is no question yet.", "Type what you want to know, then press Enter."
    if not sheet.is_open:
        return "This file is not open.", "The page says why. Your question stays here."
    opened = sheet.current_document()
    if opened.document.text.strip():
        return None
    if opened.is_text:
        return "There is no text to read yet.", "Paste one on the page, or open a file (Ctrl+O)."
    return " ".join(opened.notes) or "This document holds no text to read.", ""
