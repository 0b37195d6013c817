"""The page for questions about documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.flows.ask.question import own_threshold
from app.flows.samples import Sample
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.settings.settings import Settings
from app.ui.ask.answer_panel import AnswerPanel
from app.ui.ask.answers import Answers
from app.ui.ask.ask_drafts import FirstThings, first_things
from app.ui.ask.asking import Asking
from app.ui.ask.asking_later import AskingLater
from app.ui.ask.document_tabs import DocumentTabs
from app.ui.ask.keeping import Keeping
from app.ui.ask.opening import Choosing, Opening
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.ask.watching import Watching
from app.ui.document.find_bar import FindBar
from app.ui.document.finding import IN_FIND_BAR, Finding, Zoom, reading_keys
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.page import Page
from app.ui.kit.theme import Theme

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.ui.ask.welcome import Welcome
    from app.ui.ask.welcome_band import WelcomeBand

_AFTER_MS = 100  # the window is painted by then
_REPLACED = "A break stands in place of a blank; the answers are not touched by it."
_ADDED = "Where a line has no blank, a line end was added; an answer there may be broken by it."
_SPLITTER = "ask"
# In steps: the side panel's usual width, its preferred least width, and the page's least width.
_SIDE, _SIDE_WELL, _PAGE_LEAST = 98, 76, 50


class AskPanes(QSplitter):
    """`above` and `page` in the middle, `side` at the right with the saved width, or one that suits the window."""

    def __init__(
        self, theme: Theme, settings: Settings, above: QWidget, page: QWidget, side: QWidget
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self._settings = settings
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(above)
        column.addWidget(page, 1)
        middle.setMinimumWidth(theme.step(_PAGE_LEAST))
        self.addWidget(middle)
        self.addWidget(side)
        self.setStretchFactor(0, 1)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.splitterMoved.connect(self._moved)
        saved = settings.splitters.get(_SPLITTER)
        self._placed = saved is not None
        if saved is not None:
            self.setSizes(saved)

    def keep(self) -> None:
        """Save the splitter's position in the settings, where the user has moved it."""
        if self._placed:
            self._settings.splitters[_SPLITTER] = self.sizes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the side panel's width as long as the user has not moved the splitter."""
        super().resizeEvent(event)
        if not self._placed:
            step = self._theme.step
            wide = max(step(_SIDE_WELL), min(step(_SIDE), self.width() // 3))
            self.setSizes([self.width() - wide, wide])

    @Slot()
    def _moved(self) -> None:
        self._placed = True


class AskView(Page):
    """Documents as tabs, the page in the middle, question and answers at the right."""

    KEY = "ask"
    TITLE = "Ask"
    ICON = "ask"
    SHORTCUTS = (
        ("Ctrl+L", "Go to the question"),
        ("Enter", "Ask"),
        ("Esc", "Stop; the best answer so far stays"),
        ("F3", "Next answer"),
        ("Shift+F3", "Previous answer"),
        ("Up, Down", "Earlier questions, in the question's box"),
        ("Ctrl+C", "Copy the answer with its sentence, or what is selected"),
        ("Ctrl+I", "Look inside: how the model came to the answer"),
        ("Ctrl+F", "Find in the text"),
        IN_FIND_BAR,
        ("Ctrl+O", "Open files"),
        ("Ctrl+T", "New text"),
        ("Ctrl+W", "Close the text"),
        ("Ctrl+Shift+T", "Bring a closed text back"),
        ("Ctrl+Tab", "Next text"),
        ("Ctrl++ / Ctrl+- / Ctrl+0", "Larger, smaller, usual size"),
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self.tabs = DocumentTabs(theme)
        self.stack = QStackedWidget()
        self.find_bar = FindBar(theme)
        self.panel = AnswerPanel(theme)
        self.answers = Answers(workspace.settings, self.panel, self)
        self.asking = Asking(workspace, lanes, self.panel, self.answers, self)
        self.sheets = Sheets(theme, lanes, Drafts(workspace.paths.drafts), self.tabs, self.stack, self)
        self.opening = Opening(workspace, lanes, self.sheets, self)
        self.watching = Watching(lanes, self.sheets, self)
        self.finding = Finding(self.find_bar, self.sheets.searched, self)
        self.zoom = Zoom(workspace, theme, self.sheets.searched, self)
        self.choosing = Choosing(workspace, self.tabs, self.sheets, self)
        self.keeping = Keeping(
            workspace, lanes, self.sheets, self.opening, self.answers, self.panel.card, self
        )
        self.later = AskingLater(self.asking, self.sheets, self.opening, self.answers, self.panel, self)
        self._samples: Sequence[Sample] = ()
        self.welcome: Welcome | None = None
        self._painted = self._first_start = False
        self._lay_out()
        self._connect()
        self._make_shortcuts()
        self._threshold_job: Job | None = None
        self._readers_job: Job | None = None
        self.sheets.new()
        self._first_job = lanes.files.start(first_things, workspace, self.sheets.drafts)
        self._first_job.done.connect(self._begin)
        self._first_job.failed.connect(self._show_fault)
        QTimer.singleShot(_AFTER_MS, self.settings_changed)

    # The interface for the window

    def stop(self) -> bool:
        """Close the welcome, else drop a question that waits for its file, else stop opening it, else stop reading."""
        if self.welcome is not None and self.welcome.leave():
            return True
        sheet = self.sheets.current()
        return self.later.stop(sheet) or self.opening.stop(sheet) or self.asking.stop(sheet)

    def keep(self) -> None:
        """Save the open texts and questions, and the splitter's place."""
        self._splitter.keep()
        self._take_question()
        for read in self.asking.end():
            self.keeping.remember_now(read)
        if not self._first_job.running:
            self.sheets.save_now()

    def shown(self) -> None:
        """Go to the page while it is empty, else to the question."""
        self._go_to_next()

    def _is_page_first(self) -> bool:
        """Whether the page comes before the question: it has no text, or its file needs something."""
        sheet = self.sheets.current()
        if sheet.is_open:
            return sheet.pane.is_empty()
        return not self.opening.reads(sheet)

    def _go_to_next(self) -> None:
        place: QWidget = self.panel.box
        if self._is_page_first():
            sheet = self.sheets.current()
            page = sheet.opening
            place = page.password if page is not None and page.asks_password() else sheet
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def type_next(self) -> None:
        """Focus the place to type next; a question that was asked before is selected, to be typed over."""
        self._go_to_next()
        if not self._is_page_first():
            self.panel.box.select_earlier()

    def open_files(self, paths: list[Path]) -> None:
        """Open each file as a document of its own; one that is open already is brought to the front."""
        self.panel.notice.clear()
        self.opening.open(paths)
        self.type_next()  # at once: a question may wait for its file

    def open_entry(self, entry: Entry) -> None:
        """Open the document of an entry of the history, with its answers highlighted."""
        self.panel.notice.clear()
        self.keeping.open_entry(entry)

    @Slot()
    def settings_changed(self) -> None:
        """Read the reader's own threshold anew."""
        if self._threshold_job is not None:
            self._threshold_job.drop()
        self._threshold_job = self.lanes.files.start(own_threshold, self.workspace)
        self._threshold_job.done.connect(self.answers.set_own_threshold)
        if self._readers_job is not None:
            self._readers_job.drop()
        self._readers_job = None
        self.answers.set_readers(None)

    @Slot()
    def _find_readers(self) -> None:
        from app.flows.models.catalogue import stronger_to_have

        if self._readers_job is not None:
            return  # they are being looked up
        self._readers_job = self.lanes.files.start(stronger_to_have, self.workspace)
        self._readers_job.done.connect(self.answers.set_readers)

    @Slot()
    def _show_readers(self) -> None:
        self.open_models.emit("offered")

    # Texts

    @Slot(object)
    def _begin(self, first: FirstThings) -> None:
        self._samples = first.samples
        self.sheets.offer(
            [(sample.title, sample.questions[0] if sample.questions else "") for sample in self._samples]
        )
        self._take_question()
        self.sheets.bring_back(first.saved)
        for sheet in self.sheets.all():
            self.keeping.bring_back(sheet)
        if self.isVisible():
            self.type_next()
        self._first_start = first.first_start
        if self._painted:
            self.painted()

    def painted(self) -> None:
        """Show the welcome at the first start, now that it does not delay the start."""
        self._painted = True
        if self._first_start:
            self._first_start = False
            self.show_welcome(first=True)

    def show_welcome(self, *, first: bool = False) -> None:
        """Show the welcome with a sample that is asked at once; at the `first` start only where nothing was begun."""
        if self.welcome is None:
            from app.ui.ask.welcome import Welcome

            self.welcome = Welcome(
                self.workspace,
                self.theme,
                self.lanes,
                self.sheets,
                self.asking,
                self.answers,
                self.panel,
                self,
            )
            self.welcome.came.connect(self._show_band)
        self.welcome.show(self._samples, first=first)

    @Slot(object)
    def _show_band(self, band: WelcomeBand) -> None:
        self._column.insertWidget(1, band)
        band.follow(self.tabs.undo_button())
        self.theme.refresh()  # with a style sheet Qt resets the fonts of a widget that gets a parent
        band.open_asked.connect(self.choosing.choose)

    @Slot(object)
    def _file_read(self, sheet: Sheet) -> None:
        self.watching.watch(sheet)
        self.answers.light(sheet)
        if sheet is self.sheets.current():
            self.answers.show_sheet(sheet)
            self.keeping.offer_formats(sheet)
            # Focus the question, unless one is being typed already, or was asked before.
            if self.isVisible() and not sheet.question and not self.find_bar.isVisible():
                self.panel.box.select()

    @Slot(object)
    def _read_again(self, sheet: Sheet) -> None:
        sheet.place = sheet.reading_place()
        self.asking.forget(sheet)
        self.opening.read(sheet, sheet.path)

    @Slot(int)
    def _try_sample(self, index: int) -> None:
        sample = self._samples[index]
        sheet = self.sheets.current()
        sheet.begin(sample.text, name=sample.title)
        sheet.offers = sample.questions
        if sample.questions:
            self.panel.box.set_question(sample.questions[0], sheet.history)
        self.panel.box.select()
        self._ask()

    @Slot(str)
    def _try_question(self, question: str) -> None:
        self.panel.box.set_question(question, self.sheets.current().history)
        self._ask()

    @Slot(object)
    def _sheet_up(self, sheet: Sheet) -> None:
        self.panel.notice.clear()
        self.panel.box.blockSignals(True)
        self.panel.box.set_question(sheet.question, sheet.history)
        self.panel.box.blockSignals(False)
        self.answers.show_sheet(sheet)
        self.note.emit(sheet.shown_outcome.note if sheet.shown_outcome is not None else "")
        self.keeping.offer_formats(sheet)
        self.opening.wake(sheet)

    @Slot()
    def _edited(self) -> None:
        self.panel.notice.clear()

    @Slot()
    def _question_edited(self) -> None:
        self._take_question()
        self.panel.notice.clear()
        self.sheets.save_soon()

    def _take_question(self) -> None:
        self.sheets.current().question = self.panel.box.field.toPlainText()

    @Slot(bool)
    def _lines_broken(self, added: bool) -> None:
        sentence = "Very long lines were broken, so that the text can be shown."
        self.panel.notice.show_hint(sentence, _ADDED if added else _REPLACED)

    @Slot(object)
    def _show_fault(self, error: BaseException) -> None:
        fault = fault_of(error)
        self.panel.notice.show_fault(fault.sentence, fault.hint, fault.report)

    # Keyboard and buttons

    @Slot()
    def _ask(self) -> None:
        self._take_question()
        self.later.ask(self.sheets.current())
        self.sheets.save_soon()

    @Slot()
    def _ask_whole(self) -> None:
        self._take_question()
        self.later.ask(self.sheets.current(), whole=True)

    @Slot()
    def _look(self) -> None:
        outcome = self.sheets.current().shown_outcome
        visit = outcome.visit() if outcome is not None else None
        if visit is not None:
            self.look_inside.emit(visit)

    @Slot()
    def _next(self) -> None:
        self.answers.step(1)

    @Slot()
    def _previous(self) -> None:
        self.answers.step(-1)

    @Slot()
    def _find_left(self) -> None:
        self.sheets.current().setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        self._splitter = AskPanes(self.theme, self.workspace.settings, self.find_bar, self.stack, self.panel)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.tabs)
        whole.addWidget(self._splitter, 1)
        self._column = whole

    def _connect(self) -> None:
        self.find_bar.closed.connect(self._find_left)
        self.sheets.up.connect(self._sheet_up)
        self.sheets.brought_back.connect(self.type_next)
        self.sheets.edited.connect(self._edited)
        self.sheets.outdated.connect(self.asking.outdated)
        for gone in (self.asking.forget, self.opening.forget, self.watching.forget, self.later.forget):
            self.sheets.going.connect(gone)
        self.sheets.files_dropped.connect(self.open_files)
        self.opening.opened.connect(self._file_read)
        self.opening.opened.connect(self.choosing.offer)
        self.opening.reverted.connect(self.watching.check_again)
        self.opening.failed.connect(self._show_fault)
        self.sheets.again_asked.connect(self._read_again)
        self.choosing.chosen.connect(self.open_files)
        self.sheets.lines_broken.connect(self._lines_broken)
        self.sheets.light_chosen.connect(self.answers.choose)
        self.sheets.sample_chosen.connect(self._try_sample)
        self.sheets.copy_asked.connect(self.answers.copy)
        self.panel.box.field.copy_asked.connect(self.answers.copy)
        self.panel.box.field.files_pasted.connect(self.open_files)
        self.sheets.open_asked.connect(self.choosing.choose)
        self.sheets.failed.connect(self._show_fault)
        self.panel.box.asked.connect(self._ask)
        self.panel.box.edited.connect(self._question_edited)
        self.panel.card.again_asked.connect(self._ask)
        self.panel.card.whole_asked.connect(self._ask_whole)
        self.panel.card.look_asked.connect(self._look)
        self.panel.question_tried.connect(self._try_question)
        self.asking.note.connect(self.note)
        self.asking.lost.connect(self.lost)
        self.answers.note.connect(self.note)
        self.answers.unsure.connect(self._find_readers)
        self.panel.readers_asked.connect(self._show_readers)
        self.asking.answered.connect(self.keeping.remember)
        self.keeping.note.connect(self.note)
        self.keeping.failed.connect(self._show_fault)
        self.keeping.hint.connect(self.panel.notice.show_hint)
        self.keeping.bringing.connect(self.asking.forget)
        self.keeping.brought.connect(self._sheet_up)
        self.theme.changed.connect(self.answers.show)

    def _make_shortcuts(self) -> None:
        self.add_shortcuts(
            ("Ctrl+L", self.panel.box.select), ("F3", self._next), ("Shift+F3", self._previous),
            ("Ctrl+O", self.choosing.choose), ("Ctrl+T", self.sheets.new_up),
            ("Ctrl+W", self.sheets.close_current), ("Ctrl+Shift+T", self.sheets.undo_close),
            ("Ctrl+Tab", self.sheets.next), ("Ctrl+Shift+Tab", self.sheets.previous),
            ("Ctrl+I", self._look), *reading_keys(self.finding, self.zoom),
        )  # fmt: skip
