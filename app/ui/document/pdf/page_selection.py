"""Places on pages and code points of their text; the selection, which is shown as it is copied."""

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

# Code points of the text around a place in which a word's ends are searched, and characters for a line's.
_WORD, _LINE = 100, 2000
_MOST_MARKED = 1000
# The number of places of each part of the text that are looked up on the pages.
_SAMPLES = 3

Band = tuple[int, float, int, float]


def page_of(pages: Sequence[PageText], point: int) -> int:
    """The page of a code point, counted from 0."""
    return max(0, bisect_right(pages, point, key=lambda page: page.span.start) - 1)


def box_of(page: PageText, character: int) -> Box:
    """The box of one of the page's characters."""
    return Box(*page.boxes[4 * character : 4 * character + 4])


def caret_at(page: PageText, x: float, y: float) -> int | None:
    """The code point after a caret set at a point of the page; None where the page has no text."""
    span, after = _hit(page, x, y)
    if span is None:
        return None
    return span.end if after else span.start


def character_span(page: PageText, x: float, y: float) -> Span | None:
    """The code points of the character at a point of the page; None where the page has no text."""
    return _hit(page, x, y)[0]


def over_text(page: PageText, x: float, y: float) -> bool:
    """Whether a point of the page is on a letter, or near enough to mean it."""
    number = character_at(page, x, y)
    if number < 0:
        return False
    left, top, right, bottom = box_of(page, number)
    near = (bottom - top) / 2
    return left - near <= x <= right + near and top - near / 2 <= y <= bottom + near / 2


def _hit(page: PageText, x: float, y: float) -> tuple[Span | None, bool]:
    """The code points of the character at a point, and whether the point lies in its second half."""
    number = character_at(page, x, y)
    if number < 0 or not page.span:
        return None, False
    span = text_between(page, number, number)
    if not span:  # a character that was not read into the text: the next one that was
        before = text_between(page, 0, number)
        if before:
            return Span(before.end - 1, before.end), True
        behind = text_between(page, number, len(page.characters) - 1)
        return (Span(behind.start, behind.start + 1), False) if behind else (None, False)
    left, _, right, _ = box_of(page, number)
    leftwards = unicodedata.bidirectional(page.characters[number]) in ("R", "AL")
    return span, (x > (left + right) / 2) != leftwards


def word_around(text: str, point: int) -> Span:
    """The word that a code point belongs to, or the blanks; empty where there is no text."""
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
    """The code point that a key moves the end of a selection to: the next character, or the end of the next word."""
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
    """The part of the text on the same line of the page, in the same column."""
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
    """Whether two characters that follow each other in the text are on one line."""
    middle = (other.top + other.bottom) / 2
    height = max(box.bottom - box.top, other.bottom - other.top)
    apart = max(other.left - box.right, box.left - other.right)
    low = min(box.top, other.top + height / 3)
    return low < middle < max(box.bottom, other.bottom - height / 3) and apart < 6 * height


def _drawn_from(page: PageText, place: int) -> int:
    """The first place of the page's text, from one on, else before it, whose character is drawn; -1 without any."""
    count = len(page.index)
    place = min(max(0, place), max(0, count - 1))
    for at in (*range(place, count), *range(place - 1, -1, -1)):
        number = page.index[at]
        if number >= 0 and is_drawn(page, number) and not is_blank(page.characters[number]):
            return at
    return -1


def box_at(pages: Sequence[PageText], point: int) -> tuple[int, Box]:
    """The page of a code point, and its box there; the page's upper left corner where none is drawn."""
    number = page_of(pages, point)
    page = pages[number]
    at = _drawn_from(page, point - page.span.start)
    return number, (box_of(page, page.index[at]) if at >= 0 else Box(0.0, 0.0, 0.0, 0.0))


def point_below(pages: Sequence[PageText], number: int, y: float) -> int:
    """The first code point whose character's middle lies at a height of a page or below, else of the next page."""
    page = pages[number]
    for place, character in enumerate(page.index):
        if character < 0:
            continue
        _, top, _, bottom = box_of(page, character)
        if bottom > top and top + bottom >= 2 * y:
            return page.span.start + place
    return pages[number + 1].span.start if number + 1 < len(pages) else page.span.end


def bands(pages: Sequence[PageText], length: int) -> list[Band]:
    """The places of the parts that `Reading.heat` counts in: from a page and a height to another page and height.

    A part that goes on in the next column takes all the height between its highest and its lowest letter.
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
    """The selected part of a document's text, made with the mouse by letters, words or lines."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._text = opened.document.text
        self.span = Span(0, 0)
        self._anchor: Span | None = None
        self._unit: Callable[[Spot], Span | None] = self._letter
        self._boxes: dict[int, tuple[Span, tuple[Box, ...]]] = {}
        self._sought: re.Pattern[str] | None = None
        self._matches: dict[int, list[Box]] = {}

    def words(self) -> str:
        """The selected words."""
        return self.span.of(self._text)

    def select(self, span: Span) -> None:
        """Select a part of the text."""
        self.span, self._anchor, self._unit = span, Span(span.start, span.start), self._letter

    def begin(self, spot: Spot, clicks: int = 1) -> None:
        """Begin at a place of a page: by letters, after two clicks by words, after three by lines."""
        self._unit = (self._letter, self._word, self._line)[min(clicks, 3) - 1]
        self._anchor = self._unit(spot)
        self.span = self._anchor or Span(0, 0)

    def extend(self, spot: Spot) -> None:
        """Select from where it began to a place of a page."""
        reached = self._unit(spot)
        if reached is None:
            return
        if self._anchor is None:
            self._anchor = reached
        self.span = Span(min(self._anchor.start, reached.start), max(self._anchor.end, reached.end))

    def boxes(self, page: int) -> tuple[Box, ...]:
        """The boxes of the selection on a page."""
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
        """The boxes of what a pattern matches on a page, of `_MOST_MARKED` places at most."""
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
        point = caret_at(self._opened.pages[spot.page], spot.x, spot.y)
        return None if point is None else Span(point, point)

    def _word(self, spot: Spot) -> Span | None:
        letter = character_span(self._opened.pages[spot.page], spot.x, spot.y)
        return None if letter is None else word_around(self._text, letter.start)

    def _line(self, spot: Spot) -> Span | None:
        letter = character_span(self._opened.pages[spot.page], spot.x, spot.y)
        if letter is None:
            return None
        return line_around(self._opened.pages[page_of(self._opened.pages, letter.start)], letter.start)
