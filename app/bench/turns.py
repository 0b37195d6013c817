"""Timing two ways of the same work in turn, so that other load on the computer affects both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from app.bench.results import BenchRow

Timed = Callable[[int], float]


def in_turn(ours: Timed, theirs: Timed | None, repeats: int) -> tuple[list[float], list[float]]:
    """The results of each at every repeat, called with its number: one then the other, then in reverse order.

    `theirs` may be None for no reference; its list is then empty.
    """
    mine: list[float] = []
    others: list[float] = []
    for number in range(repeats):
        turns = [(ours, mine)] if theirs is None else [(ours, mine), (theirs, others)]
        for timed, times in turns if number % 2 == 0 else reversed(turns):
            times.append(timed(number))
    return mine, others


def row(
    what: str,
    ours: Sequence[float],
    unit: str,
    theirs: Sequence[float] = (),
    *,
    more_is_better: bool = False,
    worst: bool = False,
) -> BenchRow:
    """Medians, and the spread of Spanlight's figures; `worst` adds the slowest of them."""
    middle = median(ours)
    apart = (max(ours) - min(ours)) / middle if middle and len(ours) > 1 else 0.0
    slowest = (min(ours) if more_is_better else max(ours)) if worst else None
    against = median(theirs) if theirs else None
    return BenchRow(what, middle, unit, against, more_is_better, apart, slowest)
