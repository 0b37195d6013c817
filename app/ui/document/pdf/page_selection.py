"""Converts points on pages to code points of their text, and holds the selection, which is shown as it is copied."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice

from PySide6.QtCore import QTextBoundaryFinder

from app.core.layout import Opened, PageText
from app.core.page_runs import Box, is_blank, is_drawn
from app.core.pages import character_at, places_of, text_between
from app.core.results import HEAT_BINS
from app.core.text import Offsets, Span
from app.ui.document.pdf.page_stack import Spot

# How far around a code point the ends of a word are searched, in code points, and those of a line, in characters.
_WORD, _LINE = 100, 2000
_MOST_MARKED = 1000
# The number of code points in each heat bin that are looked up on the pages.
_SAMPLES = 3

Band = tuple[int, float, int, float]


def box_of(page: PageText, character: int) -> Box:
    """Return the box of one of the page's characters."""
    return Box(*page.boxes[4 * character : 4 * character + 4])


def over_text(page: PageText, x: float, y: float) -> bool:
    """Whether a point of the page is on a character, or close to one."""
    number = character_at(page, x, y)
    if number < 0:
        return False
    left, top, right, bottom = box_of(page, number)
    near = (bottom - top) / 2
    return left - near <= x <= right + near and top - near / 2 <= y <= bottom + near / 2


def _hit(page: PageText, x: float, y: float) -> tuple[Span | None, bool]:
    """Return the span of the character at a point, None without text, and whether the point is in its second half."""
    number = character_at(page, x, y)
    if number < 0 or not page.span:
        return None, False
    span = text_between(page, number, number)
    if not span:  # the character is not part of the text: take the nearest one that is
        before = text_between(page, 0, number)
        if before:
            return Span(before.end - 1, before.end), True
        behind = text_between(page, number, len(page.characters) - 1)
        return (Span(behind.start, behind.start + 1), False) if behind else (None, False)
    left, _, right, _ = box_of(page, number)
    leftwards = unicodedata.bidirectional(page.characters[number]) in ("R", "AL")
    return span, (x > (left + right) / 2) != leftwards


def word_around(text: str, point: int) -> Span:
    """Return the word, or the blanks, that a code point belongs to; an empty span where there is no text."""
    first = max(0, point - _WORD)
    part = text[first : point + _WORD]
    offsets = Offsets(part)
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Word, part)
    at = offsets.to_qt(point - first)
    finder.setPosition(at)
    start = at if finder.isAtBoundary() else finder.toPreviousBoundary()
    finder.setPosition(at)
    end = finder.toNextBoundary()
    if start < 0 or end < 0:
        return Span(min(point, len(text)), min(point, len(text)))
    return Span(first + offsets.to_point(start), first + offsets.to_point(end))


def next_stop(text: str, point: int, *, forwards: bool, whole_word: bool) -> int:
    """Return where a key moves the end of a selection to: the next character, or the end of the next word."""
    limit, step = (len(text), 1) if forwards else (0, -1)
    if point == limit or not whole_word:
        return point if point == limit else point + step
    while point != limit:
        piece = word_around(text, point if forwards else point - 1)
        moved = piece.end if forwards else piece.start
        if moved == point:
            return point + step
        passed, point = Span(min(point, moved), max(point, moved)), moved
        if not passed.of(text).isspace():
            break
    return point


def line_around(page: PageText, point: int) -> Span:
    """Return the span of the text on the same line of the page, in the same column."""
    at = _drawn_from(page, point - page.span.start)
    if at < 0:
        return Span(point, point)
    first = last = at
    own = box_of(page, page.index[at])
    for step in (-1, 1):
        place, box = at + step, own
        while 0 <= place < len(page.index) and abs(place - at) < _LINE:
            number = page.index[place]
            if number >= 0 and is_drawn(page, number) and not is_blank(page.characters[number]):
                other = box_of(page, number)
                if not _on_one_line(box, other):
                    break
                box = other
                first, last = min(first, place), max(last, place)
            place += step
    return Span(page.span.start + first, page.span.start + last + 1)


def _on_one_line(box: Box, other: Box) -> bool:
    """Whether two characters that follow each other in the text are on the same line."""
    middle = (other.top + other.bottom) / 2
    height = max(box.bottom - box.top, other.bottom - other.top)
    apart = max(other.left - box.right, box.left - other.right)
    low = min(box.top, other.top + height / 3)
    return low < middle < max(box.bottom, other.bottom - height / 3) and apart < 6 * height


def _drawn_from(page: PageText, place: int) -> int:
    """Return the first index in the page's text, from `place` on, else before it, with a drawn character; else -1."""
    count = len(page.index)
    place = min(max(0, place), max(0, count - 1))
    for at in (*range(place, count), *range(place - 1, -1, -1)):
        number = page.index[at]
        if number >= 0 and is_drawn(page, number) and not is_blank(page.characters[number]):
            return at
    return -1


def box_at(pages: Sequence[PageText], point: int) -> tuple[int, Box]:
    """Return the page of a code point, and its box there; an empty box at the corner where nothing is drawn."""
    number = max(0, bisect_right(pages, point, key=lambda page: page.span.start) - 1)
    page = pages[number]
    at = _drawn_from(page, point - page.span.start)
    return number, (box_of(page, page.index[at]) if at >= 0 else Box(0.0, 0.0, 0.0, 0.0))


def point_below(pages: Sequence[PageText], number: int, y: float) -> int:
    """Return the first code point whose character's middle is at a height of a page or lower, else the next page's."""
    page = pages[number]
    for place, character in enumerate(page.index):
        if character < 0:
            continue
        _, top, _, bottom = box_of(page, character)
        if bottom > top and top + bottom >= 2 * y:
            return page.span.start + place
    return pages[number + 1].span.start if number + 1 < len(pages) else page.span.end


def bands(pages: Sequence[PageText], length: int) -> list[Band]:
    """Return where each bin of `Reading.heat` lies: from a page and a height to another page and height.

    A bin that continues in the next column takes all of the height between its highest and its lowest character.
    """
    found: list[Band] = []
    steps = HEAT_BINS * _SAMPLES
    places = []
    for sample in range(steps + 1):
        number, box = (
            box_at(pages, min(length - 1, sample * length // steps)) if length else (0, Box(0, 0, 0, 0))
        )
        places.append((number, (box.top + box.bottom) / 2))
    for part in range(HEAT_BINS):
        own = places[part * _SAMPLES : (part + 1) * _SAMPLES + 1]
        found.append((*min(own), *max(own)))
    return found


class PageSelection:
    """The selection in a document's text, made with the mouse by characters, words or lines."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._text = opened.document.text
        self.span = Span(0, 0)
        self._anchor: Span | None = None
        self._unit: Callable[[Spot], Span | None] = self._letter
        self._boxes: dict[int, tuple[Span, tuple[Box, ...]]] = {}
        self._sought: re.Pattern[str] | None = None
        self._matches: dict[int, list[Box]] = {}

    def select(self, span: Span) -> None:
        """Select a span."""
        self.span, self._anchor, self._unit = span, Span(span.start, span.start), self._letter

    def begin(self, spot: Spot, clicks: int = 1) -> None:
        """Begin at a spot on a page: by characters, with two clicks by words, with three by lines."""
        self._unit = (self._letter, self._word, self._line)[min(clicks, 3) - 1]
        self._anchor = self._unit(spot)
        self.span = self._anchor or Span(0, 0)

    def extend(self, spot: Spot) -> None:
        """Extend the selection from where it began to a spot on a page."""
        reached = self._unit(spot)
        if reached is None:
            return
        if self._anchor is None:
            self._anchor = reached
        self.span = Span(min(self._anchor.start, reached.start), max(self._anchor.end, reached.end))

    def boxes(self, page: int) -> tuple[Box, ...]:
        """Return the boxes of the selection on a page."""
        own = self._opened.pages[page].span
        start, end = max(own.start, self.span.start), min(own.end, self.span.end)
        if start >= end:
            return ()
        part = Span(start, end)
        cached = self._boxes.get(page)
        if cached is None or cached[0] != part:
            places = places_of(self._opened.pages, part)
            cached = part, next((place.boxes for place in places if place.page == page), ())
            self._boxes[page] = cached
        return cached[1]

    def matches(self, page: int, pattern: re.Pattern[str]) -> list[Box]:
        """Return the boxes of a pattern's matches on a page, of `_MOST_MARKED` matches at most."""
        if pattern is not self._sought:
            self._sought, self._matches = pattern, {}
        if page not in self._matches:
            own = self._opened.pages[page].span
            found = islice(pattern.finditer(self._text, own.start, own.end), _MOST_MARKED)
            places = (
                place for match in found for place in places_of(self._opened.pages, Span(*match.span()))
            )
            self._matches[page] = [box for place in places if place.page == page for box in place.boxes]
        return self._matches[page]

    def _letter(self, spot: Spot) -> Span | None:
        letter, after = _hit(self._opened.pages[spot.page], spot.x, spot.y)
        if letter is None:
            return None
        point = letter.end if after else letter.start
        return Span(point, point)

    def _word(self, spot: Spot) -> Span | None:
        letter, _ = _hit(self._opened.pages[spot.page], spot.x, spot.y)
        return None if letter is None else word_around(self._text, letter.start)

    def _line(self, spot: Spot) -> Span | None:
        page = self._opened.pages[spot.page]
        letter, _ = _hit(page, spot.x, spot.y)
        return None if letter is None else line_around(page, letter.start)
