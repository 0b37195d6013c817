"""Places on pages: from a span of the text to boxes on the page, and back by reading the characters in them."""

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
    """A highlight on pages; `reason` is empty if the page has exactly the words.

    Only then may it be drawn.
    """

    places: tuple[PagePlace, ...]
    reason: str = ""


def places_of(pages: Sequence[PageText], span: Span) -> tuple[PagePlace, ...]:
    """The places of a span's words; several lines, columns and pages give several boxes.

    Consecutive characters of a line share a box of even height; undrawn ones have none.
    """
    places = []
    for number, numbers, hyphens in _read_from(pages, span):
        boxes = boxes_of(pages[number], numbers, hyphens)
        if boxes:
            places.append(PagePlace(number, boxes))
    return tuple(places)


def mark_on_pages(pages: Sequence[PageText], span: Span, words: str) -> PageMark:
    """The highlight of a span, read back from the page and compared with its words.

    Only differences in blanks, hyphens that divide a word at a line's end, and ligatures are ignored.
    """
    if not pages:
        return PageMark((), _NO_PAGES)
    wanted = _letters(words)
    if not wanted:
        return PageMark((), _NO_WORDS)
    places: list[PagePlace] = []
    characters_read: list[str] = []
    reason = ""
    for place, numbers, hyphens in _read_from(pages, span):
        page = pages[place]
        boxes = boxes_of(page, numbers, hyphens)
        characters_read += [page.characters[number] for number in numbers if number not in hyphens]
        reason = reason or _unsure(page, numbers)
        if boxes:
            places.append(PagePlace(place, boxes))
            reason = reason or _read_back(page, boxes, numbers)
    if not reason and _letters("".join(characters_read)) != wanted:
        reason = _DIFFERS
    return PageMark(tuple(places), reason)


def character_at(page: PageText, x: float, y: float) -> int:
    """The drawn character that a point belongs to when text is selected with a mouse; -1 without any.

    That is the nearest one; but for a point level with a line and within the width around it, that line's nearest.
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
    """The part of `Document.text` that was read from characters `first` to `last` of a page, in either order.

    If one of them was not read into the text, the next one between them that was is used; without any the span is
    empty.
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


def _read_from(pages: Sequence[PageText], span: Span) -> Iterator[tuple[int, list[int], frozenset[int]]]:
    """The pages of a span: each with the characters that it was read from, in order, and which of them are hyphens.

    Those are the hyphens at line ends that reading left out between two parts of a word.
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


def _unsure(page: PageText, numbers: Sequence[int]) -> str:
    """Why characters of a page cannot be trusted; empty if they can."""
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


def _read_back(page: PageText, boxes: Sequence[Box], numbers: Sequence[int]) -> str:
    """Why the drawn characters in boxes are not those that the words were read from; empty if they are."""
    own = set(numbers)
    found = {number for inside in characters_in(page, boxes) for number in inside}
    for number in found - own:
        if not is_blank(page.characters[number]) and not _drawn_twice(page, number, own & found):
            return _COVERED
    missing = (number for number in own - found if is_drawn(page, number))
    return "" if all(is_blank(page.characters[number]) for number in missing) else _DIFFERS


def _drawn_twice(page: PageText, number: int, own: set[int]) -> bool:
    """Whether the same letter is one of the words' own at nearly the same place, as in simulated bold."""
    box = page.boxes[4 * number : 4 * number + 4]
    near = (box[3] - box[1]) / 5
    return any(
        page.characters[other] == page.characters[number]
        and max(abs(one - two) for one, two in zip(box, page.boxes[4 * other : 4 * other + 4], strict=True))
        < near
        for other in own
    )


def _letters(text: str) -> str:
    """The text for comparison: without blanks, ligatures decomposed, in one Unicode normal form."""
    if not text.isascii():
        text = _FORMS.sub(lambda form: unicodedata.normalize("NFKC", form.group()), text)
        text = unicodedata.normalize("NFC", text)
    text = text.translate(_HYPHEN_FORMS)
    return "".join(character for character in text if not is_blank(character))


def _line_around(page: PageText, number: int) -> tuple[float, float]:
    """The horizontal extent of a character's line, through the characters before and after it."""
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
