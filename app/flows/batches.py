"""Many small requests, sent to the model process in groups: one progress over all, results in the items' order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from app.core.report import Progress, Relay, Report

ItemT = TypeVar("ItemT")
FoundT = TypeVar("FoundT")

MOST_ITEMS = 128
MOST_CHARACTERS = 300_000


def groups(items: Iterable[ItemT], length: Callable[[ItemT], int]) -> Iterator[list[ItemT]]:
    """Split items into groups of at most 128 items, and 300,000 characters unless a single item has more."""
    group: list[ItemT] = []
    characters = 0
    for item in items:
        size = length(item)
        if group and (len(group) == MOST_ITEMS or characters + size > MOST_CHARACTERS):
            yield group
            group, characters = [], 0
        group.append(item)
        characters += size
    if group:
        yield group


class GroupReport(Relay):
    """The Report of one group after another, which reports the progress over all groups; partial results are dropped.

    `total` counts the items of all groups, `before` those of them that were done earlier.
    """

    def __init__(self, report: Report, total: int, what: str, before: int = 0) -> None:
        super().__init__(report)
        self._total = total
        self._what = what
        self._done = self._before = before
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the first group began."""
        return time.perf_counter() - self._started

    def count_done(self, items: int) -> None:
        """Count a finished group of `items` items."""
        self._done += items
        self._report_done(self._done)

    def progress(self, progress: Progress) -> None:
        """Report a group's progress as that of all groups; that of loading a model is passed on unchanged."""
        if progress.what == self._what:
            self._report_done(self._done + progress.done)
        else:
            self._report.progress(progress)

    def partial(self, result: object) -> None:
        """Drop partial results."""

    def _report_done(self, done: int) -> None:
        now = done - self._before
        left = self.seconds / now * (self._total - done) if now and self.seconds > 1 else None
        self._report.progress(Progress(done, self._total, self._what, left))


@dataclass(frozen=True, slots=True)
class BatchDone:
    """A finished batch: the rows of the input, how many of them an earlier run had finished, and this run's seconds."""

    rows: int
    finished_before: int
    seconds: float


class InOrder(Relay, Generic[ItemT, FoundT]):
    """The Report of one group whose partial results are `(index, result)`.

    `take` is called for the items in order, for each as soon as all before it have a result. `known` are results that
    need no request, by the item's index; `pending` are the indices of all others, and the `index` of a partial result
    is one into `pending`.
    """

    def __init__(
        self,
        items: Sequence[ItemT],
        known: Mapping[int, FoundT],
        whole: GroupReport,
        take: Callable[[ItemT, FoundT], None],
    ) -> None:
        super().__init__(whole)
        self._items, self._take = items, take
        self._known = dict(known)
        self.pending = [place for place in range(len(items)) if place not in known]
        self._taken = 0
        self._take_known()

    def partial(self, result: object) -> None:
        """Store the result at its index, unless there is one already."""
        index, found = cast("tuple[int, FoundT]", result)
        self._known.setdefault(self.pending[index], found)
        self._take_known()

    def _take_known(self) -> None:
        while self._taken in self._known:
            self._take(self._items[self._taken], self._known[self._taken])
            self._taken += 1
