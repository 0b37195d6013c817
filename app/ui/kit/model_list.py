"""A list of models, installed or offered: name, task, size, and use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.kit.row_list import ROW, Index, RowList, RowModel
from app.ui.kit.theme import Theme

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model: `key` identifies it to the view, `line` describes it, `size` and `sign` are shown at the right.

    `faulty` marks one that cannot be used as it is.
    """

    key: str
    title: str
    line: str
    size: str = ""
    sign: str = ""
    faulty: bool = False


class _Painter(QStyledItemDelegate):
    """Paints two lines: the name with its size, the description with its sign."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        theme = self._theme
        high = QFontMetrics(theme.font("strong")).height() + QFontMetrics(theme.font("small")).height()
        return QSize(theme.step(40), high + theme.step(6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self._theme, index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_ground" if chosen else "hover"))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), theme.step(1.5), theme.step(1.5))
        if chosen:
            inset = theme.step(2)
            bar = QRectF(rect.left(), rect.top() + inset, theme.step(0.75), rect.height() - 2 * inset)
            painter.fillRect(bar, theme.colour("accent"))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.colour("focus"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.5, 1.5, -0.5, -1.5), theme.step(1.5), theme.step(1.5))
        inner = rect.adjusted(theme.step(3), theme.step(2.5), -theme.step(3), -theme.step(2.5))
        upper = QRectF(inner.left(), inner.top(), inner.width(), inner.height() * 0.52)
        lower = QRectF(inner.left(), upper.bottom(), inner.width(), inner.height() - upper.height())
        role = "fault" if row.faulty else "ink"
        self._draw_line(painter, upper, (row.title, "strong", role), (row.size, "small", "ink_quiet"))
        self._draw_line(
            painter, lower, (row.line, "small", "ink_quiet"), (row.sign, "small_strong", "likely")
        )
        painter.restore()

    def _draw_line(
        self, painter: QPainter, line: QRectF, left: tuple[str, str, str], right: tuple[str, str, str]
    ) -> None:
        room = line
        for (words, use, role), side in ((right, _RIGHT), (left, _LEFT)):
            if not words:
                continue
            painter.setFont(self._theme.font(use))
            painter.setPen(self._theme.colour(role))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(room.width()) + 1)
            painter.drawText(room, side, shown)
            room = line.adjusted(0, 0, -metrics.horizontalAdvance(shown) - self._theme.step(3), 0)


class ModelList(RowList):
    """Rows of models, one of them chosen by mouse or arrow keys.

    `chosen` carries the key of a row as soon as it is chosen, `entered` for Enter or a double click, `remove_asked` for
    Delete; `up_asked` is sent when the keys go up from the first row.
    """

    chosen = Signal(str)
    entered = Signal(str)
    remove_asked = Signal(str)
    up_asked = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, RowModel(_row_texts), _Painter(theme))
        self.setProperty("bare", "true")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.viewport().setAutoFillBackground(False)
        self.doubleClicked.connect(self._double_clicked)
        self.selectionModel().currentChanged.connect(self._moved)

    def sizeHint(self) -> QSize:
        """Room for two rows at least; more where there is more."""
        return QSize(
            self._theme.step(60), 2 * self.sizeHintForRow(0) if self._model.rows else self._theme.step(30)
        )

    def set_rows(self, rows: Sequence[ModelRow]) -> None:
        """Show these rows; the chosen one stays chosen if it is still there, without a signal."""
        key = self.key()
        if tuple(rows) != self._model.rows:
            self.selectionModel().blockSignals(True)
            self._model.take(rows)
            self.selectionModel().blockSignals(False)
            self.choose(key)

    def rows(self) -> tuple[ModelRow, ...]:
        """The shown rows."""
        return self._model.rows

    def key(self) -> str:
        """The key of the chosen row, empty without one."""
        at = self.currentIndex().row()
        return self._model.rows[at].key if 0 <= at < len(self._model.rows) else ""

    def choose(self, key: str) -> bool:
        """Choose the row of this key without a signal, or none; returns whether there is one."""
        at = next((at for at, row in enumerate(self._model.rows) if row.key == key), -1)
        self.selectionModel().blockSignals(True)
        if at >= 0:
            self.setCurrentIndex(self._model.index(at))
            self.scrollTo(self._model.index(at))
        else:
            self.choose_none()
        self.selectionModel().blockSignals(False)
        self.viewport().update()
        return at >= 0

    def go_in(self) -> None:
        """Put the keyboard focus here, on a row."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if self._model.rows and not self.key():
            self.setCurrentIndex(self._model.index(0))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # Qt makes the first row current without choosing it.
        at = self.currentIndex()
        if at.isValid() and not self.selectionModel().isSelected(at):
            self.setCurrentIndex(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.key():
            self.entered.emit(self.key())
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.key():
            self.remove_asked.emit(self.key())
        elif key == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.up_asked.emit()
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
    details = f"{row.line}, {row.size}, {row.sign}".rstrip(", ")
    return row.title, f"{row.title}: {details}", f"{row.title}\n{row.line}"
