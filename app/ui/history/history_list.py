"""The list of the history: entries chosen by keys or mouse, with three actions for each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QListView, QMenu, QToolButton, QWidget

from app.core.history import Entry
from app.ui.history.history_delegate import HistoryDelegate
from app.ui.history.history_model import HistoryModel, Index
from app.ui.kit.theme import Theme

_ACTIONS = (
    ("open", "open", "Open", "Open the document there  (Enter)"),
    ("check", "again", "Check again", "Ask again, and see what changed  (F5)"),
    ("delete", "delete", "Delete", "Delete  (Del)"),
)


class RowTools(QFrame):
    """The buttons of one row. `action_requested` carries open, check or delete."""

    action_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: list[tuple[QToolButton, str]] = []
        self._layout = QHBoxLayout(self)
        for action, icon, name, tip in _ACTIONS:
            button = QToolButton()
            button.setAccessibleName(name)
            button.setToolTip(tip)
            button.setProperty("action", action)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setCursor(Qt.CursorShape.ArrowCursor)
            button.clicked.connect(self._clicked)
            self._layout.addWidget(button)
            self._buttons.append((button, icon))
        self.hide()
        self.restyle()

    def restyle(self) -> None:
        """Apply the theme's icons and sizes."""
        theme = self._theme
        for button, icon in self._buttons:
            button.setIcon(theme.icon(icon, "ink"))
            button.setIconSize(QSize(theme.step(4.5), theme.step(4.5)))
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.step(0.5))
        self.adjustSize()

    def button(self, action: str) -> QToolButton:
        """The button of an action."""
        return next(button for button, _ in self._buttons if button.property("action") == action)

    @Slot()
    def _clicked(self) -> None:
        self.action_requested.emit(self.sender().property("action"))


class HistoryList(QListView):
    """Entries by day. The arrow keys choose, Enter or a click opens, Delete deletes, F5 asks again.

    `open_asked`, `check_asked`, `delete_asked` and `copy_asked` carry an Entry; `up_asked` is sent when the keys go up
    from the first entry.
    """

    open_asked = Signal(object)
    check_asked = Signal(object)
    delete_asked = Signal(object)
    copy_asked = Signal(object)
    up_asked = Signal()

    def __init__(self, theme: Theme, most_wide: float) -> None:
        super().__init__()
        self._theme = theme
        self._most_wide = most_wide
        self._over = -1
        self._model = HistoryModel()
        self._delegate = HistoryDelegate(theme)
        self.tools = RowTools(theme, self.viewport())
        self.setModel(self._model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("What was asked before")
        self.setProperty("bare", "true")
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.viewport().setAutoFillBackground(False)
        self.tools.action_requested.connect(self._act)
        self.clicked.connect(self._row_clicked)
        self.verticalScrollBar().valueChanged.connect(self._place_tools)
        self.verticalScrollBar().rangeChanged.connect(self._fit)
        self._model.modelReset.connect(self._forget_row)
        self._model.rowsRemoved.connect(self._forget_row)
        self._model.dataChanged.connect(self._changed)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def history(self) -> HistoryModel:
        """The rows."""
        return self._model

    def entry(self) -> Entry | None:
        """The chosen entry."""
        rows = self.selectionModel().selectedIndexes()
        row = self._model.row(rows[0].row()) if rows else None
        return row.entry if row is not None else None

    def choose(self, number: int) -> None:
        """Choose an entry and bring it into view."""
        at = self._model.row_of(number)
        if at >= 0:
            self.setCurrentIndex(self._model.index(at))
            self.scrollTo(self._model.index(at))

    def choose_near(self, row: int) -> None:
        """Choose the entry at a row, or the nearest one to it."""
        for at in (row, row + 1, row - 1, row - 2):
            found = self._model.row(at)
            if found is not None and found.entry is not None:
                self.setCurrentIndex(self._model.index(at))
                return

    # Keys and mouse

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry, key = self.entry(), event.key()
        if event.matches(QKeySequence.StandardKey.Copy):
            if entry is not None:
                self.copy_asked.emit(entry)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and entry is not None:
            self.open_asked.emit(entry)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and entry is not None:
            self.delete_asked.emit(entry)
        elif key == Qt.Key.Key_F5 and entry is not None:
            self.check_asked.emit(entry)
        elif key == Qt.Key.Key_Up and self._model.row_of(entry.number if entry else -1) <= 1:
            self.up_asked.emit()
        elif key == Qt.Key.Key_Home:
            self.choose_near(1)
            self.scrollToTop()
        elif event.text().isprintable() and event.text():
            event.ignore()  # Qt's own search by letters would only find the questions loaded so far
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # Esc is handled by the window, which stops running work: a list would swallow it.
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return False
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # When reached by Tab, Qt has a current row that is not chosen: nothing would be marked, and Enter ignored.
        if event.reason() != Qt.FocusReason.MouseFocusReason and self._model.total and self.entry() is None:
            self.choose_near(max(1, self.currentIndex().row()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._go_over(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._go_over(-1)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.viewport().mapToGlobal(self.visualRect(index).center())
        else:
            index, place = self.indexAt(self.viewport().mapFromGlobal(event.globalPos())), event.globalPos()
        row = self._model.row(index.row())
        if row is None or row.entry is None:
            return
        self.setCurrentIndex(index)
        menu = QMenu(self)
        for _, _, name, tip in _ACTIONS:
            keys = tip.rsplit("(", 1)[1].rstrip(")")
            menu.addAction(f"{name}\t{keys}")
        menu.addAction("Copy\tCtrl+C")
        chosen = menu.exec(place)
        signals = (self.open_asked, self.check_asked, self.delete_asked, self.copy_asked)
        if chosen is not None:
            signals[menu.actions().index(chosen)].emit(row.entry)
        menu.deleteLater()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # The buttons of the row under the mouse, or of the chosen one

    @Slot(str)
    def _act(self, action: str) -> None:
        row = self._model.row(self._tools_row())
        if row is not None and row.entry is not None:
            signals = {"open": self.open_asked, "check": self.check_asked, "delete": self.delete_asked}
            signals[action].emit(row.entry)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self._place_tools()

    def _tools_row(self) -> int:
        return self._over if self._over >= 0 else self.currentIndex().row()

    def _go_over(self, at: int) -> None:
        row = self._model.row(at)
        at = at if row is not None and row.entry is not None else -1
        if at != self._over:
            self._over = at
            self._place_tools()

    @Slot()
    def _place_tools(self) -> None:
        at = self._tools_row()
        row = self._model.row(at)
        if row is None or row.entry is None:
            self.tools.hide()
            return
        rect = self.visualRect(self._model.index(at))
        # Level with the answer, regardless of the news below it.
        high = self._delegate.height_of_entry()
        top = rect.top() + high - self.tools.height() - self._theme.step(1.5)
        self.tools.move(QPoint(rect.right() - self.tools.width() - self._theme.step(3), top))
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
        row = self._model.row(index.row())
        if row is not None and row.entry is not None:
            self.open_asked.emit(row.entry)

    # Looks

    @Slot()
    def _fit(self) -> None:
        """Put the rows in the middle, the scroll bar at the edge."""
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
        self.tools.restyle()
        self._delegate.restyle()
        self._delegate.tools = self.tools.sizeHint().width() + self._theme.step(3)
        self._fit()
        self.scheduleDelayedItemsLayout()
        self.viewport().update()
