"""The model and the base view of lists whose rows are painted by a delegate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate

from app.ui.kit.theme import Theme

ROW = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex


class RowModel(QAbstractListModel):
    """Rows in order; `words` gives for each its name, its text for a screen reader, and its tool tip."""

    def __init__(self, words: Callable[[Any], tuple[str, str, str]]) -> None:
        super().__init__()
        self._words = words
        self.rows: tuple[Any, ...] = ()

    def take(self, rows: Sequence[Any]) -> None:
        """Show these rows in their order."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW:
            return row
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
        return self._words(row)[roles.index(role)] if role in roles else None


class RowList(QListView):
    """A list with one row chosen; Esc is left to the window."""

    def __init__(self, theme: Theme, name: str, model: RowModel, painter: QStyledItemDelegate) -> None:
        super().__init__()
        self._theme = theme
        self._model = model
        self.setModel(model)
        self.setItemDelegate(painter)
        self.setAccessibleName(name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self._restyle)

    def event(self, event: QEvent) -> bool:
        # Esc stops the reading, which the window does: a list would swallow it.
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return False
        return super().event(event)

    def choose_none(self) -> None:
        """Clear the choice; the keys then start from the first row."""
        self.clearSelection()
        self.selectionModel().clearCurrentIndex()

    @Slot()
    def _restyle(self) -> None:
        self.scheduleDelayedItemsLayout()
        self.viewport().update()
