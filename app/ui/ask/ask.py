"""The page for questions about documents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.core.message import Message
from app.flows.ask.drafts import FirstThings, first_things
from app.flows.history.export_formats import FORMATS
from app.flows.samples import Sample
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.ui.ask.answer_keeper import AnswerKeeper
from app.ui.ask.answer_panel import AnswerPanel, AskPanes
from app.ui.ask.controller import AskController
from app.ui.ask.document_column import DocumentColumn
from app.ui.ask.document_tabs import DocumentTabs
from app.ui.ask.files import DocumentFiles
from app.ui.ask.page_recogniser import PageRecogniser
from app.ui.ask.presenter import AskPresenter
from app.ui.ask.run import Scope
from app.ui.ask.session import DocumentState
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.document.find_bar import IN_FIND_BAR, FindBar
from app.ui.document.zoom import Zoom, reading_keys
from app.ui.kit.boxes import column
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.dropped import SortedPaths, look_like_documents, sort_paths
from app.ui.kit.jobs import Lanes
from app.ui.kit.libraries import Libraries
from app.ui.kit.page import FirstPaint, Page
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.library import Library
    from app.flows.history.export_formats import Exported
    from app.ui.ask.welcome import Welcome, WelcomeBand
    from app.ui.document.reading_tools import ReadingTools

_MANY = 10  # from this number of files opened at once on, a library is offered


class AskView(Page):
    """The list of documents at the left, tabs, the page in the middle, question and answers at the right."""

    KEY = "ask"
    TITLE = Message("Ask")
    ICON = "ask"
    SHORTCUTS = (
        ("Ctrl+L", Message("Go to the question")),
        ("Alt+Down", Message("Ask this document, the open ones, or a library")),
        ("Enter", Message("Ask")),
        (
            "Esc",
            Message(
                "Stop; the best answer so far stays. Else from the question or the document to the answer"
            ),
        ),
        ("F3", Message("Next answer")),
        ("Shift+F3", Message("Previous answer")),
        ("Up, Down", Message("Earlier questions, in the question's box")),
        ("A", Message("The answer is right")),
        ("E", Message("The words selected in the document are right instead; in a text Esc first")),
        ("X", Message("The answer is not in the text")),
        ("Ctrl+C", Message("Copy the answer with its sentence, or what is selected")),
        ("Ctrl+I", Message("Look inside: how the model came to the answer")),
        ("Ctrl+F", Message("Find in the text")),
        IN_FIND_BAR,
        ("Ctrl+O", Message("Open files")),
        ("Ctrl+B", Message("List of documents")),
        ("Ctrl+Shift+F", Message("Find a document")),
        ("Ctrl+T", Message("New text")),
        ("Ctrl+W", Message("Close the text")),
        ("Ctrl+Shift+T", Message("Bring a closed text back")),
        ("Ctrl+Shift+K", Message("Keep open what an answer has opened")),
        ("Ctrl+Tab", Message("Next text")),
        ("Ctrl+G", Message("Go to a page, a slide, a sheet or a mail, or to a line of a text")),
        ("Ctrl+Shift+O", Message("Outline of the document")),
        ("Ctrl++ / Ctrl+- / Ctrl+0", Message("Larger, smaller, usual size")),
        ("Ctrl+Shift+P", Message("The whole page")),
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, libraries: Libraries | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes)
        self.libraries = libraries or Libraries(workspace, lanes, self)
        self.tabs = DocumentTabs(theme)
        self.stack = QStackedWidget()
        self.panel = AnswerPanel(theme)
        self.sheets = Sheets(self, Drafts(workspace.paths.drafts), self.tabs, self.stack)
        self.files = DocumentFiles(self, self.sheets)
        self.recogniser = PageRecogniser(self, self.sheets)
        self.files.opened.connect(self.recogniser.look_at)
        self.controller = AskController(self, self.sheets, self.files)
        self.keeper = AnswerKeeper(self, self.sheets, self.files, self.controller)
        self.recogniser.grown.connect(self.keeper.file_read)
        self.recogniser.grown.connect(self.controller.file_read)
        self.documents = DocumentColumn(self, self.sheets, self.files, self.libraries)
        self._opened_together: list[Path] = []
        self._pasted = ""
        self.keep_together = Confirmation(
            theme, tr("Keep these as a library"), tr("Not now"), kind="primary", is_band=True
        )
        self.presenter = AskPresenter(
            self, self.sheets, self.controller, self.keeper, self.panel, self.stack, self.libraries
        )
        self.find_bar = FindBar(theme, self.sheets.searched)
        self.zoom = Zoom(workspace, theme, self.sheets.searched, self)
        self.tools: ReadingTools | None = None
        self.welcome: Welcome | None = None
        self._samples: Sequence[Sample] = ()
        self._painted = self._first_start = self._is_begun = False
        self._splitter = AskPanes(theme, workspace.settings, self.find_bar, self.stack, self.panel)
        bands = self.documents.confirmation, self.keep_together
        self._column = column(theme, self.tabs, *bands, (self._splitter, 1), parent=self)
        self._connect()
        self._make_shortcuts()
        self.sheets.new()
        self._offer_recent()
        self._first_job = lanes.files.start(first_things, workspace, self.sheets.drafts)
        self._first_job.then(self._begin, self.panel.notice.show_error)
        FirstPaint(self).first.connect(
            self.presenter.settings_changed
        )  # which imports what must not delay the paint

    # The interface for the window

    def stop(self) -> bool:
        """Close what covers the page, else drop a waiting question or stop reading, else focus the answer."""
        if self.documents.leave() or (self.tools is not None and self.tools.leave()):
            return True
        if self.keep_together.asking:
            self.keep_together.withdraw()
            return True
        if self.welcome is not None and self.welcome.leave():
            return True
        if self.presenter.stop():
            return True
        if self.panel.card.isVisible() and (self.panel.box.field.hasFocus() or self.sheets.have_focus()):
            # On the card the keys of the verdicts work, which the question and a text take as typed letters.
            self.panel.card.setFocus(Qt.FocusReason.OtherFocusReason)
        return False

    def keep(self) -> None:
        """Stop all reading, and save the answers, the open texts and questions, and the splitter's position."""
        self._splitter.keep()
        self.controller.close()
        self.lanes.files.finish_writes()  # the sheets are saved with the numbers of the answers' entries
        if not self._first_job.running:
            self.sheets.save_now()

    def shown(self) -> None:
        """Focus the page while it is empty, else the question."""
        self._focus_next()
        self.presenter.shown()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.documents.place()

    def _is_page_first(self) -> bool:
        """Whether the page is to be focused before the question: it is empty, or its file is not open."""
        if self.presenter.is_across():
            return False
        sheet = self.sheets.current()
        if sheet.is_open:
            return sheet.pane.is_empty()
        return sheet.session.state is not DocumentState.LOADING

    def _focus_next(self) -> None:
        place: QWidget = self.panel.box
        if self._is_page_first():
            sheet = self.sheets.current()
            is_locked = sheet.opening is not None and sheet.session.state is DocumentState.LOCKED
            place = sheet.opening.lock.field if sheet.opening is not None and is_locked else sheet
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def type_next(self) -> None:
        """Focus what is to be typed in next; a question that was asked before is selected, to be replaced."""
        self._focus_next()
        if not self._is_page_first():
            self.panel.box.select_earlier()

    @Slot(object)
    def _library_added(self, library: Library) -> None:
        """Ask a library from now on that was added on this page."""
        if not self.isVisible():
            return
        if self.welcome is not None:  # its text is about the answer at the right
            self.welcome.leave()
        self.presenter.ask_library(library.number)

    def open_files(self, paths: list[Path]) -> None:
        """Open each file as a document of its own, or show it where it is open; a folder becomes a library.

        From then on the document on the page is asked.
        """
        self.panel.notice.hide()
        self._is_begun = True
        if look_like_documents(paths):
            self._open(paths)
        else:
            self.lanes.files.start(sort_paths, paths).then(self._sorted, self.panel.notice.show_error)

    @Slot(object)
    def _sorted(self, given: SortedPaths) -> None:
        if given.files:
            self._open(given.files)
        if given.folders:
            self.libraries.add(given.folders)
        if given.models:
            self.go.emit("models", given.models)

    def _open(self, paths: list[Path]) -> None:
        self.files.open(paths)
        self.presenter.ask_document()
        self.type_next()  # at once: a question can wait for its file
        if len(paths) >= _MANY:
            self._opened_together = paths
            sentence = tr(
                "{n:,} document was opened. As a library they can be asked all at once.",
                "{n:,} documents were opened. As a library they can be asked all at once.",
                n=len(paths),
            )
            self.keep_together.ask(sentence, takes_focus=False)

    @Slot(list)
    def _open_listed(self, paths: list[Path]) -> None:
        """Open files of a list; what is asked stays, as it does when a tab is chosen."""
        self.panel.notice.hide()
        self._is_begun = True
        self.files.open(paths)
        self.type_next()

    @Slot()
    def _keep_together(self) -> None:
        """Make a library of the files that were opened at once."""
        self.libraries.add(self._opened_together)

    @Slot(str)
    def _lines_pasted(self, text: str) -> None:
        """Offer the lines that were pasted as one question to the page Table."""
        self._pasted = text
        self.panel.notice.show_hint(
            tr("These lines were pasted as one question."),
            tr("Is each a question of its own? A table has a column for each."),
            tr("Table with these questions"),
        )

    @Slot()
    def _ask_in_table(self) -> None:
        self.panel.notice.hide()
        paths = tuple(Path(sheet.session.path) for sheet in self.sheets.all() if sheet.session.path)
        self.go.emit("table", (self._pasted, paths))

    def receive(self, argument: object) -> None:
        """Show an entry of the history, or, for any other argument, the welcome."""
        from app.core.history import Entry

        if isinstance(argument, Entry):
            self.open_entry(argument)
        else:
            self.show_welcome()

    def open_entry(self, entry: Entry) -> None:
        """Open the document of an entry of the history, with its answers highlighted."""
        self.panel.notice.hide()
        self.presenter.set_scope(Scope())
        self.keeper.open_entry(entry)

    def settings_changed(self) -> None:
        """Follow a change of the reader or of the settings."""
        self.presenter.settings_changed()

    def painted(self) -> None:
        """Show the welcome at the first start, now that it no longer delays the paint."""
        self._painted = True
        if self._first_start:
            self._first_start = False
            self.show_welcome(first=True)

    def show_welcome(self, *, first: bool = False) -> None:
        """Show the welcome with a sample that is asked at once; at the `first` start only if nothing was opened."""
        if self.welcome is None:
            from app.ui.ask.welcome import Welcome

            self.welcome = Welcome(self, self.sheets, self.controller, self.panel)
            self.welcome.shown.connect(self._lay_out_band)
        if first and self._is_begun:
            self.welcome.keep_welcomed()
            return
        self.presenter.set_scope(Scope())  # so that the sample's answer is shown at the right
        self.welcome.show(self._samples, first=first)

    @Slot(object)
    def _lay_out_band(self, band: WelcomeBand) -> None:
        self._column.insertWidget(1, band)
        band.follow(self.tabs.undo)
        self.theme.refresh()  # with a style sheet Qt resets the fonts of a widget that gets a parent
        band.open.clicked.connect(self._choose_files)

    @Slot(object)
    def _begin(self, first: FirstThings) -> None:
        self._samples = first.samples
        for sheet in self.sheets.all():
            self._offer_samples(sheet)
        self.sheets.restore(first.saved)
        for sheet in self.sheets.all():
            self.keeper.restore_last(sheet)
        self.presenter.restore_across(first.saved.across)
        if self.isVisible():
            self.type_next()
        self._first_start = first.first_start
        if self._painted:
            self.painted()

    # Sheets

    @Slot(object)
    def _sheet_created(self, sheet: Sheet) -> None:
        sheet.edited.connect(self._edited)
        sheet.page_shown.connect(self._show_tools)
        sheet.text_changed.connect(self.controller.text_changed)
        sheet.read_requested.connect(self.controller.reload)
        sheet.stop_requested.connect(self.files.stop_current)
        sheet.close_requested.connect(self.files.close_unread)
        sheet.password_given.connect(self.files.give_password)
        sheet.answer_clicked.connect(self.controller.choose_on_page)
        sheet.copy_requested.connect(self.controller.copy_on_page)
        sheet.files_dropped.connect(self.open_files)
        sheet.editor.lines_broken.connect(self._lines_broken)
        sheet.empty.samples.chosen.connect(self._try_sample)
        sheet.empty.open.clicked.connect(self._choose_files)
        sheet.empty.folder.clicked.connect(self.documents.add_folder)
        sheet.empty.recent_chosen.connect(self._open_recent)
        if not sheet.session.path:  # a file's sheet hardly ever shows the empty page
            self._offer_samples(sheet)
            sheet.empty.set_recent(self.workspace.settings.recent_files)

    @Slot(object)
    def _sheet_shown(self, sheet: Sheet) -> None:
        self.presenter.show_sheet(sheet)
        self._show_tools(sheet)

    @Slot(object)
    def _show_tools(self, sheet: Sheet) -> None:
        """Show the reading tools for the document on the page, where it has something to read."""
        if sheet is not self.sheets.current():
            return
        opened = sheet.session.opened
        is_paged = opened is not None and bool(opened.pages)  # also a scan whose text is not there yet
        is_served = sheet.is_open and (is_paged or not sheet.pane.is_empty())
        if is_served and self.tools is None:
            from app.ui.document.reading_tools import ReadingTools

            panes = self._splitter
            self.tools = ReadingTools(
                self.workspace, self.theme, self.stack, panes.row, panes.column, self.find_bar, self.zoom
            )
            self.tools.left.connect(self._leave_for_page)
        if self.tools is not None:
            self.tools.take(sheet.pane if is_served else None, opened)

    @Slot()
    def _go_to_number(self) -> None:
        if self.tools is not None:
            self.tools.line.go_to_field()

    @Slot()
    def _toggle_outline(self) -> None:
        if self.tools is not None:
            self.tools.toggle_outline()

    @Slot(object)
    def _file_opened(self, sheet: Sheet) -> None:
        self._offer_recent()
        session = sheet.session
        if session.password:
            self.libraries.read_again(session.path, session.password)
        self.presenter.look_at_language()
        if sheet is self.sheets.current():
            self.presenter.offer_formats()
            # The question is focused unless one is being typed, or was asked before.
            is_free = self.isVisible() and not self.find_bar.isVisible() and not self.presenter.is_across()
            if is_free and not sheet.session.question:
                self.panel.box.select()

    @Slot()
    def _edited(self) -> None:
        self.panel.notice.hide()
        self.presenter.text_edited()
        if self.tools is None or self.sheets.current().pane.is_empty() is self.tools.is_in_use:
            self._show_tools(self.sheets.current())
        else:
            self.tools.text_edited.start()
        if self.welcome is not None:
            self.welcome.leave()

    @Slot(bool)
    def _lines_broken(self, added: bool) -> None:
        self.panel.notice.show_hint(
            tr("Very long lines were broken, so that the text can be shown."),
            tr("Where a line has no blank, a line end was added; an answer there may be broken by it.")
            if added
            else tr("A break stands in place of a blank; the answers are not touched by it."),
        )

    # Files

    @Slot()
    def _choose_files(self) -> None:
        """Have files chosen in the system's dialog, from the folder of the file opened last, and open them."""
        from app.ui.kit.file_dialog import DOCUMENTS, open_names

        recent = self.workspace.settings.recent_files
        folder = str(Path(recent[0]).parent) if recent else ""
        if names := open_names(self, tr("Open files"), folder, DOCUMENTS):
            self.open_files([Path(name) for name in names])

    @Slot(str)
    def _open_recent(self, path: str) -> None:
        """Open a recent file again; an empty path clears the list of recent files."""
        if path:
            self.open_files([Path(path)])
        else:
            self.workspace.settings.recent_files.clear()
            self._offer_recent()
            self.documents.refill()

    @Slot()
    def _offer_recent(self) -> None:
        recent = self.workspace.settings.recent_files
        self.tabs.set_recent(recent)
        for sheet in self.sheets.all():
            if not sheet.session.path:
                sheet.empty.set_recent(recent)

    @Slot(QAction)
    def _export(self, action: QAction) -> None:
        """Save the answers to a file that the user chooses, in the format of an action of the card's menu."""
        from app.ui.kit.file_dialog import save_name

        session = self.presenter.asked()
        if (run := session.run) is None or run.reading is None:
            return
        kind = next(one for one in FORMATS if one.key == action.data())
        source, folder = run.library.name if run.library is not None else "", Path()
        if not run.is_across:
            source, folder = Path(run.opened.document.name).stem, Path(run.opened.document.path).parent
        suggested = tr("{name}, answers", name=source) if source else tr("Answers")
        what = " (SQuAD)" if kind.key == "squad" else ""
        file = folder / f"{suggested}{what}{kind.suffix}"
        kinds = f"{localised(kind.title)} (*{kind.suffix})"
        if name := save_name(self, tr("Save the answers"), str(file), kinds):
            target = Path(name) if Path(name).suffix else Path(name).with_suffix(kind.suffix)
            from app.flows.history.export import export

            job = self.lanes.documents.start(
                export, self.workspace, run.entries(), kind.key, target, password=session.password
            )
            job.then(self._exported, self.panel.notice.show_error)

    @Slot(object)
    def _exported(self, exported: Exported) -> None:
        names = ", ".join(file.name for file in exported.files)
        if names:
            words = tr(
                "{n:,} answer saved to {files}",
                "{n:,} answers saved to {files}",
                n=exported.count,
                files=names,
            )
        else:
            words = tr("No answer was saved to a file")
        self.note.emit(words)
        if exported.notes:
            self.panel.notice.show_hint(sentences(words), " ".join(map(localised, exported.notes)))

    # Questions

    def _offer_samples(self, sheet: Sheet) -> None:
        sheet.empty.set_samples(
            [(localised(one.title), one.questions[0] if one.questions else "") for one in self._samples]
        )

    @Slot(int)
    def _try_sample(self, index: int) -> None:
        self.presenter.set_scope(Scope())
        sample = self._samples[index]
        sheet = self.sheets.current()
        sheet.show_text(sample.text, name=localised(sample.title))
        sheet.session.suggestions = sample.questions
        if sample.questions:
            self.panel.box.set_question(sample.questions[0], sheet.session.history)
        self.panel.box.select()
        self.presenter.ask()

    # Building

    @Slot()
    def _leave_for_page(self) -> None:
        self.sheets.current().setFocus(Qt.FocusReason.OtherFocusReason)

    def _connect(self) -> None:
        panel, controller = self.panel, self.controller
        self.find_bar.closed.connect(self._leave_for_page)
        self.tabs.open.clicked.connect(self._choose_files)
        self.tabs.documents.clicked.connect(self.documents.toggle)
        self.documents.placed.connect(self.tabs.documents.setChecked)
        self.documents.open_asked.connect(self._open_listed)
        self.documents.left.connect(self.type_next)
        self.documents.ask_asked.connect(self.presenter.ask_library)
        self.documents.unread_asked.connect(self.presenter.show_unread)
        self.documents.not_shown.connect(panel.notice.show_unopened)
        self.keep_together.confirmed.connect(self._keep_together)
        self.libraries.added.connect(self._library_added)
        self.tabs.recent_requested.connect(self._open_recent)
        self.sheets.created.connect(self._sheet_created)
        self.sheets.shown.connect(self._sheet_shown)
        self.sheets.reopened.connect(self.type_next)
        self.sheets.reopened.connect(self._offer_recent)
        self.sheets.failed.connect(panel.notice.show_error)
        self.files.opened.connect(self._file_opened)
        self.files.failed.connect(panel.notice.show_error)
        self.keeper.restored.connect(self._sheet_shown)
        controller.copied.connect(panel.card.copied)
        for source in (controller, self.keeper):
            source.hint.connect(panel.notice.show_hint)
            source.failed.connect(panel.notice.show_error)
        self.presenter.files_requested.connect(self._open_listed)
        panel.scope.folder_requested.connect(self.documents.add_folder)
        panel.box.field.files_pasted.connect(self.open_files)
        panel.box.field.lines_pasted.connect(self._lines_pasted)
        panel.notice.acted.connect(self._ask_in_table)
        panel.card.formats.triggered.connect(self._export)
        panel.readers.clicked.connect(partial(self.go.emit, "models", ("offered",)))
        self.theme.changed.connect(panel.refresh)

    def _make_shortcuts(self) -> None:
        self.add_shortcuts(
            ("Ctrl+L", self.panel.box.select),
            ("Alt+Down", self.panel.scope.open), ("Ctrl+Shift+K", self.sheets.keep_current),
            ("F3", partial(self.presenter.step, 1)), ("Shift+F3", partial(self.presenter.step, -1)),
            ("Ctrl+B", self.documents.toggle), ("Ctrl+Shift+F", self.documents.go_to_search),
            ("Ctrl+O", self._choose_files), ("Ctrl+T", self.sheets.show_new),
            ("Ctrl+W", self.sheets.close_current), ("Ctrl+Shift+T", self.sheets.undo_close),
            ("Ctrl+Tab", self.sheets.next), ("Ctrl+Shift+Tab", self.sheets.previous),
            ("Ctrl+G", self._go_to_number), ("Ctrl+Shift+O", self._toggle_outline),
            ("Ctrl+I", self.presenter.look), *reading_keys(self.find_bar, self.zoom),
        )  # fmt: skip
