"""The tables as the page uses them: listed, loaded, changed one change after another, and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core.answer_table import AnswerTable, Cell, Column, ColumnAccuracy, TableLayout, without_outdated
from app.core.corrections import Verdict
from app.core.library import Library, LibraryFile
from app.core.report import Report
from app.core.text import Span
from app.core.wording import free_name
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.translation import tr

Change = Callable[[AnswerTable], AnswerTable]
Listed = tuple[tuple[AnswerTable, ...], dict[str, tuple[Column, ...]]]


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table with the files of its rows, its cells that are up to date, and the layout that it had last."""

    table: AnswerTable
    files: tuple[LibraryFile, ...]
    cells: dict[tuple[str, int], Cell]
    layout: TableLayout


def _list(workspace: Workspace, report: Report) -> Listed:
    """List all tables by name, and the saved sets of questions."""
    from app.flows.answer_table.tables import tables

    return tables(workspace, report), workspace.tables.question_sets()


def _load(workspace: Workspace, table: AnswerTable, report: Report) -> LoadedTable:
    from app.flows.answer_table.tables import files_of

    store, files = workspace.tables, files_of(workspace, table) if table.library else ()
    return LoadedTable(table, files, without_outdated(store.cells(table), files), store.layout(table))


def _save(workspace: Workspace, table: AnswerTable, changes: Sequence[Change], report: Report) -> LoadedTable:
    """Apply changes to a table as it is stored now, perhaps by another process, and save it."""
    from app.flows.answer_table.tables import save_table, tables

    stored = next((one for one in tables(workspace, report) if one.number == table.number), table)
    changed = reduce(lambda found, change: change(found), changes, stored)
    return _load(workspace, save_table(workspace, changed, report), report)


def _list_files(
    workspace: Workspace, table: AnswerTable, known: tuple[LibraryFile, ...], report: Report
) -> tuple[tuple[AnswerTable, ...], AnswerTable, tuple[LibraryFile, ...]]:
    """The files of a table's rows, the `known` ones themselves if they are the same, and all tables as they are now.

    An unchanged file among others is the known object, so that the window's thread soon finds those that differ.
    """
    from app.flows.answer_table.tables import files_of, tables

    before = {file.number: file for file in known}
    files = tuple(
        earlier if (earlier := before.get(file.number)) == file else file
        for file in files_of(workspace, table)
    )
    return tables(workspace, report), table, known if files == known else files


class TableStore(QObject):
    """All tables and the current one, whose changes are saved one after another, each applied to the last result.

    `listed` is sent when the tables or the sets of questions are known or have changed; `loaded` carries a LoadedTable
    when the current table is another one or was changed, None if there is none any more; `files_read` carries the
    files of its rows once they are other ones, `judged` a Cell after a verdict, `failed` an error. `set_saved` carries
    the name of a set of questions, and whether it replaced one; `set_removed` that of a set that was there.
    """

    listed = Signal()
    loaded = Signal(object)
    files_read = Signal(object)
    judged = Signal(object)
    failed = Signal(object)
    set_saved = Signal(str, bool)
    set_removed = Signal(str)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lane = workspace, lanes.files
        self.tables: tuple[AnswerTable, ...] = ()
        self.sets: dict[str, tuple[Column, ...]] = {}
        self.table: AnswerTable | None = None
        self.is_listed = False
        self._files: tuple[LibraryFile, ...] = ()  # those of the current table's rows, as they were read last
        self._changes: list[Change] = []
        self._being_saved: AnswerTable | None = None  # a new one, or with the first of the changes
        self._chosen = 0  # the number of the table to load once the changes are saved
        self._loading: Job | None = None
        self._files_job: Job | None = None
        # What undoes each verdict, whose cell it returns, and each change of the questions or of a set of them.
        self._past: list[Callable[[], Cell | None]] = []
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._application_changed)

    @property
    def can_undo(self) -> bool:
        """Whether a verdict, or a change of the questions or of a set of them, can be undone."""
        return bool(self._past)

    @Slot()
    def list_tables(self) -> None:
        """List the tables and the sets of questions, and load the current table, or the one that was current last."""
        self._lane.start_aside(_list, self._workspace).then(self._listed, self.failed)

    @Slot(Qt.ApplicationState)
    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive and self.is_listed:
            self.list_tables()  # a command may have made one

    def choose(self, number: int) -> None:
        """Make a table the current one, once the changes of the present one are saved."""
        self._chosen = number
        self._save_next()

    def take(self, table: AnswerTable) -> None:
        """Make a table that was made or changed elsewhere the current one."""
        self.tables = _with_table(self.tables, table)
        if self.table is not None and self.table.number == table.number:
            self._load(table)
        self.choose(table.number)
        self.listed.emit()

    def add(self, library: Library, columns: Sequence[Column] = ()) -> None:
        """Make a table over a library, named after it, and make it the current one."""
        taken = {table.name.casefold() for table in self.tables}
        name = free_name(library.name, lambda free: free.casefold() in taken)
        self._past.clear()
        self._save(AnswerTable(0, name, library.number, tuple(replace(one, number=0) for one in columns)), ())

    def change(self, change: Change) -> None:
        """Apply a change to the current table, after the changes that are still to be saved."""
        self._changes.append(change)
        self._save_next()

    def set_columns(self, columns: tuple[Column, ...]) -> None:
        """Replace the current table's questions; `undo` restores the former ones."""
        if self.table is not None:
            before = self.table.columns
            self._past.append(partial(self.change, partial(_with_columns, columns, before)))
            self.change(partial(_with_columns, before, columns))

    def set_documents(self, paths: tuple[str, ...]) -> None:
        """Have only these files of the library as rows; empty for all files, including those added later."""
        self.change(lambda table: replace(table, documents=paths))

    def add_columns(self, columns: tuple[Column, ...]) -> None:
        """Add questions at the end, except those that the table has already."""
        self.change(partial(_with_added, columns))

    def rename(self, name: str) -> None:
        """Rename the current table."""
        self.change(lambda table: replace(table, name=name))

    def keep_layout(self, number: int, layout: TableLayout) -> None:
        """Save the layout of a table, for when it is shown again."""
        keep = partial(self._workspace.tables.keep_layout, number, layout)
        self._lane.start_aside(do, keep).then(failed=self.failed)

    def remove(self) -> None:
        """Remove the current table with its answers, and load another one."""
        if self.table is not None:
            remove = partial(self._workspace.tables.remove, self.table)
            self._forget()
            self._lane.start_write(do, remove).then(self.list_tables, self.failed)

    def save_set(self, name: str) -> None:
        """Save the current questions as a set; `undo` restores the one that it replaces."""
        if self.table is not None:
            self._store_set(name, self.table.columns).then(partial(self._set_saved, name), self.failed)

    def remove_set(self, name: str) -> None:
        """Remove a set of questions; `undo` restores it."""
        remove = partial(self._workspace.tables.remove_question_set, name)
        self._lane.start_write(do, remove).then(partial(self._set_removed, name), self.failed)

    def _store_set(self, name: str, columns: tuple[Column, ...]) -> Job:
        from app.flows.answer_table.tables import save_question_set

        return self._lane.start_write(save_question_set, self._workspace, name, columns)

    def _set_saved(self, name: str, before: tuple[Column, ...]) -> None:
        if before:
            self._past.append(partial(self._restore_set, name, before))
        self.list_tables()
        self.set_saved.emit(name, bool(before))

    def _set_removed(self, name: str, before: tuple[Column, ...]) -> None:
        if before:
            self._past.append(partial(self._restore_set, name, before))
            self.set_removed.emit(name)
        self.list_tables()

    def _restore_set(self, name: str, columns: tuple[Column, ...]) -> None:
        self._store_set(name, columns).then(self.list_tables, self.failed)

    def judge(self, cell: Cell, verdict: Verdict, words: str = "", span: Span | None = None) -> None:
        """Store a verdict on a cell; `undo` restores the former one."""
        self._past.append(partial(self._restore_verdict, cell))
        self._store_verdict(cell, verdict, words, span)

    def _restore_verdict(self, cell: Cell) -> Cell:
        self._store_verdict(cell, cell.verdict, cell.right_words, cell.right_span)
        return cell

    def undo(self) -> Cell | None:
        """Undo the last verdict, or change of the questions or of a set of them; returns the cell of a verdict."""
        return self._past.pop()() if self._past else None

    @Slot()
    def read_files(self) -> None:
        """Read the files of the current table's rows from its library."""
        if self.table is not None and self.table.library:
            job = self._lane.start_aside(_list_files, self._workspace, self.table, self._files)
            self._files_job = job.replacing(self._files_job).then(self._files_read)

    def _store_verdict(self, cell: Cell, verdict: Verdict, words: str, span: Span | None) -> None:
        from app.flows.answer_table.tables import judge

        self._lane.start_write(
            judge, self._workspace, cell.sha256, cell.column, verdict, words=words, span=span
        ).then(self.judged, self.failed)

    @Slot(object)
    def _listed(self, found: Listed) -> None:
        self.tables, self.sets = found
        self.is_listed = True
        number = self.table.number if self.table is not None else self._workspace.settings.last_table
        wanted = next((table for table in self.tables if table.number == number), None)
        wanted = wanted or next(iter(self.tables), None)
        if wanted is None:
            self._forget()
        elif self.table is None or wanted != self.table:
            self._load(wanted)
        self.listed.emit()

    def _load(self, table: AnswerTable) -> None:
        self._set_current(table)
        job = self._lane.start_aside(_load, self._workspace, table)
        self._loading = job.replacing(self._loading).then(self._loaded, self.failed)

    def _set_current(self, table: AnswerTable) -> None:
        """Make a table the current one, which is filled further after a restart."""
        self.table = table
        if self._workspace.settings.last_table != table.number:
            self._workspace.settings.last_table = table.number
            self._lane.start_aside(do, self._workspace.save_settings).then(failed=self.failed)

    @Slot(object)
    def _loaded(self, found: LoadedTable) -> None:
        if self.table is not None and found.table.number == self.table.number:
            self._files = found.files
            self.loaded.emit(found)

    def _save_next(self) -> None:
        """Save the next change, or load the chosen table once all are saved."""
        if self._being_saved is not None:
            return
        if self._changes and self.table is not None:
            if self._changes[0](self.table) == self.table:
                del self._changes[0]
                self._save_next()
            else:
                self._save(self.table, self._changes[:1])
        elif self._chosen:
            found = next((table for table in self.tables if table.number == self._chosen), None)
            self._chosen = 0
            if found is not None and (self.table is None or found.number != self.table.number):
                self._past.clear()
                self._load(found)
                self.listed.emit()

    def _save(self, table: AnswerTable, changes: Sequence[Change]) -> None:
        self._being_saved = table
        self._lane.start_write(_save, self._workspace, table, changes).then(self._saved, self._not_saved)

    @Slot(object)
    def _saved(self, found: LoadedTable) -> None:
        self._end_saving()
        new = found.table
        self.tables = _with_table(self.tables, new)
        self._set_current(new)
        self._files = found.files
        self.listed.emit()
        self.loaded.emit(found)
        self._save_next()

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        self._end_saving()
        self.failed.emit(error)
        self._save_next()

    def _end_saving(self) -> None:
        """Forget the saving, and the change that it saved unless it made a table."""
        if self._being_saved is not None and self._being_saved.number:
            del self._changes[:1]
        self._being_saved = None

    @Slot(object)
    def _files_read(
        self, found: tuple[tuple[AnswerTable, ...], AnswerTable, tuple[LibraryFile, ...]]
    ) -> None:
        tables, table, files = found
        now = self.table
        if tables != self.tables:  # an update has found documents at new paths
            self.list_tables()
        is_current = now is not None and (table.number, table.documents) == (now.number, now.documents)
        if is_current and files is not self._files:
            self._files = files
            self.files_read.emit(files)

    def _forget(self) -> None:
        self.table = None
        self._changes.clear()
        self._past.clear()
        self.loaded.emit(None)


def _with_table(tables: Sequence[AnswerTable], table: AnswerTable) -> tuple[AnswerTable, ...]:
    """The tables sorted by name, with this one added, or in place of the one with its number."""
    others = [each for each in tables if each.number != table.number]
    return tuple(sorted((*others, table), key=lambda each: each.name.casefold()))


def _with_columns(before: tuple[Column, ...], columns: tuple[Column, ...], table: AnswerTable) -> AnswerTable:
    """The table with `columns` in place of those `before`; what was added or removed since then stays so."""
    earlier, present = ({one.question for one in some} for some in (before, table.columns))
    kept = [one for one in columns if one.question in present or one.question not in earlier]
    known = earlier | {one.question for one in kept}
    return replace(table, columns=(*kept, *(one for one in table.columns if one.question not in known)))


def _with_added(columns: tuple[Column, ...], table: AnswerTable) -> AnswerTable:
    present = {column.question for column in table.columns}
    new = tuple(replace(one, number=0) for one in columns if one.question not in present)
    return replace(table, columns=(*table.columns, *new))


def checked_in_words(checked: ColumnAccuracy) -> str:
    """How many cells were judged, how many were right, and the 95% interval: "Checked 46: 41 right (77 to 95%)"."""
    if not checked.looked_at:
        return ""
    low, high = round(100 * checked.low), round(100 * checked.high)
    return tr(
        "Checked {looked_at:,}: {right:,} right ({low} to {high}%)",
        looked_at=checked.looked_at,
        right=checked.right,
        low=low,
        high=high,
    )
