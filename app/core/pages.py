"""Maps spans of the text to boxes on pages, and boxes and points back to characters and spans."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from app.core.layout import PageText
from app.core.message import Message
from app.core.page_runs import HYPHENS, Box, boxes_of, characters_in, is_blank, is_drawn
from app.core.text import Span

_NO_PAGES = Message("The document has no pages.")
_NO_WORDS = Message("There are no words to mark.")
_DOUBTFUL = Message("The font of these words does not say which letters they are.")
_NOT_DRAWN = Message("Some of these words are not drawn on the page.")
_COVERED = Message("Other words lie over these on the page.")
_DIFFERS = Message("The page does not say exactly these words.")

# Ligatures and presentation forms of Arabic and Hebrew letters: the same letters, drawn differently.
_FORMS = re.compile("[\ufb00-\ufdff\ufe70-\ufefc]")
_HYPHEN_FORMS = str.maketrans(dict.fromkeys("\u2010\u2011\x02", "-") | {"\u00ad": ""})


@dataclass(frozen=True, slots=True)
class PagePlace:
    """The boxes of words on a page, counted from 0: one per line and run, in reading order."""

    page: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class PageMark:
    """A highlight on pages, to be drawn only if `reason` is empty: the page then has exactly the words."""

    places: tuple[PagePlace, ...]
    reason: str = ""


def places_of(pages: Sequence[PageText], span: Span) -> tuple[PagePlace, ...]:
    """Return the places of a span's words; several lines, columns and pages give several boxes.

    Consecutive characters of a line share a box of even height; undrawn ones have none.
    """
    places = []
    for number, numbers, hyphens in _characters_of(pages, span):
        boxes = boxes_of(pages[number], numbers, hyphens)
        if boxes:
            places.append(PagePlace(number, boxes))
    return tuple(places)


def mark_on_pages(pages: Sequence[PageText], span: Span, words: str) -> PageMark:
    """Return the highlight of a span, read back from the page and compared with its words.

    Only differences in white space, hyphens that divide a word at a line's end, and ligatures are ignored.
    """
    if not pages:
        return PageMark((), _NO_PAGES)
    wanted = _letters(words)
    if not wanted:
        return PageMark((), _NO_WORDS)
    places: list[PagePlace] = []
    characters_read: list[str] = []
    reason = ""
    for place, numbers, hyphens in _characters_of(pages, span):
        page = pages[place]
        boxes = boxes_of(page, numbers, hyphens)
        characters_read += [page.characters[number] for number in numbers if number not in hyphens]
        reason = reason or _distrust(page, numbers)
        if boxes:
            places.append(PagePlace(place, boxes))
            reason = reason or _mismatch(page, boxes, numbers)
    if not reason and _letters("".join(characters_read)) != wanted:
        reason = _DIFFERS
    return PageMark(tuple(places), reason)


def character_at(page: PageText, x: float, y: float) -> int:
    """Return the drawn character to select at a point of the mouse; -1 if there is none.

    That is the nearest character, unless the point is level with the line around that one: then it is the nearest of
    the characters at this level.
    """
    boxes = page.boxes
    nearest, shortest = -1, 0.0
    level: list[tuple[float, int]] = []
    for number, (left, top, right, bottom) in enumerate(
        zip(boxes[0::4], boxes[1::4], boxes[2::4], boxes[3::4], strict=True)
    ):
        if right <= left or bottom <= top:
            continue
        aside = max(left - x, x - right, 0.0)
        above = max(top - y, y - bottom, 0.0)
        if not above:
            level.append((aside, number))
        distance = hypot(aside, above)
        if nearest < 0 or distance < shortest:
            nearest, shortest = number, distance
    if nearest < 0 or not shortest:
        return nearest
    first, last = _line_around(page, nearest)
    candidates = [found for found in level if boxes[4 * found[1] + 2] > first and boxes[4 * found[1]] < last]
    return min(candidates)[1] if candidates else nearest


def text_between(page: PageText, first: int, last: int) -> Span:
    """Return the part of `Document.text` that was read from characters `first` to `last` of a page, in either order.

    If an end was not read into the text, the nearest character between the ends that was takes its place; if there is
    none, the span is empty.
    """
    low, high = min(first, last), max(first, last)
    read = set(page.index)
    start = next((number for number in range(low, high + 1) if number in read), -1)
    if start < 0:
        return Span(page.span.start, page.span.start)
    end = next(number for number in range(high, low - 1, -1) if number in read)
    places = sorted((page.index.index(start), page.index.index(end)))
    last_place = places[1]
    while last_place + 1 < len(page.index) and page.index[last_place + 1] == page.index[last_place]:
        last_place += 1
    return Span(page.span.start + places[0], page.span.start + last_place + 1)


def _characters_of(pages: Sequence[PageText], span: Span) -> Iterator[tuple[int, list[int], frozenset[int]]]:
    """Yield the pages of a span, each with its characters in order, and those of them that are dividing hyphens.

    A dividing hyphen stands at a line's end between the parts of a word, and was left out of the text.
    """
    first = max(0, bisect_right(pages, span.start, key=lambda page: page.span.start) - 1)
    for place in range(first, len(pages)):
        page = pages[place]
        if page.span.start >= span.end:
            return
        start = max(span.start - page.span.start, 0)
        index = page.index[start : max(0, span.end - page.span.start)]
        if not index:
            continue
        hyphens = {
            one + 1
            for one, other in pairwise(index)
            if one >= 0
            and other >= 0
            and other not in (one, one + 1)
            and page.characters[one + 1 : one + 2] in HYPHENS
        }
        hyphens.difference_update(index)
        numbers: dict[int, None] = {}
        for number in index:
            if number >= 0:
                numbers[number] = None
                if number + 1 in hyphens:
                    numbers[number + 1] = None
        yield place, list(numbers), frozenset(hyphens)


def _distrust(page: PageText, numbers: Sequence[int]) -> str:
    """Return why characters of a page cannot be trusted; empty if they can."""
    for number in numbers:
        character = page.characters[number]
        if is_blank(character):
            continue
        if number in page.doubtful or character == "\ufffd":
            return _DOUBTFUL
        # A combining mark may have no area of its own, and a soft hyphen inside a line is invisible.
        if not (is_drawn(page, number) or unicodedata.combining(character) or character in "\u00ad\x02"):
            return _NOT_DRAWN
    return ""


def _mismatch(page: PageText, boxes: Sequence[Box], numbers: Sequence[int]) -> str:
    """Return why the characters drawn in boxes are not those that the words were read from; empty if they are."""
    own = set(numbers)
    found = {number for inside in characters_in(page, boxes) for number in inside}
    for number in found - own:
        if not is_blank(page.characters[number]) and not _drawn_twice(page, number, own & found):
            return _COVERED
    missing = (number for number in own - found if is_drawn(page, number))
    return "" if all(is_blank(page.characters[number]) for number in missing) else _DIFFERS


def _drawn_twice(page: PageText, number: int, own: set[int]) -> bool:
    """Whether one of the words' own characters is the same letter in nearly the same place, as in simulated bold."""
    box = page.boxes[4 * number : 4 * number + 4]
    near = (box[3] - box[1]) / 5
    return any(
        page.characters[other] == page.characters[number]
        and max(abs(one - two) for one, two in zip(box, page.boxes[4 * other : 4 * other + 4], strict=True))
        < near
        for other in own
    )


def _letters(text: str) -> str:
    """Return the text for comparison: without white space, ligatures decomposed, in one Unicode normal form."""
    if not text.isascii():
        text = _FORMS.sub(lambda form: unicodedata.normalize("NFKC", form.group()), text)
        text = unicodedata.normalize("NFC", text)
    text = text.translate(_HYPHEN_FORMS)
    return "".join(character for character in text if not is_blank(character))


def _line_around(page: PageText, number: int) -> tuple[float, float]:
    """Return the horizontal extent of a character's line, found through the characters before and after it."""
    boxes = page.boxes
    left, top, right, bottom = boxes[4 * number : 4 * number + 4]
    height = bottom - top
    for step in (-1, 1):
        other = number + step
        while 0 <= other < len(page.characters):
            one = boxes[4 * other : 4 * other + 4]
            if is_drawn(page, other):
                if (
                    not top < (one[1] + one[3]) / 2 < bottom
                    or max(one[0] - right, left - one[2]) > 2 * height
                ):
                    break
                left, right = min(left, one[0]), max(right, one[2])
            other += step
    return left, right
