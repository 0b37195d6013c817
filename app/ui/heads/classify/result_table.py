"""Many texts with their classes, in a table that can be sorted and copied, and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSortFilterProxyModel,
    Qt,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.core import wording
from app.core.models import ProblemType
from app.core.results import Classification
from app.core.tables import class_columns, class_values, csv_lines
from app.ui.kit.class_card import headline
from app.ui.kit.score_bars import draw_bar, nice_label
from app.ui.kit.sorted_table import set_up_rows
from app.ui.kit.theme import Theme, mark

_Index = QModelIndex | QPersistentModelIndex
SORT = Qt.ItemDataRole.UserRole
SHARE = Qt.ItemDataRole.UserRole + 1


class ResultModel(QAbstractTableModel):
    """Rows of text, label, probability, then every label's probability."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: tuple[str, ...] = ()
        self._items: tuple[Classification, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._rows: dict[int, list[object]] = {}

    def set_results(self, texts: Sequence[str], items: Sequence[Classification]) -> None:
        """Set the results of one model; texts without a result are left out."""
        self.beginResetModel()
        self._items = tuple(items)
        self._rows.clear()
        self._texts = tuple(texts[: len(self._items)])
        self._labels = tuple(score.label for score in self._items[0].scores) if self._items else ()
        self.endResetModel()

    @property
    def regression(self) -> bool:
        """Whether the numbers are values rather than probabilities."""
        return bool(self._items) and self._items[0].problem == ProblemType.REGRESSION

    def text(self, row: int) -> str:
        """The text of a row."""
        return self._texts[row]

    def header(self) -> list[str]:
        """The columns' names, with the model's own labels."""
        return ["text", *([] if self.regression else ["label", "probability"]), *self._labels]

    def csv(self) -> bytes:
        """All rows as CSV, in the order of the texts.

        In UTF-8 with a byte order mark, by which spreadsheets recognise the encoding.
        """
        problem = ProblemType.REGRESSION if self.regression else ProblemType.SINGLE_LABEL
        rows = [class_columns(("text",), self._labels, problem)]
        rows += [[text, *class_values(item)] for text, item in zip(self._texts, self._items, strict=True)]
        return csv_lines(rows).encode("utf-8-sig", "replace")

    def row_values(self, row: int) -> list[object]:
        """One row with plain numbers (six decimals)."""
        if row not in self._rows:
            self._rows[row] = self._values_of(row)
        return self._rows[row]

    def _values_of(self, row: int) -> list[object]:
        item = self._items[row]
        scores = [round(score.probability, 6) for score in item.scores]
        if self.regression:
            return [self._texts[row], *scores]
        label = "; ".join(score.label for score in item.fitting)
        return [self._texts[row], label, round(item.probability, 6) if item.winner else "", *scores]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many rows as results."""
        return 0 if parent.isValid() else len(self._items)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many columns as the header names."""
        return 0 if parent.isValid() else len(self.header())

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' names in readable form; rows by number."""
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                section + 1 if orientation == Qt.Orientation.Vertical else nice_label(self.header()[section])
            )
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return nice_label(self.header()[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            return int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, sort key, and share of a bar."""
        if not index.isValid():
            return None
        value = self.row_values(index.row())[index.column()]
        if role == SORT:
            if index.column() > 1 and value == "":
                return -1.0  # no class applies: below all that do
            return value.casefold() if isinstance(value, str) else value
        if role == SHARE:
            return value if isinstance(value, float) and not self.regression else None
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str):
            return value if len(value) < 2000 else value[:2000] + "…"
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            if isinstance(value, float):
                return f"{value:.4g}" if self.regression else wording.percent(value)
            return headline(self._items[index.row()]) if index.column() == 1 else str(value)[:500]
        return None


class _ShareDelegate(QStyledItemDelegate):
    """Draws a probability as a number with a bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        share = index.data(SHARE)
        if share is None:
            super().paint(painter, option, index)
            return
        theme = self._theme
        painter.save()
        chosen = option.state & QStyle.StateFlag.State_Selected
        painter.fillRect(option.rect, theme.colour("accent_ground" if chosen else "panel"))
        place = QRectF(option.rect).adjusted(theme.step(2), 0, -theme.step(2), 0)
        below = QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1)
        painter.fillRect(below, theme.colour("line"))
        painter.setPen(theme.colour("ink"))
        painter.setFont(theme.font("ui"))
        number = index.data()
        width = painter.fontMetrics().horizontalAdvance("> 99 %") + theme.step(2)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number)
        bar_width = place.width() - width
        if bar_width > theme.step(4):
            high = theme.step(1.5)
            bar = QRectF(place.left(), place.center().y() - high / 2, bar_width, high)
            fill = theme.colour("mark" if share >= 0.5 else "mark_faint")
            draw_bar(painter, bar, share, theme.colour("track"), fill)
        painter.restore()


class ResultTable(QTableView):
    """The table of classified texts; Ctrl+C copies the chosen rows (or all) with their header."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._model = ResultModel()
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(SORT)
        self.setModel(self._sorted)
        self._delegate = _ShareDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Texts and their classes")
        set_up_rows(self)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        mark(self.horizontalHeader(), type="small_strong")
        theme.changed.connect(self._fit_rows)
        self._fit_rows()

    def set_results(self, texts: Sequence[str], items: Sequence[Classification]) -> None:
        """Show these texts with their classes."""
        header = self._model.header()
        self._model.set_results(texts, items)
        if self._model.header() != header:
            self._fit_columns()

    def row_count(self) -> int:
        """The number of shown texts."""
        return self._model.rowCount()

    def csv(self) -> bytes:
        """All rows as CSV, in the order of the texts."""
        return self._model.csv()

    def copied(self) -> str:
        """The chosen rows, or all, as shown in order, with tabs between cells and a header."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = chosen or range(self._sorted.rowCount())
        lines = ["\t".join(self._model.header())]
        for row in rows:
            source = self._sorted.mapToSource(self._sorted.index(row, 0)).row()
            cells = (str(value).replace("\t", " ") for value in self._model.row_values(source))
            lines.append("\t".join(cells))
        return "\n".join(lines) + "\n"

    def chosen_text(self) -> str:
        """The text of the chosen row, empty for none."""
        index = self.currentIndex()
        return self._model.text(self._sorted.mapToSource(index).row()) if index.isValid() else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
            event.accept()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the texts the room that is left."""
        super().resizeEvent(event)
        self._fit_text()

    def _fit_columns(self) -> None:
        header = self.horizontalHeader()
        header.setMinimumSectionSize(self._theme.step(16))
        for column in range(1, self._model.columnCount()):
            title = str(self._model.headerData(column, Qt.Orientation.Horizontal))
            width = header.fontMetrics().horizontalAdvance(title) + self._theme.step(11)
            if column == 1 and not self._model.regression:
                labels = self._model.header()[3:]
                widest = max(map(self.fontMetrics().horizontalAdvance, map(nice_label, labels)), default=0)
                width = max(width, widest + self._theme.step(6))
            self.setColumnWidth(column, min(self._theme.step(52), max(self._theme.step(24), width)))
        self._fit_text()

    def _fit_text(self) -> None:
        others = sum(self.columnWidth(column) for column in range(1, self._model.columnCount()))
        if self._model.columnCount():
            self.setColumnWidth(0, max(self._theme.step(48), self.viewport().width() - others))

    @Slot()
    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + self._theme.step(4))
        self._fit_columns()
