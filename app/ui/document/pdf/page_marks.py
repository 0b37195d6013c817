"""The highlights on the pages of a PDF: only where a page has exactly their words, drawn like a marker pen's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QRegion

from app.core.layout import PageText
from app.core.page_runs import Box
from app.core.pages import PageMark, mark_on_pages
from app.core.text import Span
from app.ui.document.marks.highlights import HighlightState
from app.ui.kit.flow_text import line_pen, own_pen

# Left, top, right and bottom of a box in the screen's pixels.
Pixels = tuple[float, float, float, float]


class PageHighlights(HighlightState):
    """The highlights of a document with pages."""

    def clear(self) -> None:
        super().clear()
        self._marks: list[PageMark] = []
        self._pages: Sequence[PageText] = ()
        self._cache: dict[tuple[Span, str], PageMark] = {}
        self._on_page: dict[int, list[tuple[int, Box]]] = {}

    def __len__(self) -> int:
        return len(self._marks)

    def take(self, pages: Sequence[PageText], places: Sequence[tuple[Span, str]]) -> list[bool]:
        """Set the spans to highlight, with their words; returns for each whether the pages have the words there."""
        # Reading a span back takes some milliseconds, and while the reader works most spans stay the same.
        cache = self._cache if pages is self._pages else {}
        self._cache = {place: cache.get(place) or mark_on_pages(pages, *place) for place in places}
        self._pages = pages
        self._marks = [self._cache[place] for place in places]
        self._on_page = {}
        for index, mark in enumerate(self._marks):
            if mark.reason:
                continue
            for place in mark.places:
                self._on_page.setdefault(place.page, []).extend((index, box) for box in place.boxes)
        return [not mark.reason for mark in self._marks]

    def reason(self, index: int) -> str:
        """Return why a span is not highlighted; empty for one that is."""
        return self._marks[index].reason if 0 <= index < len(self._marks) else ""

    def first(self, index: int) -> tuple[int, Box] | None:
        """Return the page and the box where a highlight begins; None where it is not shown."""
        mark = self._marks[index] if 0 <= index < len(self._marks) else None
        if mark is None or mark.reason or not mark.places:
            return None
        return mark.places[0].page, mark.places[0].boxes[0]

    def boxes(self, index: int) -> list[tuple[int, Box]]:
        """Return every page and box of a highlight, in reading order; empty where it is not shown."""
        if self.first(index) is None:
            return []
        return [(place.page, box) for place in self._marks[index].places for box in place.boxes]

    def at(self, page: int, x: float, y: float) -> int:
        """Return the index of the highlight at a point of a page, the strong one before others; -1 without one."""
        found = [
            index
            for index, box in self._on_page.get(page, ())
            if box.left <= x <= box.right and box.top <= y <= box.bottom
        ]
        return self.chosen if self.chosen in found else min(found, default=-1)

    def draw(self, painter: QPainter, page: int, place: Callable[[Box], Pixels], ratio: float) -> None:
        """Draw a page's highlights over its picture; `place` gives a box's pixels, `ratio` the pixels in a unit."""
        own = self._on_page.get(page, ())
        if not own:
            return
        chosen = [place(box) for index, box in own if index == self.chosen != self.own]
        others = [place(box) for index, box in own if index not in (self.chosen, self.own)]
        taken = [place(box) for index, box in own if index == self.own]
        ground, mine = region(chosen, ratio), region(taken, ratio)
        below = ground.united(mine)
        multiply(painter, region(others, ratio).subtracted(below), self._theme.colour("print_other"))
        strong = self._theme.colour("print_other" if self.faint else "print_answer")
        multiply(painter, ground.subtracted(mine), strong)
        multiply(painter, mine, self._theme.colour("print_own"))
        line = self._theme.colour("print_line")
        for boxes, pen in (
            (others, line_pen(line, False, self.faint, ratio)),
            (chosen, line_pen(line, True, self.faint, ratio)),
            (taken, own_pen(self._theme.colour("print_own_line"), ratio)),
        ):
            painter.setPen(pen)
            for left, _, right, bottom in boxes:
                y = round(bottom + ratio) + (round(pen.widthF()) % 2) / 2
                painter.drawLine(QPointF(left - ratio, y), QPointF(right + ratio, y))


def region(boxes: Iterable[Pixels], ratio: float, around: float = 1.0) -> QRegion:
    """Return the pixels of boxes, each once, with `around` units more on every side."""
    pixels = QRegion()
    for left, top, right, bottom in boxes:
        rect = QRectF(left, top, right - left, bottom - top).adjusted(
            -around * ratio, -around * ratio, around * ratio, around * ratio
        )
        pixels = pixels.united(QRegion(QRect(rect.toAlignedRect())))
    return pixels


def multiply(painter: QPainter, pixels: QRegion, colour: QColor) -> None:
    """Lay a colour over pixels as a marker pen does: white takes the colour, black stays black."""
    painter.save()
    painter.setClipRegion(pixels, Qt.ClipOperation.IntersectClip)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
    painter.fillRect(pixels.boundingRect(), colour)
    painter.restore()
