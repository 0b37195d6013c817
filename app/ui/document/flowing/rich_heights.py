"""The heights of many parts that stand below each other: where each begins, and which one stands at a height."""

from __future__ import annotations

from collections.abc import Iterator


class Heights:
    """Heights in whole pixels, kept in a binary indexed tree (Fenwick 1994): each call takes logarithmic time."""

    def __init__(self, heights: list[int] | None = None) -> None:
        self._heights: list[int] = []
        self._tree = [0]
        self.total = 0
        for height in heights or ():
            self.append(height)

    def __len__(self) -> int:
        return len(self._heights)

    def __iter__(self) -> Iterator[int]:
        return iter(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def append(self, height: int) -> None:
        """Add a part below the others."""
        self._heights.append(height)
        self.total += height
        at = len(self._heights)
        least = at & (at - 1)
        summed, below = height, at - 1
        while below > least:
            summed += self._tree[below]
            below &= below - 1
        self._tree.append(summed)

    def set(self, index: int, height: int) -> int:
        """Give a part another height; tells by how much it grew."""
        grown = height - self._heights[index]
        if grown:
            self._heights[index] = height
            self.total += grown
            at, count = index + 1, len(self._heights)
            while at <= count:
                self._tree[at] += grown
                at += at & -at
        return grown

    def top(self, index: int) -> int:
        """Where a part begins."""
        summed = 0
        while index:
            summed += self._tree[index]
            index &= index - 1
        return summed

    def at(self, y: float) -> int:
        """The index of the part that stands at a height, the first or the last one beyond the ends; -1 without any."""
        count = len(self._heights)
        found, rest = 0, y
        step = 1 << count.bit_length()
        while step := step >> 1:
            if found + step <= count and self._tree[found + step] <= rest:
                found += step
                rest -= self._tree[found]
        return min(found, count - 1)
