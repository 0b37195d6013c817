"""Every module of a model as a tree, with its weights."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QHeaderView, QTreeWidget, QTreeWidgetItem

from app.core.inside import ModuleRow
from app.ui.kit.chart import Table
from app.ui.kit.theme import Theme

_OPEN_TO = 2  # levels that are unfolded from the start
_LINES = 16


class ModuleTree(QTreeWidget):
    """Module, class, details, weights; Ctrl+C copies the chosen module's path."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[ModuleRow, ...] = ()
        self.title = "Every module"
        self.setAccessibleName(self.title)
        self.setColumnCount(4)
        self.setHeaderLabels(["Module", "Class", "What it says of itself", "Weights"])
        self.headerItem().setTextAlignment(3, Qt.AlignmentFlag.AlignRight)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_modules(self, rows: tuple[ModuleRow, ...]) -> None:
        """Show these rows, each below the last one that is less deep."""
        self._rows = rows
        self.clear()
        above: list[QTreeWidgetItem] = []
        for row in rows:
            weights = f"{row.parameters:,}" if row.parameters else ""
            item = QTreeWidgetItem([row.name or row.kind, row.kind, row.detail, weights])
            item.setData(0, Qt.ItemDataRole.UserRole, row.path)
            item.setToolTip(0, row.path)
            item.setTextAlignment(3, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            del above[row.depth :]
            if above:
                above[-1].addChild(item)
            else:
                self.addTopLevelItem(item)
            above.append(item)
            item.setExpanded(row.depth < _OPEN_TO)
        for column in (0, 1, 3):
            self.resizeColumnToContents(column)
            self.setColumnWidth(column, self.columnWidth(column) + self._theme.step(4))

    def table(self) -> Table:
        """Every module in a row."""
        rows = tuple((row.path, row.name, row.kind, row.detail, row.parameters) for row in self._rows)
        return Table(("path", "name", "class", "detail", "weights"), rows)

    def csv(self) -> str:
        """Every module in a row, as CSV with a heading."""
        return self.table().csv()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.matches(QKeySequence.StandardKey.Copy) and item is not None:
            QApplication.clipboard().setText(str(item.data(0, Qt.ItemDataRole.UserRole)))
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(120), (_LINES + 2) * self.fontMetrics().height() * 3 // 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(60), self.sizeHint().height())

    @Slot()
    def _restyle(self) -> None:
        self.setIndentation(self._theme.step(4))
        self.updateGeometry()
