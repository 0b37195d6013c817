"""Answers lit up on pages: only where the page says exactly their words, and so that the letters stay black."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QRegion

from app.core.layout import PageText
from app.core.page_runs import Box
from app.core.pages import PageMark, mark_on_pages
from app.core.text import Span
from app.ui.kit.page_layout import line_pen
from app.ui.kit.theme import Theme

# Left, top, right and bottom of a box in the screen's pixels.
Pixels = tuple[float, float, float, float]


class PageLights:
    """The lit places of a document with pages; `chosen` is the strong one, which `faint` makes pale, and dashed."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._marks: list[PageMark] = []
        self._pages: Sequence[PageText] = ()
        self._held: dict[tuple[Span, str], PageMark] = {}
        self._on_page: dict[int, list[tuple[int, Box]]] = {}
        self.chosen = -1
        self.faint = False

    def __len__(self) -> int:
        return len(self._marks)

    def take(self, pages: Sequence[PageText], places: Sequence[tuple[Span, str]]) -> list[bool]:
        """Take places with the words each of them must hold; tells for each whether the page says them there."""
        # To read a place back takes some milliseconds, and most of those of a reading that goes on are the same again.
        held = self._held if pages is self._pages else {}
        self._held = {place: held.get(place) or mark_on_pages(pages, *place) for place in places}
        self._pages = pages
        self._marks = [self._held[place] for place in places]
        self._on_page = {}
        for index, mark in enumerate(self._marks):
            if mark.reason:
                continue
            for place in mark.places:
                self._on_page.setdefault(place.page, []).extend((index, box) for box in place.boxes)
        return [not mark.reason for mark in self._marks]

    def clear(self) -> None:
        """Light nothing up."""
        self._marks, self._on_page = [], {}
        self._pages, self._held = (), {}
        self.chosen, self.faint = -1, False

    def reason(self, index: int) -> str:
        """Why a place is not lit up, empty for one that is."""
        return self._marks[index].reason if 0 <= index < len(self._marks) else ""

    def first(self, index: int) -> tuple[int, Box] | None:
        """The page and the box where a lit place begins; None where it is not shown."""
        mark = self._marks[index] if 0 <= index < len(self._marks) else None
        if mark is None or mark.reason or not mark.places:
            return None
        return mark.places[0].page, mark.places[0].boxes[0]

    def boxes(self, index: int) -> list[tuple[int, Box]]:
        """Every page and box of a lit place, in the order of reading; empty where it is not shown."""
        if self.first(index) is None:
            return []
        return [(place.page, box) for place in self._marks[index].places for box in place.boxes]

    def at(self, page: int, x: float, y: float) -> int:
        """The index of the lit place at a point of a page, the strong one before others; -1 without one."""
        found = [
            index
            for index, box in self._on_page.get(page, ())
            if box.left <= x <= box.right and box.top <= y <= box.bottom
        ]
        return self.chosen if self.chosen in found else min(found, default=-1)

    def draw(self, painter: QPainter, page: int, place: Callable[[Box], Pixels], ratio: float) -> None:
        """Draw what is lit on a page over its picture; `place` gives a box's pixels, `ratio` those of one unit."""
        own = self._on_page.get(page, ())
        if not own:
            return
        chosen = [place(box) for index, box in own if index == self.chosen]
        others = [place(box) for index, box in own if index != self.chosen]
        ground = region(chosen, ratio)
        multiply(painter, region(others, ratio).subtracted(ground), self._theme.colour("print_other"))
        multiply(painter, ground, self._theme.colour("print_other" if self.faint else "print_answer"))
        for boxes, strong in ((others, False), (chosen, True)):
            pen = line_pen(self._theme.colour("print_line"), strong, self.faint, ratio)
            painter.setPen(pen)
            for left, _, right, bottom in boxes:
                y = round(bottom + ratio) + (round(pen.widthF()) % 2) / 2
                painter.drawLine(QPointF(left - ratio, y), QPointF(right + ratio, y))


def region(boxes: Iterable[Pixels], ratio: float, around: float = 1.0) -> QRegion:
    """The pixels of boxes, with `around` units more on every side; none of them twice."""
    pixels = QRegion()
    for left, top, right, bottom in boxes:
        rect = QRectF(left, top, right - left, bottom - top).adjusted(
            -around * ratio, -around * ratio, around * ratio, around * ratio
        )
        pixels = pixels.united(QRegion(QRect(rect.toAlignedRect())))
    return pixels


def multiply(painter: QPainter, pixels: QRegion, colour: QColor) -> None:
    """Lay a colour over pixels as a marker does: white takes it on, black stays black."""
    painter.save()
    painter.setClipRegion(pixels, Qt.ClipOperation.IntersectClip)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
    painter.fillRect(pixels.boundingRect(), colour)
    painter.restore()
