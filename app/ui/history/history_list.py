"""The list of the history: how its rows are drawn, and how they are chosen by keys or mouse, with actions for each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QModelIndex, QPoint, QPointF, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QToolButton,
    QToolTip,
)

from app.core.history import Entry
from app.core.message import Message
from app.ui.history.history_model import HistoryModel, Row
from app.ui.kit.boxes import row
from app.ui.kit.parts import as_tip
from app.ui.kit.row_list import RIGHT, ROW, Index, RowDelegate, RowList, menu_place
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

MOST_WIDE = 210  # a row, in steps
_ACTIONS = (
    ("open", "open", "Enter", Message("Open"), Message("Open the document there  (Enter)")),
    ("check", "again", "F5", Message("Check again"), Message("Ask again, and see what changed  (F5)")),
    ("delete", "delete", "Del", Message("Delete"), Message("Delete  (Del)")),
)
_KEYS: dict[int, str] = {
    Qt.Key.Key_Return: "open", Qt.Key.Key_Enter: "open", Qt.Key.Key_F5: "check",
    Qt.Key.Key_Delete: "delete", Qt.Key.Key_Backspace: "delete",
}  # fmt: skip
_APART = "  ·  "
_LEAST_OF_NAME = 0.75  # the name's least share of its room with the note on the part that was read
_MOST_SAID = 0.5  # the verdict's largest share of its room with the name
_VERY_LIKELY = 0.9


def elided_place(row: Row, metrics: QFontMetrics, room: int) -> str:
    """Return where an answer is, in `room` pixels: the page or line in full, and both ends of the document's name.

    File names often differ only at their ends. The note on the part that was read is shortened first, and left out if
    less than half of it would be visible.
    """
    room -= metrics.horizontalAdvance(f"{_APART}{row.place}")
    name, part = metrics.horizontalAdvance(row.name), metrics.horizontalAdvance(row.part)
    if name + part > room:
        name = min(name, max(room - part, int(room * _LEAST_OF_NAME)))
        if 2 * (room - name) < part:
            name, part = min(metrics.horizontalAdvance(row.name), room), 0
    # A pixel more: two rounded widths may exceed their rounded sum.
    shown = metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, name + 1)
    left = room - metrics.horizontalAdvance(shown)
    part_text = metrics.elidedText(row.part, Qt.TextElideMode.ElideRight, left) if part else ""
    return f"{_APART}{shown}{row.place}{part_text}"


class HistoryDelegate(RowDelegate):
    """Draws a day's entries as one card, each with its question, highlighted answer, probability, place, and time.

    `width` is the rows' width, at which the news below an entry is wrapped; `tools` is the width of the buttons at the
    right end of the row under the mouse.
    """

    MIRRORS = True

    def __init__(self, theme: Theme, model: HistoryModel) -> None:
        super().__init__(theme)
        self._model = model
        self.width = 0
        self.tools = 0

    def row_height(self, index: Index) -> int:
        theme = self._theme
        row: Row = index.data(ROW)
        if row.entry is None:
            above = theme.step(6) if index.row() else theme.step(1)
            return above + self.line_height("small_strong") + theme.step(2)
        news = self._news_height(row) + theme.step(2) if row.news else 0
        return self.height_of_entry() + news

    def height_of_entry(self) -> int:
        """Return the height of an entry's row without the news below it."""
        lines = self.line_height("strong") + self.line_height("quote") + self.line_height("small")
        return lines + self._theme.step(9)

    def draw(self, painter: QPainter, rect: QRectF, row: Row, option: QStyleOptionViewItem) -> None:
        if row.entry is None:
            step, high = self._theme.step, self.line_height("small_strong")
            line = QRectF(rect.left() + step(1), rect.bottom() - high - step(2), rect.width(), high)
            self.draw_text(painter, line, row.title, "small_strong", "ink_quiet")
        else:
            self._draw_card(painter, rect, option)
            self._draw_entry(painter, rect, row, option.direction)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show the document's full path, and the part of it that was read, as the tool tip of its name."""
        row: Row | None = index.data(ROW)
        line = QRect(option.rect)
        line.setTop(
            option.rect.top() + self.height_of_entry() - self.line_height("small") - self._theme.step(4)
        )
        if row is None or row.entry is None or not line.contains(event.pos()):
            QToolTip.hideText()
            return False
        QToolTip.showText(event.globalPos(), as_tip(row.tip), view.viewport(), line)
        return True

    def _draw_card(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem) -> None:
        theme = self._theme
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hover = bool(option.state & QStyle.StateFlag.State_MouseOver)
        edge = QPen(theme.colour("line"), 1)
        # Where the card continues, it is drawn beyond the row, so that only its outer corners are round.
        round_by = theme.step(2.5)
        first, last = self._model.edges(option.index.row())
        above, below = (0.5 if first else -2 * round_by), (0.5 if last else -2 * round_by)
        card = rect.adjusted(0.5, above, -0.5, -below)
        painter.setClipRect(rect)
        painter.setPen(edge)
        painter.setBrush(theme.colour("panel"))
        painter.drawRoundedRect(card, round_by, round_by)
        if chosen or hover:
            inside = QPainterPath()
            inside.addRoundedRect(card, round_by, round_by)
            painter.setClipPath(inside, Qt.ClipOperation.IntersectClip)
            painter.fillRect(rect.adjusted(1, 0, -1, 0), theme.colour("accent_ground" if chosen else "hover"))
            if chosen:
                bar = QRectF(rect.left() + 0.5, rect.top(), theme.step(0.75), rect.height())
                painter.fillRect(self.mirrored(bar), theme.colour("accent"))
            painter.setClipRect(rect)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(card, round_by, round_by)
            if option.state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(theme.colour("focus"), 1))
                inset = theme.step(0.75)
                painter.drawRoundedRect(rect.adjusted(inset + 0.5, 2.5, -inset - 0.5, -1.5), inset, inset)
        if not first:
            painter.setPen(edge)
            top = rect.top() + 0.5
            painter.drawLine(QPointF(rect.left() + 1, top), QPointF(rect.right() - 1, top))
        painter.setClipping(False)

    def _draw_entry(self, painter: QPainter, rect: QRectF, row: Row, direction: Qt.LayoutDirection) -> None:
        theme = self._theme
        inner = rect.adjusted(theme.step(4), theme.step(2.5), -theme.step(4), 0)
        painter.setLayoutDirection(direction)
        top = QRectF(inner.left(), inner.top(), inner.width(), self.line_height("strong"))
        used = self.draw_text(painter, top, row.time, "small", "ink_quiet", RIGHT)
        top.setRight(top.right() - used - theme.step(3))
        # Questions and answers follow their own script; the line below them follows the window's language.
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        used = self.draw_text(painter, top, row.title, "strong")
        if row.respelt:
            rest = top.adjusted(used, 0, 0, 0)
            self.draw_text(painter, rest, f"{_APART}{row.respelt}", "small", "ink_quiet")
        middle = QRectF(
            inner.left(), top.bottom() + theme.step(1.5), inner.width(), self.line_height("quote")
        )
        answer = middle.adjusted(0, 0, -self.tools, 0)
        ink = "ink"
        if row.entry is not None and row.entry.shown is not None:
            best = row.entry.best
            self.draw_lit(painter, answer, row.answer, faint=best is None or not row.entry.complete)
            ink = "accent" if best is None else "likely" if best.probability >= _VERY_LIKELY else "ink"
        else:
            self.draw_text(painter, answer, row.answer, "quote", "ink_quiet")
        low = QRectF(
            inner.left(), middle.bottom() + theme.step(1.5), inner.width(), self.line_height("small")
        )
        painter.setLayoutDirection(direction)
        used = self.draw_text(painter, low, row.likely, "small" if ink == "ink" else "small_strong", ink)
        rest = low.adjusted(used, 0, -self.tools, 0)
        if row.said:
            rest.setLeft(self._draw_said(painter, rest, row))
        where = elided_place(row, QFontMetrics(theme.font("small")), int(rest.width()))
        self.draw_text(painter, rest, where, "small", "ink_quiet")
        if row.news:
            self._draw_news(
                painter, QRectF(inner.left(), low.bottom() + theme.step(2), inner.width(), 0), row
            )

    def _draw_said(self, painter: QPainter, line: QRectF, row: Row) -> float:
        """Draw the person's verdict with its icon; returns where it ends."""
        step, theme = self._theme.step, self._theme
        side, name = step(3.5), "check" if row.agreed else "pen"
        sign = QRectF(int(line.left() + step(3)), int(line.center().y() - side / 2), side, side)
        theme.icon(name, "likely").paint(painter, self.mirrored(sign).toRect())
        left = sign.right() - 1 + step(1.25)
        words = QRectF(left, line.top(), (line.right() - left) * _MOST_SAID, line.height())
        return left + self.draw_text(painter, words, row.said, "small_strong")

    def _draw_news(self, painter: QPainter, place: QRectF, row: Row) -> None:
        theme = self._theme
        height = self._news_height(row)
        bar = QRectF(place.left(), place.top(), theme.step(0.5), height)
        painter.fillRect(self.mirrored(bar), theme.colour("accent" if row.changed else "line_strong"))
        words = QRectF(place.left() + theme.step(2.5), place.top(), place.width() - theme.step(2.5), height)
        self.draw_wrapped(painter, words, row.news, ink="ink" if row.changed else "ink_quiet")

    def _news_height(self, row: Row) -> int:
        return self.wrapped_height(row.news, self.width - self._theme.step(10.5))


class HistoryList(RowList):
    """Entries by day. The arrow keys choose, Enter or a click opens, Delete deletes, F5 asks again.

    `asked` carries an action (open, check, delete, copy) and the Entry; `up_requested` is sent when Up is pressed on
    the first entry.
    """

    asked = Signal(str, object)
    up_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self.history = HistoryModel()
        self._delegate = HistoryDelegate(theme, self.history)
        super().__init__(theme, tr("What was asked before"), self.history, self._delegate, bare=True)
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
        aside = max(self._theme.step(8), (self.width() - self._theme.step(MOST_WIDE)) // 2)
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
