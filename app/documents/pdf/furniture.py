"""Finds running heads, feet and page numbers: lines at the upper or lower edge that recur page after page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.documents.numerals import from_roman
from app.documents.pdf.lines import Line, levels_of

_FEWEST = 3
_NEAR_PAGES = 4
_DEEPEST = 3
_SAME_PLACE = 5.0
_NUMBER = re.compile(r"\d+|^[ivxlc]+$|(?<=\W)[ivxlc]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _EdgeLine:
    """A line at a page's edge: its folded words as `key`, and the numbers in it."""

    page: int
    key: str
    numbers: tuple[str, ...]
    line: Line


def furniture_of(pages: Sequence[Sequence[Line]]) -> set[int]:
    """The `id`s of the lines that are furniture, on all pages of a document.

    A line is furniture if the same words, except numbers that count the pages, are at the same height at the edge of
    at least three pages near each other, with nothing but furniture farther out.
    """
    found: set[int] = set()
    for upper in (True, False):
        levels = [_outermost([line for line in page if line.quarter == 0], upper) for page in pages]
        open_pages = set(range(len(pages)))
        for depth in range(_DEEPEST):
            open_pages = {page for page in open_pages if depth < len(levels[page])}
            candidates = [
                _EdgeLine(page, folded(line.text), tuple(_NUMBER.findall(line.text)), line)
                for page in sorted(open_pages)
                for line in levels[page][depth]
            ]
            recurring = {id(each.line) for each in _recurring(candidates)}
            # A level is furniture only as a whole: part of it may be a line of the text.
            open_pages = {
                page for page in open_pages if all(id(line) in recurring for line in levels[page][depth])
            }
            found.update(id(line) for page in open_pages for line in levels[page][depth])
    return found


def folded(text: str) -> str:
    """A line's words with its numbers, including roman ones, replaced by one sign."""
    return _NUMBER.sub("#", " ".join(text.split())).casefold()


def _outermost(lines: Iterable[Line], upper: bool) -> list[list[Line]]:
    """The outermost few levels of a page from its edge inwards."""
    return levels_of(sorted(lines, key=lambda each: each.base if upper else -each.base))[:_DEEPEST]


def _recurring(candidates: Sequence[_EdgeLine]) -> list[_EdgeLine]:
    kinds: dict[str, list[_EdgeLine]] = defaultdict(list)
    for each in candidates:
        kinds[each.key].append(each)
    found = []
    for kind in kinds.values():
        for group in _by_height(kind):
            pages: dict[int, list[_EdgeLine]] = defaultdict(list)
            for each in group:
                pages[each.page].append(each)
            found += [each for each in group if _has_company(each, pages)]
    return found


def _by_height(kind: list[_EdgeLine]) -> list[list[_EdgeLine]]:
    groups: list[list[_EdgeLine]] = []
    for each in sorted(kind, key=lambda found: found.line.base):
        if groups and each.line.base - groups[-1][-1].line.base <= _SAME_PLACE:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [sorted(group, key=lambda found: found.page) for group in groups if len(group) >= _FEWEST]


def _has_company(one: _EdgeLine, pages: dict[int, list[_EdgeLine]]) -> bool:
    """Whether enough pages nearby have the line too, word for word or with a number that counts the pages."""
    nearby = range(one.page - _NEAR_PAGES, one.page + _NEAR_PAGES + 1)
    near = [each for page in nearby if page != one.page and page in pages for each in pages[page]]
    same = sum(each.line.text == one.line.text for each in near)
    counting = sum(_counts(one, each) for each in near)
    return max(same, counting) >= _FEWEST - 1


def _counts(one: _EdgeLine, other: _EdgeLine) -> bool:
    """Whether one number in the two lines increases by as much as the pages, the others being equal."""
    step = other.page - one.page
    different = [
        (a, b) for a, b in zip(one.numbers, other.numbers, strict=False) if a.casefold() != b.casefold()
    ]
    return bool(different) and all(_value(b) - _value(a) == step for a, b in different)


def _value(number: str) -> int:
    return int(number[:9]) if number.isdecimal() else from_roman(number)
