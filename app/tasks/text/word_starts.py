"""An index of where a text's words begin, by their first four characters.

Searching 500,000 words for one took 3 ms, and a question has a dozen spellings to search for; the index is built once
in 20 ms, cached with the text, and finds where a word may occur in 0.2 ms.
"""

from __future__ import annotations

import numpy as np

from app.tasks.text.characters import ALNUM, code_points, kinds

_LETTERS = 4
_AT_ONCE = 1 << 16


class WordStarts:
    """The places where a run of letters and digits begins in a text, in order."""

    def __init__(self, text: str) -> None:
        places, keys = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.uint32)]
        # In blocks that stay in the processor's cache, each with the character before and the letters behind it.
        for at in range(0, len(text), _AT_ONCE):
            before = 1 if at else 0
            points = code_points(text[at - before : at + _AT_ONCE + _LETTERS - 1])
            own = slice(before, before + _AT_ONCE)
            runs = (kinds(points) & ALNUM) != 0
            starts = runs[own].copy()
            starts[1 - before :] &= ~runs[: before + _AT_ONCE - 1][: len(starts) - 1 + before]
            here = np.flatnonzero(starts)
            low = np.append(points.astype(np.uint8), np.zeros(_LETTERS, dtype=np.uint8))[before:]
            key = low[here].astype(np.uint32)
            for letter in range(1, _LETTERS):
                key |= low[here + letter].astype(np.uint32) << (8 * letter)
            places.append((here + at).astype(np.int32))
            keys.append(key)
        self._places, self._keys = np.concatenate(places), np.concatenate(keys)

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return self._places.nbytes + self._keys.nbytes

    def like(self, needle: str) -> list[int]:
        """Where words that may begin with `needle` begin, in order; only the lowest byte of each letter is compared."""
        points = code_points(needle[:_LETTERS]).tolist()
        key = sum((point & 0xFF) << (8 * letter) for letter, point in enumerate(points))
        shown = (1 << (8 * len(points))) - 1
        keys = self._keys if shown == 0xFFFFFFFF else self._keys & np.uint32(shown)
        found: list[int] = self._places[keys == np.uint32(key)].tolist()
        return found
