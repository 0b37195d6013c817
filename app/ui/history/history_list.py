"""The list of the history: entries chosen by keys or mouse, with three actions for each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QModelIndex, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QStyle, QToolButton

from app.core.history import Entry
from app.core.message import Message
from app.ui.history.history_delegate import HistoryDelegate
from app.ui.history.history_model import HistoryModel
from app.ui.kit.boxes import row
from app.ui.kit.parts import as_tip
from app.ui.kit.row_list import RowList, menu_place
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_ACTIONS = (
    ("open", "open", "Enter", Message("Open"), Message("Open the document there  (Enter)")),
    ("check", "again", "F5", Message("Check again"), Message("Ask again, and see what changed  (F5)")),
    ("delete", "delete", "Del", Message("Delete"), Message("Delete  (Del)")),
)
_KEYS: dict[int, str] = {
    Qt.Key.Key_Return: "open", Qt.Key.Key_Enter: "open", Qt.Key.Key_F5: "check",
    Qt.Key.Key_Delete: "delete", Qt.Key.Key_Backspace: "delete",
}  # fmt: skip


class HistoryList(RowList):
    """Entries by day. The arrow keys choose, Enter or a click opens, Delete deletes, F5 asks again.

    `asked` carries an action (open, check, delete, copy) and the Entry; `up_requested` is sent when Up is pressed on
    the first entry.
    """

    asked = Signal(str, object)
    up_requested = Signal()

    def __init__(self, theme: Theme, most_wide: float) -> None:
        self.history = HistoryModel()
        self._delegate = HistoryDelegate(theme, self.history)
        super().__init__(theme, tr("What was asked before"), self.history, self._delegate, bare=True)
        self._most_wide = most_wide
        self._over = -1
        self.tools = QFrame(self.viewport())  # the buttons of one row
        self.buttons: dict[str, QToolButton] = {}
        for action, icon, _, name, tip in _ACTIONS:
            button = self.buttons[action] = QToolButton()
            button.setAccessibleName(localised(name))
            button.setToolTip(as_tip(tip))
            button.setProperty("kind", "row")
            button.setProperty("action", action)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setCursor(Qt.CursorShape.ArrowCursor)
            button.clicked.connect(self._tool_clicked)
            button.setIcon(theme.icon(icon, "ink"))
        row(theme, *self.buttons.values(), gap=0.5, parent=self.tools)
        self.tools.hide()
        self.clicked.connect(self._row_clicked)
        self.selectionModel().currentChanged.connect(self._place_tools)
        self.verticalScrollBar().valueChanged.connect(self._place_tools)
        self.verticalScrollBar().rangeChanged.connect(self._fit)
        self.history.modelReset.connect(self._forget_row)
        self.history.rowsRemoved.connect(self._forget_row)
        self.history.dataChanged.connect(self._changed)
        self._restyle()

    def entry(self) -> Entry | None:
        """Return the chosen entry, None without one."""
        rows = self.selectionModel().selectedIndexes()
        return self._entry_at(rows[0].row()) if rows else None

    def _entry_at(self, at: int) -> Entry | None:
        row = self.history.row(at)
        return row.entry if row is not None else None

    def choose(self, number: int) -> None:
        """Choose the entry with this number, and scroll to it."""
        at = self.history.row_of(number)
        if at >= 0:
            self.setCurrentIndex(self.history.index(at))
            self.scrollTo(self.history.index(at))

    def choose_near(self, row: int) -> None:
        """Choose the entry at a row, or the nearest one to it."""
        for at in (row, row + 1, row - 1, row - 2):
            if self._entry_at(at) is not None:
                self.setCurrentIndex(self.history.index(at))
                return

    # Keys and mouse

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry, key = self.entry(), event.key()
        if event.matches(QKeySequence.StandardKey.Copy):
            if entry is not None:
                self.asked.emit("copy", entry)
        elif key in _KEYS and entry is not None:
            self.asked.emit(_KEYS[key], entry)
        elif key == Qt.Key.Key_Up and self.history.row_of(entry.number if entry else -1) <= 1:
            self.up_requested.emit()
        elif key == Qt.Key.Key_Home:
            self.choose_near(1)
            self.scrollToTop()
        elif event.text().isprintable() and event.text():
            event.ignore()  # Qt's search by typed letters would find only the entries loaded so far
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # With Tab, Qt makes a row current without choosing it: nothing would be marked, and Enter be ignored.
        if event.reason() != Qt.FocusReason.MouseFocusReason and self.history.total and self.entry() is None:
            self.choose_near(max(1, self.currentIndex().row()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._go_over(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._go_over(-1)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, place = menu_place(self, event)
        entry = self._entry_at(index.row())
        if entry is None:
            return
        self.setCurrentIndex(index)
        menu, copy = QMenu(self), tr("Copy")
        for action, _, keys, name, _ in _ACTIONS:
            menu.addAction(f"{localised(name)}\t{keys}").setData(action)
        menu.addAction(f"{copy}\tCtrl+C").setData("copy")
        if (chosen := menu.exec(place)) is not None:
            self.asked.emit(chosen.data(), entry)
        menu.deleteLater()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # The buttons of the row under the mouse, or of the chosen one

    @Slot()
    def _tool_clicked(self) -> None:
        if (entry := self._entry_at(self._tools_row())) is not None:
            self.asked.emit(self.sender().property("action"), entry)

    def _tools_row(self) -> int:
        return self._over if self._over >= 0 else self.currentIndex().row()

    def _go_over(self, at: int) -> None:
        at = at if self._entry_at(at) is not None else -1
        if at != self._over:
            self._over = at
            self._place_tools()

    @Slot()
    def _place_tools(self) -> None:
        at = self._tools_row()
        if self._entry_at(at) is None:
            self.tools.hide()
            return
        rect = self.visualRect(self.history.index(at))
        # Level with the answer, whatever news is below it.
        high = self._delegate.height_of_entry()
        top = rect.top() + high - self.tools.height() - self._theme.step(1.5)
        place = QRect(QPoint(rect.right() - self.tools.width() - self._theme.step(3), top), self.tools.size())
        self.tools.move(QStyle.visualRect(self.layoutDirection(), rect, place).topLeft())
        self.tools.show()

    @Slot()
    def _forget_row(self) -> None:
        self._over = -1
        self._place_tools()

    @Slot()
    def _changed(self) -> None:
        self.scheduleDelayedItemsLayout()

    @Slot(QModelIndex)
    def _row_clicked(self, index: QModelIndex) -> None:
        entry = self._entry_at(index.row())
        if entry is not None:
            self.asked.emit("open", entry)

    # Looks

    @Slot()
    def _fit(self) -> None:
        """Centre the rows, and leave the scroll bar at the edge."""
        aside = max(self._theme.step(8), (self.width() - self._theme.step(self._most_wide)) // 2)
        bar = self.verticalScrollBar()
        taken = bar.sizeHint().width() if bar.maximum() > 0 else 0
        margins = QMargins(aside, 0, max(0, aside - taken), 0)
        if self.viewportMargins() != margins:
            self.setViewportMargins(margins)
        if self._delegate.width != self.viewport().width():
            self._delegate.width = self.viewport().width()
            self.scheduleDelayedItemsLayout()
        self._place_tools()

    @Slot()
    def _restyle(self) -> None:
        super()._restyle()
        self.tools.adjustSize()
        self._delegate.tools = self.tools.sizeHint().width() + self._theme.step(3)
        self._fit()
