"""The outline of a document: a narrow list of its headings that leads to them, and follows the page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem

from app.core.layout import OutlineEntry
from app.ui.kit.row_list import ROW, Index, RowDelegate, RowList, RowModel
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_DEEPEST = 6


class _TitleDelegate(RowDelegate):
    """Draws a title, indented by its level."""

    def row_height(self, index: Index) -> int:
        return self.line_height("small") + self._theme.step(2.5)

    def draw(self, painter: QPainter, rect: QRectF, row: OutlineEntry, option: QStyleOptionViewItem) -> None:
        step = self._theme.step
        chosen = self.draw_ground(painter, rect, option)
        room = rect.adjusted(step(3) + step(2.5) * (min(row.level, _DEEPEST) - 1), 0, -step(2), 0)
        ink = "ink" if chosen or row.level == 1 else "ink_quiet"
        self.draw_text(painter, room, row.title, "small_strong" if chosen else "small", ink)
        self.draw_focus(painter, rect, option)


class OutlineList(RowList):
    """The titles of a document's outline; `entry_chosen` carries the OutlineEntry that was clicked or entered."""

    entry_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        self._titles = RowModel(_row_texts)
        self._title_delegate = _TitleDelegate(theme)
        super().__init__(theme, tr("Outline"), self._titles, self._title_delegate)
        self._places: list[tuple[int, int]] = []
        self.setProperty("kind", "outline")
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(self._go_to)

    def show_entries(self, entries: Sequence[OutlineEntry]) -> None:
        """List these titles."""
        least = min((entry.level for entry in entries), default=1) - 1
        self._titles.take(
            [OutlineEntry(each.title, each.level - least, each.point, each.page) for each in entries]
        )
        # A PDF's bookmarks may not be in the order of the places that they lead to.
        self._places = []
        for entry in entries:
            place = entry.page, entry.point
            self._places.append(max(place, self._places[-1]) if self._places else place)

    def follow(self, place: tuple[int, int]) -> None:
        """Select the title of a place in the document: the page from 1, 0 without pages, and the code point."""
        at = bisect_right(self._places, place) - 1
        index = self._titles.index(at, 0)
        if not index.isValid():
            self.choose_none()
        elif index != self.currentIndex():
            self.setCurrentIndex(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._go_to(self.currentIndex())
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _go_to(self, index: QModelIndex) -> None:
        self.entry_chosen.emit(index.data(ROW))


def _row_texts(entry: OutlineEntry) -> tuple[str, str, str]:
    """Return a title, its text for a screen reader, and its tool tip."""
    if not entry.page:
        return entry.title, tr("{title}, level {level}", title=entry.title, level=entry.level), entry.title
    spoken = tr(
        "{title}, level {level}, page {page:,}", title=entry.title, level=entry.level, page=entry.page
    )
    return entry.title, spoken, tr("{title}  (page {page:,})", title=entry.title, page=entry.page)
