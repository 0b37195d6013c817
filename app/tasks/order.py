"""In which order a document's windows are read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from app.core.requests import Question
from app.core.text import Span
from app.tasks.ranking import best_places
from app.tasks.sections import Section
from app.tasks.windows import Window

# So many windows are chosen one by one before whole sections follow; `Question.quick` reads only these.
BEST_WINDOWS = 32

# The least share of a place's tokens that a window must score to be read for it.
_LEAST_SHARE = 0.25

WindowsOf = Callable[[Section], list[Window]]


def in_order(sections: Sequence[Section], windows_of: WindowsOf) -> Iterator[tuple[Section, Window]]:
    """All windows from the first to the last."""
    for section in sections:
        for window in windows_of(section):
            yield section, window


def best_first(
    question: Question, sections: Sequence[Section], windows_of: WindowsOf, check: Callable[[], None]
) -> Iterator[tuple[Section, Window]]:
    """All windows, each once: those first that score the places where the question's words stand.

    After `BEST_WINDOWS` of them come the rest of their sections, then the other sections by their best place, and last
    those without any, in the order of the text. A section is cut into windows when its first one is due.
    """
    bounds = [(section.document, section.start) for section in sections]
    places = best_places(question.text, question.documents, check)
    opened: dict[int, list[Window]] = {}
    given = 0
    for number, place in places:
        for index in _sections_at(bounds, number, place):
            if index not in opened:
                opened[index] = windows_of(sections[index])
            for window in _that_score(opened[index], place):
                opened[index] = [each for each in opened[index] if each is not window]
                yield sections[index], window
                given += 1
        if given >= BEST_WINDOWS:
            break
    for index in list(opened):
        for window in opened[index]:
            yield sections[index], window
        opened[index] = []
    ranked = (index for number, place in places for index in _sections_at(bounds, number, place))
    for rest in (ranked, range(len(sections))):
        for index in rest:
            if index not in opened:
                opened[index] = []
                for window in windows_of(sections[index]):
                    yield sections[index], window


def _sections_at(bounds: Sequence[tuple[int, int]], number: int, place: Span) -> range:
    """The sections that share code points with a place, as indices of `bounds`, their documents and starts."""
    return range(
        bisect_right(bounds, (number, place.start)) - 1, bisect_right(bounds, (number, place.end - 1))
    )


def _that_score(windows: Sequence[Window], place: Span) -> list[Window]:
    """The windows that score a good part of a place's tokens, the largest part first."""
    parts = [
        int((window.scored & (window.starts >= place.start) & (window.starts < place.end)).sum())
        for window in windows
    ]
    least = max(1, _LEAST_SHARE * sum(parts))
    order = sorted(range(len(windows)), key=lambda at: -parts[at])
    return [windows[at] for at in order if parts[at] >= least]
