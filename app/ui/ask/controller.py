"""What happens to questions: they are asked, paused, stopped and restored, and their answers chosen and kept."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core import wording
from app.core.errors import EngineLost, SpanlightError
from app.core.message import Message
from app.core.report import Progress, Silent
from app.flows.workspace import Workspace
from app.ui.ask.files import DocumentFiles, sheet_of
from app.ui.ask.question_box import missing_input
from app.ui.ask.session import QuestionRun, TextState, WaitingQuestion, next_question
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.requests import Question
    from app.core.results import Reading
    from app.core.text import Document
    from app.flows.history.kept_answers import Found

_log = logging.getLogger(__name__)


class _Reading(NamedTuple):
    """The question that is being read for."""

    sheet: Sheet
    run: QuestionRun
    job: Job


class AskController(QObject):
    """Takes the sheets' sessions from one state to the next, and runs their jobs.

    One question is read for at a time, the latest; one about another sheet is paused meanwhile. A question about a
    file that is being opened, or recognised, waits for it. Then the latest of those that wait or are paused comes next.

    Each of these signals carries a sheet: `changed` when it is to be shown anew, `progressed` for its progress alone,
    `chosen` when another answer is highlighted strongly, `asking` before the user's question replaces the last one,
    `ended` when a question was read to the end, stopped, or failed, `restored` when an entry of the history is shown.
    `copied` is sent when the best answer was copied, `lost` when the model process died; `hint` is a sentence with a
    hint, `note` one line for the status line. `begun` is sent before it reads for a question, `rested` when none is
    left; while it is `held`, because a question about several documents is read for, it begins none.
    """

    changed = Signal(object)
    progressed = Signal(object)
    chosen = Signal(object)
    asking = Signal(object)
    ended = Signal(object)
    restored = Signal(object)
    copied = Signal()
    hint = Signal(str, str)
    note = Signal(str)
    failed = Signal(object)
    lost = Signal()
    begun = Signal()
    rested = Signal()

    def __init__(
        self, workspace: Workspace, lanes: Lanes, sheets: Sheets, files: DocumentFiles, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._sheets = sheets
        self._files = files
        self.held = False
        self._now: _Reading | None = None
        self._history_jobs: dict[Job, Sheet] = {}
        # An entry of the history to show once its file is open, and the one whose text is being looked up.
        self._wanted: tuple[Sheet, Entry] | None = None
        self._text_job: tuple[Job, Entry] | None = None
        sheets.shown.connect(self._sheet_shown)
        sheets.closing.connect(self.stop_reading)
        sheets.closing.connect(self._drop_waiting)
        files.opened.connect(self._file_read)
        files.unread.connect(self._drop_waiting)

    @Slot(object)
    def _sheet_shown(self, sheet: Sheet) -> None:
        run, threshold = sheet.session.run, self._workspace.settings.ask_threshold
        if run is not None and run.threshold != threshold:
            run.set_threshold(threshold)
            sheet.highlight()
        self.next_soon()

    def stop(self, sheet: Sheet) -> bool:
        """Drop the question that waits, else stop opening the file, else stop reading; False without any of these."""
        return self._drop_waiting(sheet) or self._files.stop(sheet) or self.stop_reading(sheet)

    @Slot()
    def stop_question(self) -> None:
        """Stop the question about the current sheet, and let its file be opened."""
        sheet = self._sheets.current()
        if not self._drop_waiting(sheet):
            self.stop_reading(sheet)

    # Questions

    def ask(self, sheet: Sheet, *, whole: bool = False, is_example: bool = False) -> bool:
        """Ask a sheet's question now, or as soon as its file is open; False where something is missing for it.

        With `whole` every passage is read, whatever the settings say. An example is asked by Spanlight itself.
        """
        session = sheet.session
        question = session.question.strip()
        if question and session.is_awaited:
            session.waiting = WaitingQuestion(question, whole)
            self.changed.emit(sheet)
            return True
        if question:
            session.waiting = None  # this one takes its place
        return self._ask_now(sheet, question, whole=whole, is_example=is_example)

    def _ask_now(self, sheet: Sheet, question: str, *, whole: bool, is_example: bool = False) -> bool:
        opened = sheet.current_document() if sheet.is_open else None
        missing = missing_input(question, opened)
        if missing is not None or opened is None:
            if missing is not None and sheet is self._sheets.current():
                self.hint.emit(*missing)
            return False
        self._make_way(sheet)
        if not is_example:
            self.asking.emit(sheet)
        request = self.request(question, (opened.document,), whole=whole)
        run = sheet.session.ask(request, opened, request.threshold, is_example=is_example)
        sheet.pane.clear_highlights()
        sheet.pane.set_heat(())
        sheet.pane.note_position()
        self._begin(sheet, run)
        return True

    def request(self, question: str, documents: tuple[Document, ...], *, whole: bool = False) -> Question:
        """A question as it is read by the settings, or with `whole` of every passage; a library has no documents."""
        from app.core.requests import Question

        settings = self._workspace.settings
        reading = "every" if whole else settings.ask_reading
        return Question(
            question,
            documents,
            settings.ask_top_k,
            settings.ask_threshold,
            quick=reading == "quick",
            every=reading == "every" and bool(documents),
        )

    def _make_way(self, sheet: Sheet) -> None:
        """End the reading for a sheet that is asked about again, and pause that for another one."""
        own = sheet.session.running()
        if own is not None and own.reading is not None:
            self.stop_reading(sheet)  # the answers so far are kept
        elif own is not None and self._now is not None and self._now.run is own:
            self._drop_job()
        self.pause()

    def pause(self) -> None:
        """Pause what is read for, if anything."""
        if self._now is not None:
            self._now.job.deliver()  # it may just have finished
        if self._now is not None:
            paused = self._now
            self._drop_job()
            paused.run.pause()
            self.changed.emit(paused.sheet)

    def _begin(self, sheet: Sheet, run: QuestionRun) -> None:
        from app.flows.ask.question import ask

        self.begun.emit()
        job = self._lanes.work.start(ask, self._workspace, run.request)
        job.name = Message("the work on Ask")
        run.begin()
        self._now = _Reading(sheet, run, job)
        job.moved.connect(self._show_queue)
        job.started.connect(self._started)
        job.progress.connect(self._progressed)
        job.partial.connect(self._partly)
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self._stopped)
        if sheet is self._sheets.current():
            self.note.emit("")  # it belongs to the question before
        self._show_queue()

    @Slot(object)
    def stop_reading(self, sheet: Sheet) -> bool:
        """Stop reading for a sheet, paused or not; the best answer so far stays. Returns whether there was any."""
        run = sheet.session.running()
        if run is None:
            return False
        if self._now is not None and self._now.run is run:
            self._drop_job()
        run.stop()
        self._show_note(sheet, run)
        self._settle(sheet, run, is_seen=True)
        return True

    def close(self) -> None:
        """Stop all reading before the window closes, and keep the answers so far."""
        self._drop_job()
        for sheet in self._sheets.all():
            if (run := sheet.session.running()) is not None:
                run.stop()
                self._remember(sheet, run, at_once=True)

    @Slot(object)
    def text_changed(self, sheet: Sheet) -> None:
        """Show that the text that was asked has changed, or is back; another text in its place ends the reading."""
        run = sheet.session.run
        if run is not None and run.text is not TextState.CHANGED:
            if run.text is TextState.EMPTIED and not sheet.pane.is_empty():
                self.stop_reading(sheet)  # the answers so far wait for their own text
            if sheet is self._sheets.current():
                self.note.emit("" if run.text is TextState.EMPTIED else localised(run.note))
        sheet.highlight()
        self.changed.emit(sheet)

    @Slot(object)
    def _drop_waiting(self, sheet: Sheet) -> bool:
        if sheet.session.take_waiting() is None:
            return False
        self.changed.emit(sheet)
        return True

    def next_soon(self) -> None:
        """Read for the next question that waits or is paused."""
        # Later: no question may begin in the middle of starting or ending another one.
        QTimer.singleShot(0, self._ask_next)

    @Slot()
    def _ask_next(self) -> None:
        """Read for the next question, where it is its turn."""
        if self.held:
            return
        sheets = {sheet.session: sheet for sheet in self._sheets.all()}
        ready = [session for session, sheet in sheets.items() if self._can_ask(sheet)]
        session = next_question(list(sheets), ready, self._sheets.current().session)
        if session is None:
            if self._now is None:
                self.rested.emit()
            return
        sheet = sheets[session]
        # One that waits for its pages stays where an earlier one about them was paused.
        if session in ready and (waiting := session.take_waiting()) is not None:
            self.changed.emit(sheet)
            self._ask_now(sheet, waiting.question, whole=waiting.whole)
            self.next_soon()  # where that one could not be asked, the next one can
        elif session.run is not None:
            self._begin(sheet, session.run)

    def _can_ask(self, sheet: Sheet) -> bool:
        """Whether a waiting question can be asked; without a text to read only on the current sheet, to show that."""
        waiting = sheet.session.waiting
        if waiting is None or not sheet.is_open or sheet.session.is_awaited:
            return False
        is_current = sheet is self._sheets.current()
        return is_current or missing_input(waiting.question, sheet.current_document()) is None

    # The job of a question

    def _drop_job(self) -> None:
        if self._now is not None:
            self._now.job.drop()
            self._now = None

    @Slot()
    def _show_queue(self) -> None:
        if self._now is not None:
            from app.ui.kit.progress_strip import waits_for

            ahead = self._lanes.work.ahead(self._now.job)
            self._now.run.queue_note = waits_for(ahead) if ahead else tr("Waiting for the reader")
            self.changed.emit(self._now.sheet)

    @Slot()
    def _started(self) -> None:
        if self._now is not None:
            self._now.run.start_reading()
            self.changed.emit(self._now.sheet)

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._now is None:
            return
        sheet, run, _ = self._now
        if run.take_progress(progress):
            self._show_partial(sheet, run)
        self.progressed.emit(sheet)

    @Slot(object)
    def _partly(self, reading: Reading) -> None:
        if self._now is not None and self._now.run.take_partial(reading):
            self._show_partial(self._now.sheet, self._now.run)

    def _show_partial(self, sheet: Sheet, run: QuestionRun) -> None:
        """Show the answers so far."""
        sheet.highlight()
        # The page scrolls to new answers only as long as the user has not scrolled it.
        if run.pinned is None and not sheet.pane.moved_by_user():
            sheet.pane.reveal(0)
        self.changed.emit(sheet)

    @Slot(object)
    def _done(self, reading: Reading) -> None:
        if self._now is None:
            return
        sheet, run, _ = self._now
        self._drop_job()
        before = run.best_span
        run.finish(reading)
        self._show_note(sheet, run)
        self._settle(sheet, run, is_seen=before is not None and before == run.best_span)

    @Slot()
    def _stopped(self) -> None:
        if self._now is not None:
            self.stop_reading(self._now.sheet)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if self._now is None:
            return
        sheet, run, _ = self._now
        self._drop_job()
        if run.reading is None:
            sheet.session.run = None
        else:
            run.stop(Message("Broke off"))
        self._settle(sheet, run, is_seen=True)
        self.failed.emit(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _show_note(self, sheet: Sheet, run: QuestionRun) -> None:
        if run.text is not TextState.EMPTIED and sheet is self._sheets.current():
            self.note.emit(localised(run.note))

    def _settle(self, sheet: Sheet, run: QuestionRun, *, is_seen: bool) -> None:
        """Show and keep the result; a scrolled page stays where the user has seen or pinned an answer."""
        self._remember(sheet, run)  # first: what was seen is not lost with the window
        sheet.highlight()
        if not ((is_seen or run.pinned is not None) and sheet.pane.moved_by_user()):
            sheet.pane.reveal(run.chosen)
        self.changed.emit(sheet)
        self.ended.emit(sheet)
        self.next_soon()

    # Answers

    @Slot(int)
    def choose(self, index: int) -> None:
        """Highlight one of the current sheet's answers strongly, and scroll to it."""
        sheet = self._sheets.current()
        run = sheet.session.shown_run
        if run is None or not 0 <= index < len(run.lit):
            return
        run.choose(index)
        if run.text is TextState.SAME:
            if run.is_running:
                sheet.highlight()
                self.changed.emit(sheet)
            else:
                sheet.pane.choose(index)
            sheet.pane.reveal(run.chosen)
        self.chosen.emit(sheet)

    def step(self, by: int) -> None:
        """Go to the next answer, or with -1 to the previous one, cyclically."""
        run = self._sheets.current().session.shown_run
        if run is not None and run.lit:
            self.choose((run.chosen + by) % len(run.lit))

    @Slot(bool)
    def show_nearest(self, on: bool) -> None:
        """Show the words nearest to an answer, or hide them."""
        sheet = self._sheets.current()
        if (run := sheet.session.shown_run) is not None:
            run.show_nearest(on)
            sheet.highlight()
            sheet.pane.reveal(0)
            self.changed.emit(sheet)

    def set_threshold(self, threshold: float | None) -> None:
        """Judge every answer by another threshold, those of other sheets once shown; None for the reader's own."""
        self._workspace.settings.ask_threshold = threshold
        sheet = self._sheets.current()
        if (run := sheet.session.run) is not None:
            run.set_threshold(threshold)
            sheet.highlight()
        self.changed.emit(sheet)

    @Slot()
    def copy(self) -> None:
        """Copy the answer that is highlighted strongly, with its sentence."""
        run = self._sheets.current().session.shown_run
        self.copy_answer(run.chosen if run is not None else 0)

    @Slot(int)
    def copy_answer(self, index: int) -> None:
        """Copy one of the answers with its sentence, or that there is none."""
        run = self._sheets.current().session.shown_run
        if run is None or run.reading is None or index >= len(run.answers()):
            return
        if run.highlighted():
            QGuiApplication.clipboard().setText(run.place(index).copied())
            self.note.emit(tr("Copied with its source"))
            if index == 0:
                self.copied.emit()
        else:
            words, _ = wording.without_answer(run.reading.no_answer_probability, whole=run.judged_whole)
            QGuiApplication.clipboard().setText(localised(words))
            self.note.emit(tr("Copied"))

    # Files

    @Slot()
    def reload(self) -> None:
        """Read the file of the current sheet again."""
        sheet = self._sheets.current()
        self.stop_reading(sheet)
        self._files.reload(sheet)

    @Slot(object)
    def _file_read(self, sheet: Sheet) -> None:
        if self._wanted is not None and self._wanted[0] is sheet:
            self._show_wanted()
        else:
            self.restore_last(sheet)
        sheet.highlight()
        self.changed.emit(sheet)
        self.next_soon()

    @Slot(object)
    def file_grown(self, sheet: Sheet) -> None:
        """Show what is asked of a file again, of which more pages are read now."""
        self._file_read(sheet)

    # The history

    def _remember(self, sheet: Sheet, run: QuestionRun, *, at_once: bool = False) -> None:
        """Save the answer in the history, unless that is off; `at_once` as the window closes, with faults logged."""
        if run.reading is None or run.is_example or not self._workspace.settings.keep_history:
            return
        from app.flows.history.history import remember

        arguments = self._workspace, (run.opened,), run.request, run.reading
        if not at_once:
            job = self._lanes.files.start(remember, *arguments, asked=run.asked_at)
            self._history_jobs[job] = sheet
            job.done.connect(self._remembered)
            job.failed.connect(self.not_remembered)
            return
        try:
            entry = remember(*arguments, Silent(), asked=run.asked_at)
        except SpanlightError as fault:
            _log.warning("the last question was not kept: %s", fault)
        else:
            sheet.session.entry = entry.number if entry is not None else 0

    @Slot(object)
    def _remembered(self, entry: Entry | None) -> None:
        sheet = sheet_of(self._history_jobs, self.sender())
        if sheet is not None and entry is not None:
            sheet.session.entry = entry.number
            self._sheets.save_soon()

    @Slot(object)
    def not_remembered(self, error: BaseException) -> None:
        """Tell that an answer was not saved in the history."""
        sheet_of(self._history_jobs, self.sender())
        fault = fault_of(error)
        if self._workspace.storage_fault() is None:  # otherwise the window has shown it at its start
            self.note.emit(localised(wording.not_kept(fault.sentence)))

    def restore_last(self, sheet: Sheet) -> None:
        """Highlight the last answer of a sheet from an earlier session again, as the history or its verdict has it."""
        session = sheet.session
        if session.run is None and sheet.is_open and session.question.strip():
            from app.flows.teach.corrections import shown_before

            shown = session.entry, sheet.current_document(), session.question
            job = self._lanes.files.start(shown_before, self._workspace, *shown)
            self._history_jobs[job] = sheet
            job.done.connect(self._last_found)
            job.failed.connect(self._last_gone)

    @Slot(object)
    def _last_found(self, entry: Entry | None) -> None:
        sheet = sheet_of(self._history_jobs, self.sender())
        if entry is None or sheet is None or sheet not in self._sheets.all() or not sheet.is_open:
            return
        from app.flows.history.kept_answers import answers_in

        found = answers_in(sheet.current_document(), entry)
        is_same = found.in_place and sheet.session.question.strip() == entry.question
        if sheet.session.run is None and is_same:
            self._show_found(sheet, entry, found)
            self.changed.emit(sheet)

    @Slot(object)
    def _last_gone(self, error: BaseException) -> None:
        sheet_of(self._history_jobs, self.sender())  # it was deleted since: the page stays without answers
        fault_of(error)

    def open_entry(self, entry: Entry) -> None:
        """Open an entry's document and highlight its answers."""
        if self._text_job is not None:
            self._text_job[0].drop()
            self._text_job = None
        if entry.path:
            self._files.open([Path(entry.path)])
            self.show_entry(self._sheets.current(), entry)
            return
        from app.flows.history.history import document_of

        job = self._lanes.files.start(document_of, self._workspace, entry)
        self._text_job = (job, entry)
        job.done.connect(self._text_found)
        job.failed.connect(self.failed)

    @Slot(object)
    def _text_found(self, opened: Opened) -> None:
        if self._text_job is None:
            return
        text = opened.document.text
        (_, entry), self._text_job = self._text_job, None
        sheet = self._sheets.bring_text(text)
        if sheet is None:
            sheet = self._sheets.new()
            sheet.show_text(text, name="" if entry.name == sheet.title else entry.name)
        self.show_entry(sheet, entry)

    def show_entry(self, sheet: Sheet, entry: Entry) -> None:
        """Highlight the answers of an entry on a sheet, once its file is open."""
        self._wanted = (sheet, entry)
        self._show_wanted()

    def _show_wanted(self) -> None:
        """Show the wanted entry, where its document is open."""
        if self._wanted is None or not self._wanted[0].is_open:
            return
        from app.flows.history.kept_answers import answers_in

        (sheet, entry), self._wanted = self._wanted, None
        if self._drop_waiting(sheet):  # asked before this was wanted
            self.next_soon()
        self.stop_reading(sheet)
        found = answers_in(sheet.current_document(), entry)
        session = sheet.session
        session.run, session.entry = None, entry.number
        if not (session.is_preview and session.question):  # what was typed there stays
            session.question = entry.question
        if found.answers or found.in_place:
            self._show_found(sheet, entry, found)
        else:
            sheet.highlight()
        sheet.to_own = sheet.session.run
        self.restored.emit(sheet)
        sheet.pane.reveal(0)
        if not found.in_place:
            self.hint.emit(*_moved(found, had_answers=bool(entry.answers)))

    def _show_found(self, sheet: Sheet, entry: Entry, found: Found) -> None:
        """Highlight the answers of an entry that were found on a sheet."""
        from app.flows.ask.question import listed
        from app.flows.history.kept_answers import reading_of

        reading = listed(reading_of(entry, found.answers), (found.opened.document,))
        sheet.session.restore(entry, found, reading, self._workspace.settings.ask_threshold)
        sheet.highlight()


def _moved(found: Found, *, had_answers: bool) -> tuple[str, str]:
    """The sentence and the hint about an entry whose answers are no longer where they were."""
    sentence = (
        tr("The document has changed since this was asked.")
        if found.changed
        else tr("This file is read differently now.")
    )
    if not had_answers:
        return sentence, tr("Ask again to see what it says now.")
    if found.answers:
        return sentence, tr("The words were found again in another place.")
    return sentence, tr("Its answer does not stand in it any more. Ask again to see what it says now.")
