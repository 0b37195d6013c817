"""Texts and places in them. Positions are Unicode code points of `Document.text`, half open."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a text: code points `start` to `end`, `end` not included.

    Raises ValueError when start is negative or end lies before start.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start} to {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The words of `text` at this place."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Whether the two places share a code point."""
        return max(self.start, other.start) < min(self.end, other.end)


class Replacement(NamedTuple):
    """`words` that are read in place of the code points `start` to `end`, none or what stands between two cells."""

    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class View:
    """What is read with a text's own words.

    `said` rises and does not overlap; `bounds` are the code points where a block or a cell begins, which no answer
    crosses; `headings` give from which code point on which words stand over the text. All rise.
    """

    said: tuple[Replacement, ...] = ()
    bounds: array[int] = field(default_factory=lambda: array("i"), hash=False)
    headings: tuple[tuple[int, str], ...] = ()

    def said_in(self, start: int, end: int) -> list[Replacement]:
        """The entries of `said` between two code points, their positions counted from `start`."""
        low = bisect_left(self.said, start, key=lambda said: said.start)
        high = bisect_left(self.said, end, low, key=lambda said: said.start)
        found = (said for said in self.said[low:high] if said.end <= end)
        return [Replacement(said.start - start, said.end - start, said.words) for said in found]

    def heading_at(self, point: int) -> str:
        """The words of the sections that a code point stands in, empty where it stands in none."""
        before = bisect_right(self.headings, point, key=lambda heading: heading[0])
        return self.headings[before - 1][1] if before else ""

    def of_parts(self, parts: Sequence[Span]) -> View:
        """The view of these stretches of the text, put one behind the other; they rise."""
        said: list[Replacement] = []
        bounds = array("i")
        headings: list[tuple[int, str]] = []
        at = 0
        for start, end in ((part.start, part.end) for part in parts):
            said += [Replacement(at + one.start, at + one.end, one.words) for one in self.said_in(start, end)]
            bounds.extend(at + bound - start for bound in self.bounds if start <= bound < end)
            headings.append((at, self.heading_at(start)))
            headings += [(at + point - start, words) for point, words in self.headings if start < point < end]
            at += end - start
        return View(tuple(said), bounds, tuple(headings))

    def __reduce__(self) -> tuple[object, ...]:
        # Most words are said before many cells: each goes between processes once.
        words: dict[str, int] = {}
        numbers = array("i", (words.setdefault(said.words, len(words)) for said in self.said))
        starts, ends = (array("i", map(itemgetter(at), self.said)) for at in (0, 1))
        return _view, (starts, ends, numbers, tuple(words), self.bounds, self.headings)


def _view(
    starts: array[int],
    ends: array[int],
    numbers: array[int],
    words: tuple[str, ...],
    bounds: array[int],
    headings: tuple[tuple[int, str], ...],
) -> View:
    """A View as it comes out of a pickle."""
    said = map(Replacement, starts, ends, map(words.__getitem__, numbers))
    return View(tuple(said), bounds, headings)


@dataclass(frozen=True, slots=True)
class Document:
    """A text to ask: what an answer's positions count in.

    `text` is never changed after the document was read; `name` is what a person calls it; `path` is
    the file it was read from, or empty; `view` is how a model is shown the text, None for as it stands.
    """

    text: str
    name: str = ""
    path: str = ""
    view: View | None = field(default=None, repr=False, compare=False)

    def in_table(self, place: Span) -> bool:
        """Whether a place stands in the row of a table, as far as its view tells of tables."""
        if self.view is None:
            return False
        start, end = self.text.rfind("\n", 0, place.start) + 1, self.text.find("\n", place.end)
        return bool(self.view.said_in(start, (end if end >= 0 else len(self.text)) + 1))


@dataclass(frozen=True, slots=True)
class RunningText:
    """A stretch of running text: its paragraphs in order, the document it is from, and what it is counted under."""

    paragraphs: tuple[str, ...]
    document: str
    source: str = ""


def without_blanks(text: str) -> str:
    """The text without its blanks and line ends: what readers of one file that part words otherwise have in common."""
    return "".join(text.split())


def normalise_newlines(text: str) -> str:
    """The text with CR LF and lone CR as LF, as it is done once when a document is read."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
