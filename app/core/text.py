"""Texts and spans of them, in code points of `Document.text`, and their conversion to UTF-16 units for Qt."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

# The sign for a word to be filled in.
BLANK = "___"

# Separate expressions are many times faster than a combined one, whose alternatives begin differently.
_BLANKS = tuple(map(re.compile, (r"__+", r"\[[Mm][Aa][Ss][Kk]\]", r"<[Mm][Aa][Ss][Kk]>")))
# Scripts without spaces between words.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


# Punctuation that may stand before or after words without a change of what they say; no sign, currency or per cent.
_AROUND = " \"'“”„‘’‚«»‹›()[]{}.,;:!?…"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text: code points `start` to `end`, `end` not included.

    Raises ValueError if start is negative or end is before start.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start} to {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Return the part of `text` at this span."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share a code point."""
        return max(self.start, other.start) < min(self.end, other.end)


def whole_words(text: str, span: Span) -> Span:
    """Extend a span to the whole of the words that it begins and ends in, unless their script has no spaces."""
    start, end = span.start, span.end
    while start < end and start and _in_one_word(text[start - 1], text[start]):
        start -= 1
    while start < end < len(text) and _in_one_word(text[end - 1], text[end]):
        end += 1
    return Span(start, end)


def _in_one_word(before: str, after: str) -> bool:
    both = before + after
    return all(unicodedata.category(each)[0] in "LNM" for each in both) and not UNSPACED.search(both)


def blanks_in(text: str) -> tuple[Span, ...]:
    """Return the blanks in a text, from left to right: two or more underscores, [MASK] or <mask>."""
    found = (match for blank in _BLANKS for match in blank.finditer(text))
    return tuple(Span(start, end) for start, end in sorted(match.span() for match in found))


class Replacement(NamedTuple):
    """`words` to read instead of the code points `start` to `end`, which are none, or the gap between two cells."""

    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class View:
    """How a model is shown a text: with added words, within bounds, below headings.

    `replacements` do not overlap; `bounds` are the code points where blocks and cells begin, which no answer crosses;
    `headings` are code points with the headings that apply from there on. All are in ascending order.
    """

    replacements: tuple[Replacement, ...] = ()
    bounds: array[int] = field(default_factory=lambda: array("i"), hash=False)
    headings: tuple[tuple[int, str], ...] = ()

    def replacements_in(self, start: int, end: int) -> list[Replacement]:
        """Return the replacements between two code points, with positions relative to `start`."""
        low = bisect_left(self.replacements, start, key=lambda each: each.start)
        high = bisect_left(self.replacements, end, low, key=lambda each: each.start)
        found = (each for each in self.replacements[low:high] if each.end <= end)
        return [Replacement(each.start - start, each.end - start, each.words) for each in found]

    def heading_at(self, point: int) -> str:
        """Return the headings of the sections around a code point; empty if there are none."""
        before = bisect_right(self.headings, point, key=lambda heading: heading[0])
        return self.headings[before - 1][1] if before else ""

    def within_block(self, around: Span, span: Span) -> Span:
        """Return the part of `around`, which contains a span, that is in the span's own block or cell."""
        before, after = bisect_right(self.bounds, span.start), bisect_left(self.bounds, span.end)
        start = self.bounds[before - 1] if before else 0
        end = self.bounds[after] if after < len(self.bounds) else around.end
        return Span(max(around.start, start), min(around.end, end))

    def of_parts(self, parts: Sequence[Span]) -> View:
        """Return the view of these parts of the text, in ascending order, when they are concatenated."""
        replacements: list[Replacement] = []
        bounds = array("i")
        headings: list[tuple[int, str]] = []
        at = 0
        for start, end in ((part.start, part.end) for part in parts):
            replacements += [
                Replacement(at + one.start, at + one.end, one.words)
                for one in self.replacements_in(start, end)
            ]
            bounds.extend(at + bound - start for bound in self.bounds if start <= bound < end)
            headings.append((at, self.heading_at(start)))
            headings += [(at + point - start, words) for point, words in self.headings if start < point < end]
            at += end - start
        return View(tuple(replacements), bounds, tuple(headings))

    def __reduce__(self) -> tuple[object, ...]:
        # Most words are repeated before many cells; each is pickled once.
        words: dict[str, int] = {}
        numbers = array("i", (words.setdefault(each.words, len(words)) for each in self.replacements))
        starts, ends = (array("i", map(itemgetter(at), self.replacements)) for at in (0, 1))
        return _view, (starts, ends, numbers, tuple(words), self.bounds, self.headings)


def _view(
    starts: array[int],
    ends: array[int],
    numbers: array[int],
    words: tuple[str, ...],
    bounds: array[int],
    headings: tuple[tuple[int, str], ...],
) -> View:
    """Rebuild a pickled View."""
    replacements = map(Replacement, starts, ends, map(words.__getitem__, numbers))
    return View(tuple(replacements), bounds, headings)


@dataclass(frozen=True, slots=True)
class Document:
    """A text to ask questions about; an answer's positions refer to it.

    `text` never changes after the document was read; `name` is its name for the user; `path` is the file that it was
    read from, or empty; `view` is how a model is shown the text, None for the text alone.
    """

    text: str
    name: str = ""
    path: str = ""
    view: View | None = field(default=None, repr=False, compare=False)

    def in_table(self, span: Span) -> bool:
        """Whether a span is in a table's row, as far as the view knows tables."""
        if self.view is None:
            return False
        start, end = self.text.rfind("\n", 0, span.start) + 1, self.text.find("\n", span.end)
        return bool(self.view.replacements_in(start, (end if end >= 0 else len(self.text)) + 1))


@dataclass(frozen=True, slots=True)
class RunningText:
    """A stretch of running text: its paragraphs in order, its document, and the source it is counted under."""

    paragraphs: tuple[str, ...]
    document: str
    source: str = ""


def without_blanks(text: str) -> str:
    """Return the text without white space, to compare readings of one file that differ in nothing else."""
    return "".join(text.split())


def words_key(text: str) -> str:
    """Return what texts have in common that differ only in case, in blanks, and in the punctuation around them."""
    return " ".join(text.split()).strip(_AROUND).casefold()


def common_prefix(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


# Letters that may be an ending by themselves.
_ENDINGS = "sdrny"


def is_one_slip(word: str, other: str) -> bool:
    """Whether two words differ by one letter that is missing, doubled or another, or by two neighbours exchanged, but
    not by an ending alone: “tarts” and “tartss” do; “tart” and “tarts”, “assignee” and “assigned” do not.
    """
    short, long = sorted((word, other), key=len)
    if word == other or len(long) - len(short) > 1:
        return False
    if long.startswith(short):
        return long[-1] not in _ENDINGS or long[-1] == short[-1:]
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return (at < len(short) - 1 and short[at + 1 :] == long[at + 1 :]) or (
        short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    )


def normalise_newlines(text: str) -> str:
    """Turn CR LF and lone CR into LF; done once, when a document is read."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def utf16_units(text: str) -> int:
    """Count the UTF-16 units of a text: a character beyond U+FFFF takes two."""
    # Encoding it as UTF-16 is many times faster than searching for those characters.
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class Offsets:
    """Converts positions in a text between code points and UTF-16 units, in logarithmic time."""

    def __init__(self, text: str) -> None:
        any_astral = utf16_units(text) > len(text)
        astral = [match.start() for match in _ASTRAL.finditer(text)] if any_astral else []
        self._points = array("q", astral)
        self._units = array("q", (point + before for before, point in enumerate(astral)))
        self.units = len(text) + len(astral)

    def to_qt(self, point: int) -> int:
        """Return the UTF-16 position of a code point position."""
        return point + bisect_left(self._points, point)

    def to_point(self, unit: int) -> int:
        """Return the code point position of a UTF-16 position; one inside a surrogate pair is moved to its start."""
        return unit - bisect_left(self._units, unit)

    def span_to_qt(self, span: Span) -> tuple[int, int]:
        """Return a span's start and end as UTF-16 positions."""
        return self.to_qt(span.start), self.to_qt(span.end)
