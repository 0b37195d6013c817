"""Properties of a text's characters, looked up for a whole stretch at once: 0.2 ms for a section's 20,000 characters.

`unicodedata`, called for each character, took 0.9 ms a window.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np

ASCII, ALPHA, ALNUM, SPACE, MARK, IN_WORD, CONTENT, _LOOKED_UP = (1 << bit for bit in range(8))

_TABLE = np.zeros(0x110000, dtype=np.uint8)


def code_points(text: str) -> np.ndarray:
    """The text's code points, uint32[n]; lone surrogates are their own."""
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


def belong_together(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Whether no span begins or ends between neighbouring characters of these kinds (uint8[n] each), bool[n].

    A word of IN_WORD's scripts is not split, except between a number and its unit; a mark stays with its letter.
    """
    both = one & other
    ascii_only = (both & ASCII) != 0
    with_mark = np.where((other & MARK) != 0, (one & SPACE) == 0, (both & IN_WORD) != 0)
    return np.where(ascii_only, (both & ALPHA) != 0, with_mark)
