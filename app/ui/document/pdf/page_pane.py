"""A PDF's pages as they are printed, with highlighted answers, and text that can be selected and copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, QPointF, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import (
    QAccessible,
    QClipboard,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QApplication, QMenu

from app.core.layout import Kind, Opened, OutlineEntry
from app.core.page_runs import Box
from app.core.recognition import recognition_of
from app.core.text import Document, Span
from app.ui.document.marks.highlights import draw_frames
from app.ui.document.pane import ABOVE, ReadOnlyPane
from app.ui.document.pdf.page_desk import PageDesk
from app.ui.document.pdf.page_marks import PageHighlights, Pixels, multiply, region
from app.ui.document.pdf.page_selection import (
    Band,
    PageSelection,
    bands,
    box_at,
    next_stop,
    over_text,
    point_below,
)
from app.ui.document.pdf.page_stack import Spot
from app.ui.kit.spoken import sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_DRAG_MS = 25
_KEY = QKeySequence.StandardKey
# For each key, whether it moves the end of the selection forwards, and whether by a word.
_SELECTING = {
    _KEY.SelectNextChar: (True, False), _KEY.SelectPreviousChar: (False, False),
    _KEY.SelectNextWord: (True, True), _KEY.SelectPreviousWord: (False, True),
}  # fmt: skip


class PagePane(ReadOnlyPane, PageDesk):
    """A document with pages, drawn from pictures: `pictures_wanted` requests those that `take_picture` takes."""

    ROLE = QAccessible.Role.Document

    lights: PageHighlights

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._opened = Opened(Document(""), Kind.PDF)
        self._selection = PageSelection(self._opened)
        self._bands: list[Band] | None = None
        self._places: list[Span] = []
        self._ends = 0, 0  # where selecting by keys began, and its other end
        self._since_double = QElapsedTimer()
        self._pressed = QPointF()
        self._mouse: QPointF | None = None
        self._drag = QTimer(self, interval=_DRAG_MS)
        self._drag.timeout.connect(self._scroll_on)
        self.lights = PageHighlights(theme)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.page_changed.connect(self._describe)
        theme.changed.connect(self._arrange)

    def show_document(self, opened: Opened) -> None:
        """Show a document from its beginning, without highlights or selection."""
        self._opened, self._selection = opened, PageSelection(opened)
        self._bands, self._heat, self.found = None, (), Span(0, 0)
        self.lights.clear()
        pages = opened.pages
        self.show_pages([(page.width, page.height) for page in pages], [page.label for page in pages])
        self.note_position()
        self._describe(self.page())

    def take_text(self, opened: Opened) -> None:
        """Show the same pages, some with newly recognised text, at the same scroll position."""
        self._opened, self._selection = opened, PageSelection(opened)
        self._bands, self._heat, self._places = None, (), []
        self.lights.clear()
        self._update_map()
        self._describe(self.page())
        self.viewport().update()

    def page_note(self, page: int) -> str:
        """Return how the text of a page, from 0, was recognised; empty for a page with its own text."""
        pages = self._opened.pages
        found = recognition_of(self._opened, pages[page].span) if page < len(pages) else None
        return localised(found.in_words) if found is not None else ""

    def why_not(self, index: int) -> str:
        return self.lights.reason(index)

    def choose(self, index: int) -> None:
        super().choose(index)
        self._describe(self.page())

    def clear_highlights(self) -> None:
        super().clear_highlights()
        self._describe(self.page())

    def reveal(self, index: int) -> None:
        first = self.lights.first(index)
        if first is not None:
            self._bring_into_view(*first)
            self.note_position()

    def light_boxes(self, index: int) -> list[QRectF]:
        """Return the boxes of a highlight, in the viewport's pixels, even where they are not visible."""
        return [self._rect_of(page, box) for page, box in self.lights.boxes(index)]

    def selection(self) -> Span:
        return self._selection.span

    @Slot()
    def copy(self) -> None:
        """Copy the selection."""
        QGuiApplication.clipboard().setText(self.selected_words())

    @Slot()
    def select_all(self) -> None:
        """Select the whole text."""
        self.select(Span(0, len(self._opened.document.text)))

    def select(self, span: Span) -> None:
        self._selection.select(span)
        self.viewport().update()

    def show_selection(self) -> None:
        self._bring_into_view(*box_at(self._opened.pages, self.selection().start))

    def seen(self) -> Span:
        pages, port = self._opened.pages, self.viewport()
        if not pages:
            return Span(0, 0)
        last = self.spot_at(QPointF(port.width() / 2, port.height()))
        return Span(self.top(), point_below(pages, last.page, last.y))

    def scrolled(self) -> tuple[float, float]:
        return self.map.value(), self.horizontalScrollBar().value()

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        self.map.setValue(int(scrolled[0]))
        self.horizontalScrollBar().setValue(int(scrolled[1]))

    def top(self) -> int:
        if not self._opened.pages:
            return 0
        spot = self.spot_at(QPointF(self.viewport().width() / 2, self._theme.step(2)))
        return point_below(self._opened.pages, spot.page, spot.y)

    def go_to(self, point: int) -> None:
        """Scroll a code point to the top of the view; for the first one of a page, the page's upper edge."""
        if not self._opened.pages:
            return
        point = min(point, len(self.text()))
        page, box = box_at(self._opened.pages, point)
        first = point_below(self._opened.pages, page, 0.0)
        top = 0.0 if point <= first else box.top
        x = self.place_of(Spot(page, 0.0, 0.0)).x()
        self.scroll_to(Spot(page, 0.0, top), QPointF(x, self._theme.step(5 if point <= first else 2)))

    def place(self) -> tuple[int, int]:
        if not self._opened.pages:
            return 0, 0
        # Below the gap above a page that was scrolled to the top.
        below = QPointF(self.viewport().width() / 2, self._theme.step(6))
        return self.spot_at(below).page + 1, self.top()

    def number(self) -> int:
        return self.page()

    def go_to_number(self, number: int) -> None:
        self.go_to_page(number)

    def label(self, number: int) -> str:
        printed = self._opened.pages[number - 1].label
        return printed if printed != str(number) else ""

    def go_to_entry(self, entry: OutlineEntry) -> None:
        if self._opened.pages[entry.page - 1].span:
            super().go_to_entry(entry)
        else:
            self.go_to_page(entry.page)

    def draw_over(self, painter: QPainter, page: int, view: QRect, ratio: float) -> None:
        def place(box: Box) -> Pixels:
            left, top, right, bottom = self._stack.box(page, box)
            return left - view.x(), top - view.y(), right - view.x(), bottom - view.y()

        found = self._selection.matches(page, self.sought) if self.sought is not None else ()
        if found:
            pale = region([place(box) for box in found], ratio, around=0.0)
            multiply(painter, pale, self._theme.colour("print_found"))
        boxes = self._selection.boxes(page)
        if boxes:
            marked = region([place(box) for box in boxes], ratio, around=0.0)
            multiply(painter, marked, self._theme.colour("print_selection"))
        self.lights.draw(painter, page, place, ratio)
        if self.sought is not None:
            frames = [QRectF(QPointF(*corners[:2]), QPointF(*corners[2:])) for corners in map(place, boxes)]
            draw_frames(painter, frames, self._theme.colour("print_found_line"), ratio)

    @Slot()
    def _arrange(self, around: QPointF | None = None) -> None:
        super()._arrange(around)
        self._update_map()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, bar = QKeySequence.StandardKey, self.map
        way = next((way for key, way in _SELECTING.items() if event.matches(key)), None)
        if event.matches(keys.Copy) and self._selection.span:
            self.copy()
        elif way is not None and self._opened.pages:
            self._extend_by_key(*way)
        elif event.matches(keys.SelectAll):
            self.select_all()
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif event.key() == Qt.Key.Key_Space:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            step = bar.SliderAction.SliderPageStepSub if back else bar.SliderAction.SliderPageStepAdd
            bar.triggerAction(step)
        else:
            super().keyPressEvent(event)

    def _extend_by_key(self, forwards: bool, whole_word: bool) -> None:
        """Move the end of the selection by a character or a word.

        Without a selection, it begins with the chosen answer, or at the top of the view.
        """
        text, own = self.text(), self._selection.span
        anchor, end = self._ends
        if self._ends == (0, 0) or Span(*sorted(self._ends)) != own:  # not selected by keys
            lit = self.lights.chosen
            if not own and self.lights.first(lit) is not None:
                own = self._places[lit]
            anchor, end = (own.start, own.end) if own else (self.top(), self.top())
        end = next_stop(text, end, forwards=forwards, whole_word=whole_word)
        self._ends = anchor, end
        self.select(Span(*sorted(self._ends)))
        self._bring_into_view(*box_at(self._opened.pages, max(0, end - 1 if forwards else end)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._opened.pages:
            super().mousePressEvent(event)
            return
        self._pressed = event.position()
        spot = self.spot_at(event.position())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._selection.extend(spot)
        else:
            self._selection.begin(spot, 3 if self._third_click() else 1)
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._opened.pages:
            self._since_double.start()
            self._pressed = event.position()
            self._selection.begin(self.spot_at(event.position()), 2)
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if event.buttons() & Qt.MouseButton.LeftButton and self._opened.pages:
            self._mouse = place
            moved = (place - self._pressed).manhattanLength() * 2 >= QApplication.startDragDistance()
            if moved or self._selection.span:
                self._selection.extend(self.spot_at(place))
                self.viewport().update()
            outside = not self.viewport().rect().contains(place.toPoint())
            if outside != self._drag.isActive():
                (self._drag.start if outside else self._drag.stop)()
        elif not event.buttons():
            self.viewport().setCursor(self._cursor_at(place))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag.stop()
        self._mouse = None
        if event.button() != Qt.MouseButton.LeftButton or not self._opened.pages:
            return
        if words := self.selected_words():
            clipboard = QGuiApplication.clipboard()
            if clipboard.supportsSelection():
                clipboard.setText(words, QClipboard.Mode.Selection)
        else:
            index = self.lights.at(*self.spot_at(event.position()))
            if index >= 0:
                self.light_chosen.emit(index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(tr("Copy"), self.copy)
        copy.setEnabled(bool(self._selection.span))
        menu.addAction(tr("Select all"), self.select_all)
        menu.popup(event.globalPos())

    def _place_highlights(self, places: Sequence[tuple[Span, str]]) -> list[bool]:
        self._places = [span for span, _ in places]
        return self.lights.take(self._opened.pages, places)

    def _mark_shares(self) -> list[float]:
        firsts = map(self.lights.first, range(len(self.lights)))
        return [
            self._stack.share(first[0], (first[1].top + first[1].bottom) / 2) if first is not None else -1.0
            for first in firsts
        ]

    def _heat_ranges(self) -> Sequence[tuple[float, float]]:
        if not self._opened.pages:
            return [(0.0, 0.0)] * len(self._heat)
        if self._bands is None:
            self._bands = bands(self._opened.pages, len(self.text()))
        share = self._stack.share
        return [(share(first, top), share(last, bottom)) for first, top, last, bottom in self._bands]

    def _rect_of(self, page: int, box: Box) -> QRectF:
        """Return the rectangle of a page's box in the viewport."""
        corner, other = Spot(page, box.left, box.top), Spot(page, box.right, box.bottom)
        return QRectF(self.place_of(corner), self.place_of(other))

    def _bring_into_view(self, page: int, box: Box) -> None:
        """Scroll a box of a page to where it can be read well, unless it is there."""
        room, seen = QRectF(self.viewport().rect()), self._rect_of(page, box)
        bar, sideways = self.map, self.horizontalScrollBar()
        if seen.top() < room.height() * 0.02 or seen.top() + seen.height() * 3 > room.height():
            bar.setValue(round(bar.value() + seen.top() - room.height() * ABOVE))
        margin = min(self._theme.step(10), room.width() / 4)
        if seen.left() < margin or (
            seen.right() > room.width() - margin and seen.width() > room.width() - 2 * margin
        ):
            sideways.setValue(round(sideways.value() + seen.left() - margin))
        elif seen.right() > room.width() - margin:
            sideways.setValue(round(sideways.value() + seen.right() - room.width() + margin))

    def _third_click(self) -> bool:
        """Whether this press follows a double click."""
        soon = QApplication.doubleClickInterval()
        third = self._since_double.isValid() and not self._since_double.hasExpired(soon)
        self._since_double.invalidate()
        return third

    def _cursor_at(self, place: QPointF) -> Qt.CursorShape:
        if not self._opened.pages:
            return Qt.CursorShape.ArrowCursor
        spot = self.spot_at(place)
        if self.lights.at(*spot) >= 0:
            return Qt.CursorShape.PointingHandCursor
        page = self._opened.pages[spot.page]
        inside = 0 <= spot.x <= page.width and 0 <= spot.y <= page.height
        text = inside and over_text(page, spot.x, spot.y)
        return Qt.CursorShape.IBeamCursor if text else Qt.CursorShape.ArrowCursor

    @Slot()
    def _scroll_on(self) -> None:
        """Scroll while the mouse button is held outside the view, faster the further out it is."""
        if self._mouse is None:
            return
        port, bar, sideways = self.viewport(), self.map, self.horizontalScrollBar()
        x = min(0.0, self._mouse.x()) + max(0.0, self._mouse.x() - port.width())
        y = min(0.0, self._mouse.y()) + max(0.0, self._mouse.y() - port.height())
        sideways.setValue(sideways.value() + round(x / 3))
        bar.setValue(bar.value() + round(y / 3))
        self._selection.extend(self.spot_at(self._mouse))
        port.update()

    @Slot(int)
    def _describe(self, page: int) -> None:
        count, lit = len(self._opened.pages), self.lights.chosen
        name, place, words = self._opened.document.name, "", ""
        if count:
            place = tr("{document}, page {number} of {total}", document=name, number=page, total=count)
        if self.lights.first(lit) is not None and lit < len(self._places):
            lit_up = " ".join(self._places[lit].of(self.text()).split())
            words = tr("Lit up: “{words}”", words=lit_up)
        self.setAccessibleDescription(sentences(place, self.page_note(page - 1), words))
