"""The questions of the current table: typed, loaded, changed, moved, and removed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.core.answer_table import ColumnType
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.wording import first_words
from app.ui.kit.file_dialog import open_name
from app.ui.kit.page import Page
from app.ui.kit.translation import localised, tr
from app.ui.table.answer_view import AnswerView
from app.ui.table.cells import TYPES
from app.ui.table.question_line import Asked, QuestionLine
from app.ui.table.store import TableStore

LISTS = (".csv", ".tsv", ".xlsx", ".txt", ".text", ".md")
LIST_KINDS = Message("Lists of questions (*.csv *.tsv *.xlsx *.txt *.md);;All files (*)")


class Questions(QObject):
    """Carries out what is entered in the question line, and chosen in the menus of the columns.

    `undoable` carries a sentence about a change that can be undone, `failed` an error. `sources` has, by the tables'
    numbers, the list that was loaded last into each.
    """

    undoable = Signal(str)
    failed = Signal(object)

    def __init__(self, store: TableStore, view: AnswerView, line: QuestionLine, page: Page) -> None:
        super().__init__(page)
        self._store, self._view, self._line, self._page = store, view, line, page
        self._model = view.answers
        self._editing = 0  # the number of the column whose question is changed
        self.sources: dict[int, Path] = {}
        line.entered.connect(self._entered)
        line.load_asked.connect(self._choose_list)
        line.files.connect(self._lists_pasted)
        line.set_chosen.connect(self._use_set)
        line.set_dropped.connect(store.remove_set)
        line.set_asked.connect(self._ask_set_name)
        store.set_saved.connect(self._set_saved)
        store.set_removed.connect(self._set_removed)
        view.column_menu.connect(self._show_menu)
        view.column_moved.connect(self.move)

    def waiting(self) -> tuple[str, ...]:
        """The questions that are in the line, but not in a table; none where they are too many for one."""
        text = self._line.field.toPlainText()
        if not text or self._line.asked is not Asked.QUESTIONS:
            return ()
        from app.flows.answer_table.questions import questions_in

        try:
            return questions_in(text)
        except SpanlightError:
            return ()

    @Slot()
    def add(self) -> None:
        """Open the question line."""
        if self._store.table is not None:
            self._line.open(Asked.QUESTIONS)

    @Slot()
    def rename_table(self) -> None:
        if self._store.table is not None:
            self._line.open(Asked.NAME, self._store.table.name)

    def load(self, path: Path) -> None:
        """Load a list of questions into the current table, unless another one is chosen meanwhile."""
        if self._store.table is not None:
            from app.flows.answer_table.questions import questions_from

            self._page.lanes.documents.start(questions_from, self._page.workspace, path).then(
                partial(self._list_read, self._store.table.number, path), self.failed
            )

    def menu(self, at: int) -> QMenu:
        """Make the menu of a question: sorting by it, the type of its answers, and the changes to it."""
        column = self._model.columns[at]
        menu = QMenu(self._page)
        menu.setAccessibleName(column.question)
        sorted_at, descending = self._model.sorted_by()
        for title, key, is_current in (
            (tr("Sort, smallest first"), "up", sorted_at == at and not descending),
            (tr("Sort, largest first"), "down", sorted_at == at and descending),
            (tr("Sort by document"), "names", sorted_at < 0),
        ):
            action = menu.addAction(title)
            action.setCheckable(True)
            action.setChecked(is_current)
            action.setData((key, at))
        menu.addSeparator()
        types = menu.addMenu(tr("The answers are"))
        for type in ColumnType:
            action = types.addAction(localised(TYPES[type]))
            action.setCheckable(True)
            action.setChecked(type is column.type)
            action.setData((type.value, at))
        menu.addSeparator()
        last = len(self._model.columns) - 1
        for title, key, keys, possible in (
            (tr("Change the question…"), "edit", "F2", True),
            (tr("Move to the left"), "left", "Ctrl+Shift+Left", at > 0),
            (tr("Move to the right"), "right", "Ctrl+Shift+Right", at < last),
            (tr("Remove the question"), "remove", "Ctrl+Del", True),
        ):
            native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
            action = menu.addAction(f"{title}\t{native}")
            action.setEnabled(possible)
            action.setData((key, at))
        menu.triggered.connect(self._menu_chosen)
        return menu

    def edit(self, at: int) -> None:
        if 0 <= at < len(self._model.columns):
            self._editing = self._model.columns[at].number
            self._line.open(Asked.EDIT, self._model.columns[at].question)

    @Slot(int, int)
    def move(self, before: int, now: int) -> None:
        """Move a question to another position, unless that is outside the table."""
        columns = list(self._model.columns)
        if 0 <= before < len(columns) and 0 <= now < len(columns):
            columns.insert(now, columns.pop(before))
            self._view.go_to(self._view.current_cell()[0], now)
            self._store.set_columns(tuple(columns))

    def remove(self, at: int) -> None:
        """Remove a question from the table; undone, its answers come back with it."""
        columns = self._model.columns
        if 0 <= at < len(columns):
            self._store.set_columns((*columns[:at], *columns[at + 1 :]))
            self.undoable.emit(tr("“{question}” removed", question=first_words(columns[at].question)))

    def set_type(self, at: int, type: ColumnType) -> None:
        """Set the type of a question's answers, by which they are sorted."""
        self._change(self._model.columns[at].number, type=type)

    @Slot()
    def edit_current(self) -> None:
        self.edit(self._view.current_cell()[1])

    @Slot()
    def remove_current(self) -> None:
        self.remove(self._view.current_cell()[1])

    @Slot()
    def move_left(self) -> None:
        at = self._view.current_cell()[1]
        self.move(at, at - 1)

    @Slot()
    def move_right(self) -> None:
        at = self._view.current_cell()[1]
        self.move(at, at + 1)

    @Slot(str)
    def _entered(self, text: str) -> None:
        words = " ".join(text.split())
        match self._line.asked:
            case Asked.QUESTIONS:
                from app.flows.answer_table.questions import columns_of, questions_in

                try:
                    self._store.add_columns(columns_of(questions_in(text)))
                except SpanlightError as error:
                    self.failed.emit(error)
                    return
            case Asked.NAME:
                self._store.rename(words)
            case Asked.SET:
                self._store.save_set(words)
            case Asked.EDIT:
                self._change(self._editing, question=words)
        self._line.done()

    def _change(self, number: int, *, question: str = "", type: ColumnType | None = None) -> None:
        columns = tuple(
            replace(one, question=question or one.question, type=type or one.type)
            if one.number == number
            else one
            for one in self._model.columns
        )
        if columns != self._model.columns:
            self._store.set_columns(columns)

    @Slot()
    def _choose_list(self) -> None:
        if name := open_name(self._page, tr("A list of questions"), localised(LIST_KINDS)):
            self.load(Path(name))

    @Slot(list)
    def _lists_pasted(self, paths: list[Path]) -> None:
        for path in paths:
            self.load(path)

    def _list_read(self, number: int, path: Path, questions: tuple[str, ...]) -> None:
        if self._store.table is None or self._store.table.number != number:
            return
        from app.flows.answer_table.questions import columns_of

        self.sources[number] = path
        self._store.add_columns(columns_of(questions))
        self._page.note.emit(tr("{n:,} question loaded", "{n:,} questions loaded", n=len(questions)))
        self._line.close_line()

    @Slot(str)
    def _use_set(self, name: str) -> None:
        self._store.add_columns(self._store.sets.get(name, ()))

    @Slot()
    def _ask_set_name(self) -> None:
        if self._store.table is not None:
            self._line.open(Asked.SET, self._store.table.name)

    @Slot(str, bool)
    def _set_saved(self, name: str, replaced: bool) -> None:
        if replaced:
            self.undoable.emit(tr("Set “{name}” replaced", name=name))
        else:
            self._page.note.emit(tr("The questions are saved as a set"))

    @Slot(str)
    def _set_removed(self, name: str) -> None:
        self.undoable.emit(tr("Set “{name}” removed", name=name))

    @Slot(int, QPoint)
    def _show_menu(self, at: int, point: QPoint) -> None:
        menu = self.menu(at)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(point)

    @Slot(QAction)
    def _menu_chosen(self, action: QAction) -> None:
        key, at = action.data()
        match key:
            case "up" | "down":
                self._sort(at, descending=key == "down")
            case "names":
                self._sort(-1)
            case "edit":
                self.edit(at)
            case "left" | "right":
                self.move(at, at + (1 if key == "right" else -1))
            case "remove":
                self.remove(at)
            case _:
                self.set_type(at, ColumnType(key))

    def _sort(self, column: int, *, descending: bool = False) -> None:
        """Sort the rows, and go to the first one, in the current column."""
        at = self._view.current_cell()[1]
        self._model.order(column, descending=descending)
        self._view.go_to(0, at)
