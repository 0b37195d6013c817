"""The other places that may answer, best first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.core import wording
from app.ui.document.marks.places import Place
from app.ui.kit.row_list import RIGHT, ROW, Index, RowDelegate, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_WORDS_BEFORE = 5


def _row_texts(place: Place) -> tuple[str, str, str]:
    likely, where = localised(place.likely), localised(place.where)
    where = f"{where}. {localised(place.cell)}" if place.cell else where
    source = f"{place.source}, " if place.document else ""
    spoken = sentences(place.text, likely, f"{source}{where}")
    return place.text, spoken, f"{likely}, {source}{where}"


class PlaceDelegate(RowDelegate):
    """Draws a row: the words, a part of their sentence, their place, and their probability as a bar and a number.

    With several documents, the name of each stands above its first row.
    """

    def row_height(self, index: Index) -> int:
        row = self.line_height("strong") + 2 * self.line_height("small") + self._theme.step(5)
        return row + (self._head_height() if index.isValid() and self._begins_document(index) else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if self._begins_document(index):
            step = self._theme.step
            head = QRectF(option.rect)
            head.setHeight(self._head_height())
            name = head.adjusted(0, step(3), -step(2), -step(1))
            middle = Qt.TextElideMode.ElideMiddle
            self.draw_text(painter, name, index.data(ROW).source, "strong", elide=middle)
            option = QStyleOptionViewItem(option)
            option.rect.setTop(option.rect.top() + self._head_height())
        super().paint(painter, option, index)

    def _head_height(self) -> int:
        return self.line_height("strong") + self._theme.step(4)

    def _begins_document(self, index: Index) -> bool:
        before = index.sibling(index.row() - 1, 0)
        above = before.data(ROW).document if before.isValid() else ""
        return bool(index.data(ROW).document != above)

    def draw(self, painter: QPainter, rect: QRectF, row: Place, option: QStyleOptionViewItem) -> None:
        step = self._theme.step
        self.draw_ground(painter, rect, option)
        inner = rect.adjusted(step(3), step(2), -step(2), -step(2.5))
        self._draw_score(painter, inner, row)
        width = inner.width() - self._score_width(inner) - step(3)
        line = QRectF(inner.left(), inner.top(), width, self.line_height("strong"))
        self.draw_text(painter, line, " ".join(row.text.split()), "strong")
        line = QRectF(line.left(), line.bottom() + step(0.5), width, self.line_height("small"))
        snippet = self._snippet(row, QFontMetrics(self._theme.font("small")), int(width))
        self.draw_text(painter, line, snippet, "small", "ink_quiet")
        line.translate(0, line.height())
        where = localised(row.where)
        where = f"{localised(row.cell)} · {where}" if row.cell else where
        self.draw_text(painter, line, where, "small", "ink_quiet")

    def _snippet(self, place: Place, metrics: QFontMetrics, width: int) -> str:
        """Return as much of the sentence as fits, from a few words before the answer on; a long answer is left out."""
        before = place.sentence[: place.start].split()
        words = " ".join(place.text.split())
        if metrics.horizontalAdvance(words) > width * 0.6:
            after = " ".join(place.sentence[place.end :].split())
            after = after if any(letter.isalnum() for letter in after) else ""
            around = f"{' '.join(before[-_WORDS_BEFORE:])} … {after}".strip()
            shown = metrics.elidedText(around.strip(" …") and around, Qt.TextElideMode.ElideRight, width)
            return shown.replace("……", "…")  # where it is cut at the gap
        rest = " ".join(place.sentence[place.start :].split())
        for count in range(min(4, len(before)), -1, -1):
            lead = " ".join(before[len(before) - count :])
            shown = f"{'… ' if count < len(before) else ''}{lead}{' ' if lead else ''}{rest}"
            upto = f"{shown[: len(shown) - len(rest)]}{' '.join(place.text.split())}"
            if count == 0 or metrics.horizontalAdvance(upto) <= width * 0.85:
                return metrics.elidedText(shown, Qt.TextElideMode.ElideRight, width)
        return ""

    def _score_width(self, box: QRectF) -> int:
        # In a narrow list the number is shown without the bar.
        bar = self._theme.step(13) if box.width() >= self._theme.step(72) else 0
        return bar + self._number_width()

    def _number_width(self) -> int:
        return QFontMetrics(self._theme.font("ui")).horizontalAdvance(localised(wording.percent(1.0)))

    def _draw_score(self, painter: QPainter, box: QRectF, place: Place) -> None:
        theme, wide = self._theme, self._score_width(box)
        number = self._number_width()
        score = QRectF(box.right() - number, box.top(), number, box.height())
        self.draw_text(painter, score, wording.percent(place.probability), side=RIGHT)
        if wide > number:
            top = box.center().y() - theme.step(0.75)
            bar = QRectF(box.right() - wide, top, theme.step(11), theme.step(1.5))
            draw_bar(painter, theme, bar, place.probability)


class AnswerList(RowList):
    """The places in a list without a scroll bar; the arrow keys and a click choose one.

    `chosen` carries the index of a row's answer, 1 for the first row, also when the chosen row is clicked again;
    `copy_requested` carries the same on Ctrl+C.
    """

    chosen = Signal(int)
    copy_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self._delegate = PlaceDelegate(theme, line=True)
        super().__init__(theme, tr("Other places"), RowModel(_row_texts), self._delegate)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._clicked)
        self._restyle()

    def set_places(self, places: Sequence[Place]) -> None:
        """Show these places, none of them chosen."""
        if tuple(places) != self._model.rows:
            self._model.take(places)
            self._restyle()
        self.select(-1)

    def places(self) -> tuple[Place, ...]:
        """Return the places shown."""
        return tuple(self._model.rows)

    def select(self, row: int) -> None:
        """Select a row without sending `chosen`; -1 selects none."""
        if row < 0:
            self.selectionModel().clear()
        else:
            self.setCurrentIndex(self._model.index(row))

    def row(self) -> int:
        """Return the chosen row, -1 without one."""
        rows = self.selectionModel().selectedIndexes()
        return rows[0].row() if rows else -1

    def spoken(self) -> str:
        """Return the chosen row's text for a screen reader."""
        return str(self.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) or "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.row()
        if event.matches(QKeySequence.StandardKey.Copy):
            if before >= 0:
                self.copy_requested.emit(before + 1)
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and before >= 0:
            self.chosen.emit(before + 1)
            return
        super().keyPressEvent(event)
        if self.row() != before and self.row() >= 0:
            self.chosen.emit(self.row() + 1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if (
            event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
            and self.row() < 0
        ):
            # Qt makes the first row current without selecting it, so that Down would skip it.
            self.selectionModel().clearCurrentIndex()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(60), self.height())

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row() + 1)

    @Slot()
    def _restyle(self) -> None:
        super()._restyle()
        rows = range(len(self._model.rows))
        self.setFixedHeight(sum(self._delegate.row_height(self._model.index(row)) for row in rows) + 2)
        self.setVisible(bool(self._model.rows))
