"""The tables as the page works with them: listed, loaded, changed one step after another, and judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from PySide6.QtCore import QObject, Signal, Slot

from app.core.answer_table import AnswerTable, Cell, Column, ColumnAccuracy, TableLayout
from app.core.corrections import Verdict
from app.core.library import Library, LibraryFile
from app.core.report import Report, Silent
from app.core.text import Span
from app.core.wording import free_name
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.translation import tr

Change = Callable[[AnswerTable], AnswerTable]
Listed = tuple[tuple[AnswerTable, ...], dict[str, tuple[Column, ...]]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table with the files that are its rows, the cells that are stored, and how it was looked at last."""

    table: AnswerTable
    files: tuple[LibraryFile, ...]
    cells: dict[tuple[str, int], Cell]
    look: TableLayout


def _list(workspace: Workspace, report: Report) -> Listed:
    """All tables by name, and the saved sets of questions."""
    from app.flows.answer_table.tables import tables

    return tables(workspace, report), workspace.tables.question_sets()


def _load(workspace: Workspace, table: AnswerTable, report: Report) -> Loaded:
    from app.flows.answer_table.tables import files_of

    store, files = workspace.tables, files_of(workspace, table) if table.library else ()
    return Loaded(table, files, store.cells(table), store.look(table))


def _save(workspace: Workspace, table: AnswerTable, changes: Sequence[Change], report: Report) -> Loaded:
    """Save a table as it is stored now, perhaps by another process, with these changes."""
    from app.flows.answer_table.tables import save_table, tables

    stored = next((one for one in tables(workspace, report) if one.number == table.number), table)
    changed = reduce(lambda found, change: change(found), changes, stored)
    return _load(workspace, save_table(workspace, changed, report), report)


def _rows(
    workspace: Workspace, table: AnswerTable, report: Report
) -> tuple[AnswerTable, tuple[LibraryFile, ...]]:
    from app.flows.answer_table.tables import files_of

    return table, files_of(workspace, table)


class TableStore(QObject):
    """All tables and the current one; changes of it are saved one after another, each on the result of the last.

    `listed` is sent when the tables or the sets are known or have changed; `loaded` carries a Loaded once the current
    table is another one or has other columns; `files_read` the library's files as they are now; `judged` the Cell after
    a verdict; `failed` an error.
    """

    listed = Signal()
    loaded = Signal(object)
    files_read = Signal(object)
    judged = Signal(object)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lane = workspace, lanes.files
        self.tables: tuple[AnswerTable, ...] = ()
        self.sets: dict[str, tuple[Column, ...]] = {}
        self.table: AnswerTable | None = None
        self.is_listed = False
        self._changes: list[Change] = []
        self._saving: Job | None = None  # of a new table, or of the first of the changes
        self._being_saved: AnswerTable | None = None
        self._chosen = 0  # the number of the table to show once the changes are saved
        self._loading: Job | None = None
        self._ledger_job: Job | None = None
        # Cells as they were before a verdict, and the questions before and after a change.
        self._past: list[Cell | tuple[tuple[Column, ...], tuple[Column, ...]]] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @Slot()
    def look(self) -> None:
        """List the tables and sets, and load the current table, or the last one that was shown."""
        self._lane.start_aside(_list, self._workspace).then(self._listed, self.failed)

    def choose(self, number: int) -> None:
        """Make a table the current one, once the changes of the one before are saved."""
        self._chosen = number
        self._go_on()

    def take(self, table: AnswerTable) -> None:
        """Show a table that was made or changed elsewhere."""
        self.tables = _with_table(self.tables, table)
        if self.table is not None and self.table.number == table.number:
            self._load(table)
        self.choose(table.number)
        self.listed.emit()

    def add(self, library: Library, columns: Sequence[Column] = ()) -> None:
        """Make a new table over a library, under its name, and make it the current one."""
        taken = {table.name.casefold() for table in self.tables}
        name = free_name(library.name, lambda free: free.casefold() in taken)
        self._past.clear()
        self._save(AnswerTable(0, name, library.number, tuple(replace(one, number=0) for one in columns)), ())

    def change(self, change: Change) -> None:
        """Change the current table, after the changes before this one."""
        self._changes.append(change)
        self._go_on()

    def set_columns(self, columns: tuple[Column, ...]) -> None:
        """Change the current table's questions; `undo` has the former ones back."""
        if self.table is not None:
            self._past.append((self.table.columns, columns))
            self.change(partial(_with_columns, self.table.columns, columns))

    def set_documents(self, paths: tuple[str, ...]) -> None:
        """Have only these files of the library as rows; none for all of it, also those to come."""
        self.change(partial(_over, paths))

    def add_columns(self, columns: tuple[Column, ...]) -> None:
        """Add questions at the end; those that are there already are not added again."""
        self.change(partial(_with_more, columns))

    def rename(self, name: str) -> None:
        self.change(partial(_named, name))

    def keep_look(self, number: int, look: TableLayout) -> None:
        keep = partial(self._workspace.tables.keep_look, number, look)
        self._lane.start_aside(do, keep).then(failed=self.failed)

    def remove(self) -> None:
        if self.table is not None:
            remove = partial(self._workspace.tables.remove, self.table)
            self._forget()
            self._lane.start(do, remove).then(self.look, self.failed)

    def save_set(self, name: str) -> None:
        """Keep the current questions under a name."""
        if self.table is not None:
            from app.flows.answer_table.tables import save_question_set

            columns = self.table.columns
            self._lane.start(save_question_set, self._workspace, name, columns).then(self.look, self.failed)

    def remove_set(self, name: str) -> None:
        remove = partial(self._workspace.tables.remove_question_set, name)
        self._lane.start(do, remove).then(self.look, self.failed)

    def judge(self, cell: Cell, verdict: Verdict, words: str = "", span: Span | None = None) -> None:
        """Store a verdict; `undo` takes it back."""
        self._past.append(cell)
        self._put_verdict(cell.sha256, cell.column, verdict, words, span)

    @Slot()
    def undo(self) -> None:
        """Take the last verdict or change of the questions back."""
        if not self._past:
            return
        last = self._past.pop()
        if isinstance(last, Cell):
            self._put_verdict(last.sha256, last.column, last.verdict, last.right_words, last.right_span)
        else:
            before, after = last
            self.change(partial(_with_columns, after, before))

    @Slot()
    def read_files(self) -> None:
        if self.table is not None and self.table.library:
            job = self._lane.start_aside(_rows, self._workspace, self.table)
            self._ledger_job = job.replacing(self._ledger_job).then(self._files_read)

    def keep(self) -> None:
        """Save what is not saved yet, as the window closes."""
        if self._saving is not None:
            self._saving.deliver()  # it may just have ended
        table = self._being_saved or self.table
        if table is not None and (self._being_saved is not None or self._changes):
            _save(self._workspace, table, self._changes, Silent())

    def _put_verdict(self, sha256: str, column: int, verdict: Verdict, words: str, span: Span | None) -> None:
        from app.flows.answer_table.tables import judge

        self._lane.start(judge, self._workspace, sha256, column, verdict, words=words, span=span).then(
            self.judged, self.failed
        )

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
        self.table = table
        self._workspace.settings.last_table = table.number
        job = self._lane.start_aside(_load, self._workspace, table)
        self._loading = job.replacing(self._loading).then(self._loaded, self.failed)

    @Slot(object)
    def _loaded(self, found: Loaded) -> None:
        if self.table is not None and found.table.number == self.table.number:
            self.loaded.emit(found)

    def _go_on(self) -> None:
        if self._saving is not None:
            return
        if self._changes and self.table is not None:
            if self._changes[0](self.table) == self.table:
                del self._changes[0]
                self._go_on()
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
        self._saving = self._lane.start(_save, self._workspace, table, changes).then(
            self._saved, self._not_saved
        )

    @Slot(object)
    def _saved(self, found: Loaded) -> None:
        self._end_saving()
        new = found.table
        self.tables = _with_table(self.tables, new)
        self.table = new
        self._workspace.settings.last_table = new.number
        self.listed.emit()
        self.loaded.emit(found)
        self._go_on()

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        self._end_saving()
        self.failed.emit(error)
        self._go_on()

    def _end_saving(self) -> None:
        if self._being_saved is not None and self._being_saved.number:
            del self._changes[:1]
        self._saving = self._being_saved = None

    @Slot(object)
    def _files_read(self, found: tuple[AnswerTable, tuple[LibraryFile, ...]]) -> None:
        table, files = found
        now = self.table
        if now is not None and (table.number, table.documents) == (now.number, now.documents):
            self.files_read.emit(files)

    def _forget(self) -> None:
        self.table = None
        self._changes.clear()
        self._past.clear()
        self.loaded.emit(None)


def _with_table(tables: Sequence[AnswerTable], table: AnswerTable) -> tuple[AnswerTable, ...]:
    """The tables by name, with this one in place of the one of its number."""
    others = [each for each in tables if each.number != table.number]
    return tuple(sorted((*others, table), key=lambda each: each.name.casefold()))


def _with_columns(before: tuple[Column, ...], columns: tuple[Column, ...], table: AnswerTable) -> AnswerTable:
    """The table with these columns in place of those before; what was added or taken out meanwhile stays so."""
    was, there = ({one.question for one in some} for some in (before, table.columns))
    kept = [one for one in columns if one.question in there or one.question not in was]
    known = was | {one.question for one in kept}
    return replace(table, columns=(*kept, *(one for one in table.columns if one.question not in known)))


def _over(paths: tuple[str, ...], table: AnswerTable) -> AnswerTable:
    return replace(table, documents=paths)


def _with_more(columns: tuple[Column, ...], table: AnswerTable) -> AnswerTable:
    there = {column.question for column in table.columns}
    new = tuple(replace(one, number=0) for one in columns if one.question not in there)
    return replace(table, columns=(*table.columns, *new))


def _named(name: str, table: AnswerTable) -> AnswerTable:
    return replace(table, name=name)


def checked_in_words(checked: ColumnAccuracy) -> str:
    """How many cells were checked, how many were right, and the 95 % interval: "Checked 46: 41 right (77 to 95%)"."""
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
