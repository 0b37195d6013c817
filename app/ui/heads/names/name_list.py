"""The names found, as a list by type with their frequency and probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core import wording
from app.core.results import Entity
from app.ui.heads.names.name_styles import NameStyle, draw_swatch
from app.ui.kit.row_list import ROW, Index, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme


@dataclass(frozen=True, slots=True)
class NameRow:
    """A type's heading (no `places`), or a name: the indices of its occurrences, and their mean probability.

    `count` is the number of names below a heading, or of a name's occurrences.
    """

    style: NameStyle
    text: str
    count: int
    places: tuple[int, ...] = ()
    probability: float = 0.0

    @property
    def accessible_text(self) -> str:
        """The row's text for a screen reader."""
        if not self.places:
            return f"{self.text}, {wording.count(self.count, 'name')}"
        places = wording.count(self.count, "place")
        return f"{self.text}. {self.style.plain}. {places}. {wording.likely(self.probability)}."


def name_rows(entities: Sequence[Entity], styles: Sequence[NameStyle]) -> tuple[NameRow, ...]:
    """The rows of the names found, types in the order of `styles`, the most frequent names first.

    Two occurrences are the same name if their words are equal, ignoring whitespace.
    """
    kinds = {style.label: style for style in styles}
    found: dict[tuple[int, str], list[int]] = {}
    for index, entity in enumerate(entities):
        words = " ".join(entity.text.split())
        found.setdefault((kinds[entity.label].number, words), []).append(index)
    rows: list[NameRow] = []
    for style in styles:
        own = [(words, places) for (number, words), places in found.items() if number == style.number]
        if not own:
            continue
        rows.append(NameRow(style, style.plain, len(own)))
        for words, places in sorted(own, key=lambda name: -len(name[1])):
            mean = sum(entities[index].probability for index in places) / len(places)
            rows.append(NameRow(style, words, len(places), tuple(places), mean))
    return tuple(rows)


def _words(row: NameRow) -> tuple[str, str, str]:
    return row.text, row.accessible_text, wording.likely(row.probability) if row.places else row.style.label


class NameModel(RowModel):
    """The rows of the types that are shown; a heading cannot be chosen."""

    def __init__(self) -> None:
        super().__init__(_words)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None
        if row is None or not row.places:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
# What belongs to an earlier text.
_FADED = 0.45


class NameDelegate(QStyledItemDelegate):
    """Paints a heading (the type's style, title and number of names) or a name (its words, frequency, bar, number).

    `place` is the number of the shown occurrence of the chosen name, from 1.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.place = 0
        self._measure()
        theme.changed.connect(self._measure)

    @Slot()
    def _measure(self) -> None:
        """Cache the rows' sizes from the theme: computing them for each of thousands of rows would take a second."""
        theme = self._theme
        high = QFontMetrics(theme.font("ui")).height()
        self._size = QSize(theme.step(40), high + theme.step(3))
        self._heading = QSize(theme.step(40), high + theme.step(5.5))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: NameRow | None = index.data(ROW) if index.isValid() else None
        return self._size if row is None or row.places or not index.row() else self._heading

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: NameRow = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not option.state & QStyle.StateFlag.State_Enabled:
            painter.setOpacity(_FADED)
        if row.places:
            self._draw_name(painter, option, row)
        else:
            self._draw_heading(painter, QRectF(option.rect), row)
        painter.restore()

    def _draw_heading(self, painter: QPainter, rect: QRectF, row: NameRow) -> None:
        theme = self._theme
        high = QFontMetrics(theme.font("ui")).height() + theme.step(1)
        line = QRectF(rect.left(), rect.bottom() - high - theme.step(1), rect.width(), high)
        swatch = QRectF(line.left(), line.top() + theme.step(0.5), theme.step(9), high - theme.step(1))
        draw_swatch(painter, theme, swatch, row.style)
        words = line.adjusted(swatch.width() + theme.step(2), 0, -theme.step(2), 0)
        painter.setPen(theme.colour("ink_quiet"))
        painter.setFont(theme.font("small"))
        number = wording.count(row.count, "name")
        painter.drawText(words, _RIGHT, number)
        words.setRight(words.right() - painter.fontMetrics().horizontalAdvance(number) - theme.step(2))
        painter.setFont(theme.font("small_strong"))
        plain = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, int(words.width()))
        painter.drawText(words, _LEFT, plain)
        painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.colour("line"))

    def _draw_name(self, painter: QPainter, option: QStyleOptionViewItem, row: NameRow) -> None:
        theme = self._theme
        rect = QRectF(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_ground" if chosen else "hover"))
            painter.drawRoundedRect(rect.adjusted(0, 0.5, 0, -0.5), theme.step(1.5), theme.step(1.5))
        if chosen:
            inset = theme.step(1)
            bar = QRectF(rect.left(), rect.top() + inset, theme.step(0.75), rect.height() - 2 * inset)
            painter.fillRect(bar, theme.colour("accent"))
        inner = rect.adjusted(theme.step(3), 0, -theme.step(2), 0)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink"))
        number = painter.fontMetrics().horizontalAdvance("> 99 %")
        painter.drawText(inner, _RIGHT, wording.percent(row.probability))
        right = inner.right() - number - theme.step(2)
        if inner.width() > theme.step(64):
            bar = QRectF(
                right - theme.step(9), inner.center().y() - theme.step(0.75), theme.step(9), theme.step(1.5)
            )
            draw_bar(painter, bar, row.probability, theme.colour("track"), theme.colour("mark"))
            right = bar.left() - theme.step(3)
        often = f"{self.place:,} of {row.count:,}" if chosen and self.place else f"× {row.count:,}"
        if row.count > 1:
            painter.setPen(theme.colour("ink" if chosen and self.place else "ink_quiet"))
            painter.drawText(
                QRectF(inner.left(), inner.top(), right - inner.left(), inner.height()), _RIGHT, often
            )
            right -= painter.fontMetrics().horizontalAdvance(often) + theme.step(2)
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.colour("ink"))
        room = QRectF(inner.left(), inner.top(), right - inner.left(), inner.height())
        words = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideMiddle, int(room.width()))
        painter.drawText(room, _LEFT, words)


class NameList(RowList):
    """Rows of names, chosen by click or arrow keys; a click on the chosen one or Enter requests its next occurrence.

    `chosen` carries the chosen row, `again` the row whose next occurrence is requested; `copy_requested` is for Ctrl+C.
    """

    chosen = Signal(object)
    again = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._delegate = NameDelegate(theme)
        super().__init__(theme, "Names found", NameModel(), self._delegate)
        self._sent_row: NameRow | None = None
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(self._clicked)

    def set_rows(self, rows: Sequence[NameRow]) -> None:
        """Show these rows, none of them chosen."""
        if tuple(rows) != self._model.rows:
            self._model.take(rows)
        self.select(-1)

    def rows(self) -> tuple[NameRow, ...]:
        """The shown rows."""
        return self._model.rows

    def select(self, place: int) -> None:
        """Choose the name with this occurrence, without a signal; none for -1 or an unknown one."""
        for number, row in enumerate(self._model.rows):
            if place in row.places:
                self._sent_row = row
                self._delegate.place = row.places.index(place) + 1
                if self.row() is not row:
                    self.setCurrentIndex(self._model.index(number))
                self.viewport().update()
                return
        self._sent_row, self._delegate.place = None, 0
        self.choose_none()

    def row(self) -> NameRow | None:
        """The chosen row, None without one."""
        rows = self.selectionModel().selectedIndexes()
        return self._model.rows[rows[0].row()] if rows else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.row()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and before is not None:
            self.again.emit(before)
            return
        super().keyPressEvent(event)
        self._skip_heading(event.key())
        row = self.row()
        if row is not None and row is not before:
            self._sent_row = row
            self.chosen.emit(row)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.row() is None:
            # Qt makes the first row current without choosing it: the keys then start from there.
            self.selectionModel().clearCurrentIndex()

    def _skip_heading(self, key: int) -> None:
        """Move on to the next name if a key led to a heading."""
        at, rows = self.currentIndex().row(), self._model.rows
        if at < 0 or rows[at].places:
            return
        up = key in (Qt.Key.Key_Up, Qt.Key.Key_PageUp) and at > 0
        self.setCurrentIndex(self._model.index(at - 1 if up else at + 1))
        if at == 0:
            self.scrollToTop()

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        row = self._model.rows[index.row()]
        if not row.places:
            return
        # The press has already selected it: the previously chosen row is the last one sent.
        once_more, self._sent_row = row is self._sent_row, row
        (self.again if once_more else self.chosen).emit(row)
