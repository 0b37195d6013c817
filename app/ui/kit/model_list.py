"""A list of models or other components, with a search and filters above it; and the section around such a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QStyleOptionViewItem

from app.flows.workspace import Workspace
from app.ui.kit.boxes import column
from app.ui.kit.empty_state import EmptyState
from app.ui.kit.jobs import Lanes
from app.ui.kit.parts import ElidedChoice, as_tip
from app.ui.kit.row_list import RIGHT, Index, RowDelegate, RowList, RowModel
from app.ui.kit.search_line import SearchLine
from app.ui.kit.sectioned import Section
from app.ui.kit.spoken import name_choice
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.kit.two_panes import TwoPanes

_FILTERS_A_ROW = 2

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A row of the list: `key` identifies it, `line` describes it, `size` and `sign` are shown at the right.

    `faulty` marks a model that cannot be used as it is.
    """

    key: str
    title: str
    line: str
    size: str = ""
    sign: str = ""
    faulty: bool = False


class _ModelDelegate(RowDelegate):
    """Paints two lines of a row: the title with the size, the description with the sign."""

    def row_height(self, index: Index) -> int:
        return self.line_height("strong") + self.line_height("small") + self._theme.step(6)

    def draw(self, painter: QPainter, rect: QRectF, row: ModelRow, option: QStyleOptionViewItem) -> None:
        step = self._theme.step
        self.draw_ground(painter, rect, option)
        self.draw_focus(painter, rect, option)
        inner = rect.adjusted(step(3), step(2.5), -step(3), -step(2.5))
        upper, lower = QRectF(inner), QRectF(inner)
        upper.setHeight(inner.height() * 0.52)
        lower.setTop(upper.bottom())
        used = self.draw_text(painter, upper, row.size, "small", "ink_quiet", RIGHT)
        upper.setRight(upper.right() - used - step(3))
        self.draw_text(painter, upper, row.title, "strong", "fault" if row.faulty else "ink")
        used = self.draw_text(painter, lower, row.sign, "small_strong", "likely", RIGHT)
        lower.setRight(lower.right() - used - (step(3) if used else 0))
        self.draw_text(painter, lower, row.line, "small", "ink_quiet")


class ModelList(RowList):
    """A list of rows, one of them chosen by mouse or arrow keys.

    `chosen` carries a row's key when it is chosen, `entered` on Enter or a double click, `remove_requested` on Delete;
    `up_requested` is sent by the arrow key above the first row.
    """

    chosen = Signal(str)
    entered = Signal(str)
    remove_requested = Signal(str)
    up_requested = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, RowModel(_row_texts), _ModelDelegate(theme), bare=True)
        self.doubleClicked.connect(self._double_clicked)
        self.selectionModel().currentChanged.connect(self._moved)

    def sizeHint(self) -> QSize:
        """Room for two rows at least; more where there is more."""
        return QSize(
            self._theme.step(60), 2 * self.sizeHintForRow(0) if self._model.rows else self._theme.step(30)
        )

    def set_rows(self, rows: Sequence[ModelRow]) -> None:
        """Show these rows; the chosen one stays chosen if it is among them, without a signal."""
        key = self.key()
        if tuple(rows) != self._model.rows:
            self.selectionModel().blockSignals(True)
            self._model.take(rows)
            self.selectionModel().blockSignals(False)
            self.choose(key)

    def rows(self) -> tuple[ModelRow, ...]:
        """The shown rows."""
        return tuple(self._model.rows)

    def key(self) -> str:
        """The key of the chosen row; empty if none is chosen."""
        at = self.currentIndex().row()
        return self._model.rows[at].key if 0 <= at < len(self._model.rows) else ""

    def choose(self, key: str) -> bool:
        """Choose the row of this key without a signal, or none if there is no such row; returns whether there is."""
        at = next((at for at, row in enumerate(self._model.rows) if row.key == key), -1)
        self.selectionModel().blockSignals(True)
        if at >= 0:
            self.setCurrentIndex(self._model.index(at))
            self.scrollTo(self._model.index(at))
        else:
            self.selectionModel().clear()
        self.selectionModel().blockSignals(False)
        self.viewport().update()
        return at >= 0

    def go_in(self) -> None:
        """Focus the list, and choose its first row if none is chosen."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if self._model.rows and not self.key():
            self.setCurrentIndex(self._model.index(0))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # On focus Qt makes the first row current without choosing it.
        at = self.currentIndex()
        if at.isValid() and not self.selectionModel().isSelected(at):
            self.setCurrentIndex(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.key():
            self.entered.emit(self.key())
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.key():
            self.remove_requested.emit(self.key())
        elif key == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.up_requested.emit()
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _double_clicked(self, index: QModelIndex) -> None:
        self.entered.emit(self._model.rows[index.row()].key)

    @Slot()
    def _moved(self) -> None:
        if self.key():
            self.chosen.emit(self.key())


def _row_texts(row: ModelRow) -> tuple[str, str, str]:
    title, line = localised(row.title), localised(row.line)
    details = ", ".join(filter(None, (line, localised(row.size), localised(row.sign))))
    return title, f"{title}: {details}", f"{title}\n{line}"


class ModelFilters(QFrame):
    """A search line, and below it a combo box for each name in `filters`, with its (key, title) pairs.

    `changed` is sent when a filter was chosen, and a moment after the search has changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, placeholder: str, filters: dict[str, Choices]) -> None:
        super().__init__()
        self.search = SearchLine(theme, placeholder)
        self.search.searched.connect(self.changed)
        self.choices: dict[str, QComboBox] = {}
        grid = QGridLayout()
        for at, (name, choices) in enumerate(filters.items()):
            box = self.choices[name] = ElidedChoice()
            name_choice(box, name)
            box.setToolTip(as_tip(tr("{filter}: which models are listed", filter=name)))
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            self.offer(name, choices)
            box.activated.connect(self.changed)
            grid.addWidget(box, *divmod(at, _FILTERS_A_ROW))
            grid.setColumnStretch(at % _FILTERS_A_ROW, 1)
        theme.space(grid, 2)
        column(theme, self.search, grid, gap=2, parent=self)

    def words(self) -> str:
        """The text of the search."""
        return self.search.text()

    def choice(self, name: str) -> str:
        """The chosen key of a filter, given by its name."""
        return str(self.choices[name].currentData() or "")

    def choose(self, name: str, key: str) -> None:
        """Choose a key of a filter, or the first one if the key is not offered."""
        self.choices[name].setCurrentIndex(max(0, self.choices[name].findData(key)))
        self.changed.emit()

    def offer(self, name: str, choices: Choices) -> None:
        """Set the choices of a filter; the current one stays if it is still offered."""
        box, before = self.choices[name], self.choice(name)
        box.clear()
        for key, title in choices:
            box.addItem(localised(title), key)
        box.setCurrentIndex(max(0, box.findData(before)))

    @property
    def narrowing(self) -> bool:
        """Whether a search or a filter is set."""
        return bool(self.words().strip()) or any(self.choice(name) for name in self.choices)

    @Slot()
    def clear(self) -> None:
        """Clear the search and all filters."""
        self.search.clear()
        for box in self.choices.values():
            box.setCurrentIndex(0)
        self.changed.emit()


class ListedSection(Section):
    """A section with a list and its filters at the left, and the chosen item, or an empty state, at the right.

    `SPLITTER` is the key of the splitter's sizes in the settings. A subclass fills the list in `show_rows`, and
    connects itself to `list.chosen` and `list.entered`.
    """

    SPLITTER = ""

    def __init__(
        self,
        workspace: Workspace,
        theme: Theme,
        lanes: Lanes,
        filters: ModelFilters,
        name: str,
        icon: str,
    ) -> None:
        super().__init__(workspace, theme, lanes)
        self.panes, self.filters = TwoPanes(theme), filters
        self.list, self.empty = ModelList(theme, name), EmptyState(theme, icon)
        for part in (self.notice, self.filters, self.list):
            self.panes.left.addWidget(part)
        self.panes.left.setStretchFactor(self.list, 1)
        self.panes.restore(workspace.settings.splitters.get(self.SPLITTER, []))
        self.whole = column(theme, (self.panes, 1), parent=self)
        filters.changed.connect(self.show_rows)
        filters.search.down_requested.connect(self.list.go_in)
        self.list.up_requested.connect(filters.search.go_in)

    def keep(self) -> None:
        """Save the splitter's sizes."""
        self.workspace.settings.splitters[self.SPLITTER] = self.panes.widths()

    def search(self) -> None:
        """Put the keyboard focus into the search."""
        self.filters.search.go_in()

    @Slot()
    def show_rows(self) -> None:
        """Show the rows that pass the filters."""
        raise NotImplementedError
