"""Where spans may begin and end: properties of a section's tokens that depend on the text, not on its windows."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, fields

import numpy as np

from app.core.text import View
from app.tasks.text.characters import CONTENT, belong_together, code_points, kinds

# No answer begins with one of these, except a dot that a word begins with (".gov"); none ends with one of those.
_CLOSING = np.array(sorted(map(ord, ",;:.!?)]}”’»%…")), dtype=np.uint32)
_OPENING = np.array(sorted(map(ord, ",;:([{“‘«$€£#-–—")), dtype=np.uint32)
_DOT = ord(".")
_INSIDE_NUMBERS = np.array(sorted(map(ord, ".,:")), dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Properties of n tokens.

    `inner` (bool[n]): inside a word or number that began before the token; `has_content` (bool[n]): more than
    punctuation and invisible characters; `can_start` and `can_end` (bool[n]): a span may begin, or end, at the token;
    `blocks` (int32[n], rising): a span lies within one block.
    """

    inner: np.ndarray
    has_content: np.ndarray
    can_start: np.ndarray
    can_end: np.ndarray
    blocks: np.ndarray

    def part(self, start: int, end: int) -> Pieces:
        """The properties of the tokens from number `start` to before number `end`."""
        return Pieces(*(getattr(self, field.name)[start:end] for field in fields(self)))

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @property
    def end_limits(self) -> np.ndarray:
        """The end of each token's block, int[n]: a span from it ends before that token."""
        return self.blocks.searchsorted(self.blocks, side="right")


def pieces_at(text: str, starts: np.ndarray, ends: np.ndarray, view: View | None = None) -> Pieces:
    """The Pieces of tokens at `starts` and `ends` (int[n], code points of `text`, which is read with `view`)."""
    if not len(starts):
        none = np.zeros(0, dtype=bool)
        return Pieces(none, none, none, none, np.zeros(0, dtype=np.int32))
    # The two characters before the first token matter; outside the text there are blanks.
    low, high = int(starts.min()), int(max(ends.max(), starts.max() + 1))
    around = f"{text[max(0, low - 2) : low].rjust(2)}{text[low:high]}{text[high : high + 1].ljust(1)} "
    points = code_points(around)
    kind = kinds(points)
    content = (kind & CONTENT) != 0
    content_before = np.concatenate([[0], np.cumsum(content, dtype=np.int32)])
    at, end = starts - (low - 2), ends - (low - 2)
    inner = belong_together(kind[at - 1], kind[at]) | _in_number(points, at)
    has_content = content_before[end] > content_before[at]
    # A token without width is a blank or the view's own words.
    wide = ends > starts
    is_dotted = (points[at] == _DOT) & content[at + 1] & ~content[at - 1]
    can_start = wide & (is_dotted | ~np.isin(points[at], _CLOSING))
    can_end = wide & ~np.isin(points[end - 1], _OPENING)
    bounds = view.bounds if view is not None else array("i")
    blocks = np.searchsorted(bounds, starts, side="right").astype(np.int32)
    return Pieces(inner, has_content, can_start, can_end, blocks)


def _in_number(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Whether the place before each of these characters lies inside a number such as 705.1, 1,000 or 10:30, bool[n]."""
    digit = (points >= 48) & (points <= 57)
    joins = np.isin(points, _INSIDE_NUMBERS)
    before_join = digit[at - 1] & joins[at] & digit[at + 1]
    return before_join | (digit[at] & ((joins[at - 1] & digit[at - 2]) | digit[at - 1]))


def word_bounds(inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and last token of the word that each of a window's n tokens is a piece of, int[n] each."""
    count = np.arange(len(inner))
    going_on = inner.copy()
    going_on[:1] = False
    first = np.maximum.accumulate(np.where(going_on, 0, count))
    last = np.where(np.append(going_on[1:], False), len(inner), count)
    return first, np.minimum.accumulate(last[::-1])[::-1]
