"""The marks of notes on a page: small raised numbers and signs, which belong to no word beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

_SIGNS = r"[\d*\u2217\u204e†‡§¶]"
_MARK = re.compile(rf"{_SIGNS}+(?:[,;]{_SIGNS}+)*")
# What stands behind a number or a short word may be an exponent ("cm2"), and behind a stop it parts nothing.
_BEFORE = re.compile(r"(?:[^\W\d_]{4}|[A-Z][^\W\d_]{2})$")
# In shares of the larger letters' size.
_SMALLER, _RAISED = 0.85, 0.15


class _Word(Protocol):
    """What is looked at of a word: as in pdf_characters.Word."""

    first: int
    last: int
    base: float
    size: float
    quarter: int
    gap: bool


# The size of a character's letters and the height of its base line, in points downwards.
Measure = Callable[[int], tuple[float, float]]


def cuts(characters: str, first: int, last: int, measure: Measure) -> list[int]:
    """Where characters `first` to `last` (not included) are to be cut to part the marks of notes from words.

    A mark that begins them is parted from the word behind it, any other one from the word before it.
    """
    if last - first < 2:
        return []
    found = []
    for mark in _MARK.finditer(characters, first, last):
        start, end = mark.span()
        if start == first and end + 1 < last and characters[end : end + 2].isalpha():
            if _is_raised(measure(start), measure(end)):
                found.append(end)
        elif (
            start > first
            and _is_mark_behind(characters[first:start], characters[start:last])
            and _is_raised(measure(start), measure(start - 1))
        ):
            found.append(start)
    return found


def is_apart(characters: str, before: Sequence[_Word], word: _Word) -> bool:
    """Whether a word that stands close behind the last of those before it, or that one, is the mark of a note."""
    last = before[-1] if before else None
    if last is None or word.gap or last.quarter != word.quarter:
        return False
    one, two = characters[last.first : last.last], characters[word.first : word.last]
    if _is_mark_behind(one, two):
        return _is_raised((word.size, word.base), (last.size, last.base))
    begins = len(before) < 2 or before[-2].last != last.first
    return (
        begins
        and _MARK.fullmatch(one) is not None
        and len(two) > 1
        and two[:2].isalpha()
        and _is_raised((last.size, last.base), (word.size, word.base))
    )


def _is_mark_behind(word: str, behind: str) -> bool:
    """Whether, as far as letters tell, `behind` begins with the mark of a note to `word`."""
    mark = _MARK.match(behind)
    return bool(mark and _BEFORE.search(word) and not behind[mark.end() : mark.end() + 1].isalnum())


def _is_raised(mark: tuple[float, float], word: tuple[float, float]) -> bool:
    """Whether a mark is smaller than a word and stands higher; each is the size and the base line."""
    (size, base), (own_size, own_base) = mark, word
    return size <= _SMALLER * own_size and own_base - base >= _RAISED * own_size
