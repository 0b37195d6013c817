"""The table of measures, which can be sorted and copied, and exported as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QTableView

from app.core import days
from app.core.measure_words import examples, figure, share
from app.core.measures import Measure
from app.core.tables import csv_lines
from app.ui.kit.sorted_table import set_up_rows
from app.ui.kit.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
SORT = Qt.ItemDataRole.UserRole
# A cell without a number is sorted below all that have one.
_NONE = -1.0
_MOST_ROWS = 9


@dataclass(frozen=True, slots=True)
class _Column:
    """A column's title, text, sort key, and its figures, of which it shows the first available."""

    title: str
    shown: Callable[[Measure], str]
    sorted: Callable[[Measure], str | float]
    tip: str = ""
    number: bool = False
    figures: tuple[str, ...] = ()


def when(moment: str, *, within: bool = False) -> str:
    """A moment (ISO 8601) in words: "Today, 14:05"; "today, 14:05" within a sentence."""
    at = datetime.fromisoformat(moment)
    at = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone()
    return f"{days.day(at.date(), datetime.now().astimezone().date(), within=within)}, {at:%H:%M}"


def _figures(title: str, tip: str, *names: str) -> _Column:
    def value(one: Measure) -> float:
        return next((one.figures[name] for name in names if name in one.figures), _NONE)

    return _Column(
        title, lambda one: share(value(one)) if value(one) >= 0 else "", value, tip, True, names
    )  # fmt: skip


COLUMNS = (
    _Column("Model", lambda one: one.model, lambda one: one.model.casefold()),
    _Column("Examples", lambda one: one.data, lambda one: one.data.casefold(), "What it was measured on"),
    _Column("Number", lambda one: f"{one.examples:,}", lambda one: one.examples, "How many examples", True),
    _figures("Exact", f"{figure('exact').words} {figure('exact').term}", "exact"),
    _figures("F1", "Of questions, of classes (macro F1) or of names", "f1", "macro f1"),
    _figures("Right", f"{figure('accuracy').words} {figure('accuracy').term}", "accuracy"),
    _figures(
        "Calibration error",
        f"{figure('calibration error').words} {figure('calibration error').term}",
        "calibration error",
    ),
    _Column(
        "A second",
        lambda one: f"{one.speed:,.0f}" if one.speed >= 9.95 else f"{one.speed:.1f}",
        lambda one: one.speed,
        "Examples a second; of reading alone, the model loaded before",
        True,
    ),
    _Column("On", lambda one: one.device, lambda one: one.device, "Where the model ran"),
    _Column("When", lambda one: when(one.when), lambda one: datetime.fromisoformat(one.when).timestamp()),
)


class MeasureModel(QAbstractTableModel):
    """A row for each measure."""

    def __init__(self) -> None:
        super().__init__()
        self.measures: tuple[Measure, ...] = ()

    def take(self, measures: Sequence[Measure]) -> None:
        """Show these."""
        self.beginResetModel()
        self.measures = tuple(measures)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many rows as measures."""
        return 0 if parent.isValid() else len(self.measures)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """As many columns as defined above."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' names, and their meanings."""
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignVCenter | _side(column))
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, sort key, and tool tip."""
        if not index.isValid():
            return None
        one, column = self.measures[index.row()], COLUMNS[index.column()]
        if role == SORT:
            return column.sorted(one)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return column.shown(one)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignVCenter | _side(column))
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(one, column)
        return None

    @staticmethod
    def _tip(one: Measure, column: _Column) -> str:
        if column is COLUMNS[0]:
            return one.folder
        if column is COLUMNS[1]:
            return f"{one.data}, {examples(one.examples, one.head)}"
        info = next((figure(name, one.head) for name in column.figures if name in one.figures), None)
        return f"{info.words} {info.term}" if info else ""


class MeasureTable(QTableView):
    """The table of measures, as high as its rows, up to nine.

    `chosen_changed` is sent when other rows are chosen, `delete_asked` by Del. Ctrl+C copies the chosen rows (or all)
    with their header.
    """

    chosen_changed = Signal()
    delete_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._model = MeasureModel()
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._model)
        self._sorted.setSortRole(SORT)
        self.setModel(self._sorted)
        self.setAccessibleName("What was measured")
        set_up_rows(self)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.selectionModel().selectionChanged.connect(self.chosen_changed)
        self._sorted.layoutChanged.connect(self.chosen_changed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_measures(self, measures: Sequence[Measure], chosen: Sequence[Measure] = ()) -> None:
        """Show these, some of them chosen."""
        chosen = chosen or self.chosen()
        self._model.take(measures)
        self._fit()
        self.choose(chosen)

    def measures(self) -> tuple[Measure, ...]:
        """All measures, in the order shown."""
        return tuple(self._of(row) for row in range(self._sorted.rowCount()))

    def chosen(self) -> tuple[Measure, ...]:
        """The chosen ones, in the order shown."""
        return tuple(self._of(row) for row in sorted(i.row() for i in self.selectionModel().selectedRows()))

    def choose(self, measures: Sequence[Measure]) -> None:
        """Choose exactly these; those not listed are left out."""
        model, flag = self.selectionModel(), QItemSelectionModel.SelectionFlag
        rows = [row for row, one in enumerate(self.measures()) if one in measures]
        chosen = QItemSelection()
        for row in rows:
            index = self._sorted.index(row, 0)
            chosen.select(index, index)
        model.select(chosen, flag.ClearAndSelect | flag.Rows)
        if rows:
            index = self._sorted.index(rows[0], 0)
            model.setCurrentIndex(index, flag.NoUpdate)
            self.scrollTo(index)

    def csv(self) -> bytes:
        """All rows as CSV with every figure, in the order shown; in UTF-8 with a byte order mark."""
        return _csv(self.measures()).encode("utf-8-sig", "replace")

    def copied(self) -> str:
        """The chosen rows, or all, as CSV with every figure."""
        return _csv(self.chosen() or self.measures())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Ctrl+C and Del."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.delete_asked.emit()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give names the room that is left."""
        super().resizeEvent(event)
        self._share_room()

    def _of(self, row: int) -> Measure:
        return self._model.measures[self._sorted.mapToSource(self._sorted.index(row, 0)).row()]

    def _fit(self) -> None:
        """Give every column the room that it needs, and the table the height of its rows."""
        header, step = self.horizontalHeader(), self._theme.step
        header.setMinimumSectionSize(step(12))
        for at in range(len(COLUMNS)):
            self.setColumnWidth(at, self._needed(at))
        self._share_room()

    def _needed(self, at: int) -> int:
        column, step = COLUMNS[at], self._theme.step
        metrics, title = self.fontMetrics(), self.horizontalHeader().fontMetrics()
        cells = max((metrics.horizontalAdvance(column.shown(one)) for one in self._model.measures), default=0)
        # A title has room for the sort indicator next to it.
        return max(cells + step(6), title.horizontalAdvance(column.title) + step(10))

    def _share_room(self) -> None:
        """Shrink the name columns if there is too little room, and give them the rest of the width."""
        names = (self._needed(0), self._needed(1))
        # Below that width the table scrolls: a name elided too much is useless.
        least = [min(each, self._theme.step(44)) for each in names]
        room = self.viewport().width() - sum(self.columnWidth(at) for at in range(2, len(COLUMNS)))
        spare = room - sum(names)
        first = names[0] + spare // 2 if spare >= 0 else max(least[0], round(room * names[0] / sum(names)))
        second = max(least[1], room - first)
        self.setColumnWidth(0, first)
        self.setColumnWidth(1, second)
        rows = max(1, min(_MOST_ROWS, self._model.rowCount()))
        high = rows * self.verticalHeader().defaultSectionSize() + self.horizontalHeader().sizeHint().height()
        bar = self.horizontalScrollBar().sizeHint().height() if first + second > room else 0
        self.setFixedHeight(high + bar + 2 * self.frameWidth())

    @Slot()
    def _restyle(self) -> None:
        self.horizontalHeader().setFont(self._theme.font("small_strong"))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + self._theme.step(4))
        self._fit()
        self.viewport().update()


def _side(column: _Column) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft


def _csv(measures: Sequence[Measure]) -> str:
    names = list(dict.fromkeys(name for one in measures for name in one.figures))
    rows: list[list[str]] = [
        ["model", "examples", "number", *names, "seconds", "examples a second", "device", "when", "folder"]
    ]
    for one in measures:
        figures = [f"{one.figures[name]:.2f}" if name in one.figures else "" for name in names]
        times = [f"{one.seconds:.3f}", f"{one.speed:.2f}"]
        rows.append(
            [one.model, one.data, str(one.examples), *figures, *times, one.device, one.when, one.folder]
        )
    return csv_lines(rows)
