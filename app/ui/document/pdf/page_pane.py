"""A PDF's pages as they are, with highlighted answers."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
)
from PySide6.QtWidgets import QWidget

from app.core.layout import Opened
from app.core.page_runs import Box
from app.core.text import Span
from app.ui.document.marks.word_search import ViewState, at_once
from app.ui.document.pdf.page_marks import PageLights
from app.ui.document.pdf.page_points import Band, bands, box_at, heat_along, point_below
from app.ui.document.pdf.page_selecting import SelectablePages
from app.ui.document.pdf.page_stack import Rect, Spot
from app.ui.kit.dropped import copied_files, dropped_files, take_files_only
from app.ui.kit.theme import Theme

# A highlighted place is scrolled to have this share of the view above it.
_ABOVE = 0.3


class PagePane(SelectablePages):
    """A document with pages in the interface of `document/pane.py`; positions are code points of `text()`.

    Its pictures are requested by `pictures_wanted` and passed to `take_picture`.
    """

    light_chosen = Signal(int)
    files_dropped = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._bands: list[Band] | None = None
        self._heat: tuple[float, ...] = ()
        self._noted_position = (0, 0)
        self.lights = PageLights(theme)
        self.setAcceptDrops(True)
        self.setAccessibleName("Document")
        self.map.mark_clicked.connect(self.light_chosen)
        self.map.place_clicked.connect(self._go_to_share)
        self.page_changed.connect(self._describe)
        theme.changed.connect(self._restyle)

    def show_document(self, opened: Opened) -> None:
        """Show a document with pages from its beginning, without highlights or selection."""
        self._bands, self._heat = None, ()
        self.lights.clear()
        super().show_document(opened)
        self.note_position()
        self._describe(self.page())

    def text(self) -> str:
        """The document's text."""
        return self._opened.document.text

    def light(
        self, places: Sequence[tuple[Span, str]], chosen: int = 0, *, faint: bool = False
    ) -> list[bool]:
        """Highlight places, each only where the page has exactly its words; returns which are shown."""
        shown = self.lights.take(self._opened.pages, places)
        self.lights.faint = faint
        self.choose(chosen)
        return shown

    def why_not(self, index: int) -> str:
        """Why a place is not highlighted, in a sentence for the user; empty for one that is."""
        return self.lights.reason(index)

    def choose(self, index: int) -> None:
        """Choose which highlighted place is the strong one."""
        self.lights.chosen = index
        self._update_map()
        self.viewport().update()

    def clear_highlights(self) -> None:
        """Remove all highlights."""
        self.lights.clear()
        self._update_map()
        self.viewport().update()

    def reveal(self, index: int) -> None:
        """Scroll a highlighted place into view, with some lines above it, unless it can be seen well already."""
        first = self.lights.first(index)
        if first is not None:
            self._bring_into_view(*first)
            self.note_position()

    def set_heat(self, heat: Sequence[float]) -> None:
        """Show the heat of answers in the map: `Reading.heat` of this document, or empty."""
        self._heat = tuple(heat)
        self._update_map()

    def note_position(self) -> None:
        """Note the scroll position, for `moved_by_user`."""
        self._noted_position = (self.map.value(), self.horizontalScrollBar().value())

    def moved_by_user(self) -> bool:
        """Whether the page was scrolled since `note_position` or `reveal`, other than by them."""
        return self._noted_position != (self.map.value(), self.horizontalScrollBar().value())

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next match of these words, cyclically; False if there is none."""
        return at_once(self.seek(words, backwards))

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from the state `since` at the start of a search."""
        own = self._selection.span
        start = (own.start if backwards else own.end) if own else self.top()
        start = start if since is None else since.start
        found = yield from self._selection.seek(words, start, backwards)
        if found is not None:
            self._selection.select(found)
            self._bring_into_view(*box_at(self._opened.pages, found.start))
            self.viewport().update()
        return found is not None

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, 0 for none, and of all; in short turns, after `seek`."""
        return self._selection.count(words)

    def view_state(self) -> ViewState:
        """The selection and scroll position, for `restore_view`."""
        own = self._selection.span
        return ViewState(
            own.start, own.end, self.top(), (self.map.value(), self.horizontalScrollBar().value())
        )

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""
        self._selection.select(Span(state.anchor, state.position))
        self.map.setValue(int(state.scrolled[0]))
        self.horizontalScrollBar().setValue(int(state.scrolled[1]))
        self.viewport().update()

    def is_empty(self) -> bool:
        """Whether there is no text."""
        return not self.text().strip()

    def top(self) -> int:
        """The code point at the top of the view."""
        if not self._opened.pages:
            return 0
        spot = self.spot_at(QPointF(self.viewport().width() / 2, self._theme.step(2)))
        return point_below(self._opened.pages, spot.page, spot.y)

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view; for one that begins a page, the page's edge."""
        if not self._opened.pages:
            return
        point = min(point, len(self.text()))
        page, box = box_at(self._opened.pages, point)
        first = point_below(self._opened.pages, page, 0.0)
        top = 0.0 if point <= first else box.top
        x = self.place_of(Spot(page, 0.0, 0.0)).x()
        self.scroll_to(Spot(page, 0.0, top), QPointF(x, self._theme.step(5 if point <= first else 2)))

    def light_boxes(self, index: int) -> list[QRectF]:
        """The boxes of a highlighted place, in the viewport's pixels, also outside the visible part."""
        found = []
        for page, box in self.lights.boxes(index):
            corner, other = Spot(page, box.left, box.top), Spot(page, box.right, box.bottom)
            found.append(QRectF(self.place_of(corner), self.place_of(other)))
        return found

    def draw_over(self, painter: QPainter, page: int, view: Rect, ratio: float) -> None:
        super().draw_over(painter, page, view, ratio)
        self.lights.draw(painter, page, partial(self.pixels_of, page, view), ratio)

    def clicked(self, spot: Spot) -> None:
        index = self.lights.at(*spot)
        if index >= 0:
            self.light_chosen.emit(index)

    def can_be_clicked(self, spot: Spot) -> bool:
        return self.lights.at(*spot) >= 0

    def rearranged(self) -> None:
        self._update_map()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            if files := copied_files():
                self.files_dropped.emit(files)
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        take_files_only(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        take_files_only(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if files := dropped_files(event):
            self.files_dropped.emit(files)

    def _bring_into_view(self, page: int, box: Box) -> None:
        """Scroll a box of a page to where it can be read, unless it can be already."""
        room = QRectF(self.viewport().rect())
        seen = QRectF(
            self.place_of(Spot(page, box.left, box.top)), self.place_of(Spot(page, box.right, box.bottom))
        )
        bar, sideways = self.map, self.horizontalScrollBar()
        if seen.top() < room.height() * 0.02 or seen.top() + seen.height() * 3 > room.height():
            bar.setValue(round(bar.value() + seen.top() - room.height() * _ABOVE))
        margin = min(self._theme.step(10), room.width() / 4)
        if seen.left() < margin or (
            seen.right() > room.width() - margin and seen.width() > room.width() - 2 * margin
        ):
            sideways.setValue(round(sideways.value() + seen.left() - margin))
        elif seen.right() > room.width() - margin:
            sideways.setValue(round(sideways.value() + seen.right() - room.width() + margin))

    def _update_map(self) -> None:
        marks = []
        for index in range(len(self.lights)):
            first = self.lights.first(index)
            marks.append(
                self._stack.share(first[0], (first[1].top + first[1].bottom) / 2)
                if first is not None
                else -1.0
            )
        self.map.set_marks(marks, self.lights.chosen)
        if self._heat and self._opened.pages:
            if self._bands is None:
                self._bands = bands(self._opened.pages, len(self.text()))
            self.map.set_heat(heat_along(self._heat, self._bands, self._stack.share))
        else:
            self.map.set_heat(())

    @Slot(float)
    def _go_to_share(self, share: float) -> None:
        bar = self.map
        bar.setValue(round(share * (bar.maximum() + bar.pageStep()) - bar.pageStep() * _ABOVE))

    @Slot(int)
    def _describe(self, page: int) -> None:
        count = len(self._opened.pages)
        self.setAccessibleDescription(
            f"{self._opened.document.name}, page {page} of {count}" if count else ""
        )

    @Slot()
    def _restyle(self) -> None:
        self._arrange()
