"""Keeps answers in the history, and shows answers of the history and of the last start in their documents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core import wording
from app.flows.ask.drafts import SavedAcross
from app.ui.ask.controller import AskController
from app.ui.ask.files import DocumentFiles
from app.ui.ask.run import AskRun, RunState
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


class AnswerKeeper(QObject):
    """Saves each question that ends, and shows saved ones again.

    An answer to a question about several documents, once it is chosen, is shown in its document as an entry of the
    history would be. `restored` carries a sheet that shows an entry; `hint` carries a sentence and a hint.
    """

    restored = Signal(object)
    hint = Signal(str, str)
    failed = Signal(object)

    def __init__(self, page: Page, sheets: Sheets, files: DocumentFiles, controller: AskController) -> None:
        super().__init__(page)
        self._workspace, self._lanes, self._page = page.workspace, page.lanes, page
        self._sheets, self._files, self._controller = sheets, files, controller
        # The entry to show once its file is open, and the job that looks up the text of an entry without a file.
        self._wanted: tuple[Sheet, Entry] | None = None
        self._text_job: Job | None = None
        self._restorable = SavedAcross()  # of the last start, until its library is listed
        # Where the last answer in several documents was shown, and when its question was asked.
        self._lit: tuple[Sheet, float] | None = None
        sheets.across = self._to_save
        controller.ended.connect(self._ended)
        controller.asking.connect(self._clear_lit)
        controller.chosen.connect(self._show_chosen)
        files.opened.connect(self.file_read)

    # Saving

    @Slot(object)
    def _ended(self, sheet: Sheet | None) -> None:
        if (save := self._save_flow(sheet)) is not None:
            self._lanes.files.start_write(save).then(partial(self._entry_saved, sheet), self._not_saved)
        if sheet is None:
            self._sheets.save_soon()

    def _save_flow(self, sheet: Sheet | None) -> Flow | None:
        """Return the flow that saves a session's question with its answers; None where there is nothing to save.

        A question about several documents is saved with the document of the best answer.
        """
        run = self._controller.session(sheet).run
        if run is None or run.reading is None or run.is_example or not self._workspace.settings.keep_history:
            return None
        if run.is_across and not run.answers():
            return None
        reading, asked = run.judged(), run.asked_at
        if run.library is None or run.status is None:
            from app.flows.history.history import remember

            return partial(remember, self._workspace, run.documents, run.request, reading, asked=asked)
        from app.core.library import LibraryReading
        from app.flows.library.search import remember_found

        found = LibraryReading(run.library, run.status, reading, run.found, run.passages, reading.seconds)
        return partial(remember_found, self._workspace, run.request, found, asked=asked)

    def _entry_saved(self, sheet: Sheet | None, entry: Entry | None) -> None:
        if sheet is not None:
            sheet.session.entry = entry.number if entry is not None else 0
            self._sheets.save_soon()

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        fault = fault_of(error)
        if self._workspace.storage_fault() is None:  # else the window has shown it at the start
            self._page.note.emit(localised(wording.not_kept(fault.sentence)))

    # The last start

    @Slot(object)
    def file_read(self, sheet: Sheet) -> None:
        """Show the wanted entry, or else the last answer, of a file that was just read."""
        if self._wanted is not None and self._wanted[0] is sheet:
            self._show_wanted()
        else:
            self.restore_last(sheet)

    def restore_last(self, sheet: Sheet) -> None:
        """Highlight a sheet's last answer from an earlier start again, as the history or a verdict has it."""
        session = sheet.session
        if session.run is None and sheet.is_open and session.question.strip():
            from app.flows.teach.corrections import shown_before

            shown = session.entry, sheet.current_document(), session.question
            job = self._lanes.files.start(shown_before, self._workspace, *shown)
            # The entry may have been deleted since: then nothing is highlighted.
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
        """Return the question about several documents for the next start, with its answers where a history is kept."""
        run, question = self._controller.across.run, self._controller.across.question
        if run is None:
            return replace(self._restorable, question=question)
        if run.library is None or run.is_running or not run.answers():
            return SavedAcross(question)
        entries = run.entries() if self._workspace.settings.keep_history else ()
        recognised = tuple(one.recognised for one in run.found)
        return SavedAcross(question, run.library.number, run.passages, entries, recognised)

    def restore_across(self, saved: SavedAcross) -> None:
        """Restore the question of the last start, unless one was typed; its answers wait for their library."""
        across = self._controller.across
        self._restorable, across.question = saved, across.question or saved.question

    def restore_answers(self, libraries: Libraries) -> None:
        """Show the answers of the last start if their library is listed, unless something was asked since."""
        found = libraries.find(self._restorable.library)
        if found is not None and self._controller.across.run is None and self._restorable.entries:
            threshold = self._workspace.settings.ask_threshold
            self._controller.across.run = _restored_run(self._restorable, *found, threshold)
            self._restorable = SavedAcross()
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
    def _show_chosen(self, sheet: Sheet | None) -> None:
        """Show the document of the answer in several documents that was chosen, with the answer highlighted."""
        run = self._controller.across.run
        if sheet is not None or run is None:
            return
        entry = run.entry(run.chosen)
        found = self._sheets.with_key(run.place_key(run.chosen)[0]) if run.keys else None
        if found is not None:
            self._sheets.bring(self._sheets.all().index(found))
        elif entry.path:
            found = self._files.preview(entry.path)
        if found is not None:
            self._lit = (found, entry.asked)
            self._show_entry(found, entry)
        else:
            closed = tr("{name} was closed.", name=entry.name) if entry.name else tr("This text was closed.")
            self.hint.emit(closed, tr("Bring it back with Ctrl+Shift+T."))

    @Slot(object)
    def _clear_lit(self, asked: Sheet | None) -> None:
        """Remove the highlights of the last question about several documents once another one is asked."""
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
        """Show the wanted entry if its document is open."""
        if self._wanted is None or not self._wanted[0].is_open:
            return
        from app.flows.history.kept_answers import locate_answers

        (sheet, entry), self._wanted = self._wanted, None
        self._controller.end(sheet)  # the question that was asked there before
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
            self.hint.emit(*_why_moved(found, had_answers=bool(entry.answers)))

    def _show_found(self, sheet: Sheet, entry: Entry, found: LocatedAnswers) -> None:
        """Highlight an entry's answers where they were found in a sheet's document."""
        from app.flows.ask.question import select_answers
        from app.flows.history.kept_answers import restore_reading

        reading = restore_reading(entry, found.answers)
        answers = select_answers(reading.answers, (found.opened.document,), len(reading.answers))
        reading = replace(reading, answers=answers)
        sheet.session.restore(entry, found, reading, self._workspace.settings.ask_threshold)
        sheet.highlight()


def _restored_run(
    saved: SavedAcross, library: Library, status: LibraryStatus, threshold: float | None
) -> AskRun:
    """Return a question about a library that was answered before the last start."""
    from app.core.library import FileState, FoundAnswer, LibraryFile, is_sure
    from app.core.requests import Question
    from app.core.results import Answer
    from app.flows.history.kept_answers import restore_reading

    first = saved.entries[0]
    kept = [
        (LibraryFile(0, entry.path, FileState.READ, sha256=entry.sha256, kind=entry.kind), answer)
        for entry in saved.entries
        for answer in entry.answers
    ]
    answers = tuple(Answer(at, a.span, a.text, a.probability, 0.0, 0.0) for at, (_, a) in enumerate(kept))
    recognised = saved.recognised if len(saved.recognised) == len(kept) else ("",) * len(kept)
    found = tuple(FoundAnswer(*one, how) for one, how in zip(kept, recognised, strict=True))
    reading = restore_reading(first, answers)
    reading = replace(reading, answered=reading.answered and is_sure(answers))
    return AskRun(
        Question(first.question, ()), (), threshold, RunState.DONE, reading=reading, chosen=-1,
        asked_at=first.asked, library=library, status=status, found=found, passages=saved.passages,
    )  # fmt: skip


def _why_moved(found: LocatedAnswers, *, had_answers: bool) -> tuple[str, str]:
    """Return a sentence and a hint on an entry whose answers are not where they were."""
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
