"""A sortable, read-only table of rows, and the model behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QTableView

from app.core.legible import legible_lines
from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole
ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
# Where more rows have changed, all rows are arranged again.
_MOST_CHANGED = 200
# In characters, of the one line that a cell shows.
_LONGEST_CELL = 2_000


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, and functions of a row for the cell's text, the key that it is sorted by, and the tool tip.

    `number` aligns the cells to the right; `title_tip` is the tool tip of the heading.
    """

    title: str
    text: Callable[[Any], str]
    sort_key: Callable[[Any], str | float]
    tip: Callable[[Any], str] = lambda row: ""
    number: bool = False
    title_tip: str = ""


class TableModel(QAbstractTableModel):
    """Rows of any kind: `shown` are those of `rows` that `accepts` takes, sorted by a column.

    A hundred thousand rows are filtered and sorted here at once; a proxy model would call Python for each comparison.
    """

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.rows: Sequence[Any] = ()
        self.shown: list[Any] = []
        self.accepts: Callable[[Any], bool] | None = None
        self._sorted_by, self._order = -1, Qt.SortOrder.AscendingOrder

    def set_rows(self, rows: Sequence[Any], columns: Sequence[Column] | None = None) -> None:
        """Replace the rows, and the columns if any are given."""
        self.beginResetModel()
        self.rows = rows
        if columns is not None:
            self.columns = tuple(columns)
        self.shown = self._arranged()
        self.endResetModel()

    def arrange(self) -> None:
        """Filter and sort the rows again; the chosen ones stay chosen."""
        arranged = self._arranged()
        if arranged == self.shown:
            self.refresh()
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [self.shown[index.row()] for index in before]
        self.shown = arranged
        wanted = set(map(id, kept))
        positions = {key: at for at, key in enumerate(map(id, self.shown)) if key in wanted} if wanted else {}
        after = [
            self.index(positions[id(row)], index.column()) if id(row) in positions else QModelIndex()
            for index, row in zip(before, kept, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def refresh(self) -> None:
        """Show all rows as they are now, in their present order."""
        if self.shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.shown) - 1, len(self.columns) - 1))

    def rows_changed(self, rows: Sequence[Any]) -> None:
        """Show rows that have changed: those no longer accepted are removed, the others keep their positions."""
        changed = set(map(id, rows))
        positions = [at for at, key in enumerate(map(id, self.shown)) if key in changed]
        if len(positions) < len(changed) or len(positions) > _MOST_CHANGED:
            self.arrange()
            return
        for at in reversed(positions):
            if self.accepts is None or self.accepts(self.shown[at]):
                self.dataChanged.emit(self.index(at, 0), self.index(at, len(self.columns) - 1))
            else:
                self.beginRemoveRows(QModelIndex(), at, at)
                del self.shown[at]
                self.endRemoveRows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of `rows`."""
        self._sorted_by, self._order = column, order
        self.arrange()

    def _arranged(self) -> list[Any]:
        found = list(self.rows) if self.accepts is None else [row for row in self.rows if self.accepts(row)]
        if 0 <= self._sorted_by < len(self.columns):
            key = self.columns[self._sorted_by].sort_key
            found.sort(
                key=lambda row: _comparable(key(row)), reverse=self._order == Qt.SortOrder.DescendingOrder
            )
        return found

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return localised(column.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(column.title_tip or column.title)
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.shown[index.row()], self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return legible_lines(localised(column.text(row)), _LONGEST_CELL)
        if role == SORT_ROLE:
            return column.sort_key(row)
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(column.tip(row))
        return _alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _comparable(key: Any) -> tuple[int, Any]:
    """A sort key that can be compared with any other: None is before numbers, and numbers before words."""
    return (0, 0) if key is None else (2, localised(key)) if isinstance(key, str) else (1, key)


def _alignment(column: Column) -> int:
    return int(_MIDDLE | (Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft))


class RowTable(QTableView):
    """A table of rows; a click on a heading sorts it, Ctrl+C copies the chosen rows, or all if none is chosen.

    A subclass gives the copied text in `text_of`, sets the columns' widths in `fit_columns`, and those that depend on
    the table's width in `share_width`. `FONT` is the use of the cells' font, `PADDING` the height of a row without its
    text, in steps.
    """

    FONT = "ui"
    PADDING: float = 4

    def __init__(self, theme: Theme, name: str, columns: Sequence[Column] = ()) -> None:
        super().__init__()
        self._theme = theme
        self._model = TableModel(columns)
        self.setModel(self._model)
        self.setAccessibleName(localised(name))
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        mark(self.horizontalHeader(), type="small_strong")
        mark(self, type=self.FONT)
        self.ensurePolished()
        theme.changed.connect(self._restyle)
        self._restyle()

    def rows(self) -> tuple[Any, ...]:
        """The rows in the order shown."""
        return tuple(self._model.shown)

    def chosen(self) -> tuple[Any, ...]:
        """The chosen rows in the order shown."""
        chosen = sorted(self.selectionModel().selectedRows(), key=QModelIndex.row)
        return tuple(index.data(ROW_ROLE) for index in chosen)

    def choose(self, rows: Sequence[Any]) -> None:
        """Choose exactly these rows, as far as they are shown."""
        model, flag = self.selectionModel(), QItemSelectionModel.SelectionFlag
        found = [self._model.index(at, 0) for at, row in enumerate(self._model.shown) if row in rows]
        selection = QItemSelection()
        for index in found:
            selection.select(index, index)
        model.select(selection, flag.ClearAndSelect | flag.Rows)
        if found:
            model.setCurrentIndex(found[0], flag.NoUpdate)
            self.scrollTo(found[0])

    def narrow(self, words: str, accepts: Callable[[Any], bool] | None = None) -> None:
        """Show only the rows that are accepted and contain all of these words in their cells or tool tips."""
        wanted, model = words.casefold().split(), self._model

        def is_wanted(row: Any) -> bool:
            if accepts is not None and not accepts(row):
                return False
            cells = (text for column in model.columns for text in (column.text(row), column.tip(row)))
            text = " ".join(map(localised, cells)).casefold()
            return all(word in text for word in wanted)

        model.accepts = is_wanted if wanted else accepts
        model.arrange()

    def text_of(self, rows: Sequence[Any]) -> str:
        """The text that is copied for these rows."""
        raise NotImplementedError

    def copied(self) -> str:
        """The text of the chosen rows, or of all if none is chosen."""
        return self.text_of(self.chosen() or self.rows())

    def fit_columns(self) -> None:
        """Set the columns' widths for the current rows and fonts."""
        self.share_width()

    def share_width(self) -> None:
        """Set the columns' widths that depend on the table's."""

    def needed_width(self, at: int, texts: Sequence[str]) -> int:
        """The width in pixels of a column with these texts, and with its title beside a sort indicator."""
        cells = max(map(self.fontMetrics().horizontalAdvance, map(localised, texts)), default=0)
        heading = localised(self._model.columns[at].title)
        title = self.horizontalHeader().fontMetrics().horizontalAdvance(heading)
        return max(cells + self._theme.step(6), title + self._theme.step(10))

    def height_of(self, rows: int) -> int:
        """The height in pixels of the heading and this number of rows."""
        return rows * self.verticalHeader().defaultSectionSize() + self.horizontalHeader().sizeHint().height()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
            event.accept()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_width()

    @Slot()
    def _restyle(self) -> None:
        self.verticalHeader().setDefaultSectionSize(
            self.fontMetrics().height() + self._theme.step(self.PADDING)
        )
        self.fit_columns()
