"""Results that finish in any order, and partial results in the items' order."""

from __future__ import annotations

from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")

# A partial result repeats the one before, so the next waits until there is a quarter more.
_GROWTH = 1.25


class OrderedResults(Generic[ItemT]):
    """The results of `count` items: `done` of them are in, the first `ready` of them without a gap."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._items: dict[int, ItemT] = {}
        self._reported = 0
        self.ready = 0

    @property
    def done(self) -> int:
        """How many are in."""
        return len(self._items)

    @property
    def complete(self) -> bool:
        """Whether all are in."""
        return self.done == self._count

    def put(self, index: int, item: ItemT) -> None:
        """Adds the result of item number `index`."""
        self._items[index] = item
        while self.ready in self._items:
            self.ready += 1

    def prefix(self) -> list[ItemT]:
        """The results up to the first one that is missing."""
        return [self._items[index] for index in range(self.ready)]

    def worth_reporting(self, count: int) -> bool:
        """Whether `count` is enough more than last time, and not all, for a partial result; if so it is remembered."""
        if self.complete or count <= self._reported * _GROWTH:
            return False
        self._reported = count
        return True
