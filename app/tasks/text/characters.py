"""Properties of characters, and those of tokens that follow from them: where spans may begin and end.

They are looked up for a whole stretch of text at once: 0.2 ms for a section's 20,000 characters. `unicodedata`, called
for each character, takes 0.9 ms a window.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from app.core.text import View

ASCII, ALPHA, ALNUM, SPACE, MARK, IN_WORD, CONTENT, _LOOKED_UP = (1 << bit for bit in range(8))

_TABLE = np.zeros(0x110000, dtype=np.uint8)

# No answer begins with one of `_CLOSING`, but for the dot that a word begins with (".gov"); none ends with one of
# `_OPENING`.
_CLOSING = np.array(sorted(map(ord, ",;:.!?)]}”’»%…")), dtype=np.uint32)
_OPENING = np.array(sorted(map(ord, ",;:([{“‘«$€£#-–—")), dtype=np.uint32)
_DOT = ord(".")
# A web or e-mail address, a file, or a name such as `service.name` and `MAX_SIZE`: cut in two, it names something else.
# A dot before a capital may be the end of a sentence. (Of 68,553 known answers 0.03% begin or end inside one.)
# The bounds, of parts of an address, keep a long run such as "A.A.A" or "a-a-a" from being searched from each letter.
NAME = re.compile(
    r"""\b_*+[^\W_]++(?:[\w+-]{0,64}+
        (?:://[^\s<>"'`|]*[\w/]|(?:\.[\w+-]{1,64}+){0,8}+@[\w-]+(?:\.[\w-]+)+|(?:\.[a-z_][\w-]*)+(?:/[\w./-]*\w)?)
    |\w*_\w+)""",
    re.VERBOSE,
)
_INSIDE_NUMBERS = np.array(sorted(map(ord, ".,:")), dtype=np.uint32)


def code_points(text: str) -> np.ndarray:
    """The text's code points, uint32[n], lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def kinds(points: np.ndarray) -> np.ndarray:
    """The properties of each code point, uint8[n]: the bits ASCII, ALPHA, ALNUM, SPACE, MARK, IN_WORD, CONTENT."""
    found = _TABLE.take(points)
    if len(found) and not found.min():
        # Only the characters that occur are looked up, once, 3 µs each.
        # (`np.unique` would import all of numpy.ma at its first call.)
        for point in np.flatnonzero(np.bincount(points[found == 0])).tolist():
            _TABLE[point] = _LOOKED_UP | kind(chr(point))
        found = _TABLE.take(points)
    found &= _LOOKED_UP - 1
    return found


@lru_cache(4096)
def kind(character: str) -> int:
    """The bits of one character.

    MARK is a combining mark; IN_WORD a letter or mark of the scripts that separate words by blanks and attach no
    particles to them (Latin, Greek, Cyrillic); CONTENT anything but punctuation and invisible characters.
    """
    category = unicodedata.category(character)
    mark = category[0] == "M"
    alpha = character.isalpha()
    # Latin, Greek and Cyrillic end before U+0530 and have more letters from U+1E00 to U+1FFF.
    known = character < "\u0530" or "\u1e00" <= character < "\u2000"
    bits = {
        ASCII: character.isascii(),
        ALPHA: alpha,
        ALNUM: character.isalnum(),
        SPACE: character.isspace(),
        MARK: mark,
        IN_WORD: known and (alpha or mark),
        CONTENT: category[0] not in "PZC",
    }
    return sum(bit for bit, holds in bits.items() if holds)


def belong_together(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Whether no span may begin or end between neighbouring characters of these kinds (uint8[n] each), bool[n].

    A word of IN_WORD's scripts is not split, except between a number and its unit; a mark stays with its letter.
    """
    both = left & right
    ascii_only = (both & ASCII) != 0
    with_mark = np.where((right & MARK) != 0, (left & SPACE) == 0, (both & IN_WORD) != 0)
    return np.where(ascii_only, (both & ALPHA) != 0, with_mark)


@dataclass(frozen=True, slots=True)
class TokenProperties:
    """Where spans may begin and end among n tokens.

    `inner` (bool[n]): the token begins inside a word, number, address or identifier; `has_content` (bool[n]): it is
    more than punctuation and invisible characters; `can_start` and `can_end` (bool[n]): a span may begin, or end, with
    it; `blocks` (int32[n], rising): the number of its block (a paragraph, a cell), which a span does not leave.
    """

    inner: np.ndarray
    has_content: np.ndarray
    can_start: np.ndarray
    can_end: np.ndarray
    blocks: np.ndarray

    def part(self, start: int, end: int) -> TokenProperties:
        """The properties of the tokens from number `start` to before number `end`."""
        return TokenProperties(*(getattr(self, field.name)[start:end] for field in fields(self)))

    @property
    def nbytes(self) -> int:
        """The memory that the arrays take."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @property
    def end_limits(self) -> np.ndarray:
        """The first token behind each token's block, int[n]."""
        return self.blocks.searchsorted(self.blocks, side="right")


def token_properties(
    text: str, starts: np.ndarray, ends: np.ndarray, view: View | None = None
) -> TokenProperties:
    """The properties of tokens from `starts` to `ends` (int[n], code points of `text`, which is read with `view`)."""
    if not len(starts):
        none = np.zeros(0, dtype=bool)
        return TokenProperties(none, none, none, none, np.zeros(0, dtype=np.int32))
    # The two characters before the first token matter; outside the text there are blanks.
    low, high = int(starts.min()), int(max(ends.max(), starts.max() + 1))
    around = f"{text[max(0, low - 2) : low].rjust(2)}{text[low:high]}{text[high : high + 1].ljust(1)} "
    points = code_points(around)
    kinds_around = kinds(points)
    content = (kinds_around & CONTENT) != 0
    content_before = np.concatenate([[0], np.cumsum(content, dtype=np.int32)])
    at, end = starts - (low - 2), ends - (low - 2)
    inner = belong_together(kinds_around[at - 1], kinds_around[at])
    inner |= _in_number(points, at) | _in_name(around)[at]
    has_content = content_before[end] > content_before[at]
    # A token without width is a blank, or one of a view's replacements.
    has_width = ends > starts
    is_dotted = (points[at] == _DOT) & content[at + 1] & ~content[at - 1]
    can_start = has_width & (is_dotted | ~np.isin(points[at], _CLOSING))
    can_end = has_width & ~np.isin(points[end - 1], _OPENING)
    bounds = view.bounds if view is not None else array("i")
    blocks = np.searchsorted(bounds, starts, side="right").astype(np.int32)
    return TokenProperties(inner, has_content, can_start, can_end, blocks)


def _in_number(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Whether each of these characters continues a number such as 705.1, 1,000 or 10:30, bool[n]."""
    digit = (points >= 48) & (points <= 57)
    joins = np.isin(points, _INSIDE_NUMBERS)
    before_join = digit[at - 1] & joins[at] & digit[at + 1]
    return before_join | (digit[at] & ((joins[at - 1] & digit[at - 2]) | digit[at - 1]))


def _in_name(text: str) -> np.ndarray:
    """Whether the place before each character of a text lies inside an address or identifier, bool[n]."""
    inside = np.zeros(len(text), dtype=bool)
    for name in NAME.finditer(text):
        inside[name.start() + 1 : name.end()] = True
    return inside


def word_bounds(inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and last token of the word that each of a window's n tokens belongs to, int[n] each."""
    numbers = np.arange(len(inner))
    continues = inner.copy()
    continues[:1] = False
    first = np.maximum.accumulate(np.where(continues, 0, numbers))
    last = np.where(np.append(continues[1:], False), len(inner), numbers)
    return first, np.minimum.accumulate(last[::-1])[::-1]
