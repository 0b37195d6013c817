"""Words with their probabilities, each to be picked by a click, a digit or Enter."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionViewItem

from app.core import wording
from app.core.results import Guess
from app.ui.kit.row_list import RIGHT, Index, RowDelegate, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_KEYPAD = Qt.KeyboardModifier.KeypadModifier


def _words(row: Guess) -> tuple[str, str, str]:
    likely = localised(wording.precise_percent(row.probability))
    return row.word, f"{row.word}, {likely}", f"{row.word}, {likely}"


class _WordDelegate(RowDelegate):
    """Paints a row: its key, the word, a bar and the probability; pale while `faded`."""

    MIRRORS = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, line=True)
        self.faded = False

    def row_height(self, index: Index) -> int:
        return self.line_height("quote") + self._theme.step(3)

    def draw(self, painter: QPainter, rect: QRectF, row: Guess, option: QStyleOptionViewItem) -> None:
        theme, step, at = self._theme, self._theme.step, option.index.row()
        if self.faded:
            option.state = QStyle.StateFlag.State_None
        self.draw_ground(painter, rect, option, bar=False)
        ink, quiet = ("ink_disabled",) * 2 if self.faded else ("ink", "ink_quiet")
        inner = rect.adjusted(step(2), 0, -step(2), 0)
        if at < 9:
            self.draw_text(painter, inner, str(at + 1), "small", quiet)
        left = inner.left() + QFontMetrics(theme.font("small")).horizontalAdvance("9") + step(3)
        self.draw_text(painter, inner, wording.precise_percent(row.probability), "ui", ink, RIGHT)
        right = inner.right() - painter.fontMetrics().horizontalAdvance("0.0001%") - step(2)
        wide = min(step(28), (right - left) * 0.45)
        bar = QRectF(right - wide, rect.center().y() - step(0.875), wide, step(1.75))
        faint, from_right = self.faded or at > 0, self.is_mirrored
        draw_bar(painter, theme, self.mirrored(bar), row.probability, faint=faint, from_right=from_right)
        place = QRectF(left, inner.top(), bar.left() - step(3) - left, inner.height())
        self.draw_text(painter, place, row.word, "quote", ink)


class WordList(RowList):
    """Rows of words, the likeliest first. `picked` carries the index of the one picked by click, Enter or digit.

    `undo_requested` and `redo_requested` pass these keys on to the text editor; Ctrl+C copies the rows, with tabs.
    """

    picked = Signal(int)
    undo_requested = Signal()
    redo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._delegate = _WordDelegate(theme)
        super().__init__(theme, tr("Words for the blank"), RowModel(_words), self._delegate)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._picked)

    def set_rows(self, rows: tuple[Guess, ...]) -> None:
        """Show these words in their order, the first one chosen."""
        self._model.take(rows)
        self.setAccessibleDescription(
            ", ".join(f"{r.word} {localised(wording.precise_percent(r.probability))}" for r in rows[:3])
        )
        if rows:
            self.setCurrentIndex(self._model.index(0))
        self.updateGeometry()

    def set_outdated(self, outdated: bool) -> None:
        """Set whether the words are greyed and cannot be picked; the keyboard focus stays."""
        self._delegate.faded = outdated
        self.viewport().update()

    def rows(self) -> tuple[Guess, ...]:
        """The shown rows."""
        return tuple(self._model.rows)

    def pick(self, row: int) -> None:
        """Pick a word as a click does, unless the words belong to an earlier text."""
        self._picked(self._model.index(row))

    def sizeHint(self) -> QSize:
        height = self._delegate.row_height(QModelIndex())
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
        if index.isValid() and not self._delegate.faded:
            self.picked.emit(index.row())
