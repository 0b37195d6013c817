"""What helps to read a document: the outline beside it, and the slim line below."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from PySide6.QtCore import QModelIndex, QObject, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QStyleOptionViewItem, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.core.layout import Opened, OutlineEntry
from app.flows.workspace import Workspace
from app.ui.document.find_bar import FindBar
from app.ui.document.page_line import PageLine
from app.ui.document.pane import Pane
from app.ui.document.zoom import Zoom
from app.ui.kit.row_list import ROW, Index, RowDelegate, RowList, RowModel
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

_FOLLOW_MS, _EDITED_MS = 40, 300
# In steps: the outline's least and most width, and the least width that it leaves to the page.
_NARROW, _WIDE, _LEAST_PAGE = 30, 48, 60
# A document with fewer titles has no outline.
_FEWEST = 2
# Deeper titles are indented no further.
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
    """The titles of a document's outline.

    `entry_chosen` carries the OutlineEntry that was clicked or entered; `left` is sent when the list loses the focus.
    """

    entry_chosen = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Outline"), RowModel(_row_texts), _TitleDelegate(theme))
        self._places: list[tuple[int, int]] = []
        self.setProperty("kind", "outline")
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(self._go_to)

    def show_entries(self, entries: Sequence[OutlineEntry]) -> None:
        """List these titles."""
        least = min((entry.level for entry in entries), default=1) - 1
        self._model.take([replace(entry, level=entry.level - least) for entry in entries])
        # A PDF's bookmarks may not be in the order of the places that they lead to.
        self._places = list(accumulate(((entry.page, entry.point) for entry in entries), max))

    def follow(self, place: tuple[int, int]) -> None:
        """Select the title of a place in the document: the page from 1, 0 without pages, and the code point."""
        at = bisect_right(self._places, place) - 1
        index = self._model.index(at, 0)
        if not index.isValid():
            self.selectionModel().clear()
        elif index != self.currentIndex():
            self.setCurrentIndex(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._go_to(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()

    @Slot(QModelIndex)
    def _go_to(self, index: QModelIndex) -> None:
        self.entry_chosen.emit(index.data(ROW))


class ReadingTools(QObject):
    """The outline, in the `row` of the `pages` that show the document, and the line, in the `column` below them.

    The outline stands beside the document, or, where there is no room for both, in its place until it loses the focus.
    Its owner starts the timer `text_edited` when the text is edited. `left` is sent when the focus is to return to the
    document.
    """

    left = Signal()

    def __init__(
        self,
        workspace: Workspace,
        theme: Theme,
        pages: QWidget,
        row: QHBoxLayout,
        column: QVBoxLayout,
        find_bar: FindBar,
        zoom: Zoom,
    ) -> None:
        super().__init__(pages)
        self._workspace, self._theme = workspace, theme
        self._pages = pages
        self._covers_document = False
        self._pane: Pane | None = None
        self._opened: Opened | None = None
        self._entries: Sequence[OutlineEntry] = ()
        self.list = OutlineList(theme)
        self.line = PageLine(theme, zoom)
        self._zoom = zoom
        self.list.hide()
        self.line.hide()
        row.insertWidget(0, self.list)
        column.addWidget(self.line)
        self._around = pages.parentWidget() or pages
        self._follow_soon = QTimer(self, singleShot=True, interval=_FOLLOW_MS)
        self._follow_soon.timeout.connect(self._follow)
        self.text_edited = QTimer(self, singleShot=True, interval=_EDITED_MS)
        self.text_edited.timeout.connect(self._check_text)
        self.list.entry_chosen.connect(self._go_to)
        self.list.left.connect(self._uncover)
        self.line.outline.clicked.connect(self.toggle_outline)
        self.line.search.clicked.connect(find_bar.open)
        self.line.went.connect(self._went)
        self.line.left.connect(self.left)
        self.line.resized.connect(self._fit)
        zoom.changed.connect(self._follow_soon.start)
        theme.changed.connect(self._fit)
        self._fit()

    @property
    def is_in_use(self) -> bool:
        """Whether the tools are shown for a document."""
        return self._pane is not None

    def take(self, pane: Pane | None, opened: Opened | None) -> None:
        """Show the tools for a pane, or none for None; `opened` is its file, None for a text without one."""
        if self._pane is not None and isValid(self._pane):
            self._pane.map.valueChanged.disconnect(self._scrolled)
            self._pane.resized.disconnect(self._follow_soon.start)
        self._covers_document = (
            self._covers_document and pane is self._pane
        )  # the same one has only got more text
        self._pane, self._opened = pane, opened
        is_paged = opened is not None and bool(opened.pages)
        self.line.take(pane)
        self._show_entries(opened.contents() if pane is not None and opened is not None else ())
        if pane is None:
            return
        if is_paged:
            self._zoom.begin()
        pane.map.valueChanged.connect(self._scrolled)
        pane.resized.connect(self._follow_soon.start)
        line = self.line
        order: tuple[QWidget, ...] = (
            self.list, pane, line.outline, line.field, line.search, line.size_button
        )  # fmt: skip
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)
        self._follow()

    @Slot()
    def _check_text(self) -> None:
        """Hide the outline where the text was edited since it was made."""
        pane, opened = self._pane, self._opened
        if opened is not None and pane is not None and isValid(pane) and pane.text() != opened.document.text:
            self._show_entries(())
        self._follow()

    @Slot()
    def toggle_outline(self) -> None:
        """Show the outline, with the focus on it, or hide it."""
        if not self._entries:
            return
        shows = self.list.isHidden()
        if self._has_room:
            self._workspace.settings.outline = shows
        else:
            self._covers_document = shows
        self._show_list()
        if shows:
            self._follow()
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.left.emit()

    def leave(self) -> bool:
        """Leave the outline for the document; returns False where it neither covers it nor has the focus."""
        if not (self._covers_document or self.list.hasFocus()):
            return False
        self._covers_document = False
        self._show_list()
        self.left.emit()
        return True

    @Slot()
    def _uncover(self) -> None:
        """Show the document again where the outline covers it."""
        if self._covers_document:
            self._covers_document = False
            self._show_list()

    def _show_entries(self, entries: Sequence[OutlineEntry]) -> None:
        entries = entries if len(entries) >= _FEWEST else ()
        if entries != self._entries:
            self._entries = entries
            self.list.show_entries(entries)
        self._show_list()

    @property
    def _has_room(self) -> bool:
        """Whether the outline stands beside the document rather than in its place."""
        return self._around.width() >= self._theme.step(_NARROW + _LEAST_PAGE)

    def _show_list(self) -> None:
        beside = self._has_room
        self._covers_document = self._covers_document and not beside
        shows = bool(self._entries) and (
            self._workspace.settings.outline if beside else self._covers_document
        )
        # Hide the one before showing the other, so that the page is never squeezed, which would scroll it.
        if shows:
            self._pages.setVisible(beside)
        self.list.setVisible(shows)
        self._pages.setVisible(beside or not shows)
        self.line.outline.setVisible(bool(self._entries))
        self.line.outline.setChecked(shows)

    @Slot()
    def _scrolled(self) -> None:
        self._uncover()  # to show an answer that was chosen
        if not self._follow_soon.isActive():
            self._follow_soon.start()

    @Slot()
    def _follow(self) -> None:
        if self._pane is None or not isValid(self._pane):
            return
        self.line.refresh()
        if self.list.isVisible() and not self.list.hasFocus():
            self.list.follow(self._pane.place())

    @Slot(object)
    def _go_to(self, entry: OutlineEntry) -> None:
        if self._pane is None:
            return
        if self._covers_document:
            self.leave()
        self._pane.go_to_entry(entry)

    @Slot()
    def _went(self) -> None:
        self.left.emit()
        self._follow()

    @Slot()
    def _fit(self) -> None:
        step = self._theme.step
        beside = max(step(_NARROW), min(step(_WIDE), self._around.width() - step(_LEAST_PAGE)))
        self.list.setFixedWidth(beside if self._has_room else self._around.width())
        self._show_list()


def _row_texts(entry: OutlineEntry) -> tuple[str, str, str]:
    """Return a title, its text for a screen reader, and its tool tip."""
    if not entry.page:
        return entry.title, tr("{title}, level {level}", title=entry.title, level=entry.level), entry.title
    spoken = tr(
        "{title}, level {level}, page {page:,}", title=entry.title, level=entry.level, page=entry.page
    )
    return entry.title, spoken, tr("{title}  (page {page:,})", title=entry.title, page=entry.page)
