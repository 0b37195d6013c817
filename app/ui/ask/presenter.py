"""Shows the question and answers of what is asked at the right: of this document, the open ones, or a library."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.message import Message
from app.core.models import Head
from app.flows.ask.drafts import SavedAcross
from app.flows.ask.question import own_threshold
from app.flows.history.export_formats import FORMATS
from app.ui.ask.answer_keeper import AnswerKeeper
from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.controller import AskController
from app.ui.ask.run import AskRun, Scope, ScopeKind, scope_of
from app.ui.ask.session import AskSession
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job, do
from app.ui.kit.page import Page
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.library import Library, LibraryStatus
    from app.core.models import ModelCard
    from app.flows.models.catalogue import Stronger
    from app.ui.ask.verdicts import Verdicts
    from app.ui.kit.language_line import LanguageLine
    from app.ui.kit.libraries import Libraries

_TYPING_PAUSE_MS = 700


class AskPresenter(QObject):
    """Connects the answer panel with the session that is asked: the current sheet's, or that of several documents.

    `files_requested` carries the paths of files to open; what is asked stays.
    """

    files_requested = Signal(list)

    def __init__(
        self,
        page: Page,
        sheets: Sheets,
        controller: AskController,
        keeper: AnswerKeeper,
        panel: AnswerPanel,
        document: QWidget,
        libraries: Libraries,
    ) -> None:
        super().__init__(page)
        self.workspace, self.theme, self.lanes = page.workspace, page.theme, page.lanes
        self.sheets, self.controller, self.panel = sheets, controller, panel
        self._keeper, self._document, self._page = keeper, document, page
        self._verdicts: Verdicts | None = None  # created with the first answer
        self._libraries = libraries
        self._own_threshold: float | None = None  # until the reader's card has been read
        self._stronger: Stronger | None = None  # stronger readers, once they are looked up
        self._stronger_job: Job | None = None
        self._stronger_language = ""  # the language that they read
        self.language: LanguageLine | None = None  # created with the first text
        self._typing_pause = QTimer(self, interval=_TYPING_PAUSE_MS, singleShot=True)
        self._show_choice()
        self._connect()

    def library(self) -> tuple[Library, LibraryStatus] | None:
        """Return the library that is asked, with its status; None where none is asked, or it is not listed."""
        number = scope_of(self.workspace.settings.ask_scope).library
        return self._libraries.find(number) if number else None

    def scope(self) -> Scope:
        """Return what questions are asked of; the document on the page where the chosen library is not listed."""
        scope = scope_of(self.workspace.settings.ask_scope)
        return scope if scope.kind is not ScopeKind.LIBRARY or self.library() is not None else Scope()

    def is_across(self) -> bool:
        """Whether several documents, or a library, are asked."""
        return self.scope().kind is not ScopeKind.DOCUMENT

    def sheet(self) -> Sheet | None:
        """Return the sheet that is asked; None for several documents."""
        return None if self.is_across() else self.sheets.current()

    def asked(self) -> AskSession:
        """Return the session whose question and answers are at the right."""
        return self.controller.session(self.sheet())

    def _run(self) -> AskRun | None:
        return self.asked().shown_run

    def stop(self) -> bool:
        """Drop the waiting question, or stop reading or opening the file; returns False where there is neither."""
        order = (None, self.sheets.current()) if self.is_across() else (self.sheets.current(), None)
        return any(map(self.controller.stop, order))

    # Libraries

    @Slot()
    def _offer_libraries(self) -> None:
        self._keeper.restore_answers(self._libraries)
        before = self.panel.scope.scope
        self._show_choice()
        if self.panel.scope.menu.isVisible():
            self._fill_menu()
        self.look_at_language()
        if self.scope() != before:  # the library that is asked was listed, or is gone
            self._show_scope(keeps_question=True)  # the box may still have an earlier question to a document

    def ask_library(self, number: int) -> None:
        """Ask the library of this number from now on, and focus the question."""
        self.set_scope(Scope(ScopeKind.LIBRARY, number))
        self.panel.box.select()

    def show_unread(self, number: int) -> None:
        """Show the files of the library of this number that were not read."""
        if (found := self._libraries.find(number)) is not None:
            from app.ui.ask.library_dialogs import UnreadFiles

            unread = UnreadFiles(self._page, *found)
            unread.open_requested.connect(self.files_requested)
            unread.recognise_requested.connect(partial(self._libraries.update, found[0], recognise=True))
            unread.open()

    @Slot()
    def _show_unread(self) -> None:
        self.show_unread(self.scope().library)

    # What is asked

    @Slot(object)
    def set_scope(self, scope: Scope) -> None:
        """Ask something else from now on, and focus the question."""
        self._choose(scope)
        self._show_scope()
        self.panel.box.setFocus()

    def _choose(self, scope: Scope) -> None:
        self.workspace.settings.ask_scope = scope.key
        self._show_choice()
        self._highlight_page()

    def _highlight_page(self) -> None:
        """Highlight the page's answers, unless they are to another question than the one to several documents."""
        sheet, across = self.sheets.current(), self.controller.across.run
        own = sheet.session.run
        if self.is_across() and across is not None and own is not None and own.question != across.question:
            sheet.pane.clear_highlights()
            sheet.pane.set_heat(())
        else:
            sheet.highlight()

    def _show_choice(self) -> None:
        self.panel.scope.show_scope(self.scope(), self.library())

    def ask_document(self) -> None:
        """Ask the document on the page instead of a library; the focus and the document's own question stay.

        Where the open documents are asked, nothing changes: it is one of them.
        """
        if scope_of(self.workspace.settings.ask_scope).kind is ScopeKind.OPEN:
            return
        was_across = self.is_across()
        self._choose(Scope())  # also where a library is chosen that is not listed yet
        if was_across:
            self._show_scope(keeps_question=True)

    def _show_scope(self, *, keeps_question: bool = False) -> None:
        """Show the session that is asked now, with the question in the box, or with its own where that is kept."""
        typed, session = self.panel.box.field.toPlainText(), self.asked()
        if typed.strip() and not (keeps_question and session.question):
            session.question = typed
        self._show_asked()

    def restore_across(self, saved: SavedAcross) -> None:
        """Restore the last question to several documents, and its answers once their library is listed."""
        is_typed = bool(self.controller.across.question)
        self._keeper.restore_across(saved)
        if self.is_across() and not is_typed:
            self._show_asked()
        self._keeper.restore_answers(self._libraries)

    @Slot()
    def _fill_menu(self) -> None:
        """Fill the menu of what can be asked."""
        number = sum(not (sheet.is_open and sheet.pane.is_empty()) for sheet in self.sheets.all())
        self.panel.scope.offer(self._libraries.all, number)

    # Questions

    @Slot()
    def _question_edited(self) -> None:
        session, typed = self.asked(), self.panel.box.field.toPlainText()
        if typed != session.question:
            session.question, session.is_demo = typed, False
        self.panel.notice.hide()
        self.sheets.save_soon()

    @Slot()
    def ask(self, *, whole: bool = False) -> None:
        """Ask the question in the box; with `whole` every passage is read."""
        self.panel.notice.hide()
        session = self.asked()
        if self.controller.ask(self.sheet(), self.library(), whole=whole):
            session.history = self.panel.box.remember()
            self.look_at_language()
            if self.is_across():
                self._highlight_page()
        elif not session.question.strip():
            self.panel.box.setFocus()
        self.sheets.save_soon()

    @Slot()
    def _ask_whole(self) -> None:
        self.ask(whole=True)

    @Slot()
    def _stop_question(self) -> None:
        """Stop the question whose progress is shown, but not the opening of files."""
        self.controller.stop_question(self.sheet())

    @Slot(object)
    def _asking(self, sheet: Sheet | None) -> None:
        run = self.controller.session(sheet).shown_run
        if sheet is self.sheet() and run is not None and run.shows_nearest:
            self.panel.threshold.open(False)

    @Slot(str)
    def _ask_suggestion(self, question: str) -> None:
        self.panel.box.set_question(question, self.asked().history)
        self.ask()

    # What is shown

    def show_sheet(self, sheet: Sheet) -> None:
        """Show the question and the answers of the sheet that has become the current one."""
        self.panel.notice.hide()
        if self.is_across():
            self._show_verdict()
            self._highlight_page()
        else:
            self._show_asked()

    def _show_asked(self) -> None:
        """Show the question and the answers of the session that is asked."""
        session = self.asked()
        self.panel.notice.hide()
        self.offer_formats()
        with QSignalBlocker(self.panel.box):
            self.panel.box.set_question(session.question, session.history)
        self.panel.strip.clear()
        self._show(self.sheet())
        self.look_at_language()
        run = session.shown_run
        self._page.note.emit(localised(run.note) if run is not None else "")

    @Slot()
    def look_at_language(self) -> None:
        """Warn where the documents or the question are in a language that the reader does not read."""
        session, library = self.asked(), self.library()
        editor = self.sheets.current().editor
        if self.language is None:
            if not self.is_across() and session.opened is None and editor.is_empty():
                return
            self.language = self._make_language_line()
        from app.core.languages import LanguageSubject

        asked = session.waiting or session.shown_run
        question = LanguageSubject(Message("The question"), text=asked.question if asked is not None else "")
        if library is not None:
            documents = LanguageSubject(Message("The document"), library[1].languages)
        elif self.is_across():
            opened = (sheet.session.opened for sheet in self.sheets.all())
            languages = Counter(one.language for one in opened if one is not None)
            documents = LanguageSubject(Message("The document"), languages)
        elif session.opened is not None:
            documents = LanguageSubject(Message("This document"), {session.opened.language: 1})
        else:
            documents = LanguageSubject(Message("This text"), text=editor.text())
        self.language.check(documents, question)

    def _make_language_line(self) -> LanguageLine:
        from app.ui.kit.language_line import LanguageLine

        line = LanguageLine(self.workspace, self.theme, self.lanes, Head.QUESTION_ANSWERING)
        line.used.connect(self._reader_used)
        line.go.connect(self._page.go)
        line.failed.connect(self.panel.notice.show_error)
        line.updated.connect(self._offer_stronger)
        self.panel.add_line(line)
        return line

    @Slot()
    def text_edited(self) -> None:
        """Check the language of the text on the page once typing pauses."""
        if self.sheets.current().session.opened is None:
            self._typing_pause.start()

    @Slot(object)
    def _reader_used(self, card: ModelCard) -> None:
        self.settings_changed()
        self._page.changed.emit(Head.QUESTION_ANSWERING.value)
        self._page.note.emit(tr("{model} answers from now on", model=card.title))

    def offer_formats(self) -> None:
        """Offer the formats in which the answers can be saved."""
        from app.core.layout import Kind

        opened = None if self.is_across() else self.sheets.current().session.opened
        is_pdf = opened is not None and opened.kind is Kind.PDF
        self.panel.card.offer_formats([(one.key, one.title) for one in FORMATS if is_pdf or one.key != "pdf"])

    @Slot(object)
    def _show(self, sheet: Sheet | None) -> None:
        self._show_verdict()
        if sheet is self.sheet():
            self.panel.show_session(self.asked(), sheet)
            self._show_threshold()
            self._offer_stronger()

    # Verdicts

    def _show_verdict(self) -> None:
        """Offer verdicts on the answer shown, where its document is on the page."""
        run = self._run()
        if self._verdicts is None and run is not None and run.reading is not None:
            self._verdicts = self._make_verdicts()
        if self._verdicts is not None:
            self._verdicts.show(run, self.sheets.current())

    def _make_verdicts(self) -> Verdicts:
        from app.ui.ask.verdicts import Verdicts

        row, notice = self.panel.card.verdicts, self.panel.notice
        for place in (self.panel.card, self.panel.list, self._document):
            row.add_keys(place)
        verdicts = Verdicts(self._page, row)
        verdicts.hint.connect(notice.show_hint)
        verdicts.failed.connect(notice.show_error)
        verdicts.kept.connect(notice.hide)
        verdicts.kept.connect(self._read_own_threshold)
        return verdicts

    def shown(self) -> None:
        """Look up the verdict on the answer shown and the threshold again: another page may have changed them."""
        if self._verdicts is not None:
            self._verdicts.look_up()
            self._read_own_threshold()

    @Slot(object)
    def _show_progress(self, sheet: Sheet | None) -> None:
        run = self._run() if sheet is self.sheet() else None
        if run is not None and run.progress is not None:
            self.panel.strip.show_progress(run.progress)

    # Answers

    @Slot(object)
    def _show_chosen(self, sheet: Sheet | None) -> None:
        if sheet is self.sheet():
            self.panel.show_chosen()
            self._show_verdict()

    @Slot(int)
    def choose(self, index: int) -> None:
        """Choose one of the answers at the right."""
        if self.is_across():
            self.panel.notice.hide()
        self.controller.choose(self.sheet(), index)

    def step(self, by: int) -> None:
        """Choose the next answer (1) or the previous one (-1), cyclically."""
        if self.is_across():
            self.panel.notice.hide()
        self.controller.step(self.sheet(), by)

    @Slot()
    @Slot(int)
    def _copy(self, index: int | None = None) -> None:
        self.controller.copy(self.sheet(), index)

    @Slot(bool)
    def _show_nearest(self, on: bool) -> None:
        self.panel.threshold.open(on, self.panel.card.nearest)
        self.controller.show_nearest(self.sheet(), on)

    @Slot()
    def look(self) -> None:
        """Open the page Look inside on how the model came to the answer."""
        run = self._run()
        visit = run.visit() if run is not None else None
        if visit is not None:
            self._page.go.emit("inspect", visit)

    # The threshold, and stronger readers

    @Slot()
    def settings_changed(self) -> None:
        """Follow a change of the reader or of the settings."""
        self._read_own_threshold()
        if self.language is not None:
            self.language.check_again()
        self._drop_stronger()
        self._offer_stronger()

    @Slot()
    def _read_own_threshold(self) -> None:
        self.lanes.files.start(own_threshold, self.workspace).then(self._own_threshold_read)

    @Slot(object)
    def _threshold_moved(self, threshold: float | None) -> None:
        self.controller.set_threshold(threshold)
        self._show_threshold()

    @Slot(float)
    def _own_threshold_read(self, threshold: float) -> None:
        self._own_threshold = threshold
        self._show_threshold()

    def _show_threshold(self) -> None:
        chosen, run = self.workspace.settings.ask_threshold, self._run()
        reading = run.reading if run is not None and not run.is_across else None
        # The reading has the reader's own for its kind of text; of a cell of a table, say, none is known.
        own = (reading.threshold if reading is not None else 0.0) or self._own_threshold
        shown = own if chosen is None else chosen
        if shown is not None:
            self.panel.threshold.set_threshold(shown, own=chosen is None)

    def _drop_stronger(self) -> None:
        if self._stronger_job is not None:
            self._stronger_job.drop()
        self._stronger_job = self._stronger = None

    def _language(self) -> str:
        """Return the language code of the question or the document; empty where it is unsure or mixed."""
        other = self.language.other_language() if self.language is not None else ""
        opened = None if self.is_across() else self.sheets.current().session.opened
        return other or (opened.language if opened is not None else "")

    @Slot()
    def _offer_stronger(self) -> None:
        """Recommend a stronger reader of the language where the final answer has low confidence."""
        run = self._run()
        reading = run.judged() if run is not None and run.reading is not None and not run.is_running else None
        if reading is None or reading.best is not None or reading.shown is None:
            self.panel.offer_readers("")
            return
        language = self._language()
        if language != self._stronger_language:
            self._drop_stronger()
        if self._stronger is None and self._stronger_job is None:
            from app.flows.models.catalogue import stronger_readers

            self._stronger_language = language
            job = self.lanes.files.start(stronger_readers, self.workspace, language=language)
            self._stronger_job = job.then(self._take_stronger)
        found = self._stronger
        if found is not None and found.installed is not None:
            name = found.installed.title
            # Without its F1: measured on other questions, it cannot stand beside the figures that authors report.
            self.panel.offer_readers(
                tr("A stronger reader is installed: {model}.", model=name), installed=name
            )
            return
        if found is None or not found.to_have:
            self.panel.offer_readers("")
            return
        from app.flows.models.catalogue import recommended, summary

        speed = self.workspace.settings.reading_speed
        best = recommended(found.to_have, speed)
        others = [model for model in found.to_have if model is not best]
        sentences = [tr("A stronger reader may be surer.")]
        names = ", ".join(localised(model.title) for model in others)
        if best is None:
            sentences.append(tr("All are large or slow for this computer."))
            sentences.append(tr("They are: {models}.", models=names))
        else:
            sentences.append(tr("Recommended: {model}.", model=summary(best, speed)))
            if others:
                sentences.append(tr("Also: {models}.", models=names))
        self.panel.offer_readers(
            " ".join(sentences), "\n".join(localised(summary(model, speed)) for model in others)
        )

    @Slot(object)
    def _take_stronger(self, found: Stronger) -> None:
        self._stronger = found
        self._offer_stronger()

    @Slot()
    def _use_stronger(self) -> None:
        """Use the stronger reader that is installed from now on."""
        if self._stronger is None or self._stronger.installed is None:
            return
        self.panel.notice.hide()
        from app.flows.models.installed import use

        folder = self._stronger.installed.folder
        job = self.lanes.files.start_write(do, partial(use, self.workspace, Head.QUESTION_ANSWERING, folder))
        job.then(self._stronger_used, self.panel.notice.show_error)

    @Slot(object)
    def _stronger_used(self, card: ModelCard) -> None:
        """Ask the low-confidence question again, unless the box holds another one."""
        if self.panel.use.hasFocus():  # the button is hidden, and would lose the focus
            self.panel.box.select()
        self._reader_used(card)
        run = self._run()
        if run is not None and run.question == self.panel.box.question():
            self.ask()

    def _connect(self) -> None:
        panel, controller = self.panel, self.controller
        self._libraries.changed.connect(self._offer_libraries)
        panel.use.clicked.connect(self._use_stronger)
        controller.changed.connect(self._show)
        controller.progressed.connect(self._show_progress)
        controller.chosen.connect(self._show_chosen)
        controller.asking.connect(self._asking)
        panel.scope.menu.aboutToShow.connect(self._fill_menu)
        panel.scope.chosen.connect(self.set_scope)
        panel.scope.read.clicked.connect(self._show_unread)
        panel.box.ask_requested.connect(self.ask)
        panel.box.edited.connect(self._question_edited)
        panel.box.field.copy_requested.connect(self._copy)
        panel.strip.stop_asked.connect(self._stop_question)
        panel.card.chosen.connect(self.choose)
        panel.card.copy_requested.connect(self._copy)
        panel.card.again.clicked.connect(self.ask)
        panel.card.whole.clicked.connect(self._ask_whole)
        panel.card.look.clicked.connect(self.look)
        panel.card.nearest.toggled.connect(self._show_nearest)
        panel.list.chosen.connect(self.choose)
        panel.list.copy_requested.connect(self._copy)
        panel.suggestion_clicked.connect(self._ask_suggestion)
        panel.threshold.changed.connect(self._threshold_moved)
        self._typing_pause.timeout.connect(self.look_at_language)
