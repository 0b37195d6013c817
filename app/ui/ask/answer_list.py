"""The other places that may answer, best first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core import wording
from app.ui.document.marks.places import Place
from app.ui.kit.row_list import ROW, Index, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme

_BEFORE = 5


def _words(place: Place) -> tuple[str, str, str]:
    where = f"{place.where}. {place.cell}" if place.cell else place.where
    return place.text, f"{place.text}. {place.likely}. {where}.", f"{place.likely}, {where}"


class PlaceDelegate(QStyledItemDelegate):
    """A row: the words, a piece of their sentence, their place, the bar and the number."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        theme = self._theme
        lines = QFontMetrics(theme.font("strong")).height() + 2 * QFontMetrics(theme.font("small")).height()
        return QSize(theme.step(40), lines + theme.step(5))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._theme
        place: Place = index.data(ROW)
        rect = QRectF(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hover = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or hover:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_ground" if chosen else "hover"))
            painter.drawRoundedRect(rect.adjusted(0, 0, 0, -1), theme.step(1.5), theme.step(1.5))
        else:
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.colour("line"))
        if chosen:
            painter.fillRect(
                QRectF(
                    rect.left(), rect.top() + theme.step(2), theme.step(0.75), rect.height() - theme.step(4)
                ),
                theme.colour("accent"),
            )
        inner = rect.adjusted(theme.step(3), theme.step(2), -theme.step(2), -theme.step(2.5))
        self._paint_score(painter, inner, place)
        words_width = inner.width() - self._score_width(inner) - theme.step(3)
        left = QRectF(inner.left(), inner.top(), words_width, inner.height())
        self._paint_words(painter, left, place)
        painter.restore()

    def _paint_words(self, painter: QPainter, box: QRectF, place: Place) -> None:
        theme = self._theme
        elide = Qt.TextElideMode.ElideRight
        strong, small = theme.font("strong"), theme.font("small")
        painter.setFont(strong)
        painter.setPen(theme.colour("ink"))
        metrics = QFontMetrics(strong)
        line = QRectF(box.left(), box.top(), box.width(), metrics.height())
        words = " ".join(place.text.split())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, metrics.elidedText(words, elide, int(box.width())))
        painter.setFont(small)
        painter.setPen(theme.colour("ink_quiet"))
        metrics = QFontMetrics(small)
        line = QRectF(box.left(), line.bottom() + theme.step(0.5), box.width(), metrics.height())
        snippet = self._snippet(place, metrics, int(box.width()))
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, snippet)
        line.translate(0, metrics.height())
        where = f"{place.cell} · {place.where}" if place.cell else place.where
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, metrics.elidedText(where, elide, int(box.width())))

    def _snippet(self, place: Place, metrics: QFontMetrics, width: int) -> str:
        """As much of the sentence as fits, beginning a few words before the answer; less of it before a long one."""
        before = place.sentence[: place.start].split()
        words = " ".join(place.text.split())
        if metrics.horizontalAdvance(words) > width * 0.6:
            after = " ".join(place.sentence[place.end :].split())
            around = f"{' '.join(before[-_BEFORE:])} … {after}" if before else f"… {after}"
            return metrics.elidedText(around.strip(" …") and around, Qt.TextElideMode.ElideRight, width)
        rest = " ".join(place.sentence[place.start :].split())
        for count in range(min(4, len(before)), -1, -1):
            lead = " ".join(before[len(before) - count :])
            shown = f"{'… ' if count < len(before) else ''}{lead}{' ' if lead else ''}{rest}"
            upto = f"{shown[: len(shown) - len(rest)]}{' '.join(place.text.split())}"
            if count == 0 or metrics.horizontalAdvance(upto) <= width * 0.85:
                return metrics.elidedText(shown, Qt.TextElideMode.ElideRight, width)
        return ""

    def _score_width(self, box: QRectF) -> int:
        # Where there is little room, the number is shown without the bar.
        bar = self._theme.step(13) if box.width() >= self._theme.step(72) else 0
        return bar + QFontMetrics(self._theme.font("ui")).horizontalAdvance("> 99%")

    def _paint_score(self, painter: QPainter, box: QRectF, place: Place) -> None:
        theme = self._theme
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.colour("ink"))
        number_width = painter.fontMetrics().horizontalAdvance("> 99%")
        painter.drawText(
            QRectF(box.right() - number_width, box.top(), number_width, box.height()),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            wording.percent(place.probability),
        )
        wide = self._score_width(box)
        if wide > number_width:
            top = box.center().y() - theme.step(0.75)
            bar = QRectF(box.right() - wide, top, theme.step(11), theme.step(1.5))
            draw_bar(painter, bar, place.probability, theme.colour("track"), theme.colour("mark"))


class AnswerList(RowList):
    """Places in rows as high as they need; the arrow keys and a click choose one.

    `chosen` carries the row, also when the chosen row is clicked again; `copy_asked` the row for Ctrl+C.
    """

    chosen = Signal(int)
    copy_asked = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self._delegate = PlaceDelegate(theme)
        super().__init__(theme, "Other places", RowModel(_words), self._delegate)
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
        """The places shown."""
        return self._model.rows

    def select(self, row: int) -> None:
        """Select a row without sending `chosen`; -1 for none."""
        if row < 0:
            self.choose_none()
        else:
            self.setCurrentIndex(self._model.index(row))

    def row(self) -> int:
        """The chosen row, -1 without one."""
        rows = self.selectionModel().selectedIndexes()
        return rows[0].row() if rows else -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.row()
        if event.matches(QKeySequence.StandardKey.Copy):
            if before >= 0:
                self.copy_asked.emit(before)
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and before >= 0:
            self.chosen.emit(before)
            return
        super().keyPressEvent(event)
        if self.row() != before and self.row() >= 0:
            self.chosen.emit(self.row())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if (
            event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
            and self.row() < 0
        ):
            # Qt makes the first row current without choosing it: the keys then start from there.
            self.selectionModel().clearCurrentIndex()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(60), self.height())

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    @Slot()
    def _restyle(self) -> None:
        row = self._delegate.sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
        self.setFixedHeight(row * len(self._model.rows) + 2)
        self.setVisible(bool(self._model.rows))
        super()._restyle()
