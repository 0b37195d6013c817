"""Words with their probabilities, each to be picked by a click, a digit or Enter."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core import wording
from app.ui.kit.row_list import ROW, Index, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme

_KEYPAD = Qt.KeyboardModifier.KeypadModifier


@dataclass(frozen=True, slots=True)
class WordRow:
    """A word and its probability, 0 to 1."""

    word: str
    probability: float


def _words(row: WordRow) -> tuple[str, str, str]:
    likely = wording.finely(row.probability)
    return row.word, f"{row.word}, {likely}", f"{row.word}, {likely}"


class _Painter(QStyledItemDelegate):
    """A row: its key, the word, the bar and the number."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.faded = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        theme = self._theme
        return QSize(theme.step(40), QFontMetrics(theme.font("quote")).height() + theme.step(3))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self._theme, index.data(ROW)
        state = option.state
        enabled = not self.faded
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = enabled and bool(state & QStyle.StateFlag.State_Selected)
        if chosen or (enabled and state & QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_ground" if chosen else "hover"))
            painter.drawRoundedRect(rect.adjusted(0, 0, 0, -1), theme.step(1.5), theme.step(1.5))
        else:
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.colour("line"))
        inner = rect.adjusted(theme.step(2), 0, -theme.step(2), 0)
        key, number = QFontMetrics(theme.font("small")), QFontMetrics(theme.font("ui"))
        quiet = theme.colour("ink_quiet" if enabled else "ink_disabled")
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font("small"))
        painter.setPen(quiet)
        if index.row() < 9:
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | middle, str(index.row() + 1))
        left = inner.left() + key.horizontalAdvance("9") + theme.step(3)
        painter.setPen(theme.colour("ink" if enabled else "ink_disabled"))
        painter.setFont(theme.font("ui"))
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | middle, wording.finely(row.probability))
        right = inner.right() - number.horizontalAdvance("0.0001 %") - theme.step(2)
        wide = min(theme.step(28), (right - left) * 0.45)
        bar = QRectF(right - wide, rect.center().y() - theme.step(0.875), wide, theme.step(1.75))
        fill = theme.colour("mark" if enabled and index.row() == 0 else "mark_faint")
        draw_bar(painter, bar, row.probability, theme.colour("track"), fill)
        painter.setFont(theme.font("quote"))
        painter.setPen(theme.colour("ink" if enabled else "ink_disabled"))
        place = QRectF(left, inner.top(), bar.left() - theme.step(3) - left, inner.height())
        word = painter.fontMetrics().elidedText(row.word, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | middle, word)
        painter.restore()


class WordList(RowList):
    """Rows of words, best first. `picked` carries the number of the one picked by click, Enter or digit.

    `undo_requested` and `redo_requested` pass the keys on to the text editor; Ctrl+C copies the rows, with tabs.
    """

    picked = Signal(int)
    undo_requested = Signal()
    redo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._painter = _Painter(theme)
        super().__init__(theme, "Words for the blank", RowModel(_words), self._painter)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._picked)

    def set_rows(self, rows: tuple[WordRow, ...]) -> None:
        """Show these words in their order, the first one chosen."""
        self._model.take(rows)
        self.setAccessibleDescription(
            ", ".join(f"{r.word} {wording.finely(r.probability)}" for r in rows[:3])
        )
        if rows:
            self.setCurrentIndex(self._model.index(0))
        self.updateGeometry()

    def set_outdated(self, outdated: bool) -> None:
        """Grey the words, which then cannot be picked. The keyboard focus stays."""
        self._painter.faded = outdated
        self.viewport().update()

    def rows(self) -> tuple[WordRow, ...]:
        """The shown rows."""
        return self._model.rows

    def pick(self, row: int) -> None:
        """Pick a word as a click does, unless the words belong to an earlier text."""
        self._picked(self._model.index(row))

    def sizeHint(self) -> QSize:
        height = self._painter.sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
        return QSize(self._theme.step(50), max(1, len(self._model.rows)) * height + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(30), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        digit = event.key() - Qt.Key.Key_1
        if event.matches(QKeySequence.StandardKey.Copy):
            lines = (f"{row.word}\t{row.probability:.6g}" for row in self._model.rows)
            QGuiApplication.clipboard().setText("\n".join(lines))
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.undo_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.redo_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & ~_KEYPAD:
            self._picked(self.currentIndex())
        elif 0 <= digit < min(9, len(self._model.rows)) and not event.modifiers() & ~_KEYPAD:
            self.pick(digit)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    @Slot(QModelIndex)
    def _picked(self, index: QModelIndex) -> None:
        if index.isValid() and not self._painter.faded:
            self.picked.emit(index.row())
