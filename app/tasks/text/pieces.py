"""Where spans may begin and end: what every token of a section is, told of the text alone and not of its windows."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, fields

import numpy as np

from app.core.text import View
from app.tasks.text.characters import SAYS, belong_together, code_points, kinds

# What no answer begins with, but for a dot that a word begins with (".gov"), and what none ends with.
_CLOSING = np.array(sorted(map(ord, ",;:.!?)]}”’»%…")), dtype=np.uint32)
_OPENING = np.array(sorted(map(ord, ",;:([{“‘«$€£#-–—")), dtype=np.uint32)
_DOT = ord(".")
_INSIDE_NUMBERS = np.array(sorted(map(ord, ".,:")), dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Pieces:
    """What n tokens are.

    `inner` (bool[n]) is a token inside a word or number that began before it; `says` (bool[n]) one that is more than
    punctuation and what cannot be seen; a span may begin at one that `opens` and end at one that `closes` (bool[n]).
    `blocks` (int32[n]) rises; no span leaves its block.
    """

    inner: np.ndarray
    says: np.ndarray
    opens: np.ndarray
    closes: np.ndarray
    blocks: np.ndarray

    def part(self, start: int, end: int) -> Pieces:
        """What the tokens from number `start` to before number `end` are."""
        return Pieces(*(getattr(self, field.name)[start:end] for field in fields(self)))

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @property
    def stops(self) -> np.ndarray:
        """The token before which a span from each token ends at the latest, int[n]."""
        return self.blocks.searchsorted(self.blocks, side="right")


def pieces(text: str, starts: np.ndarray, ends: np.ndarray, view: View | None = None) -> Pieces:
    """What tokens at `starts` and `ends` (int[n], code points of `text`, which is read with `view`) are."""
    if not len(starts):
        none = np.zeros(0, dtype=bool)
        return Pieces(none, none, none, none, np.zeros(0, dtype=np.int32))
    # The two characters before the first token count, and blanks stand in for what lies outside the text.
    low, high = int(starts.min()), int(max(ends.max(), starts.max() + 1))
    around = f"{text[max(0, low - 2) : low].rjust(2)}{text[low:high]}{text[high : high + 1].ljust(1)} "
    points = code_points(around)
    kind = kinds(points)
    speaks = (kind & SAYS) != 0
    told = np.concatenate([[0], np.cumsum(speaks, dtype=np.int32)])
    at, end = starts - (low - 2), ends - (low - 2)
    inner = belong_together(kind[at - 1], kind[at]) | _in_number(points, at)
    says = told[end] > told[at]
    # A token without width is a blank or the view's own words.
    wide = ends > starts
    is_dotted = (points[at] == _DOT) & speaks[at + 1] & ~speaks[at - 1]
    opens = wide & (is_dotted | ~np.isin(points[at], _CLOSING))
    closes = wide & ~np.isin(points[end - 1], _OPENING)
    bounds = view.bounds if view is not None else array("i")
    blocks = np.searchsorted(bounds, starts, side="right").astype(np.int32)
    return Pieces(inner, says, opens, closes, blocks)


def _in_number(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Whether the place before each of these characters lies inside a number such as 705.1, 1,000 or 10:30, bool[n]."""
    digit = (points >= 48) & (points <= 57)
    joins = np.isin(points, _INSIDE_NUMBERS)
    before_join = digit[at - 1] & joins[at] & digit[at + 1]
    return before_join | (digit[at] & ((joins[at - 1] & digit[at - 2]) | digit[at - 1]))


def word_bounds(inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last token of the word in a window that each of its n tokens is a piece of, int[n] each."""
    count = np.arange(len(inner))
    going_on = inner.copy()
    going_on[:1] = False
    first = np.maximum.accumulate(np.where(going_on, 0, count))
    last = np.where(np.append(going_on[1:], False), len(inner), count)
    return first, np.minimum.accumulate(last[::-1])[::-1]
