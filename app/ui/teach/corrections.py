"""The list of corrections: the question, the right words, the reader's answer, the document and the day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.core.corrections import Correction, Verdict
from app.core.days import day, local
from app.core.message import Message
from app.core.wording import UNNAMED, first_words
from app.ui.kit.row_list import RIGHT, Index, RowDelegate, RowList, RowModel
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

ABSENT = Message("Not in the text")
_LONGEST = 400  # characters of a question, and of the right words


@dataclass(frozen=True, slots=True)
class Row:
    """A correction with the texts that are shown of it; `words` are empty if the text does not answer."""

    correction: Correction
    question: str
    words: str
    said: str
    name: str
    when: str

    @property
    def spoken(self) -> str:
        """The row's text for screen readers."""
        return ". ".join((self.question, self.words or localised(ABSENT), self.said, self.name, self.when))


def row_of(correction: Correction) -> Row:
    """The row of a correction."""
    moment, today = local(correction.judged), date.today()
    when = day(moment.date(), today)
    if (today - moment.date()).days < 2:
        when = Message("{date}, {time}", date=when, time=f"{moment:%H:%M}")
    return Row(
        correction,
        first_words(correction.question, _LONGEST),
        first_words(correction.words, _LONGEST),
        _reader_said(correction),
        " ".join(correction.name.split()) or localised(UNNAMED),
        localised(when),
    )


def _reader_said(correction: Correction) -> str:
    """The reader's answer, in words."""
    words = first_words(correction.shown, 80)
    if correction.is_agreed:
        return tr("The reader was right")
    if correction.low_confidence:
        return tr("The reader said, with low confidence, “{words}”", words=words)
    if not correction.answered:
        return tr("The reader gave no answer")
    return tr("The reader said “{words}”", words=words)


class _CorrectionDelegate(RowDelegate):
    """Paints three lines: the question and the day, the right words highlighted, the reader's answer and the file."""

    def row_height(self, index: Index) -> int:
        lines = self.line_height("strong") + self.line_height("quote") + self.line_height("small")
        return lines + self._theme.step(8.5)

    def draw(self, painter: QPainter, rect: QRectF, row: Row, option: QStyleOptionViewItem) -> None:
        step = self._theme.step
        self.draw_ground(painter, rect, option)
        self.draw_focus(painter, rect, option)
        inner = rect.adjusted(step(4), step(2.5), -step(4), 0)
        top = QRectF(inner.left(), inner.top(), inner.width(), self.line_height("strong"))
        used = self.draw_text(painter, top, row.when, "small", "ink_quiet", RIGHT)
        top.setRight(top.right() - used - step(3))
        # Questions and answers are in any script; the line below them is in the window's language.
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.draw_text(painter, top, row.question, "strong")
        middle = QRectF(inner.left(), top.bottom() + step(1.5), inner.width(), self.line_height("quote"))
        if row.words:
            self.draw_lit(painter, middle, row.words, own=row.correction.verdict is Verdict.OTHER_WORDS)
        else:
            self.draw_text(painter, middle, ABSENT, "quote", "ink_quiet")
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        low = QRectF(inner.left(), middle.bottom() + step(1.5), inner.width(), self.line_height("small"))
        agreed = row.correction.is_agreed
        name = QRectF(low)
        name.setLeft(low.left() + 0.6 * low.width())
        used = self.draw_text(
            painter, name, row.name, "small", "ink_quiet", RIGHT, Qt.TextElideMode.ElideMiddle
        )
        low.setRight(low.right() - used - step(3))
        self.draw_text(painter, low, row.said, "small", "likely" if agreed else "ink_quiet")


class CorrectionList(RowList):
    """Corrections, newest first.

    `opened` (Enter, a double click), `deleted` and `copied` are about the chosen correction; `chosen` is sent when
    another one, or none, is chosen, `up_requested` by the arrow key above the first one.
    """

    opened = Signal()
    deleted = Signal()
    copied = Signal()
    chosen = Signal()
    up_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(
            theme, tr("Corrections"), RowModel(_texts), _CorrectionDelegate(theme, line=True), bare=True
        )
        self.doubleClicked.connect(self.opened)
        self.selectionModel().selectionChanged.connect(self.chosen)

    def show_corrections(self, corrections: Sequence[Correction]) -> None:
        """Show these corrections; the chosen one stays chosen, or else the one in its place."""
        before, at = self.correction(), self.currentIndex().row()
        self._model.take([row_of(each) for each in corrections])
        if before is not None and not self.choose(before.number):
            self._choose_row(min(at, len(corrections) - 1))
        self.chosen.emit()

    def corrections(self) -> tuple[Correction, ...]:
        """The listed corrections."""
        return tuple(row.correction for row in self._model.rows)

    def correction(self) -> Correction | None:
        """The chosen correction."""
        rows = self.selectionModel().selectedIndexes()
        return self._model.rows[rows[0].row()].correction if rows else None

    def choose(self, number: int) -> bool:
        """Choose a correction by its number, and scroll to it; returns whether it is listed."""
        at = next((at for at, one in enumerate(self.corrections()) if one.number == number), -1)
        self._choose_row(at)
        return at >= 0

    def go_in(self) -> None:
        """Focus the list, and choose its first row if none is chosen."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if self.correction() is None:
            self._choose_row(0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason and self.correction() is None:
            self._choose_row(max(0, self.currentIndex().row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        one, key = self.correction(), event.key()
        if event.matches(QKeySequence.StandardKey.Copy) and one is not None:
            self.copied.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and one is not None:
            self.opened.emit()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and one is not None:
            self.deleted.emit()
        elif key == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.up_requested.emit()
        else:
            super().keyPressEvent(event)

    def _choose_row(self, at: int) -> None:
        if 0 <= at < len(self._model.rows):
            self.setCurrentIndex(self._model.index(at))
            self.scrollTo(self._model.index(at))


def _texts(row: Row) -> tuple[str, str, str]:
    return row.question, row.spoken, f"{row.correction.path or row.name}\n{row.said}"
