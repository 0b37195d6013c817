"""From a question to a reading: runs it in the work lane, and has its news shown."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core import wording
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
    from app.core.layout import Opened
    from app.core.results import Reading


class Asking(QObject):
    """Asks about one sheet at a time: the one that is up when the question is asked.

    `note` is one line for the status line; `lost` says that the model process died; `answered` carries a sheet whose
    document was read to the end, or as far as to where it was stopped; `asked` one that a person asks about,
    `left` one whose question brought nothing, as it was stopped or failed.
    """

    note = Signal(str)
    asked = Signal(object)
    left = Signal(object)
    answered = Signal(object)
    lost = Signal()

    def __init__(
        self, workspace: Workspace, lanes: Lanes, panel: AnswerPanel, answers: Answers, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._panel = panel
        self._answers = answers
        self._job: Job | None = None
        self._asked: Sheet | None = None
        self._began = 0.0

    def forget(self, sheet: Sheet) -> None:
        """Drop what is being read for a sheet that goes away."""
        if sheet is self._asked and self._job is not None:
            self._job.drop()
            self._end()

    @Slot(object)
    def outdated(self, sheet: Sheet) -> None:
        """Show that a sheet's text is another one by now, or is back; of a text that was emptied nothing is said."""
        outcome = sheet.outcome
        if outcome is not None and (outcome.hidden or not outcome.stale):
            if sheet is self._asked and outcome.hidden and not sheet.pane.is_empty():
                self.stop()  # another text stands there; what was found by now waits for its own
            self._answers.light(sheet)
            if self._answers.sheet is sheet:
                self.note.emit("" if outcome.hidden else outcome.note)
        self._answers.show_if_up(sheet)

    @property
    def running(self) -> bool:
        """Whether a document is being read for a question."""
        return self._job is not None and self._job.running

    def ask(self, sheet: Sheet, *, question: str = "", whole: bool = False, example: bool = False) -> None:
        """Ask the question in the box about a sheet; with `whole` all of it is read, whatever the settings say.

        A `question` that is given was taken before, for a sheet that need not be up. An `example` is asked by Spanlight
        itself, and is remembered nowhere.
        """
        panel, up = self._panel, self._answers.sheet is sheet
        waited, question = bool(question), question or panel.box.question()
        if not waited:
            panel.notice.clear()
        lacks = _lacks(sheet, question)
        if lacks is not None:
            if up:
                panel.notice.show_hint(*lacks)
            if not question:
                panel.box.setFocus()
            return
        opened = sheet.asked()
        if self._job is not None and self._job.running:
            if self._asked is sheet and (sheet.outcome is None or sheet.outcome.reading is None):
                self._job.drop()
            else:
                self._job.stop()  # what was found by now is kept
        if up and sheet.outcome is not None and sheet.outcome.nearest:
            panel.threshold.open(False)
        if not example and not waited:
            sheet.history = panel.box.remember()
        sheet.outcome = Outcome(question, opened, example=example)
        sheet.outcome.waiting = "Waiting for the reader"
        sheet.pane.put_out()
        sheet.pane.set_heat(())
        sheet.pane.hold()
        if up:
            panel.strip.clear()
        self._asked = sheet
        from app.core.requests import Question
        from app.flows.ask import ask

        request = Question(
            question,
            (opened.document,),
            self._workspace.settings.ask_top_k,
            self._answers.threshold(),
            quick=self._workspace.settings.ask_quick and not whole,
        )
        job = self._job = self._lanes.work.start(ask, self._workspace, request)
        job.name = "the work on Ask"
        job.moved.connect(self._moved)
        job.started.connect(self._started)
        job.progress.connect(self._progressed)
        job.partial.connect(self._partly)
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)
        if up:
            self.note.emit("")  # what it says is of the question before
        self._moved()
        if not example:
            self.asked.emit(sheet)

    @Slot()
    def stop(self) -> bool:
        """Stop reading; the best answer so far stays. Returns whether anything was being read."""
        if self._job is None or not self._job.running:
            return False
        self._job.stop()
        return True

    def end(self) -> Sheet | None:
        """Stop reading, the window being about to go; the sheet that was read, where there was an answer by now."""
        if self._job is None or not self._job.running:
            return None
        self._job.drop()
        sheet = self._end()
        return sheet if sheet is not None and sheet.outcome is not None and sheet.outcome.reading else None

    @Slot()
    def _moved(self) -> None:
        if self._asked is not None and self._asked.outcome is not None and self._job is not None:
            ahead = self._lanes.work.ahead(self._job)
            self._asked.outcome.waiting = waits_for(ahead) if ahead else "Waiting for the reader"
            self._answers.show()

    @Slot()
    def _started(self) -> None:
        self._began = perf_counter()
        if self._asked is not None and self._asked.outcome is not None:
            self._asked.outcome.waiting = "Reading"
            self._answers.show()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._asked is not None and self._asked.outcome is not None:
            # What is counted is windows of the model: to a person the text is read.
            what = "Reading" if progress.total else progress.what
            self._asked.outcome.progress = replace(progress, what=what)
            if self._answers.sheet is self._asked and not self._asked.outcome.hidden:
                self._panel.strip.show_progress(self._asked.outcome.progress)

    @Slot(object)
    def _partly(self, result: object) -> None:
        from app.core.results import Reading

        sheet = self._asked
        if sheet is None or sheet.outcome is None or not isinstance(result, Reading):
            return
        before = sheet.outcome.answers()[:1]
        sheet.outcome.take(result)
        self._answers.light(sheet)
        # The page goes along only as long as the person leaves it where it was put.
        kept = sheet.outcome.kept is not None or sheet.pane.moved_by_person()
        if result.answers[:1] != before and not kept:
            sheet.pane.reveal(0)
        self._answers.show_if_up(sheet)

    @Slot(object)
    def _done(self, result: Reading) -> None:
        sheet = self._over()
        if sheet is None or sheet.outcome is None:
            return
        before = sheet.outcome.best_span
        sheet.outcome.take(result)
        sheet.outcome.note = _read(sheet.outcome.opened, result)
        self._say(sheet)
        self._settle(sheet, seen=before is not None and before == sheet.outcome.best_span)
        self.answered.emit(sheet)

    @Slot()
    def _stopped(self) -> None:
        sheet = self._end()
        if sheet is not None and sheet.outcome is not None:
            self._say(sheet)
            self._settle(sheet, seen=True)
            if sheet.outcome.reading is not None:
                self.answered.emit(sheet)
            else:
                self.left.emit(sheet)

    def _end(self) -> Sheet | None:
        """Note of the sheet that is being read how far that came; gives the sheet."""
        sheet = self._over()
        if sheet is not None and sheet.outcome is not None:
            sheet.outcome.ended = sheet.outcome.note = _stopped(sheet.outcome)
            self._count_rest(sheet.outcome)
        return sheet

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        sheet = self._over()
        if sheet is not None and sheet.outcome is not None:
            if sheet.outcome.reading is None:
                sheet.outcome = None
                self._answers.show_if_up(sheet)
            else:
                sheet.outcome.ended = _stopped(sheet.outcome, "Broke off")
                self._count_rest(sheet.outcome)
                self._settle(sheet, seen=True)
        fault = fault_of(error)
        self._panel.notice.show_fault(fault.sentence, fault.hint, fault.report)
        self.left.emit(sheet)
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _say(self, sheet: Sheet) -> None:
        """Say in the status line what came of a sheet's question, if that sheet is up."""
        if sheet.said is not None and self._answers.sheet is sheet:
            self.note.emit(sheet.said.note)

    def _over(self) -> Sheet | None:
        sheet, self._asked, self._job = self._asked, None, None
        if sheet is not None and sheet.outcome is not None:
            sheet.outcome.running = False
        return sheet

    def _count_rest(self, outcome: Outcome) -> None:
        """Count what was read since the last answer came, where it is not read to its end."""
        if outcome.reading is not None:
            outcome.reading = outcome.reading.stopped(outcome.progress, perf_counter() - self._began)

    def _settle(self, sheet: Sheet, *, seen: bool) -> None:
        """Show what came of it; the page stays where a person went who had `seen` the answer before, or has another."""
        self._answers.light(sheet)
        outcome = sheet.outcome
        if outcome is not None and not ((seen or outcome.kept is not None) and sheet.pane.moved_by_person()):
            sheet.pane.reveal(outcome.chosen)
        self._answers.show_if_up(sheet)


def _stopped(outcome: Outcome, how: str = "Stopped") -> str:
    """How far a reading came that was not read to its end."""
    reading = outcome.reading
    if reading is None:
        return wording.stopped_after(outcome.fraction, how=how)
    # An answer may have come before its progress.
    read = reading.share_read
    share = max(outcome.fraction, read) if read is not None else outcome.fraction or None
    return wording.stopped_after(share, quick=reading.quick, how=how)


def _read(opened: Opened, reading: Reading) -> str:
    """What was read and how fast: "71 pages read whole in 2.1 seconds", with how much of a long text how closely."""
    pages, characters = len(opened.pages), len(opened.document.text)
    length = wording.count(pages, "page") if pages else wording.count(characters, "character")
    time = wording.duration(reading.seconds)
    if reading.quick:
        return f"The best passages of {length} read in {time}"
    passages = f": {wording.read_closely(reading.windows, reading.screened)}" if reading.screened else ""
    return f"{length} read whole in {time}{passages}"


def _lacks(sheet: Sheet, question: str) -> tuple[str, str] | None:
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
