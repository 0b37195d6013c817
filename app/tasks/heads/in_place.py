"""Results that are finished in any order, handed over in theirs while there are more to come."""

from __future__ import annotations

from typing import Generic, TypeVar

ItemT = TypeVar("ItemT")

# Partial results repeat what was handed over before, so they wait until there is a quarter more of it.
_GROWTH = 1.25


class InPlace(Generic[ItemT]):
    """The results of `count` items: `done` of them have come, the first `ready` of them without a gap."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._items: dict[int, ItemT] = {}
        self._told = 0
        self.ready = 0

    @property
    def done(self) -> int:
        """How many have come."""
        return len(self._items)

    @property
    def complete(self) -> bool:
        """Whether all have come."""
        return self.done == self._count

    def put(self, index: int, item: ItemT) -> None:
        """Item number `index` has come."""
        self._items[index] = item
        while self.ready in self._items:
            self.ready += 1

    def beginning(self) -> list[ItemT]:
        """The results from the first one on up to the first that has not come."""
        return [self._items[index] for index in range(self.ready)]

    def grown(self, come: int) -> bool:
        """Whether so much has come, and not all, that it is worth a partial result; it then counts as handed over."""
        if self.complete or come <= self._told * _GROWTH:
            return False
        self._told = come
        return True
