"""Recognises the marks of notes on a page: small raised numbers and signs that belong to no word beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

_SIGNS = r"[\d*\u2217\u204e†‡§¶]"
_MARK = re.compile(rf"{_SIGNS}+(?:[,;]{_SIGNS}+)*")
# After a number or a short word there may be an exponent ("cm2"), but not after a stop.
_BEFORE = re.compile(r"([^\W\d_]{4,})(\)?[.,;:!?][”’\")]?)?$")
# Short words that begin many notes and are not a chemical element with its number ("14CO2", "137Cs").
_BEHIND = re.compile(r"[^\W\d_]{3}|(?:An|By|If|It|On|Or|So|To|We)$")
# One digit after these is more often an exponent: units that are written out, functions and letters of formulas.
_POWERS = re.compile(
    r"(?:nano|micro|milli|centi|deci|kilo|mega|giga)?"
    r"(?:met(?:er|re)|gram(?:me)?|lit(?:er|re)|second|volt|tesla|hertz|watt|joule|newton|pascal|parsec)s?"
    r"|feet|foot|inch(?:es)?|yards?|miles?|arc(?:min|sec)s?|degrees?|minutes?|hours?|radians?|pixels?|gauss"
    r"|(?:arc|ar)?(?:sin|cos|tan|cot|sec|csc)h?"
    r"|alpha|beta|gamma|delta|zeta|theta|kappa|lambda|sigma|omega"
    r"|speed|velocity|radius|distance|length|width|height|time|mass|error|norm",
    re.IGNORECASE,
)
# After a mark, what continues a formula.
_GOES_ON = frozenset("(=+/^<>\u00b1\u00b7\u00d7\u00f7\u2212")
# In shares of the larger letters' size.
_SMALLER, _RAISED = 0.85, 0.15


class _Word(Protocol):
    """The attributes of characters.Word that are used here."""

    first: int
    last: int
    base: float
    size: float
    quarter: int
    gap: bool


# The size of a character's letters and the height of its base line, in points downwards.
Measure = Callable[[int], tuple[float, float]]


def cuts(characters: str, first: int, last: int, measure: Measure) -> list[int]:
    """The positions at which to cut characters `first` to `last` (not included), between words and the marks of notes.

    A mark at the beginning is separated from the word after it, any other one from the word before it.
    """
    if last - first < 2:
        return []
    found = []
    for mark in _MARK.finditer(characters, first, last):
        start, end = mark.span()
        if start == first and _is_word_behind(characters[end:last]):
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
    """Whether a word close after the last of those before it, or that last one, is the mark of a note."""
    last = before[-1] if before else None
    if last is None or word.gap or last.quarter != word.quarter:
        return False
    one, two = characters[last.first : last.last], characters[word.first : word.last]
    if _is_mark_behind(one, characters[word.first : word.last + 1]):
        return _is_raised((word.size, word.base), (last.size, last.base))
    begins = len(before) < 2 or before[-2].last != last.first
    return (
        begins
        and _MARK.fullmatch(one) is not None
        and _is_word_behind(two)
        and _is_raised((last.size, last.base), (word.size, word.base))
    )


def _is_mark_behind(word: str, behind: str) -> bool:
    """Whether, by its letters, `behind` begins with the mark of a note to `word`."""
    mark, last = _MARK.match(behind), _BEFORE.search(word)
    if mark is None or last is None or any(letter.isupper() for letter in last[1][-3:]):
        return False
    if not last[2] and mark[0].isdecimal() and len(mark[0]) == 1 and _POWERS.fullmatch(last[1]):
        return False
    after = behind[mark.end() : mark.end() + 1]
    return not after.isalnum() and after not in _GOES_ON


def _is_word_behind(words: str) -> bool:
    """Whether the characters after a mark begin a word, not a formula."""
    return bool(_BEHIND.match(words)) and not words[1].isupper()


def _is_raised(mark: tuple[float, float], word: tuple[float, float]) -> bool:
    """Whether a mark is smaller than a word and higher; each is given by size and base line."""
    (size, base), (own_size, own_base) = mark, word
    return size <= _SMALLER * own_size and own_base - base >= _RAISED * own_size
