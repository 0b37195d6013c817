"""Groups words of a page into lines; a wide gap, such as between a table's cells, ends a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.documents.pdf.bidi import logical_words
from app.documents.pdf.characters import Sheet, Word

# In em of the words' size.
_WIDE_GAP = 1.5
_WIDE_FIXED = 1.9  # in a monospaced font: three blanks
_GUTTER_GAP = 0.75
_SAME_LINE = 0.55
_TOUCHING = 0.12

_ASCENT, _DESCENT = 0.8, 0.2
_FEWEST_AT_GUTTER = 6
PROSE_LENGTH = 18  # characters of the shortest line that counts as running text
_MOST_LINES = 4000
# What may end a line within a word; the first is the engine's own mark.
HYPHENS = "\x02-\u00ad\u2010"


@dataclass(slots=True)
class Line:
    """Words on one base line without a wide gap, in reading order.

    Points in the frame of `quarter` (see `Word`); `length` is the number of characters, `text` the words as on the
    page. `page` counts from 0. `code` is whether all its letters are monospaced.
    """

    words: list[Word]
    left: float
    right: float
    base: float
    size: float
    bold: bool
    quarter: int
    length: int
    page: int = 0
    text: str = ""
    rightwards: bool = True
    code: bool = False

    @property
    def start(self) -> float:
        """The line's start, in points that increase in reading direction."""
        return self.left if self.rightwards else -self.right

    @property
    def end(self) -> float:
        """The line's end, in points that increase in reading direction."""
        return self.right if self.rightwards else -self.left

    @property
    def top(self) -> float:
        """The top of the line's letters."""
        return self.base - _ASCENT * self.size

    @property
    def bottom(self) -> float:
        """The bottom of the line's letters."""
        return self.base + _DESCENT * self.size

    def is_level_with(self, other: Line) -> bool:
        """Whether two lines have one base line, even if one of them is raised or lowered."""
        return self.quarter == other.quarter and abs(self.base - other.base) <= _SAME_LINE * max(
            self.size, other.size
        )

    def is_beside(self, other: Line) -> bool:
        """Whether two lines do not overlap horizontally."""
        return min(self.right, other.right) - max(self.left, other.left) <= 0.2 * min(self.size, other.size)


def lines_of(sheet: Sheet, page: int) -> list[Line]:
    """The lines of a page in the order of the file."""
    groups = _split_at_gutters(_groups(sheet.words))
    lines = [_line(group, page) for group in groups]
    fixes: dict[int, str] = {}
    for line in lines:
        if not sheet.rightwards:
            line.rightwards = False
            line.words = logical_words(line.words, sheet, fixes)
    if fixes:
        characters = list(sheet.characters)
        for place, character in fixes.items():
            characters[place] = character
        sheet.characters = "".join(characters)
    for line in lines:
        line.text = text_of(line.words, sheet.characters)
    return lines


def levels_of(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines from one edge of a page to the other, in groups on one base line."""
    levels: list[list[Line]] = []
    for line in lines:
        if levels and levels[-1][0].is_level_with(line):
            levels[-1].append(line)
        else:
            levels.append([line])
    return levels


def text_of(words: Sequence[Word], characters: str) -> str:
    """The words' text as on the page, with a blank at each gap."""
    pieces = []
    for place, word in enumerate(words):
        if place and word.gap:
            pieces.append(" ")
        if word.order is None:
            pieces.append(characters[word.first : word.last])
        else:
            pieces.append("".join(characters[each] for each in word.order))
    return "".join(pieces)


def _groups(words: Sequence[Word]) -> list[list[Word]]:
    groups: list[list[Word]] = []
    base = size = 0.0
    for word in words:
        if groups:
            before = groups[-1][-1]
            larger = max(word.size, size)
            gap = distance(before, word)
            widest = _WIDE_FIXED if word.fixed and before.fixed else _WIDE_GAP
            if (
                not word.begins_cell
                and word.quarter == before.quarter
                and abs(word.base - base) <= _SAME_LINE * larger
                and gap <= widest * max(word.size, before.size)
                # Going back starts another line, unless it is written from right to left.
                and (word.right > before.left or gap <= 0.6 * larger)
            ):
                word.gap = word.gap or (
                    gap > _TOUCHING * larger and (word.first > before.last or gap > 0.25 * larger)
                )
                groups[-1].append(word)
                if word.size > size:
                    base, size = word.base, word.size
                continue
        word.gap = False
        groups.append([word])
        base, size = word.base, word.size
    return groups


def distance(one: Word, other: Word) -> float:
    """The width of the gap between two words of a line; below 0 where they overlap."""
    return max(other.left - one.right, one.left - other.right)


def _line(words: list[Word], page: int) -> Line:
    sizes: dict[float, int] = {}
    bases: dict[float, float] = {}
    for word in words:
        sizes[word.size] = sizes.get(word.size, 0) + word.last - word.first
        bases.setdefault(word.size, word.base)
    size = max(sizes, key=lambda each: (sizes[each], each))
    return Line(
        words,
        min(word.left for word in words),
        max(word.right for word in words),
        bases[size],
        size,
        all(word.bold for word in words),
        words[0].quarter,
        sum(sizes.values()),
        page,
        code=all(word.fixed for word in words),
    )


def _split_at_gutters(groups: list[list[Word]]) -> list[list[Word]]:
    """Split lines that run over a narrow gutter between columns, where most lines have a gap at the same position."""
    for _ in range(3):
        if len(groups) > _MOST_LINES:
            return groups
        place = _gutter(groups)
        if place is None:
            return groups
        cut: list[list[Word]] = []
        for group in groups:
            where = _gap_at(group, place)
            if where:
                group[where].gap = False
                cut += [group[:where], group[where:]]
            else:
                cut.append(group)
        groups = cut
    return groups


def _gutter(groups: Sequence[Sequence[Word]]) -> float | None:
    cut = []
    for one, other in pairwise(groups):
        left, right = one[-1], other[0]
        if right.left > left.right and abs(left.base - right.base) <= _SAME_LINE * max(left.size, right.size):
            cut.append((left.right, right.left))
    edges = [edge for start, end in cut for edge in ((start, 1), (end, -1))]
    for group in groups:
        for before, word in pairwise(group):
            if _is_gutter_wide(before, word):
                edges += [(before.right, 1), (word.left, -1)]
    if len(edges) < 2 * _FEWEST_AT_GUTTER:
        return None
    edges.sort()
    open_gaps, most, place = 0, 0, 0.0
    for number, (edge, step) in enumerate(edges):
        open_gaps += step
        if open_gaps > most and number + 1 < len(edges):
            most, place = open_gaps, (edge + edges[number + 1][0]) / 2
    if most < _FEWEST_AT_GUTTER:
        return None
    uncut = sum(1 for group in groups if group[0].left < place < group[-1].right)
    apart = sum(1 for start, end in cut if start < place < end)
    return place if apart < most and most >= 0.6 * (uncut + apart) else None


def _gap_at(group: Sequence[Word], place: float) -> int:
    """The number of the word that begins after a gap over `place`; 0 if there is none."""
    for number in range(1, len(group)):
        before, word = group[number - 1], group[number]
        if before.right <= place <= word.left and _is_gutter_wide(before, word):
            return number
    return 0


def _is_gutter_wide(before: Word, word: Word) -> bool:
    return word.left - before.right >= _GUTTER_GAP * max(before.size, word.size)
