"""Results that arrive in any order, consumed in the order of their items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from app.core.report import Progress
from app.flows.groups import GroupReport

ItemT = TypeVar("ItemT")
FoundT = TypeVar("FoundT")


@dataclass(frozen=True, slots=True)
class BatchDone:
    """A finished batch: rows of the input, how many of them an earlier run had finished, seconds of this run."""

    rows: int
    finished_before: int
    seconds: float


class InOrder(Generic[ItemT, FoundT]):
    """The Report of one group whose partial results are `(index, result)`.

    `take` is called for the items in their order, for each as soon as all before it have a result. `known` has the
    results that need no request, by the item's index; `pending` are the indices of all others, and an `index` of a
    partial result counts in `pending`.
    """

    def __init__(
        self,
        items: Sequence[ItemT],
        known: Mapping[int, FoundT],
        whole: GroupReport,
        take: Callable[[ItemT, FoundT], None],
    ) -> None:
        self._items = items
        self._known = dict(known)
        self._whole, self._take = whole, take
        self.pending = [place for place in range(len(items)) if place not in known]
        self._taken = 0
        self._take_known()

    def progress(self, progress: Progress) -> None:
        """Report a group's progress as that of all groups."""
        self._whole.progress(progress)

    def check(self) -> None:
        """Raise Stopped when the work is to stop."""
        self._whole.check()

    def partial(self, result: object) -> None:
        """Store the result at its index, unless there is one already."""
        index, found = cast("tuple[int, FoundT]", result)
        self._known.setdefault(self.pending[index], found)
        self._take_known()

    def notice(self, sentence: str) -> None:
        """Pass on a notice."""
        self._whole.notice(sentence)

    def _take_known(self) -> None:
        while self._taken in self._known:
            self._take(self._items[self._taken], self._known[self._taken])
            self._taken += 1
