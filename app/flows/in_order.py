"""Results that come as they are finished, taken in the order of what was asked."""

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
    """How a batch ended: rows of the input, how many an earlier run had finished, seconds of this one."""

    rows: int
    finished_before: int
    seconds: float


class InOrder(Generic[ItemT, FoundT]):
    """The Report of one group whose partial results are `(index, result)`.

    Items are taken in their order, each as soon as all before it are known. `known` are results, by the items' places,
    that need no asking; `asked` are the places of all others, which the indices count.
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
        self.asked = [place for place in range(len(items)) if place not in known]
        self._taken = 0
        self._take_known()

    def progress(self, progress: Progress) -> None:
        """Tell a group's progress as that of all."""
        self._whole.progress(progress)

    def check(self) -> None:
        """Raise Stopped when the work is to stop."""
        self._whole.check()

    def partial(self, result: object) -> None:
        """Note an index and its result; one that is known already stays."""
        index, found = cast("tuple[int, FoundT]", result)
        self._known.setdefault(self.asked[index], found)
        self._take_known()

    def notice(self, sentence: str) -> None:
        """Hand on what a person should know."""
        self._whole.notice(sentence)

    def _take_known(self) -> None:
        while self._taken in self._known:
            self._take(self._items[self._taken], self._known[self._taken])
            self._taken += 1
