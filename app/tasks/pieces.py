"""Which tokens go on with the word before them, and which say something: for a whole section at once."""

from __future__ import annotations

import numpy as np

from app.tasks.characters import SAYS, belong_together, code_points, kinds


def pieces(text: str, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What tokens at `starts` and `ends` (int[n], code points of `text`) are: `inner` and `says`, bool[n] each.

    `inner` is a token inside a word that began before it; `says` one that is more than punctuation and what cannot be
    seen. Both tell of the text alone, wherever the tokens are cut into windows.
    """
    if not len(starts):
        return np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
    # The character before the first token counts, and one blank stands in for what lies outside the text.
    low, high = int(starts.min()), int(max(ends.max(), starts.max() + 1))
    around = f"{text[low - 1] if low else ' '}{text[low:high]} "
    kind = kinds(code_points(around))
    told = np.concatenate([[0], np.cumsum((kind & SAYS) != 0, dtype=np.int32)])
    at, end = starts - (low - 1), ends - (low - 1)
    inner = belong_together(kind[at - 1], kind[at])
    return inner, told[end] > told[at]


def word_bounds(inner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last token of the word in a window that each of its n tokens is a piece of, int[n] each."""
    count = np.arange(len(inner))
    going_on = inner.copy()
    going_on[:1] = False
    first = np.maximum.accumulate(np.where(going_on, 0, count))
    last = np.where(np.append(going_on[1:], False), len(inner), count)
    return first, np.minimum.accumulate(last[::-1])[::-1]
