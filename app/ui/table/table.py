"""The page Table: a row for each document, a column for each question, an answer in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.core.answer_table import Cell, TableLayout
from app.core.corrections import Verdict
from app.core.library import Library, LibraryFile
from app.core.message import Message
from app.core.models import Head
from app.core.text import Span
from app.flows.workspace import Workspace
from app.ui.document.find_bar import IN_FIND_BAR
from app.ui.document.zoom import reading_keys
from app.ui.kit.boxes import column
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.empty_state import EmptyState
from app.ui.kit.file_dialog import folder_name
from app.ui.kit.jobs import Lanes
from app.ui.kit.language_line import LanguageLine
from app.ui.kit.libraries import Libraries
from app.ui.kit.notice import Notice
from app.ui.kit.page import Page
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr
from app.ui.kit.two_panes import Panes
from app.ui.kit.undo_line import UndoLine
from app.ui.table.answer_model import AnswerModel, Filter
from app.ui.table.answer_view import AnswerView
from app.ui.table.document_beside import DocumentBeside
from app.ui.table.exporting import Exporting
from app.ui.table.filling import Filling
from app.ui.table.head import TableHead
from app.ui.table.libraries import TableLibraries
from app.ui.table.question_line import Asked, QuestionLine
from app.ui.table.questions import LISTS, Questions
from app.ui.table.store import LoadedTable, TableStore, checked_in_words
from app.ui.table.welcome import SAMPLES, Welcome

if TYPE_CHECKING:
    from app.core.models import ModelCard
    from app.flows.cluster.results import Imported
# The usual widths of the table and of the document beside it, as shares of 100.
_USUAL = (58, 42)


class TableView(Page):
    """A table of answers, which fills by itself, with the current cell's document beside it."""

    KEY = "table"
    TITLE = Message("Table")
    ICON = "table"
    SHORTCUTS = (
        ("Enter", Message("Open the document beside the table")),
        ("A", Message("The answer is right")),
        ("E", Message("Take the words selected in the document instead")),
        ("X", Message("The document does not answer")),
        ("U", Message("Undo the last of these")),
        ("F3", Message("The next cell that the filter looks for")),
        ("Ctrl+L", Message("Add questions")),
        ("F2", Message("Change the question")),
        ("Ctrl+Shift+Left", Message("Move the question to the left")),
        ("Ctrl+Shift+Right", Message("Move the question to the right")),
        ("Ctrl+Del", Message("Remove the question")),
        ("Ctrl+C", Message("Copy the selected answers")),
        ("Ctrl+Z", Message("Undo")),
        ("Ctrl+F", Message("Find in the document beside the table")),
        IN_FIND_BAR,
        ("Ctrl+G", Message("Go to a page, a slide, a sheet or a mail, or to a line of a text")),
        ("Ctrl+Shift+O", Message("Outline of the document")),
        ("Ctrl++ / Ctrl+- / Ctrl+0", Message("Larger, smaller, usual size of the document")),
        ("Ctrl+Shift+P", Message("The whole page")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes, libraries: Libraries) -> None:
        super().__init__(workspace, theme, lanes)
        self.model = AnswerModel()
        self.store = TableStore(workspace, lanes, self)
        self.filling = Filling(workspace, lanes, self.model, self)
        self._shown_table, self._layout = 0, TableLayout()
        self._open_documents: tuple[Path, ...] = ()
        self._was_full = True
        self.head = TableHead(theme)
        self.line = QuestionLine(theme)
        self.view = AnswerView(theme, self.model)
        self.beside = DocumentBeside(workspace, theme, lanes)
        self.welcome = Welcome(theme)
        self.notice = Notice(theme)
        self.language = LanguageLine(workspace, theme, lanes, Head.QUESTION_ANSWERING)
        self.undo_line = UndoLine(theme)
        self.no_questions = EmptyState(theme, "table", kind="desk")
        self.no_rows = EmptyState(theme, "search", kind="desk")
        self.remove_question = Confirmation(theme, tr("Remove it"), is_band=True)
        self.libraries = libraries
        self.table_libraries = TableLibraries(self.libraries, self)
        self.questions = Questions(self.store, self.view, self.line, self)
        self.exporting = Exporting(self.store, self.questions, self)
        self._lay_out()
        self._connect()
        self.beside.hide()
        self._libraries_changed()
        self.store.list_tables()

    # The page's interface to the window

    @Slot(list)
    def open_files(self, paths: list[Path]) -> None:
        """Make a table over dropped folders, or load the questions of dropped lists."""
        folders = [path for path in paths if path.is_dir()]
        lists = [path for path in paths if path.suffix.lower() in LISTS]
        if folders:
            self._add(folders)
        elif lists and self.store.table is not None:
            for path in lists:
                self.questions.load(path)
        else:
            self.notice.show_hint(
                tr("Drop a folder to make a table over it, or a list of questions: CSV, Excel or a text."),
                tr("Single documents are opened on the page Ask."),
            )

    def receive(self, argument: object) -> None:
        """Offer questions, a line each, to be added to the table, or to one over the open documents, sent with them."""
        if isinstance(argument, tuple):
            questions, self._open_documents = argument
            self.line.propose(questions)
            self._show_state()

    @Slot()
    def stop(self) -> bool:
        """Close what is open, the last first; if nothing is, stop opening results, or pause the filling."""
        if not self.line.isHidden():
            self.line.close_line()
        elif not self.beside.isHidden():
            if not self.beside.tools.leave():
                self._close_beside()
        elif self._stack.currentWidget() is self.welcome and self.store.table is not None:
            self._show_state()
        else:
            return self.exporting.stop() or self.filling.stop()
        return True

    def keep(self) -> None:
        """Save the table's layout, and the splitter's position."""
        if not self.beside.isHidden():
            self.workspace.settings.splitters["table"] = self._split.widths()
        if (layout := self._changed_layout()) is not None:
            self.workspace.tables.keep_layout(self._shown_table, layout)

    def shown(self) -> None:
        """Set the keyboard focus, and list the tables again, as a command may have made some."""
        self._focus()
        if self.store.is_listed:
            self.store.list_tables()

    def settings_changed(self) -> None:
        """Go on with the filling and the language check, as another reader may be in use."""
        self.filling.take(self.store.table)
        self.language.check_again()

    @Slot(object)
    def _reader_used(self, card: ModelCard) -> None:
        self.note.emit(tr("{model} is used for Ask and tables now", model=card.title))
        self.filling.take(self.store.table)
        self.changed.emit(Head.QUESTION_ANSWERING.value)

    # Tables

    @Slot()
    def _listed(self) -> None:
        store = self.store
        self.head.show_tables(store.tables, store.table)
        self.line.show_sets(tuple(store.sets), store.table is not None and bool(store.table.columns))
        self._update_state()

    @Slot(object)
    def _loaded(self, found: LoadedTable | None) -> None:
        new = found is None or found.table.number != self._shown_table
        current = self.view.current_cell()
        if new and (layout := self._changed_layout()) is not None:
            self.store.keep_layout(self._shown_table, layout)
        if found is None:
            self._shown_table = 0
            self._close_beside()
            self.model.show_table(None)
        elif new:
            self._shown_table = found.table.number
            self._close_beside()
            self._layout, self.view.widths = found.layout, dict(found.layout.widths)
            self.model.show_table(found.table, found.files, found.cells, found.layout)
            self.head.chips.select(Filter.ALL)
            self.view.go_to(0, 0)
        else:
            self.model.set_files(found.files)
            self.model.set_columns(found.table.columns)
            self.model.take_cells(found.cells.values())
            self.view.go_to(*current)
        self._show_checked()
        self._show_state()
        self.filling.take(found.table if found is not None else None)
        if new:
            self._read_visible_first()
            if self.isVisible():
                self._focus()

    def _update_state(self) -> None:
        """Show the table as it is now, unless the person is about to make another one."""
        if self._stack.currentWidget() is not self.welcome or self.store.table is None:
            self._show_state()

    def _show_state(self) -> None:
        """Show the table, or how to begin one."""
        store, table = self.store, self.store.table
        self.head.setVisible(table is not None)
        if not store.is_listed:
            return
        self._show_library()
        if table is None:
            self._show_welcome()
            return
        self.head.show_filters(bool(table.columns))
        if not table.columns:
            self.no_questions.show_message(
                tr("No questions yet"),
                tr("Type one above, paste several, or load a list. Each becomes a column."),
                "" if self.questions.waiting() else tr("Begin with four questions to try"),
            )
            self._stack.setCurrentWidget(self.no_questions)
            if self.line.isHidden():
                self.line.open(Asked.QUESTIONS)
        elif not self.model.rows:
            if self.model.filter is Filter.ALL:
                self.no_rows.show_message(
                    tr("No documents yet"), tr("The library’s files appear here as they are read.")
                )
            else:
                self.no_rows.show_message(
                    tr("Nothing of this kind"),
                    tr("No cell of the table is like that now."),
                    tr("Show all"),
                    primary=False,
                )
            self._stack.setCurrentWidget(self.no_rows)
        else:
            self._stack.setCurrentWidget(self._split)

    @Slot()
    def _show_welcome(self) -> None:
        self.line.hide()
        self._offer_libraries()
        self.welcome.offer_questions(self.questions.waiting())
        self._stack.setCurrentWidget(self.welcome)
        if self.isVisible() and self.store.table is not None:
            self.welcome.focus_first()

    def _offer_libraries(self) -> None:
        is_other = self.store.table is not None
        self.welcome.show_libraries(self.libraries.all, self._open_documents, may_cancel=is_other)

    @Slot(object)
    def _make_table(self, library: Library) -> None:
        columns = self.welcome.columns()
        self.store.add(library, columns)
        if columns and self.questions.waiting():
            self.line.done()

    @Slot(str)
    def _act(self, key: str) -> None:
        """Carry out an action of the menu of the table's name."""
        if key == "new":
            self._show_welcome()
        elif key == "open":
            self.exporting.ask_results()
        elif key == "rename":
            self.questions.rename_table()
        elif self.store.table is not None:
            self.remove_question.ask(
                tr(
                    "Remove the table “{name}” with its {n:,} answer for good? No document is touched.",
                    "Remove the table “{name}” with its {n:,} answers for good? No document is touched.",
                    name=self.store.table.name,
                    n=len(self.model.cells),
                )
            )

    @Slot(object)
    def _results_opened(self, found: Imported) -> None:
        self.notice.hide()
        self.note.emit(tr("{n:,} answer opened", "{n:,} answers opened", n=found.cells))
        self.libraries.refresh()
        self.store.take(found.table)

    # The library

    @Slot()
    def _libraries_changed(self) -> None:
        self._show_library()
        if self._stack.currentWidget() is self.welcome:
            self._offer_libraries()

    @Slot()
    def _show_library(self) -> None:
        if self.store.table is not None:
            words, folders = self.table_libraries.in_words(self.store.table)
            self.head.show_library(words, folders, len(self.store.table.documents), len(self.model.files()))
        self.language.check(self.table_libraries.languages(self.store.table, self.model.files()))

    @Slot()
    def _ask_documents(self) -> None:
        """List the library's files, so that some can be chosen."""
        if self.store.table is not None and self.store.table.library:
            from app.flows.library.libraries import ledger

            self.lanes.files.start_aside(ledger, self.workspace, Library(self.store.table.library, "")).then(
                self._choose_documents, self.notice.show_error
            )

    @Slot(object)
    def _choose_documents(self, files: Sequence[LibraryFile]) -> None:
        from app.ui.table.document_choice import DocumentChoice

        if (table := self.store.table) is not None:
            dialog = DocumentChoice(self.theme, table.name, files, table.documents, self)
            dialog.chosen.connect(self.store.set_documents)
            dialog.open()

    @Slot(object)
    def _files_read(self, files: Sequence[LibraryFile]) -> None:
        row, column = self.view.current_cell()
        number = self.model.rows[row].file.number if 0 <= row < len(self.model.rows) else 0
        before = self.model.rows
        if self.model.set_files(files):
            if self.model.rows is not before:
                numbers = [each.file.number for each in self.model.rows]
                if number in numbers:
                    self.view.go_to(numbers.index(number), column)
            self._update_state()
            self.filling.files_changed()

    @Slot()
    def _choose_folder(self) -> None:
        if name := folder_name(self, tr("A folder for the table")):
            self._add([Path(name)])

    @Slot(object)
    def _add(self, paths: Sequence[Path]) -> None:
        self.notice.hide()
        self.table_libraries.add(paths)

    @Slot()
    def _try_samples(self) -> None:
        from app.flows.answer_table.questions import columns_of

        self.store.add_columns(columns_of(SAMPLES))

    # The document beside, and verdicts

    @Slot()
    def open_beside(self) -> None:
        """Show the current cell's document beside the table."""
        if self.view.current_cell()[0] < 0:
            return
        if self.beside.isHidden():
            self.beside.show()
            sizes = self.workspace.settings.splitters.get("table", [])
            left, right = sizes if len(sizes) == 2 and all(sizes) else _USUAL
            at = self._split.width() * left // (left + right)
            self._split.set_widths([at, self._split.width() - at])
            self.view.scrollTo(self.view.currentIndex())
        self._follow()

    @Slot()
    def _follow(self) -> None:
        """Show the current cell in the document beside, if that is open."""
        row, column = self.view.current_cell()
        if not self.beside.isHidden() and row >= 0 and column >= 0:
            cell = self.model.cell(row, column)
            self.beside.show_cell(self.model.rows[row], self.model.columns[column], cell)
            judged = cell is not None and cell.verdict is not Verdict.NONE
            self.beside.undo.setEnabled(self.store.can_undo or judged)

    @Slot()
    def _close_beside(self) -> None:
        if not self.beside.isHidden():
            self.workspace.settings.splitters["table"] = self._split.widths()
            self.beside.hide()
            self.beside.forget()
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _letter(self, letter: str) -> None:
        match letter:
            case "A":
                self._judge(Verdict.RIGHT)
            case "X":
                self._judge(Verdict.NOT_THERE)
            case "U":
                self.undo()
            case _:
                if self.beside.isHidden():
                    self.open_beside()
                else:
                    self.beside.judge(Verdict.OTHER_WORDS)

    @Slot(object, str, object)
    def _judge(self, verdict: Verdict, words: str = "", span: Span | None = None) -> None:
        """Store a verdict on the current cell; the same verdict again takes it back, as on the page Ask."""
        cell = self.model.cell(*self.view.current_cell())
        if cell is None or not cell.can_be_judged:
            return
        if verdict is Verdict.RIGHT and cell.is_absent:
            verdict = Verdict.NOT_THERE
        if (verdict, words, span) == (cell.shown_verdict, cell.right_words, cell.right_span):
            verdict, words, span = Verdict.NONE, "", None
        self.undo_line.clear()  # what it offered is not the last change any more
        self.store.judge(cell, verdict, words, span)

    @Slot(object)
    def _judged(self, cell: Cell) -> None:
        self.model.take_cells([cell])
        self._show_checked()
        self._follow()

    @Slot()
    def undo(self) -> None:
        """Undo the last verdict, going to its cell, or the last change, or else the current cell's earlier verdict."""
        self.undo_line.clear()
        cell = self.model.cell(*self.view.current_cell())
        if self.store.can_undo:
            if (changed := self.store.undo()) is not None:
                self._go_to_cell(changed)
        elif cell is not None and cell.verdict is not Verdict.NONE:
            self.store.judge(cell, Verdict.NONE)  # it was given in an earlier session
        else:
            self.note.emit(tr("There is nothing to undo"))

    def _go_to_cell(self, cell: Cell) -> None:
        """Go to a cell, which a filter may hide."""
        if self.model.place_of(cell) is None:
            self._show_all()
        if (place := self.model.place_of(cell)) is not None:
            self.view.go_to(*place)

    def _show_checked(self) -> None:
        from app.flows.answer_table.tables import count_checked

        judged = self.model.judged_cells()
        numbers = {cell.column for cell in judged}
        self.model.set_notes(
            {
                number: checked_in_words(count_checked(cell for cell in judged if cell.column == number))
                for number in numbers
            }
        )
        self.head.show_checked(checked_in_words(count_checked(judged)))

    # Filter, progress, export

    @Slot(str)
    def _filter(self, key: str) -> None:
        self.model.show_only(Filter(key))
        self._show_state()
        if matching := self.model.matching():
            self.view.go_to(*matching[0])

    @Slot()
    def _show_all(self) -> None:
        self.head.chips.select(Filter.ALL)
        self._filter(Filter.ALL)

    def step(self, by: int) -> None:
        """Go to the next cell that matches the filter, or with -1 to the previous one."""
        matching = self.model.matching()
        current = self.view.current_cell()
        if current in matching:
            self.view.go_to(*matching[(matching.index(current) + by) % len(matching)])
        elif matching:
            after = [each for each in matching if each > current]
            self.view.go_to(*(after[0] if after and by > 0 else matching[0 if by > 0 else -1]))

    @Slot()
    def _show_progress(self) -> None:
        progress, state = self.filling.progress(), self.filling.state()
        self.head.show_progress(progress, state)
        if state == "full" and progress.total and not self._was_full:
            self.note.emit(tr("{n:,} cell read", "{n:,} cells read", n=progress.total))
        self._was_full = state == "full"

    @Slot()
    def _read_visible_first(self) -> None:
        """Have the visible rows read first."""
        self.filling.show_first(self.model.unread_files(self.view.shown_rows()))

    def _changed_layout(self) -> TableLayout | None:
        """The layout of the shown table, if it has changed since it was saved."""
        layout = self.model.layout(self.view.widths)
        return layout if self._shown_table and layout != self._layout else None

    @Slot()
    def _focus(self) -> None:
        current = self._stack.currentWidget()
        if current is self._split:
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        elif current is self.welcome:
            self.welcome.focus_first()
        elif not self.line.isHidden():
            self.line.field.setFocus(Qt.FocusReason.OtherFocusReason)

    # Layout

    def heightForWidth(self, width: int) -> int:
        """The least height, not the preferred one: the table scrolls what it has no room for, not the page."""
        layout = self.layout()
        return layout.totalMinimumHeightForWidth(width) if layout else -1

    def _lay_out(self) -> None:
        self._split = Panes()
        self._split.addWidget(self.view)
        self._split.addWidget(self.beside)
        self._split.setStretchFactor(0, 1)
        self._split.setHandleWidth(1)
        self._stack = QStackedWidget()
        for widget in (QWidget(), self._split, self.welcome, self.no_questions, self.no_rows):
            self._stack.addWidget(widget)
        # With a table to come, the page stays empty, so that nothing flashes up before it.
        if not self.workspace.settings.last_table:
            self._stack.setCurrentWidget(self.welcome)
        for line in (self.exporting.strip, self.language, self.undo_line):
            self.theme.in_steps(line.setContentsMargins, 0, 1.5, 0, 1.5)
        messages = QWidget()
        above = (self.notice, self.exporting.strip, self.language, self.undo_line)
        column(self.theme, *above, gap=2, margins=(5, 0, 5, 0), parent=messages)
        parts = (self.head, self.remove_question, messages, self.line, (self._stack, 1))
        column(self.theme, *parts, parent=self)
        self.head.hide()

    def _connect(self) -> None:
        store, head, line, view = self.store, self.head, self.line, self.view
        store.listed.connect(self._listed)
        store.loaded.connect(self._loaded)
        store.files_read.connect(self._files_read)
        store.judged.connect(self._judged)
        libraries, questions, exporting = self.table_libraries, self.questions, self.exporting
        libraries.changed.connect(self._libraries_changed)
        libraries.files_changed.connect(store.read_files)
        libraries.added.connect(self._make_table)
        self.language.used.connect(self._reader_used)
        self.language.go.connect(self.go)
        for part in (store, questions, exporting, self.filling, self.language, self.beside.file):
            part.failed.connect(self.notice.show_error)
        exporting.opened.connect(self._results_opened)
        self.welcome.results_asked.connect(exporting.ask_results)
        questions.undoable.connect(self.undo_line.offer)
        self.filling.changed.connect(self._show_progress)
        self.filling.lost.connect(self.lost)
        head.title.chosen.connect(store.choose)
        head.title.acted.connect(self._act)
        head.documents.clicked.connect(self._ask_documents)
        head.fill.clicked.connect(self.filling.toggle)
        head.export.exported.connect(exporting.ask)
        head.add.clicked.connect(questions.add)
        head.chips.chosen.connect(self._filter)
        line.left.connect(self._focus)
        view.opened.connect(self.open_beside)
        view.moved.connect(self._follow)
        view.settled.connect(self._read_visible_first)
        view.letter.connect(self._letter)
        self.beside.judged.connect(self._judge)
        self.beside.undo_asked.connect(self.undo)
        self.beside.close_asked.connect(self._close_beside)
        self.beside.file.files_dropped.connect(self.open_files)
        self.beside.readable.connect(self.libraries.read_again)
        self.welcome.library_chosen.connect(self._make_table)
        self.welcome.documents_chosen.connect(self._add)
        self.welcome.folder_asked.connect(self._choose_folder)
        self.welcome.cancelled.connect(self._show_state)
        self.no_questions.button.clicked.connect(self._try_samples)
        self.no_rows.button.clicked.connect(self._show_all)
        self.remove_question.confirmed.connect(store.remove)
        self.undo_line.undo_asked.connect(self.undo)
        self.add_shortcuts(
            ("Ctrl+L", questions.add), ("Ctrl+Z", self.undo), ("F2", questions.edit_current),
            ("F3", partial(self.step, 1)), ("Shift+F3", partial(self.step, -1)),
            ("Ctrl+Del", questions.remove_current),
            *reading_keys(self.beside.find_bar, self.beside.zoom),
            ("Ctrl+G", self.beside.tools.line.go_to_field), ("Ctrl+Shift+O", self.beside.tools.toggle_outline),
        )  # fmt: skip
        # Only in the table: in the document beside it, and in text fields, these keys select words.
        moves = ("Ctrl+Shift+Left", questions.move_left), ("Ctrl+Shift+Right", questions.move_right)
        self.add_shortcuts(*moves, within=view)
