"""Boxes around characters of a page: adjacent ones on a line are merged, and other characters kept out."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.core.layout import PageText

# Hyphens that may end a line; PDFium gives U+0002 for one that divides a word.
HYPHENS = frozenset("-\u00ad\u2010\u2011\x02")

# Characters are merged over a gap of up to this many times their height (wider ones separate the cells of a table), if
# their heights differ by at most this factor.
_MOST_GAP = 1.0
_MOST_HEIGHT_RATIO = 2.5
# A run may overlap one of the next few in reading order: the parts of two lines of mixed direction.
_OVERLAPPING_WITHIN = 4


class Box(NamedTuple):
    """A rectangle in points from the page's upper left corner, downwards."""

    left: float
    top: float
    right: float
    bottom: float


class _Glyph(NamedTuple):
    """A character of the page with its box."""

    number: int
    left: float
    top: float
    right: float
    bottom: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class _Run:
    """Characters that share a box, and the box."""

    glyphs: list[_Glyph]
    left: float
    top: float
    right: float
    bottom: float

    def add(self, glyph: _Glyph) -> None:
        self.glyphs.append(glyph)
        self.left, self.top = min(self.left, glyph.left), min(self.top, glyph.top)
        self.right, self.bottom = max(self.right, glyph.right), max(self.bottom, glyph.bottom)


def is_drawn(page: PageText, number: int) -> bool:
    """Whether a character of the page has a box with an area."""
    left, top, right, bottom = page.boxes[4 * number : 4 * number + 4]
    return right > left and bottom > top


def is_blank(character: str) -> bool:
    """Whether a character is invisible: white space, controls and format characters, except hyphens."""
    if character.isspace():
        return True
    if character.isprintable() or character in HYPHENS:
        return False
    return unicodedata.category(character) in ("Cc", "Cf")


def characters_in(page: PageText, boxes: Sequence[Box]) -> list[list[int]]:
    """Return for each box the numbers of the drawn characters whose middle is in it, ascending."""
    if not boxes:
        return []
    heights = _sorted_by_height(page, min(box.top for box in boxes), max(box.bottom for box in boxes))
    return [sorted(glyph.number for glyph in _inside(page, heights, box)) for box in boxes]


def boxes_of(page: PageText, numbers: Iterable[int], others: Collection[int] = ()) -> tuple[Box, ...]:
    """Return the boxes of characters given in reading order, one per line and run.

    A box that contains the middle of a foreign character, neither one of these nor of `others`, is shrunk as far as it
    still contains the middles of its own.
    """
    runs = _line_runs(page, numbers)
    if not runs:
        return ()
    own = {glyph.number for run in runs for glyph in run.glyphs}
    own.update(others)
    heights = _sorted_by_height(page, min(run.top for run in runs), max(run.bottom for run in runs))
    settled: list[_Run] = []
    for run in runs:
        box = Box(run.left, run.top, run.right, run.bottom)
        foreign = [
            glyph
            for glyph in _inside(page, heights, box)
            if glyph.number not in own and not is_blank(page.characters[glyph.number])
        ]
        settled += _without_foreign(run, foreign) if foreign else [run]
    _separate_lines(settled)
    return tuple(Box(run.left, run.top, run.right, run.bottom) for run in settled)


def _line_runs(page: PageText, numbers: Iterable[int]) -> list[_Run]:
    """Group consecutive characters of a line into runs, without blanks and undrawn characters."""
    runs: list[_Run] = []
    before: _Glyph | None = None
    for number in numbers:
        if is_blank(page.characters[number]) or not is_drawn(page, number):
            continue
        glyph = _Glyph(number, *page.boxes[4 * number : 4 * number + 4])
        if before is not None and _follows(runs[-1], before, glyph):
            runs[-1].add(glyph)
        else:
            runs.append(_Run([glyph], *glyph[1:]))
        before = glyph
    return runs


def _follows(run: _Run, before: _Glyph, glyph: _Glyph) -> bool:
    """Whether a character continues a run: near it on the same line, also if raised or lowered."""
    small, large = before, glyph
    if before.bottom - before.top > glyph.bottom - glyph.top:
        small, large = glyph, before
    height = large.bottom - large.top
    if not large.top < small.y < large.bottom or height > _MOST_HEIGHT_RATIO * (small.bottom - small.top):
        return False
    return max(glyph.left - run.right, run.left - glyph.right) <= _MOST_GAP * height


def _sorted_by_height(page: PageText, top: float, bottom: float) -> list[tuple[float, int]]:
    """Return the drawn characters whose middle is between two heights, as (twice that height, number), from the top."""
    boxes = page.boxes
    low, high = 2 * top, 2 * bottom
    found = [
        (upper + lower, number)
        for number, (upper, lower) in enumerate(zip(boxes[1::4], boxes[3::4], strict=True))
        if low <= upper + lower <= high and lower > upper
    ]
    found.sort()
    return found


def _inside(page: PageText, heights: list[tuple[float, int]], box: Box) -> list[_Glyph]:
    """Return the characters of `_sorted_by_height` whose middle is in a box."""
    boxes, low, high = page.boxes, 2 * box.left, 2 * box.right
    first = bisect_left(heights, (2 * box.top, -1))
    last = bisect_right(heights, (2 * box.bottom, len(page.characters)))
    return [
        _Glyph(number, *boxes[4 * number : 4 * number + 4])
        for _, number in heights[first:last]
        if low <= boxes[4 * number] + boxes[4 * number + 2] <= high
        and boxes[4 * number] < boxes[4 * number + 2]
    ]


def _without_foreign(run: _Run, foreign: list[_Glyph]) -> list[_Run]:
    """Shrink the run's box, or split the run, so that no foreign middle is inside if possible."""
    upper = min(glyph.y for glyph in run.glyphs)
    lower = max(glyph.y for glyph in run.glyphs)
    for other in foreign:
        if other.y < upper:
            run.top = max(run.top, (other.y + upper) / 2)
        elif other.y > lower:
            run.bottom = min(run.bottom, (other.y + lower) / 2)
        elif not any(_overlap(own, other) for own in run.glyphs):
            return _split(run, other, foreign)
    return [run]


def _overlap(one: _Glyph, other: _Glyph) -> bool:
    """Whether two characters of a line overlap by more than half."""
    return abs(one.x - other.x) < (one.right - one.left + other.right - other.left) / 4


def _split(run: _Run, other: _Glyph, foreign: list[_Glyph]) -> list[_Run]:
    """Split the run before and after a foreign character in it, and each part at further ones in turn."""
    parts: list[_Run] = []
    for glyph in run.glyphs:
        if parts and (parts[-1].glyphs[-1].x < other.x) == (glyph.x < other.x):
            parts[-1].add(glyph)
        else:
            parts.append(_Run([glyph], *glyph[1:]))
    for part in parts:
        if part.glyphs[0].x < other.x:
            part.right = min(part.right, (other.x + max(glyph.x for glyph in part.glyphs)) / 2)
        else:
            part.left = max(part.left, (other.x + min(glyph.x for glyph in part.glyphs)) / 2)
    settled: list[_Run] = []
    for part in parts:
        inside = [
            glyph
            for glyph in foreign
            if part.left <= glyph.x <= part.right and part.top <= glyph.y <= part.bottom
        ]
        settled += _without_foreign(part, inside)
    return settled


def _separate_lines(runs: list[_Run]) -> None:
    """Shrink the overlapping boxes of close lines to a common edge, so that highlights do not overlap."""
    for place, one in enumerate(runs):
        for other in runs[place + 1 : place + 1 + _OVERLAPPING_WITHIN]:
            if min(one.right, other.right) <= max(one.left, other.left):
                continue
            above, below = (one, other) if one.top < other.top else (other, one)
            if above.bottom <= below.top:
                continue
            lowest = max(glyph.y for glyph in above.glyphs)
            highest = min(glyph.y for glyph in below.glyphs)
            if lowest < highest:
                edge = min(max((above.bottom + below.top) / 2, lowest), highest)
                above.bottom = below.top = edge
