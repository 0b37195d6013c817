"""Timing two ways of the same work in turn, so that what else the computer does falls on both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from app.core.benches import BenchRow

Timed = Callable[[int], float]


def in_turn(ours: Timed, theirs: Timed | None, repeats: int) -> tuple[list[float], list[float]]:
    """What each gives at every repeat, called with its number: first one, then the other, then the other way round.

    `theirs` may be None for no reference; its list is then empty.
    """
    mine: list[float] = []
    others: list[float] = []
    for number in range(repeats):
        turns = [(ours, mine)] if theirs is None else [(ours, mine), (theirs, others)]
        for timed, kept in turns if number % 2 == 0 else reversed(turns):
            kept.append(timed(number))
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
    """Medians, and how far Spanlight's figures lie apart; `worst` tells the slowest of them as well."""
    middle = median(ours)
    apart = (max(ours) - min(ours)) / middle if middle and len(ours) > 1 else 0.0
    slowest = (min(ours) if more_is_better else max(ours)) if worst else None
    against = median(theirs) if theirs else None
    return BenchRow(what, middle, unit, against, more_is_better, apart, slowest)
