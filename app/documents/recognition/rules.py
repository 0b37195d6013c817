"""Removes rules from a picture before it is read, lines under words and of tables, and finds the cells between them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from app.documents.recognition.words import DARK, PagePicture, RecognisedWord

_PAPER = bytes([255, *bytes(255)])  # where nothing is kept
# How much darker than paper thin rules are at least, and of how many pixels one is looked at to tell the paper.
_FAINT, _LOOKED_AT = 45, 1009
# In inches: the shortest rule, and the thickest. A page's slope that is left may make a long one look thicker.
_SHORTEST, _THICKEST = 0.5, 0.05
# In pixels: around a rule its edges are grey.
_EDGE = 2
# The shares of a rule beside which there is paper: on its one side, where words may stand close, and on both together.
_ONE_BARE, _BOTH_BARE = 0.3, 1.2
# The share of a rule near which there are letters on one side, from which on they stand on it.
_STANDING = 0.35
# With more than these a picture is no page of tables and is left as it is.
_MOST_RULES = 2000
# In inches: how far from each other the ends of rules that meet may be.
_MEETS = 0.06


class Rule(NamedTuple):
    """A straight line across or down a picture, as its box in pixels."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_level(self) -> bool:
        """Whether the rule runs across the page."""
        return self.right - self.left > self.bottom - self.top

    def meets(self, other: Rule, near: float) -> bool:
        """Whether two rules cross, touch, or come as near as `near`."""
        return (
            min(self.right, other.right) - max(self.left, other.left) >= -near
            and min(self.bottom, other.bottom) - max(self.top, other.top) >= -near
        )


@dataclass(slots=True)
class _Band:
    """Runs of dark pixels that lie below each other in consecutive rows."""

    first: int
    last: int
    start: int
    end: int


def without_rules(picture: PagePicture) -> tuple[PagePicture, list[Rule]]:
    """The picture with its rules painted over, except where strokes of letters cross them, and the rules."""
    width, height, stride, inch = picture.width, picture.height, picture.stride, 72 * picture.scale
    paper = max(DARK.count(1) + _FAINT, _commonest(picture.pixels[::_LOOKED_AT]))
    faint = picture.pixels.translate(bytes(each <= paper - _FAINT for each in range(256)))
    dark = picture.pixels.translate(DARK)
    rows = [dark[stride * row : stride * row + width] for row in range(height)]
    found = _straight([faint[stride * row : stride * row + width] for row in range(height)], rows, inch)
    level = [Rule(start, first, end, last + 1) for first, last, start, end in islice(found, _MOST_RULES)]
    columns = [dark[column : stride * height : stride] for column in range(width)]
    found = _straight([faint[column : stride * height : stride] for column in range(width)], columns, inch)
    upright = [Rule(first, start, last + 1, end) for first, last, start, end in islice(found, _MOST_RULES)]
    if not 0 < len(level) + len(upright) < _MOST_RULES:
        return picture, []
    pixels, near = bytearray(picture.pixels), _MEETS * inch
    for rule in level:
        crossing = [(other.left, other.right) for other in upright if other.meets(rule, near)]
        _paint_over(pixels, stride, 1, rows, (rule.top, rule.bottom, rule.left, rule.right), crossing)
    for rule in upright:
        crossing = [(other.top, other.bottom) for other in level if other.meets(rule, near)]
        _paint_over(pixels, 1, stride, columns, (rule.left, rule.right, rule.top, rule.bottom), crossing)
    return replace(picture, pixels=bytes(pixels)), [*level, *upright]


def _commonest(pixels: bytes) -> int:
    return max(range(256), key=pixels.count)


def _straight(
    lines: Sequence[bytes], dark: Sequence[bytes], inch: float
) -> Iterator[tuple[int, int, int, int]]:
    """Each rule: the first and last of the lines that it covers, and its start and end along them.

    `lines` have 1 for pixels that are dark enough for a thin rule, `dark` for those dark enough for letters.
    """
    long, thick = re.compile(rb"\x01{%d,}" % max(8, round(_SHORTEST * inch))), _THICKEST * inch
    blank = bytes(len(lines[0])) if lines else b""
    open_bands: list[_Band] = []
    for number, line in enumerate(lines):
        runs: list[_Band] = []
        passed = 0
        # A line that is hardly aslant, or has specks in it, is whole together with its neighbour.
        for found in long.finditer(_either(line, lines[number + 1] if number + 1 < len(lines) else blank)):
            start, end = found.span()
            while passed < len(open_bands) and open_bands[passed].end <= start:
                passed += 1
            band = open_bands[passed] if passed < len(open_bands) else None
            if band is None or band.start >= end:
                is_dark = 2 * line.count(1, start, end) > end - start
                runs.append(_Band(number if is_dark else number + 1, number, start, end))
            else:
                band.last, band.start, band.end = number, min(start, band.start), max(end, band.end)
        still = [each for each in open_bands if each.last == number]
        for band in open_bands:
            if band.last < number and _is_rule(band, dark, thick):
                yield band.first, band.last, band.start, band.end
        open_bands = sorted([*still, *runs], key=lambda band: band.start)
    for band in open_bands:
        if _is_rule(band, dark, thick):
            yield band.first, band.last, band.start, band.end


def _either(one: bytes | bytearray, other: bytes) -> bytes:
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(len(one), "little")


def _both(one: bytes, other: bytes) -> bytes:
    both = int.from_bytes(one, "little") & int.from_bytes(other, "little")
    return both.to_bytes(len(one), "little")


def _wider(line: bytes) -> bytes:
    """A line with its dark runs a pixel longer at both ends."""
    dark = int.from_bytes(line, "little")
    dark |= dark << 8 | dark >> 8
    return (dark & ((1 << 8 * len(line)) - 1)).to_bytes(len(line), "little")


def _is_rule(band: _Band, lines: Sequence[bytes], thick: float) -> bool:
    """Whether a band is as thin as a rule, with paper along its sides."""
    if band.last + 1 - band.first > thick:
        return False
    length = band.end - band.start
    bare = [
        lines[place].count(0, band.start, band.end) if 0 <= place < len(lines) else length
        for place in (band.first - _EDGE - 1, band.last + _EDGE + 1)
    ]
    return min(bare) >= _ONE_BARE * length and sum(bare) >= _BOTH_BARE * length


def _paint_over(
    pixels: bytearray,
    step: int,
    along: int,
    lines: Sequence[bytes],
    rule: tuple[int, int, int, int],
    across: Iterable[tuple[int, int]],
) -> None:
    """Make a rule and its grey edges white, except for the strokes of letters that reach into it.

    `rule` has its first line, the one after its last, and its start and end along them; other rules cross it between
    the positions of `across`. Neighbouring pixels of a line are `along` bytes apart, neighbouring lines `step` bytes.
    """
    first, last, start, end = rule
    start, end = max(0, start - _EDGE), min(len(lines[0]), end + _EDGE)
    blank = bytes(end - start)
    before = bytearray(lines[first - 1][start:end] if first else blank)
    behind = bytearray(lines[last][start:end] if last < len(lines) else blank)
    for left, right in across:
        gap = slice(max(0, left - _EDGE - start), max(0, right + _EDGE - start))
        before[gap] = bytes(len(before[gap]))
        behind[gap] = bytes(len(behind[gap]))
    # Where few letters come near they reach down into it, else they stand on it. A stroke may be aslant.
    near = max(
        lines[place].count(1, start, end)
        for place in (max(0, first - _EDGE - 1), min(len(lines) - 1, last + _EDGE))
    )
    touch = _either if near < _STANDING * (end - start) else _both
    strokes = touch(_wider(bytes(before)), _wider(bytes(behind)))
    for line in range(max(0, first - _EDGE), min(len(lines), last + _EDGE)):
        kept = strokes if first <= line < last else lines[line][start:end]
        place = step * line + along * start
        cut = slice(place, place + along * (end - start), along)
        pixels[cut] = _either(pixels[cut], kept.translate(_PAPER))


class _Table:
    """A table: rules that meet, and the cells between them."""

    def __init__(self, rules: Sequence[Rule], near: float) -> None:
        self._level = sorted((rule for rule in rules if rule.is_level), key=lambda rule: rule.top)
        self._upright = sorted((rule for rule in rules if not rule.is_level), key=lambda rule: rule.left)
        self._near = near
        lefts, tops, rights, bottoms = zip(*rules, strict=True)
        self._box = min(lefts), min(tops), max(rights), max(bottoms)

    @property
    def has_cells(self) -> bool:
        """Whether there are rules across and rules down."""
        return bool(self._level and self._upright)

    def cell_of(self, x: float, y: float) -> tuple[int, int] | None:
        """The cell of a point, as the positions of the rules above and to the left of it; None outside the table."""
        left, top, right, bottom = self._box
        near = self._near
        if not (left - near <= x <= right + near and top - near <= y <= bottom + near):
            return None
        above = [
            rule.top for rule in self._level if rule.top <= y and rule.left - near <= x <= rule.right + near
        ]
        before = [
            rule.left
            for rule in self._upright
            if rule.left <= x and rule.top - near <= y <= rule.bottom + near
        ]
        return (max(above, default=top), max(before, default=left))


def in_cells(
    picture: PagePicture, words: Sequence[RecognisedWord], rules: Sequence[Rule]
) -> Iterator[RecognisedWord]:
    """The words, those of a ruled table cell by cell; each cell begins a line.

    Where rules separate only groups of rows, the words stay row by row.
    """
    near = _MEETS * 72 * picture.scale
    tables = [
        each for each in (_Table(met, near) for met in _groups_that_meet(rules, near)) if each.has_cells
    ]
    waiting: list[tuple[tuple[int, int], RecognisedWord]] = []
    within: _Table | None = None
    for word in words:
        x, y = (word.letters[0].left + word.letters[-1].right) / 2, word.base - 0.3 * word.size
        table, cell = next(
            ((each, place) for each in tables if (place := each.cell_of(x, y)) is not None), (None, (0, 0))
        )
        if table is not within:
            yield from _cell_by_cell(waiting)
            begins, waiting, within = bool(waiting), [], table
            if table is None and begins:
                word = replace(word, begins_line=True, begins_cell=True)
        if table is None:
            yield word
        else:
            waiting.append((cell, word))
    yield from _cell_by_cell(waiting)


def _groups_that_meet(rules: Sequence[Rule], near: float) -> Iterator[list[Rule]]:
    """The rules in groups of those that meet, directly or through others."""
    left = list(rules)
    while left:
        group = [left.pop()]
        for rule in group:
            apart: list[Rule] = []
            for other in left:
                (group if other.meets(rule, near) else apart).append(other)
            left = apart
        yield group


def _cell_by_cell(words: Sequence[tuple[tuple[int, int], RecognisedWord]]) -> Iterator[RecognisedWord]:
    cells: dict[tuple[int, int], list[RecognisedWord]] = defaultdict(list)
    bands: dict[int, list[tuple[int, RecognisedWord]]] = defaultdict(list)
    for (above, before), word in words:
        bands[above].append((before, word))
        cells[above, before].append(word)
    several = sum(_has_several_rows(band) for band in bands.values())
    if 2 * several >= len(bands):
        last: tuple[int, int] | None = None
        for cell, word in words:
            yield _beginning_cell(word) if cell != last else word
            last = cell
        return
    for cell in sorted(cells):
        for number, word in enumerate(cells[cell]):
            yield _beginning_cell(word) if not number else word


def _has_several_rows(band: Iterable[tuple[int, RecognisedWord]]) -> bool:
    """Whether a band between two rules has several rows: lines that are level in all columns."""
    lines: dict[int, list[float]] = defaultdict(list)
    size = 0.0
    for column, word in band:
        size = max(size, word.size)
        if all(abs(word.base - base) > 0.5 * word.size for base in lines[column]):
            lines[column].append(word.base)
    if len(lines) < 2:
        return False
    most = max(lines.values(), key=len)
    level = [
        base
        for base in most
        if all(any(abs(base - other) <= 0.5 * size for other in column) for column in lines.values())
    ]
    return len(level) > 1


def _beginning_cell(word: RecognisedWord) -> RecognisedWord:
    return replace(word, begins_line=True, begins_cell=True)
