"""Measures words by their pixels: where they begin and end, how large they are, and which are bold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from app.documents.recognition.words import PagePicture, RecognisedWord, weighted_median

_DARK = bytes(each < 150 for each in range(256))
_LIGHT = bytes(each >= 150 for each in range(256))
# Letters that end at the height of an x, dots aside, and those that are as tall as capitals.
_LOW = frozenset("acegijmnopqrsuvwxyz")
_TALL = frozenset("bdfhklABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_STANDING = frozenset("abcdefhiklmnorstuvwxzABCDEFGHIKLMNOPRSTUVWXYZ0123456789.:'\"")
# Of tall letters: their share of the font's size, and their height in that of an x where a page does not tell.
_OF_SIZE, _IN_LOWS = 0.69, 1.45
# So many words of a line with tall letters tell its size by themselves, and so many letters whether a word is bold.
_FEWEST_WORDS, _FEWEST_LETTERS = 2, 3
# Sizes that differ by less than this share are one; without tall letters a size is no better known than by the other.
_SAME_SIZE, _UNSURE = 0.055, 0.25
# In what a page's strokes are on average, by the size: a bold one; of an x's height, where strokes are measured.
_BOLD = 1.3
_FROM, _TO = 0.2, 0.8
_REVERSED = 0.6  # the dark share of a box with light letters
_RUN, _GAP = re.compile(rb"\x01+"), re.compile(rb"\x00+")
# How far beside a line its first and last words may reach out of their boxes, and the narrowest gap, by the size.
_ASIDE, _NARROWEST = 0.5, 0.13
# How far a doubtful word's height may be from what others on its line have: specks are less high, lines higher.
_AS_HIGH = 0.12


@dataclass(slots=True)
class _Line:
    """The words of a line; `tall` and `low` are the heights in pixels of words with and without tall letters."""

    words: list[RecognisedWord] = field(default_factory=list)
    heights: list[float] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    tall: list[float] = field(default_factory=list)
    size: float = 0.0

    def without_specks(self) -> list[RecognisedWord]:
        """The words in the line's size, without doubtful ones that are not as high as the others."""
        kept: list[RecognisedWord] = []
        for word, height in zip(self.words, self.heights, strict=True):
            if word.is_doubtful:
                alike = median((self.tall if _is_tall(word) else self.low) or [0.0])
                if not alike or abs(height - alike) > _AS_HIGH * alike:
                    continue
            kept.append(replace(word, size=self.size, begins_line=word.begins_line or not kept))
        return kept


def with_looks(picture: PagePicture, words: Sequence[RecognisedWord]) -> list[RecognisedWord]:
    """The words with their ends, their line's base and size, and their weight as measured in the picture.

    Sizes that are near each other become one. Specks that were taken for letters are left out.
    """
    rows: list[list[RecognisedWord]] = []
    for word in words:
        if word.begins_line or not rows:
            rows.append([])
        rows[-1].append(word)
    lines = [_line(picture, _with_ends(picture, row)) for row in rows]
    _set_sizes(lines)
    sized = [word for line in lines for word in line.without_specks()]
    strokes = [_stroke(picture, word) / word.size for word in sized]
    usual = weighted_median(
        (stroke, len(word.letters)) for stroke, word in zip(strokes, sized, strict=True) if stroke
    )
    bold = [stroke > _BOLD * usual for stroke in strokes]
    return [
        replace(word, bold=thick) for word, thick in zip(sized, _smooth(sized, bold, strokes), strict=True)
    ]


def _is_tall(word: RecognisedWord) -> bool:
    return any(letter.character in _TALL for letter in word.letters)


def _line(picture: PagePicture, words: Sequence[RecognisedWord]) -> _Line:
    """The line of words, with its base where letters without descenders end."""
    ends = [_ends(picture, word) for word in words]
    under = [
        bottom - word.base
        for word, (_, bottom) in zip(words, ends, strict=True)
        if bottom and _STANDING.issuperset(letter.character for letter in word.letters)
    ]
    shift = median(under) if len(under) >= _FEWEST_WORDS else 0.0
    line = _Line()
    for word, (top, bottom) in zip(words, ends, strict=True):
        word = replace(word, base=word.base + shift)
        height = word.base - top if bottom and _tells_height(word) else 0.0
        line.words.append(word)
        line.heights.append(height)
        if height and not word.is_doubtful:
            (line.tall if _is_tall(word) else line.low).append(height)
    return line


def _tells_height(word: RecognisedWord) -> bool:
    """Whether a word's height tells that of tall letters, or of those without ascenders."""
    letters = [letter.character for letter in word.letters if letter.character.isalnum()]
    return _is_tall(word) or (bool(letters) and _LOW.issuperset(letters))


def _ends(picture: PagePicture, word: RecognisedWord) -> tuple[float, float]:
    """The top and bottom of a word's ink, found from the middle of its lowest letters; (0, 0) without ink there.

    The lines above and below may reach into the word's box.
    """
    middle = word.base - 0.25 * word.size
    upper, top = _flags(picture, word, word.base - 1.2 * word.size, middle)
    lower, first = _flags(picture, word, middle, word.base + 0.35 * word.size)
    if not upper or not lower or 1 not in upper[-1]:
        return 0.0, 0.0
    over = next((row for row in range(len(upper) - 1, -1, -1) if 1 not in upper[row]), -1)
    under = next((row for row, flags in enumerate(lower) if 1 not in flags), len(lower))
    return float(top + over + 1), float(first + under)


def _flags(picture: PagePicture, word: RecognisedWord, top: float, bottom: float) -> tuple[list[bytes], int]:
    """The rows of a word as bytes, 1 for a pixel of ink and 0 for others, and the number of the first row."""
    left, right = min(letter.left for letter in word.letters), max(letter.right for letter in word.letters)
    first = max(0, round(top))
    return _box(picture, left, first, right, round(bottom)), first


def _box(picture: PagePicture, left: int, top: int, right: int, bottom: int) -> list[bytes]:
    """The rows of a box as bytes, 1 for a pixel of ink (dark, or light on a dark ground) and 0 for others."""
    left, right = (min(max(0, place), picture.width) for place in (left, right))
    top, bottom = (min(max(0, place), picture.height) for place in (top, bottom))
    rows = [
        picture.pixels[picture.stride * row + left : picture.stride * row + right]
        for row in range(top, bottom)
    ]
    flags = [row.translate(_DARK) for row in rows]
    if sum(row.count(1) for row in flags) > _REVERSED * max(1, right - left) * max(1, bottom - top):
        flags = [row.translate(_LIGHT) for row in rows]
    return flags


def _with_ends(picture: PagePicture, words: Sequence[RecognisedWord]) -> list[RecognisedWord]:
    """The words of a line with the left and right ends of their ink, as Tesseract's boxes are not exact.

    The gap between two words is the widest one near the borders of their boxes.
    """
    lefts, rights = [word.letters[0].left for word in words], [word.letters[-1].right for word in words]
    for at in range(len(words) + 1):
        before, behind = words[at - 1] if at else None, words[at] if at < len(words) else None
        near = before or behind
        assert near is not None
        start = _within(before, -2) if before else max(0, lefts[0] - round(_ASIDE * near.size))
        end = _within(behind, 1) if behind else min(picture.width, rights[-1] + round(_ASIDE * near.size))
        if start >= end or (before and behind and before.letters[-1].left > behind.letters[0].left):
            continue
        box = _box(
            picture, start, round(near.base - 0.75 * near.size), end, round(near.base + 0.2 * near.size)
        )
        ink = 0
        for row in box:
            ink |= int.from_bytes(row, "little")
        narrowest = _NARROWEST * near.size
        spans = (found.span() for found in _GAP.finditer(ink.to_bytes(end - start, "little")))
        gaps = [gap for gap in spans if gap[1] - gap[0] >= narrowest]
        if not before:  # what is blank from beside the line on
            gaps = [gap for gap in gaps if gap[0] == 0]
        elif not behind:
            gaps = [gap for gap in gaps if gap[1] == end - start]
        if gaps:
            first, last = max(gaps, key=lambda gap: gap[1] - gap[0])
            if before and first:
                rights[at - 1] = start + first
            if behind and last < end - start:
                lefts[at] = start + last
    return [_between(word, left, right) for word, left, right in zip(words, lefts, rights, strict=True)]


def _within(word: RecognisedWord, letter: int) -> int:
    """How far into a word the search for its end goes: two letters, or just past a single one."""
    aside = round(_NARROWEST * word.size)
    if len(word.letters) == 1:
        return word.letters[0].right + aside if letter > 0 else word.letters[0].left - aside
    return word.letters[letter].right if letter > 0 else word.letters[letter].left


def _between(word: RecognisedWord, left: int, right: int) -> RecognisedWord:
    """A word with its first letter's left edge and its last letter's right edge moved to these."""
    letters = list(word.letters)
    letters[0] = letters[0]._replace(left=min(left, letters[0].right - 1))
    letters[-1] = letters[-1]._replace(right=max(right, letters[-1].left + 1))
    return replace(word, letters=tuple(letters))


def _set_sizes(lines: Sequence[_Line]) -> None:
    """Set the size of each line, first by its letters, then to the commonest size near that."""
    ratios = [
        (median(line.tall) / median(line.low), min(len(line.tall), len(line.low)))
        for line in lines
        if min(len(line.tall), len(line.low)) >= _FEWEST_WORDS
    ]
    in_lows = weighted_median(ratios) or _IN_LOWS
    before = 0.0
    for line in lines:
        if len(line.tall) >= min(_FEWEST_WORDS, len(line.low) + 1):
            line.size = median(line.tall) / _OF_SIZE
        elif line.low:
            line.size = in_lows * median(line.low) / _OF_SIZE
        by_engine = line.words[0].size
        if not 0.6 * by_engine <= line.size <= 1.5 * by_engine:
            line.size = by_engine
        if not line.tall and abs(line.size - before) <= _UNSURE * before:
            line.size = before
        before = line.size
    left = list(lines)
    while left:
        common = weighted_median((line.size, _length(line)) for line in left)
        near = [line for line in left if abs(line.size - common) <= _SAME_SIZE * common]
        left = [line for line in left if abs(line.size - common) > _SAME_SIZE * common]
        for line in near:
            line.size = common


def _length(line: _Line) -> int:
    return sum(len(word.letters) for word in line.words)


def _stroke(picture: PagePicture, word: RecognisedWord) -> float:
    """The mean width of the strokes of a word's letters, in pixels; 0 without any."""
    low = _OF_SIZE * word.size / _IN_LOWS
    flags, _ = _flags(picture, word, word.base - _TO * low, word.base - _FROM * low)
    runs = [found.end() - found.start() for row in flags for found in _RUN.finditer(row)]
    if not runs or not any(letter.character.isalnum() for letter in word.letters):
        return 0.0
    runs.sort()
    middle = runs[len(runs) // 4 : len(runs) - len(runs) // 4] or runs
    return sum(middle) / len(middle)


def _smooth(
    words: Sequence[RecognisedWord], bold: Sequence[bool], strokes: Sequence[float]
) -> Iterator[bool]:
    """Whether each word is bold; a word without strokes, or of a letter or two, is like its neighbours."""
    for at, (word, thick, stroke) in enumerate(zip(words, bold, strokes, strict=True)):
        before = bold[at - 1] if at and not word.begins_line else None
        behind = bold[at + 1] if at + 1 < len(words) and not words[at + 1].begins_line else None
        sides = [each for each in (before, behind) if each is not None]
        is_short = sum(letter.character.isalnum() for letter in word.letters) < _FEWEST_LETTERS
        if sides and (not stroke or is_short) and len({*sides}) == 1:
            yield sides[0]
        else:
            yield thick
