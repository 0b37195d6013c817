"""Questions about several documents: asked, paused and stopped, their answers gone to and kept."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core.errors import EngineLost, SpanlightError
from app.core.message import Message
from app.core.report import Progress, Silent
from app.core.wording import NO_ANSWER_IN_PART
from app.flows.ask.drafts import SavedAcross
from app.flows.workspace import Workspace
from app.ui.ask.controller import AskController
from app.ui.ask.files import DocumentFiles
from app.ui.ask.question_box import missing_input
from app.ui.ask.session import AskSession, QuestionRun, RunState, WaitingQuestion
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Flow, Job, Lanes
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.layout import Opened
    from app.core.library import Library, LibraryReading, LibraryStatus
    from app.core.results import Reading
    from app.ui.kit.libraries import Libraries

_log = logging.getLogger(__name__)


class AcrossDocuments(QObject):
    """Takes the `session` whose questions are about the open documents or a library from one state to the next.

    A question about one document that is asked meanwhile goes first, and one that is read for pauses: the reader reads
    for one at a time. `changed` is sent when the session is to be shown anew, `progressed` for its progress alone,
    `chosen` when another answer was gone to. `hint` is a sentence with a hint, `note` one line for the status line;
    `lost` is sent when the model process died.
    """

    changed = Signal()
    progressed = Signal()
    chosen = Signal()
    hint = Signal(str, str)
    note = Signal(str)
    failed = Signal(object)
    lost = Signal()

    def __init__(
        self,
        workspace: Workspace,
        lanes: Lanes,
        sheets: Sheets,
        files: DocumentFiles,
        controller: AskController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.session = AskSession()
        self._workspace, self._lanes = workspace, lanes
        self._sheets, self._files, self._controller = sheets, files, controller
        self._job: Job | None = None
        self._saved = SavedAcross()  # of an earlier session, until its library is listed
        # The sheet that was gone to last, and when the question was asked whose answers are highlighted there.
        self._lit: tuple[Sheet, float] | None = None
        sheets.across = self._to_save
        controller.begun.connect(self._make_way)
        controller.rested.connect(self._go_on)
        files.settled.connect(self._file_settled)
        sheets.closing.connect(self._file_settled)

    # Questions

    def ask_library(self, question: str, library: Library, status: LibraryStatus) -> bool:
        """Ask a library; False where there is no question."""
        if not self._is_question(question):
            return False
        request = self._controller.request(question, ())
        self._start(QuestionRun(request, (), self._threshold, library=library, status=status))
        return True

    def ask_open(self, question: str, *, whole: bool = False) -> bool:
        """Ask the open documents, once all of their text is there; False where there is no question or no text."""
        if not self._is_question(question):
            return False
        is_opening = bool(self._files.wake())
        self.session.awaited_pages = sum(sheet.session.awaited_pages for sheet in self._sheets.all())
        if is_opening or self.session.awaited_pages:
            self.session.waiting = WaitingQuestion(question, whole)
            self.changed.emit()
            return True
        opened = {sheet.session.key: _named(sheet) for sheet in self._sheets.all() if sheet.is_open}
        opened = {key: one for key, one in opened.items() if one.document.text.strip()}
        if not opened:
            self.hint.emit(
                tr("No document with a text is open."), tr("Open files (Ctrl+O), or ask a library.")
            )
            return False
        if unread := [sheet.title for sheet in self._sheets.all() if not sheet.is_open]:
            told = tr(
                "Not asked, as it is not open: {names}.",
                "Not asked, as they are not open: {names}.",
                n=len(unread),
                names=", ".join(unread),
            )
            self.hint.emit(told, tr("Its tab says why.", "Their tabs say why.", n=len(unread)))
        documents = tuple(one.document for one in opened.values())
        request = self._controller.request(question, documents, whole=whole)
        self._start(QuestionRun(request, tuple(opened.values()), self._threshold, keys=tuple(opened)))
        return True

    @property
    def _threshold(self) -> float | None:
        return self._workspace.settings.ask_threshold

    def _is_question(self, question: str) -> bool:
        missing = missing_input(question, None) if not question else None
        if missing is not None:
            self.hint.emit(*missing)
        return missing is None

    def _start(self, run: QuestionRun) -> None:
        self.session.waiting = None
        self.stop()  # the answers so far are kept
        self._put_out()
        self.session.run, run.chosen = run, -1
        self._begin(run)

    def _begin(self, run: QuestionRun) -> None:
        self._controller.pause()
        self._controller.held = True
        if run.library is not None:
            from app.flows.library.search import ask_library

            asked = run.request
            job = self._lanes.work.start(
                ask_library,
                self._workspace,
                asked.text,
                run.library,
                top_k=asked.top_k,
                threshold=asked.threshold,
                quick=asked.quick,
            )
        else:
            from app.flows.ask.question import ask

            job = self._lanes.work.start(ask, self._workspace, run.request)
        job.name = Message("the work on Ask")
        run.begin()
        self._job = job
        job.moved.connect(self._show_queue)
        job.started.connect(self._started)
        job.progress.connect(self._progressed)
        job.partial.connect(self._partly)
        job.done.connect(self._done)
        job.failed.connect(self._failed)
        job.stopped.connect(self.stop)
        self.note.emit("")  # it belongs to the question before
        self._show_queue()

    @Slot()
    def stop(self) -> bool:
        """Drop the question that waits, or stop reading; the best answers so far stay. False without any of these."""
        if self.session.take_waiting() is not None:
            self.changed.emit()
            return True
        run = self.session.running()
        if run is None:
            return False
        self._drop_job()
        run.stop()
        self._settle(run)
        return True

    def close(self) -> None:
        """Stop reading before the window closes, and keep the answers so far."""
        run = self.session.running()
        self._drop_job()
        if run is not None:
            run.stop()
            self._remember(run, at_once=True)

    def _to_save(self) -> SavedAcross:
        """The question and, unless there is to be no history, the answers in a library, for the next start."""
        run, question = self.session.run, self.session.question
        if run is None:
            return replace(self._saved, question=question)
        if run.library is None or run.is_running or not run.answers():
            return SavedAcross(question)
        entries = run.entries() if self._workspace.settings.keep_history else ()
        return SavedAcross(question, run.library.number, run.passages, entries)

    def restore(self, saved: SavedAcross) -> None:
        """Put back the question of an earlier session, unless one was typed; its answers wait for their library."""
        self._saved = saved
        self.session.question = self.session.question or saved.question

    def restore_answers(self, libraries: Libraries) -> None:
        """Show the answers of an earlier session once their library is listed, unless something was asked meanwhile."""
        found = libraries.find(self._saved.library)
        if found is not None and self.session.run is None and self._saved.entries:
            self.session.run = _run_of(self._saved, *found)
            self._saved = SavedAcross()
            self.changed.emit()

    def set_threshold(self, threshold: float | None) -> None:
        """Judge the answers by another threshold."""
        if (run := self.session.run) is not None and run.threshold != threshold:
            run.threshold = threshold
            self.changed.emit()

    @Slot()
    def _file_settled(self) -> None:
        # Later: the file that was just read shows its own answers first.
        if self.session.waiting is not None:
            QTimer.singleShot(0, self._ask_waiting)

    @Slot()
    def _ask_waiting(self) -> None:
        if (waiting := self.session.take_waiting()) is not None:
            self.ask_open(waiting.question, whole=waiting.whole)
            self.changed.emit()

    @Slot()
    def _make_way(self) -> None:
        """Pause for a question about one document."""
        self._controller.held = False
        run = self.session.running()
        if run is None or self._job is None:
            return
        self._job.deliver()  # it may just have finished
        if run.is_running:
            self._drop_job()
            run.pause()
            self.changed.emit()

    @Slot()
    def _go_on(self) -> None:
        run = self.session.running()
        if run is not None and run.state is RunState.PAUSED:
            self._begin(run)

    # The job of a question

    def _drop_job(self) -> None:
        if self._job is not None:
            self._job.drop()
            self._job = None

    @Slot()
    def _show_queue(self) -> None:
        run = self.session.running()
        if run is not None and self._job is not None:
            from app.ui.kit.progress_strip import waits_for

            ahead = self._lanes.work.ahead(self._job)
            run.queue_note = waits_for(ahead) if ahead else tr("Waiting for the reader")
            self.changed.emit()

    @Slot()
    def _started(self) -> None:
        if (run := self.session.running()) is not None:
            run.start_reading()
            self.changed.emit()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if (run := self.session.running()) is not None:
            if run.take_progress(progress):
                self.changed.emit()
            self.progressed.emit()

    @Slot(object)
    def _partly(self, result: Reading | LibraryReading) -> None:
        run = self.session.running()
        if run is not None and run.take_partial(result):
            self.changed.emit()

    @Slot(object)
    def _done(self, result: Reading | LibraryReading) -> None:
        run = self.session.running()
        self._drop_job()
        if run is not None:
            run.finish(result)
            self._settle(run)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        run = self.session.running()
        self._drop_job()
        if run is None:
            return
        if run.reading is None:
            self.session.run = None
        else:
            run.stop(Message("Broke off"))
        self._settle(run)
        self.failed.emit(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _settle(self, run: QuestionRun) -> None:
        self._remember(run)  # first: what was seen is not lost with the window
        self.note.emit(localised(run.note))
        self.changed.emit()
        self._sheets.save_soon()
        self._controller.held = False
        self._controller.next_soon()

    # Answers

    @Slot(int)
    def go_to(self, index: int) -> None:
        """Open the document of one of the answers, with the answer highlighted, or bring it to the front."""
        run = self.session.run
        if run is None or not 0 <= index < len(run.answers()):
            return
        run.chosen = index
        entry = run.entry(index)
        sheet = self._sheets.keyed(run.place_key(index)[0]) if run.keys else None
        if sheet is not None:
            self._sheets.bring(self._sheets.all().index(sheet))
        elif entry.path:
            sheet = self._files.preview(entry.path)
        if sheet is not None:
            self._lit = (sheet, entry.asked)
            self._controller.show_entry(sheet, entry)
        else:
            closed = tr("{name} was closed.", name=entry.name) if entry.name else tr("This text was closed.")
            self.hint.emit(closed, tr("Bring it back with Ctrl+Shift+T."))
        self.chosen.emit()

    def _put_out(self) -> None:
        """Highlight the answers of the last question no more."""
        (sheet, asked), self._lit = self._lit or (None, 0.0), None
        if sheet is None or sheet not in self._sheets.all() or sheet.session.run is None:
            return
        if sheet.session.run.asked_at == asked:
            sheet.session.run = None
            sheet.highlight()

    def step(self, by: int) -> None:
        """Go to the next answer, or with -1 to the previous one, cyclically."""
        run = self.session.run
        if run is not None and (count := len(run.answers())):
            at = run.chosen + by if run.chosen >= 0 or by > 0 else -1
            self.go_to(at % count)

    def copy(self, index: int) -> bool:
        """Copy one of the answers with its sentence and file; returns whether there was any."""
        run = self.session.run
        if run is None or run.reading is None or not 0 <= index < len(run.answers()):
            return False
        if run.judged().shown is None and not run.shows_nearest:
            words = run.not_in if run.judged_whole else NO_ANSWER_IN_PART
            QGuiApplication.clipboard().setText(localised(words))
            self.note.emit(tr("Copied"))
        else:
            QGuiApplication.clipboard().setText(run.place(index).copied())
            self.note.emit(tr("Copied with its source"))
        return True

    # The history

    def _remember(self, run: QuestionRun, *, at_once: bool = False) -> None:
        """Save the question with the document of its best answer, unless the history is off."""
        if run.reading is None or not run.answers() or not self._workspace.settings.keep_history:
            return
        flow, arguments = self._to_remember(run, run.reading)
        if not at_once:
            job = self._lanes.files.start(flow, *arguments, asked=run.asked_at)
            job.failed.connect(self._controller.not_remembered)
            return
        try:
            flow(*arguments, Silent(), asked=run.asked_at)
        except SpanlightError as fault:
            _log.warning("the last question was not kept: %s", fault)

    def _to_remember(self, run: QuestionRun, reading: Reading) -> tuple[Flow, tuple[object, ...]]:
        if run.library is None or run.status is None:
            from app.flows.history.history import remember

            return remember, (self._workspace, run.documents, run.request, reading)
        from app.core.library import LibraryReading
        from app.flows.library.search import remember_found

        found = LibraryReading(run.library, run.status, reading, run.found, run.passages, reading.seconds)
        return remember_found, (self._workspace, run.request, found)


def _named(sheet: Sheet) -> Opened:
    """A sheet's document, by the title of its tab where it has no name."""
    opened = sheet.current_document()
    document = opened.document
    return opened if document.name else replace(opened, document=replace(document, name=sheet.title))


def _run_of(saved: SavedAcross, library: Library, status: LibraryStatus) -> QuestionRun:
    """A question to a library that was answered in an earlier session."""
    from app.core.library import FileState, FoundAnswer, LibraryFile
    from app.core.requests import Question
    from app.core.results import Answer, Reading

    first = saved.entries[0]
    found: list[FoundAnswer] = []
    answers: list[Answer] = []
    for entry in saved.entries:
        file = LibraryFile(0, entry.path, FileState.READ, sha256=entry.sha256, kind=entry.kind)
        for kept in entry.answers:
            answers.append(Answer(len(found), kept.span, kept.text, kept.probability, 0.0, 0.0))
            found.append(FoundAnswer(file, kept))
    reading = Reading(
        tuple(answers), first.answered, first.no_answer_probability, first.threshold, first.windows,
        first.windows_total, first.seconds, first.complete, first.model, first.device, first.quick,
        absent=first.absent, finder=first.finder,
    )  # fmt: skip
    return QuestionRun(
        Question(first.question, ()), (), None, RunState.DONE, reading=reading, chosen=-1,
        asked_at=first.asked, library=library, status=status, found=tuple(found), passages=saved.passages,
    )  # fmt: skip
