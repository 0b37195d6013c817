"""The names found as a list by type, with their number of occurrences and their probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem

from app.core import wording
from app.core.results import Entity
from app.ui.heads.names.name_styles import NameStyle, draw_swatch
from app.ui.kit.row_list import RIGHT, ROW, Index, RowDelegate, RowList, RowModel
from app.ui.kit.score_bars import draw_bar
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import format_number, localised, tr


@dataclass(frozen=True, slots=True)
class NameRow:
    """A type's heading, without `occurrences`, or a name: the indices of its occurrences, and their mean probability.

    `count` is the number of names below a heading, or of a name's occurrences.
    """

    style: NameStyle
    text: str
    count: int
    occurrences: tuple[int, ...] = ()
    probability: float = 0.0

    @property
    def accessible_text(self) -> str:
        """The row's text for a screen reader."""
        if not self.occurrences:
            return tr("{kind}, {n:,} name", "{kind}, {n:,} names", kind=self.text, n=self.count)
        places = tr("{n:,} place", "{n:,} places", n=self.count)
        likely = localised(wording.likely(self.probability))
        return sentences(self.text, localised(self.style.plain), places, likely)


def name_rows(entities: Sequence[Entity], styles: Sequence[NameStyle]) -> tuple[NameRow, ...]:
    """The rows of the names found: types in the order of `styles`, and in each the most frequent names first.

    Two occurrences of a type are the same name if their words are equal apart from whitespace.
    """
    kinds = {style.label: style for style in styles}
    found: dict[tuple[int, str], list[int]] = {}
    for index, entity in enumerate(entities):
        words = " ".join(entity.text.split())
        found.setdefault((kinds[entity.label].number, words), []).append(index)
    rows: list[NameRow] = []
    for style in styles:
        own = [(words, indices) for (number, words), indices in found.items() if number == style.number]
        if not own:
            continue
        rows.append(NameRow(style, style.plain, len(own)))
        for words, indices in sorted(own, key=lambda name: -len(name[1])):
            mean = sum(entities[index].probability for index in indices) / len(indices)
            rows.append(NameRow(style, words, len(indices), tuple(indices), mean))
    return tuple(rows)


def _words(row: NameRow) -> tuple[str, str, str]:
    tip = localised(wording.likely(row.probability)) if row.occurrences else row.style.label
    return localised(row.text), row.accessible_text, tip


class NameModel(RowModel):
    """The shown rows; a heading cannot be chosen."""

    def __init__(self) -> None:
        super().__init__(_words)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None
        if row is None or not row.occurrences:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


_WIDEST = wording.percent(1.0)
# The opacity of rows that belong to an earlier text.
_FADED = 0.45


class NameDelegate(RowDelegate):
    """Paints a heading (type and number of names), or a name (words, number of occurrences, bar, probability).

    `position` is that of the shown occurrence among those of the chosen name, from 1.
    """

    MIRRORS = True
    position = 0

    def row_height(self, index: Index) -> int:
        row: NameRow | None = index.data(ROW) if index.isValid() else None
        heading = row is not None and not row.occurrences and index.row() > 0
        return self.line_height("ui") + self._theme.step(5.5 if heading else 3)

    def draw(self, painter: QPainter, rect: QRectF, row: NameRow, option: QStyleOptionViewItem) -> None:
        if not option.state & QStyle.StateFlag.State_Enabled:
            painter.setOpacity(_FADED)
        if row.occurrences:
            self._draw_name(painter, rect, row, option)
        else:
            self._draw_heading(painter, rect, row)

    def _draw_heading(self, painter: QPainter, rect: QRectF, row: NameRow) -> None:
        theme, step = self._theme, self._theme.step
        high = self.line_height("ui") + step(1)
        line = QRectF(rect.left(), rect.bottom() - high - step(1), rect.width(), high)
        swatch = QRectF(line.left(), line.top() + step(0.5), step(9), high - step(1))
        draw_swatch(painter, theme, self.mirrored(swatch), row.style)
        words = line.adjusted(swatch.width() + step(2), 0, -step(2), 0)
        names = tr("{n:,} name", "{n:,} names", n=row.count)
        used = self.draw_text(painter, words, names, "small", "ink_quiet", RIGHT)
        words.setRight(words.right() - used - step(2))
        self.draw_text(painter, words, row.text, "small_strong", "ink_quiet")
        painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.colour("line"))

    def _draw_name(self, painter: QPainter, rect: QRectF, row: NameRow, option: QStyleOptionViewItem) -> None:
        theme, step = self._theme, self._theme.step
        current = self.draw_ground(painter, rect, option) and bool(self.position)
        room = rect.adjusted(step(3), 0, -step(2), 0)
        wide = room.width() > step(64)
        self.draw_text(painter, room, wording.percent(row.probability), "small", side=RIGHT)
        room.setRight(room.right() - painter.fontMetrics().horizontalAdvance(localised(_WIDEST)) - step(2))
        if wide:
            bar = QRectF(room.right() - step(9), room.center().y() - step(0.75), step(9), step(1.5))
            from_right = self.is_mirrored
            draw_bar(painter, theme, self.mirrored(bar), row.probability, from_right=from_right)
            room.setRight(bar.left() - step(3))
        if row.count > 1:
            often = f"× {format_number(row.count, ',')}"
            if current:
                often = tr("{place:,} of {count:,}", place=self.position, count=row.count)
            ink = "ink" if current else "ink_quiet"
            used = self.draw_text(painter, room, often, "small", ink, RIGHT)
            room.setRight(room.right() - used - step(2))
        self.draw_text(painter, room, row.text, elide=Qt.TextElideMode.ElideMiddle)


class NameList(RowList):
    """Rows of names, chosen by click or arrow keys; a click on the chosen one, or Enter, requests its next occurrence.

    `chosen` carries the chosen row, `next_requested` the row whose next occurrence is requested; `copy_requested` is
    sent for Ctrl+C.
    """

    chosen = Signal(object)
    next_requested = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._delegate = NameDelegate(theme)
        super().__init__(theme, tr("Names found"), NameModel(), self._delegate)
        self._last_row: NameRow | None = None
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(self._clicked)

    def set_rows(self, rows: Sequence[NameRow]) -> None:
        """Show these rows, none of them chosen."""
        if tuple(rows) != self._model.rows:
            self._model.take(rows)
        self.select(-1)

    def rows(self) -> tuple[NameRow, ...]:
        """The shown rows."""
        return tuple(self._model.rows)

    def select(self, occurrence: int) -> tuple[int, ...]:
        """Choose the name with this occurrence without a signal; none for -1, or for one that is not in the list.

        Returns all occurrences of the chosen name, in text order.
        """
        for number, row in enumerate(self._model.rows):
            if occurrence in row.occurrences:
                self._last_row = row
                self._delegate.position = row.occurrences.index(occurrence) + 1
                if self.row() is not row:
                    self.setCurrentIndex(self._model.index(number))
                self.viewport().update()
                return row.occurrences
        self._last_row, self._delegate.position = None, 0
        self.selectionModel().clear()
        return ()

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
            self.next_requested.emit(before)
            return
        super().keyPressEvent(event)
        self._skip_heading(event.key())
        row = self.row()
        if row is not None and row is not before:
            self._last_row = row
            self.chosen.emit(row)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.row() is None:
            # Qt makes the first row current without choosing it, and the keys would start from there.
            self.selectionModel().clearCurrentIndex()

    def _skip_heading(self, key: int) -> None:
        """Move on to the next name if a key led to a heading."""
        at, rows = self.currentIndex().row(), self._model.rows
        if at < 0 or rows[at].occurrences:
            return
        up = key in (Qt.Key.Key_Up, Qt.Key.Key_PageUp) and at > 0
        self.setCurrentIndex(self._model.index(at - 1 if up else at + 1))
        if at == 0:
            self.scrollToTop()

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        row = self._model.rows[index.row()]
        if not row.occurrences:
            return
        # The press has already selected this row: the one chosen before is the last that a signal carried.
        is_repeated, self._last_row = row is self._last_row, row
        (self.next_requested if is_repeated else self.chosen).emit(row)
