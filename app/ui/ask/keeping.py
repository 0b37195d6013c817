"""Keeps what was answered in the history, and shows answers of the history and of earlier sessions in their places."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core import wording
from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.ask.drafts import SavedAcross
from app.ui.ask.controller import AskController
from app.ui.ask.files import DocumentFiles
from app.ui.ask.question_run import QuestionRun, RunState
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Flow, Job
from app.ui.kit.messages import fault_of
from app.ui.kit.page import Page
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.library import Library, LibraryStatus
    from app.flows.history.kept_answers import LocatedAnswers
    from app.ui.kit.libraries import Libraries

_log = logging.getLogger(__name__)


class Keeping(QObject):
    """Saves each question that ends, and shows one that was saved.

    An answer in one of several documents, once it is gone to, is shown as an entry about its document. `restored`
    carries a sheet that shows an entry; `hint` is a sentence with a hint.
    """

    restored = Signal(object)
    hint = Signal(str, str)
    failed = Signal(object)

    def __init__(self, page: Page, sheets: Sheets, files: DocumentFiles, controller: AskController) -> None:
        super().__init__(page)
        self._workspace, self._lanes, self._page = page.workspace, page.lanes, page
        self._sheets, self._files, self._controller = sheets, files, controller
        # An entry to show once its file is open, and the job that looks up the text of one.
        self._wanted: tuple[Sheet, Entry] | None = None
        self._text_job: Job | None = None
        self._saved = SavedAcross()  # of an earlier session, until its library is listed
        # The sheet of the answer in several documents that was gone to last, and when its question was asked.
        self._lit: tuple[Sheet, float] | None = None
        sheets.across = self._to_save
        controller.ended.connect(self._ended)
        controller.asking.connect(self._put_out)
        controller.chosen.connect(self._go_to)
        files.opened.connect(self.file_read)

    # Saving

    @Slot(object)
    def _ended(self, sheet: Sheet | None) -> None:
        self._remember(sheet)
        if sheet is None:
            self._sheets.save_soon()

    def close(self) -> None:
        """Stop all reading before the window closes, and keep the answers so far."""
        for sheet in self._controller.close():
            self._remember(sheet, at_once=True)

    def _remember(self, sheet: Sheet | None, *, at_once: bool = False) -> None:
        """Save the answer, unless the history is off; `at_once` as the window closes, with faults logged.

        Of several documents that of the best answer is saved with it.
        """
        run = self._controller.session(sheet).run
        if run is None or run.reading is None or run.is_example or not self._workspace.settings.keep_history:
            return
        if run.is_across and not run.answers():
            return
        flow, arguments = self._to_remember(run)
        if not at_once:
            job = self._lanes.files.start(flow, *arguments, asked=run.asked_at)
            job.then(partial(self._remembered, sheet), self._not_remembered)
            return
        try:
            entry = flow(*arguments, Silent(), asked=run.asked_at)
        except SpanlightError as fault:
            _log.warning("the last question was not kept: %s", fault)
        else:
            self._take_number(sheet, entry)  # type: ignore[arg-type]

    def _to_remember(self, run: QuestionRun) -> tuple[Flow, tuple[object, ...]]:
        """The flow that saves a question, and its arguments; it must have a reading."""
        if run.library is None or run.status is None or run.reading is None:
            from app.flows.history.history import remember

            return remember, (self._workspace, run.documents, run.request, run.reading)
        from app.core.library import LibraryReading
        from app.flows.library.search import remember_found

        reading = run.reading
        found = LibraryReading(run.library, run.status, reading, run.found, run.passages, reading.seconds)
        return remember_found, (self._workspace, run.request, found)

    def _remembered(self, sheet: Sheet | None, entry: Entry | None) -> None:
        if entry is not None:
            self._take_number(sheet, entry)
            self._sheets.save_soon()

    def _take_number(self, sheet: Sheet | None, entry: Entry | None) -> None:
        if sheet is not None:
            sheet.session.entry = entry.number if entry is not None else 0

    @Slot(object)
    def _not_remembered(self, error: BaseException) -> None:
        fault = fault_of(error)
        if self._workspace.storage_fault() is None:  # otherwise the window has shown it at its start
            self._page.note.emit(localised(wording.not_kept(fault.sentence)))

    # The last session

    @Slot(object)
    def file_read(self, sheet: Sheet) -> None:
        """Show what is wanted of a file, now that it was read, or its last answer."""
        if self._wanted is not None and self._wanted[0] is sheet:
            self._show_wanted()
        else:
            self.restore_last(sheet)

    def restore_last(self, sheet: Sheet) -> None:
        """Highlight the last answer of a sheet from an earlier session again, as the history or its verdict has it."""
        session = sheet.session
        if session.run is None and sheet.is_open and session.question.strip():
            from app.flows.teach.corrections import shown_before

            shown = session.entry, sheet.current_document(), session.question
            job = self._lanes.files.start(shown_before, self._workspace, *shown)
            # It may have been deleted since: the page stays without answers then.
            job.then(partial(self._last_found, sheet), fault_of)

    def _last_found(self, sheet: Sheet, entry: Entry | None) -> None:
        if entry is None or sheet not in self._sheets.all() or not sheet.is_open:
            return
        from app.flows.history.kept_answers import locate_answers

        found = locate_answers(sheet.current_document(), entry)
        is_same = found.in_place and sheet.session.question.strip() == entry.question
        if sheet.session.run is None and is_same:
            self._show_found(sheet, entry, found)
            self._controller.changed.emit(sheet)

    def _to_save(self) -> SavedAcross:
        """The question and, unless there is to be no history, the answers in a library, for the next start."""
        run, question = self._controller.across.run, self._controller.across.question
        if run is None:
            return replace(self._saved, question=question)
        if run.library is None or run.is_running or not run.answers():
            return SavedAcross(question)
        entries = run.entries() if self._workspace.settings.keep_history else ()
        recognised = tuple(one.recognised for one in run.found)
        return SavedAcross(question, run.library.number, run.passages, entries, recognised)

    def restore_across(self, saved: SavedAcross) -> None:
        """Put back the question of an earlier session, unless one was typed; its answers wait for their library."""
        across = self._controller.across
        self._saved, across.question = saved, across.question or saved.question

    def restore_answers(self, libraries: Libraries) -> None:
        """Show the answers of an earlier session once their library is listed, unless something was asked meanwhile."""
        found = libraries.find(self._saved.library)
        if found is not None and self._controller.across.run is None and self._saved.entries:
            self._controller.across.run = _run_of(self._saved, *found)
            self._saved = SavedAcross()
            self._controller.changed.emit(None)

    # Entries

    def open_entry(self, entry: Entry) -> None:
        """Open an entry's document and highlight its answers."""
        if self._text_job is not None:
            self._text_job.drop()
            self._text_job = None
        if entry.path:
            self._files.open([Path(entry.path)])
            self._show_entry(self._sheets.current(), entry)
            return
        from app.flows.history.history import document_of

        job = self._lanes.files.start(document_of, self._workspace, entry)
        self._text_job = job.then(partial(self._text_found, entry), self.failed)

    def _text_found(self, entry: Entry, opened: Opened) -> None:
        text, self._text_job = opened.document.text, None
        sheet = self._sheets.bring_text(text)
        if sheet is None:
            sheet = self._sheets.new()
            sheet.show_text(text, name="" if entry.name == sheet.title else entry.name)
        self._show_entry(sheet, entry)

    @Slot(object)
    def _go_to(self, sheet: Sheet | None) -> None:
        """Open the document of the answer in several documents that was gone to, or bring it to the front."""
        run = self._controller.across.run
        if sheet is not None or run is None:
            return
        entry = run.entry(run.chosen)
        place = self._sheets.keyed(run.place_key(run.chosen)[0]) if run.keys else None
        if place is not None:
            self._sheets.bring(self._sheets.all().index(place))
        elif entry.path:
            place = self._files.preview(entry.path)
        if place is not None:
            self._lit = (place, entry.asked)
            self._show_entry(place, entry)
        else:
            closed = tr("{name} was closed.", name=entry.name) if entry.name else tr("This text was closed.")
            self.hint.emit(closed, tr("Bring it back with Ctrl+Shift+T."))

    @Slot(object)
    def _put_out(self, asked: Sheet | None) -> None:
        """Highlight the answers of the last question to several documents no more once they are asked another one."""
        if asked is not None or self._lit is None:
            return
        (sheet, when), self._lit = self._lit, None
        run = sheet.session.run
        if sheet in self._sheets.all() and run is not None and run.asked_at == when:
            sheet.session.run = None
            sheet.highlight()

    def _show_entry(self, sheet: Sheet, entry: Entry) -> None:
        """Highlight the answers of an entry on a sheet, once its file is open."""
        self._wanted = (sheet, entry)
        self._show_wanted()

    def _show_wanted(self) -> None:
        """Show the wanted entry, where its document is open."""
        if self._wanted is None or not self._wanted[0].is_open:
            return
        from app.flows.history.kept_answers import locate_answers

        (sheet, entry), self._wanted = self._wanted, None
        self._controller.end(sheet)  # what was asked before this was wanted
        found = locate_answers(sheet.current_document(), entry)
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

    def _show_found(self, sheet: Sheet, entry: Entry, found: LocatedAnswers) -> None:
        """Highlight the answers of an entry that were found on a sheet."""
        from app.flows.ask.question import select_answers
        from app.flows.history.kept_answers import restore_reading

        reading = restore_reading(entry, found.answers)
        answers = select_answers(reading.answers, (found.opened.document,), len(reading.answers))
        reading = replace(reading, answers=answers)
        sheet.session.restore(entry, found, reading, self._workspace.settings.ask_threshold)
        sheet.highlight()


def _run_of(saved: SavedAcross, library: Library, status: LibraryStatus) -> QuestionRun:
    """A question to a library that was answered in an earlier session."""
    from app.core.library import FileState, FoundAnswer, LibraryFile
    from app.core.requests import Question
    from app.core.results import Answer, Reading

    first = saved.entries[0]
    kept = [
        (LibraryFile(0, entry.path, FileState.READ, sha256=entry.sha256, kind=entry.kind), answer)
        for entry in saved.entries
        for answer in entry.answers
    ]
    answers = tuple(Answer(at, a.span, a.text, a.probability, 0.0, 0.0) for at, (_, a) in enumerate(kept))
    reading = Reading(
        answers, first.answered, first.no_answer_probability, first.threshold, first.windows,
        first.windows_total, first.seconds, first.complete, first.model, first.device, first.quick,
        absent=first.absent, finder=first.finder,
    )  # fmt: skip
    recognised = saved.recognised if len(saved.recognised) == len(kept) else ("",) * len(kept)
    found = tuple(FoundAnswer(*one, how) for one, how in zip(kept, recognised, strict=True))
    return QuestionRun(
        Question(first.question, ()), (), None, RunState.DONE, reading=reading, chosen=-1,
        asked_at=first.asked, library=library, status=status, found=found, passages=saved.passages,
    )  # fmt: skip


def _moved(found: LocatedAnswers, *, had_answers: bool) -> tuple[str, str]:
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
