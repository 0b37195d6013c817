"""The order in which a document's windows are read, in groups of neighbours that are the same in every order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from app.core.text import Span
from app.tasks.text.sections import Section
from app.tasks.text.windows import Window

# How many groups are chosen one by one before whole sections follow; `Question.quick` reads only these.
BEST_GROUPS = 48

# A group, or a section, belongs to a place if it holds at least this share of what the one with most of it holds.
_LEAST_SHARE = 1 / 3

# A section's windows in groups of neighbours. In bfloat16 a window's logits depend, in the second decimal, on the shape
# of the batch: so a group is one batch, and the order of the groups does not change the result.
Group = list[Window]
GroupsOf = Callable[[Section], list[Group]]


def in_order(sections: Sequence[Section], groups_of: GroupsOf) -> Iterator[tuple[Section, Group]]:
    """All groups from the first to the last."""
    for section in sections:
        for group in groups_of(section):
            yield section, group


def best_first(
    places: Iterator[tuple[int, Span]], sections: Sequence[Section], groups_of: GroupsOf
) -> Iterator[tuple[Section, Group]]:
    """All groups, each once, first those that score `places`: where the question's words occur, best first.

    After `BEST_GROUPS` groups, the rest of their sections follow, then the other sections by their best place, and last
    those without any, in the order of the text. A section is cut into windows when its first group is due.
    """
    bounds = [(section.document, section.start) for section in sections]
    opened: dict[int, list[Group]] = {}
    given = 0
    for number, place in places:
        for index in _sections_at(bounds, number, place):
            if index not in opened:
                opened[index] = groups_of(sections[index])
            for group in _that_score(opened[index], place):
                opened[index] = [each for each in opened[index] if each is not group]
                yield sections[index], group
                given += 1
        if given >= BEST_GROUPS:
            break
    for index in list(opened):
        for group in opened[index]:
            yield sections[index], group
        opened[index] = []
    ranked = (index for number, place in places for index in _sections_at(bounds, number, place))
    for rest in (ranked, range(len(sections))):
        for index in rest:
            if index not in opened:
                opened[index] = []
                for group in groups_of(sections[index]):
                    yield sections[index], group


def _sections_at(bounds: Sequence[tuple[int, int]], number: int, place: Span) -> list[int]:
    """The sections that hold a large part of a place, as indices of `bounds` (their documents and starts)."""
    first = bisect_right(bounds, (number, place.start)) - 1
    last = bisect_right(bounds, (number, place.end - 1)) - 1
    if first == last:
        return [first]
    edges = [place.start, *(start for _, start in bounds[first + 1 : last + 1]), place.end]
    parts = [after - before for before, after in pairwise(edges)]
    return [first + at for at, part in enumerate(parts) if part >= _LEAST_SHARE * max(parts)]


def _that_score(groups: Sequence[Group], place: Span) -> list[Group]:
    """The groups that score a large part of a place's tokens, the largest part first."""
    parts = [sum(_scored_in(window, place) for window in group) for group in groups]
    least = max(1, _LEAST_SHARE * max(parts, default=0))
    order = sorted(range(len(groups)), key=lambda at: -parts[at])
    return [groups[at] for at in order if parts[at] >= least]


def _scored_in(window: Window, place: Span) -> int:
    inside = (window.starts >= place.start) & (window.starts < place.end)
    return int(np.count_nonzero(window.scored & inside))
