"""Asks questions, reads for one at a time, pauses and stops them, and chooses and copies their answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core.errors import EngineLost
from app.core.message import Message
from app.core.report import Progress, Relay, Report
from app.flows.workspace import Workspace
from app.ui.ask.files import DocumentFiles
from app.ui.ask.run import AskRun, TextState
from app.ui.ask.session import AskSession, DocumentState, WaitingQuestion, next_question
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.document.marks.places import PlacedReading, with_places
from app.ui.kit.jobs import Job
from app.ui.kit.page import Page
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.layout import Opened
    from app.core.library import Library, LibraryReading, LibraryStatus
    from app.core.requests import Question
    from app.core.text import Document


class _Reading(NamedTuple):
    """The question that is being read for, and the job that reads."""

    sheet: Sheet | None
    run: AskRun
    job: Job


class _PlacingReport(Relay):
    """A Report that passes on partial Readings with the places of their answers."""

    def __init__(self, report: Report, documents: tuple[Opened, ...]) -> None:
        super().__init__(report)
        self._documents = documents

    def partial(self, result: object) -> None:
        from app.core.results import Reading

        super().partial(with_places(result, self._documents) if isinstance(result, Reading) else result)


def _ask(
    workspace: Workspace, question: Question, documents: tuple[Opened, ...], report: Report
) -> PlacedReading:
    """Ask documents a question, as the flow `ask` does; all results have the places of their answers."""
    from app.flows.ask.question import ask

    return with_places(ask(workspace, question, _PlacingReport(report, documents)), documents)


class AskController(QObject):
    """Moves the sessions of the sheets, and `across`, the session of several documents, through their states.

    Wherever a method or a signal has a sheet, None stands for `across`. One question is read for at a time, the latest;
    the one before it is paused meanwhile. A question about a file that is being opened or recognised waits. The next to
    be read for is then the latest of those that wait or are paused.

    Each of these signals carries a sheet: `changed` when its question is to be shown again, `progressed` when only the
    progress is, `chosen` when another answer was chosen, `asking` before a question of the user's replaces the last
    one, `ended` when a question was read to the end, stopped or failed, before it is kept. `copied` is sent when the
    best answer was copied; `hint` carries a sentence and a hint.
    """

    changed = Signal(object)
    progressed = Signal(object)
    chosen = Signal(object)
    asking = Signal(object)
    ended = Signal(object)
    copied = Signal()
    hint = Signal(str, str)
    failed = Signal(object)

    def __init__(self, page: Page, sheets: Sheets, files: DocumentFiles) -> None:
        super().__init__(page)
        self.across = AskSession()
        self._workspace, self._lanes, self._page = page.workspace, page.lanes, page
        self._sheets, self._files = sheets, files
        self._now: _Reading | None = None
        sheets.shown.connect(self._sheet_shown)
        sheets.closing.connect(self.end)
        files.opened.connect(self.file_read)
        files.unread.connect(self._drop_waiting)
        files.settled.connect(self.next_soon)

    def session(self, sheet: Sheet | None) -> AskSession:
        """Return the session of a sheet; for None that of several documents."""
        return sheet.session if sheet is not None else self.across

    @Slot(object)
    def _sheet_shown(self, sheet: Sheet) -> None:
        run, threshold = sheet.session.run, self._workspace.settings.ask_threshold
        if run is not None and run.threshold != threshold:
            run.set_threshold(threshold)
            sheet.highlight()
        self.next_soon()

    # Questions

    def ask(
        self,
        sheet: Sheet | None,
        library: tuple[Library, LibraryStatus] | None = None,
        *,
        whole: bool = False,
        is_example: bool = False,
    ) -> bool:
        """Ask the question of a session about a sheet, the open documents or a library.

        Returns False where something is missing for it. The question waits until all of the text is there. With `whole`
        every passage is read, whatever the settings say. With `is_example` it is Spanlight itself that asks.
        """
        session = self.session(sheet)
        question = session.question.strip()
        if question and library is None and self._is_awaited(sheet):
            session.waiting = WaitingQuestion(question, whole)
            self.changed.emit(sheet)
            return True
        if question:
            session.waiting = None  # this one takes its place
        return self._ask_now(sheet, question, library, whole=whole, is_example=is_example)

    def _is_awaited(self, sheet: Sheet | None) -> bool:
        """Whether some of the text is still to come; has the files read that were not read since the start."""
        if sheet is not None:
            return sheet.session.is_awaited
        is_opening = bool(self._files.wake())
        self.across.awaited_pages = sum(each.session.awaited_pages for each in self._sheets.all())
        return is_opening or self.across.awaited_pages > 0

    def _ask_now(
        self,
        sheet: Sheet | None,
        question: str,
        library: tuple[Library, LibraryStatus] | None = None,
        *,
        whole: bool,
        is_example: bool = False,
    ) -> bool:
        opened = self._documents(sheet) if library is None else {}
        if sheet is not None or not question:
            missing = missing_input(question, next(iter(opened.values()), None))
        elif library is None and not opened:
            missing = tr("No document with a text is open."), tr("Open files (Ctrl+O), or ask a library.")
        else:
            missing = None
        if missing is not None:
            if sheet in (None, self._sheets.current()):
                self.hint.emit(*missing)
            return False
        request = self._request(question, tuple(one.document for one in opened.values()), whole=whole)
        threshold = self._workspace.settings.ask_threshold
        run = AskRun(request, tuple(opened.values()), threshold, is_example=is_example)
        if sheet is None:
            run.chosen = -1
        if library is not None:
            run.library, run.status = library
        elif sheet is None:
            run.keys = tuple(opened)
            self._report_unread()
        self._take_over(sheet, run)
        if sheet is not None:
            sheet.pane.clear_highlights()
            sheet.pane.set_heat(())
            sheet.pane.note_position()
        self._begin(sheet, run)
        return True

    def _documents(self, sheet: Sheet | None) -> dict[str, Opened]:
        """Return the documents to ask, by session key: a sheet's own, or all open ones that have a text."""
        if sheet is not None:
            return {sheet.session.key: sheet.current_document()} if sheet.is_open else {}
        opened = {each.session.key: _with_name(each) for each in self._sheets.all() if each.is_open}
        return {key: one for key, one in opened.items() if one.document.text.strip()}

    def _report_unread(self) -> None:
        """Say which documents are not asked, because they are not open."""
        if unread := [sheet.title for sheet in self._sheets.all() if not sheet.is_open]:
            sentence = tr(
                "Not asked, as it is not open: {names}.",
                "Not asked, as they are not open: {names}.",
                n=len(unread),
                names=", ".join(unread),
            )
            self.hint.emit(sentence, tr("Its tab says why.", "Their tabs say why.", n=len(unread)))

    def _request(self, question: str, documents: tuple[Document, ...], *, whole: bool = False) -> Question:
        """Return the request for a question; with `whole` every passage is read. A library has no documents.

        It has no threshold: the run judges by the person's, which may change later. Near ties are settled at the
        reader's own.
        """
        from app.core.requests import Question

        settings = self._workspace.settings
        reading = "every" if whole else settings.ask_reading
        return Question(
            question,
            documents,
            settings.ask_top_k,
            quick=reading == "quick",
            every=reading == "every" and bool(documents),
        )

    def _take_over(self, sheet: Sheet | None, run: AskRun) -> None:
        """Replace a session's last question by this one, and pause the question of another session."""
        session = self.session(sheet)
        own = session.running()
        if own is not None and own.reading is not None:
            self.stop_reading(sheet)  # the answers so far are kept
        elif own is not None and self._now is not None and self._now.run is own:
            self._drop_job()
        self._pause()
        if not run.is_example:
            self.asking.emit(sheet)
        session.run, session.is_preview = run, False

    def _pause(self) -> None:
        """Pause the question that is read for, if any."""
        if self._now is not None:
            self._now.job.deliver()  # which may have just finished
        if self._now is not None:
            paused = self._now
            self._drop_job()
            paused.run.pause()
            self.changed.emit(paused.sheet)

    def _begin(self, sheet: Sheet | None, run: AskRun) -> None:
        asked = run.request
        if run.library is not None:
            from app.flows.library.search import ask_library

            options = {"top_k": asked.top_k, "quick": asked.quick}
            job = self._lanes.work.start(ask_library, self._workspace, asked.text, run.library, **options)
        else:
            job = self._lanes.work.start(_ask, self._workspace, asked, run.documents)
        job.name = Message("the work on Ask")
        run.begin()
        self._now = _Reading(sheet, run, job)
        job.moved.connect(self._show_queue)
        job.started.connect(self._started)
        job.partial.connect(self._partial_read)
        job.then(self._done, self._failed, self._stopped, progress=self._progressed)
        if sheet in (None, self._sheets.current()):
            self._page.note.emit("")  # which is about the question before
        self._show_queue()

    # Stopping

    def stop(self, sheet: Sheet | None) -> bool:
        """Stop a question, or the opening of its file; returns False where there is nothing to stop."""
        return self.stop_question(sheet) or (sheet is not None and self._files.stop(sheet))

    def stop_question(self, sheet: Sheet | None) -> bool:
        """Drop the question that waits, else stop reading; returns False where there is neither."""
        return self._drop_waiting(sheet) or self.stop_reading(sheet)

    @Slot(object)
    def end(self, sheet: Sheet | None) -> None:
        """Drop the question that waits, and stop reading; then read for the next one."""
        self._drop_waiting(sheet)
        self.stop_reading(sheet)
        self.next_soon()

    def stop_reading(self, sheet: Sheet | None) -> bool:
        """Stop a question that is read for or paused, whose answers so far stay; returns whether there was one."""
        run = self.session(sheet).running()
        if run is None:
            return False
        if self._now is not None and self._now.run is run:
            self._drop_job()
        run.stop()
        self._show_note(sheet, run)
        self._settle(sheet, run, is_seen=True)
        return True

    @Slot(object)
    def _drop_waiting(self, sheet: Sheet | None) -> bool:
        if self.session(sheet).take_waiting() is None:
            return False
        self.changed.emit(sheet)
        return True

    def close(self) -> None:
        """Stop all reading before the window closes; `ended` is sent, so that the answers so far are kept."""
        self._drop_job()
        for sheet in (None, *self._sheets.all()):
            if (run := self.session(sheet).running()) is not None:
                run.stop()
                self.ended.emit(sheet)

    # What comes next

    @Slot()
    def next_soon(self) -> None:
        """Have the next question begin that waits or is paused."""
        # In a later turn: no question may begin while another one is being started or ended.
        QTimer.singleShot(0, self._ask_next)

    @Slot()
    def _ask_next(self) -> None:
        """Begin the next question, where one is to begin."""
        sheets: dict[AskSession, Sheet | None] = {sheet.session: sheet for sheet in self._sheets.all()}
        sheets[self.across] = None
        ready = [session for session, sheet in sheets.items() if self._can_ask(sheet)]
        session = next_question(sheets, ready, {self.across, self._sheets.current().session})
        if session is None:
            return
        sheet = sheets[session]
        # A paused question comes before one about the same pages that still waits for their text.
        if session in ready and (waiting := session.take_waiting()) is not None:
            self.changed.emit(sheet)
            self._ask_now(sheet, waiting.question, whole=waiting.whole)
            self.next_soon()  # in case this one could not be asked
        elif session.run is not None:
            self._begin(sheet, session.run)

    def _can_ask(self, sheet: Sheet | None) -> bool:
        """Whether a waiting question can be asked; without a text to read only on the current sheet, which says so."""
        waiting = self.session(sheet).waiting
        if waiting is None:
            return False
        if sheet is None:
            sessions = [one.session for one in self._sheets.all()]
            return not any(one.state is DocumentState.LOADING or one.awaited_pages for one in sessions)
        if not sheet.is_open or sheet.session.is_awaited:
            return False
        is_current = sheet is self._sheets.current()
        return is_current or missing_input(waiting.question, sheet.current_document()) is None

    @Slot(object)
    def file_read(self, sheet: Sheet) -> None:
        """Show a sheet's question again after its file, or more of its pages, were read."""
        sheet.highlight()
        self.changed.emit(sheet)
        self.next_soon()

    @Slot(object)
    def text_changed(self, sheet: Sheet) -> None:
        """Show that the text asked about has changed, or is back; the reading ends where another text replaces it."""
        run = sheet.session.run
        if run is not None and run.text is not TextState.CHANGED:
            if run.text is TextState.EMPTIED and not sheet.pane.is_empty():
                self.stop_reading(sheet)  # the answers so far are shown again if their text comes back
            if sheet is self._sheets.current():
                self._page.note.emit("" if run.text is TextState.EMPTIED else localised(run.note))
        sheet.highlight()
        self.changed.emit(sheet)

    # The job of a question

    def _drop_job(self) -> None:
        if self._now is not None:
            self._now.job.drop()
            self._now = None

    @Slot()
    def _show_queue(self) -> None:
        if self._now is not None:
            from app.ui.kit.progress_strip import waiting_for

            blocker = self._lanes.work.blocker_of(self._now.job)
            self._now.run.queue_note = waiting_for(blocker) if blocker else tr("Waiting for the reader")
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
    def _partial_read(self, result: PlacedReading | LibraryReading) -> None:
        if self._now is not None and self._now.run.take_partial(result):
            self._show_partial(self._now.sheet, self._now.run)

    def _show_partial(self, sheet: Sheet | None, run: AskRun) -> None:
        """Show the answers so far."""
        if sheet is not None:
            sheet.highlight()
            # The page scrolls to new answers only until the user scrolls it.
            if run.pinned is None and not sheet.pane.moved_by_user():
                sheet.pane.reveal(0)
        self.changed.emit(sheet)

    @Slot(object)
    def _done(self, result: PlacedReading | LibraryReading) -> None:
        if self._now is None:
            return
        sheet, run, _ = self._now
        self._drop_job()
        before = run.best_span
        run.finish(result)
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
            self.session(sheet).run = None
        else:
            run.stop(Message("Broke off"))
        self._settle(sheet, run, is_seen=True)
        self.failed.emit(error)
        if isinstance(error, EngineLost):
            self._page.lost.emit()

    def _show_note(self, sheet: Sheet | None, run: AskRun) -> None:
        if sheet is None or (run.text is not TextState.EMPTIED and sheet is self._sheets.current()):
            self._page.note.emit(localised(run.note))

    def _settle(self, sheet: Sheet | None, run: AskRun, *, is_seen: bool) -> None:
        """Show the result; a page that the user scrolled stays if they have seen the answer, or pinned one."""
        self.ended.emit(sheet)  # first, so that the answer is kept even if the window closes
        if sheet is not None:
            sheet.highlight()
            if not ((is_seen or run.pinned is not None) and sheet.pane.moved_by_user()):
                sheet.pane.reveal(run.chosen)
        self.changed.emit(sheet)
        self.next_soon()

    # Answers

    def choose(self, sheet: Sheet | None, index: int) -> None:
        """Choose an answer; on a sheet it is highlighted strongly and scrolled into view."""
        run = self.session(sheet).shown_run
        if run is None or not 0 <= index < run.reachable:
            return
        run.choose(index)
        if sheet is not None and run.text is TextState.SAME:
            if run.is_running:
                sheet.highlight()
                self.changed.emit(sheet)
            else:
                sheet.pane.choose(index)
            sheet.pane.reveal(run.chosen)
        self.chosen.emit(sheet)

    @Slot(int)
    def choose_on_page(self, index: int) -> None:
        """Choose one of the current sheet's answers."""
        self.choose(self._sheets.current(), index)

    def step(self, sheet: Sheet | None, by: int) -> None:
        """Choose the next answer (1) or the previous one (-1), cyclically."""
        run = self.session(sheet).shown_run
        if run is not None and run.reachable:
            at = run.chosen + by if run.chosen >= 0 or by > 0 else -1
            self.choose(sheet, at % run.reachable)

    def show_nearest(self, sheet: Sheet | None, on: bool) -> None:
        """Show the words nearest to an answer, or hide them."""
        if (run := self.session(sheet).shown_run) is not None:
            run.show_nearest(on)
            if sheet is not None:
                sheet.highlight()
                sheet.pane.reveal(0)
            self.changed.emit(sheet)

    def set_threshold(self, threshold: float | None) -> None:
        """Judge all answers by this threshold, other sheets' once they are shown; None for the reader's own."""
        self._workspace.settings.ask_threshold = threshold
        sheet = self._sheets.current()
        if (run := sheet.session.run) is not None:
            run.set_threshold(threshold)
            sheet.highlight()
        self.changed.emit(sheet)
        if (run := self.across.run) is not None and run.threshold != threshold:
            run.threshold = threshold
            self.changed.emit(None)

    @Slot()
    def copy_on_page(self) -> None:
        """Copy the current sheet's chosen answer."""
        self.copy(self._sheets.current())

    def copy(self, sheet: Sheet | None, index: int | None = None) -> None:
        """Copy an answer, by default the chosen one, with its sentence; without an answer copy that there is none."""
        run = self.session(sheet).shown_run
        if run is None or run.reading is None:
            return
        at = max(0, run.chosen) if index is None else index
        if at >= len(run.answers()):
            return
        if run.highlighted():
            QGuiApplication.clipboard().setText(run.place(at).copied())
            self._page.note.emit(tr("Copied with its source"))
            if at == 0:
                self.copied.emit()
        else:
            QGuiApplication.clipboard().setText(localised(run.no_answer))
            self._page.note.emit(tr("Copied"))

    @Slot()
    def reload(self) -> None:
        """Read the file of the current sheet again."""
        sheet = self._sheets.current()
        self.stop_reading(sheet)
        self._files.reload(sheet)


def missing_input(question: str, opened: Opened | None) -> tuple[str, str] | None:
    """Return what is missing to ask about a document, as a sentence and a hint; None if nothing is."""
    if not question:
        return tr("There is no question yet."), tr("Type what you want to know, then press Enter.")
    if opened is None:
        return tr("This file is not open."), tr("The page says why. Your question stays here.")
    if opened.document.text.strip():
        return None
    if opened.is_text:
        return tr("There is no text to read yet."), tr("Paste one on the page, or open a file (Ctrl+O).")
    return " ".join(map(localised, opened.notes)) or tr("This document holds no text to read."), ""


def _with_name(sheet: Sheet) -> Opened:
    """Return a sheet's document, named after its tab where it has no name."""
    opened = sheet.current_document()
    document = opened.document
    return opened if document.name else replace(opened, document=replace(document, name=sheet.title))
