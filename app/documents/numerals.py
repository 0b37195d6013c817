"""Writes and reads the numerals of items, chapters and pages: 3, c, iii."""

from __future__ import annotations

from itertools import pairwise

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_ROMAN_DIGITS = {digits: value for value, digits in _ROMAN if len(digits) == 1}


def letters(number: int) -> str:
    """A number in letters: 1 as a, 26 as z, 27 as aa, 28 as ab; in digits below 1."""
    if number < 1:
        return str(number)
    written = ""
    while number:
        number, rest = divmod(number - 1, 26)
        written = chr(ord("a") + rest) + written
    return written


def roman(number: int) -> str:
    """A number in Roman numerals: 4 as iv; in digits outside 1 to 3999."""
    if not 1 <= number <= 3999:
        return str(number)
    written = ""
    for value, digits in _ROMAN:
        written += digits * (number // value)
        number %= value
    return written


def numeral(number: int, form: str) -> str:
    """A number in the form that HTML and OpenDocument call 1, a, A, i or I."""
    written = {"a": letters, "i": roman}.get(form.lower(), str)(number)
    return written.upper() if form.isupper() else written


def from_roman(written: str) -> int:
    """The number that Roman numerals stand for: iv as 4. Raises KeyError for other letters."""
    values = [_ROMAN_DIGITS[letter] for letter in written.casefold()]
    return sum(-value if value < after else value for value, after in pairwise([*values, 0]))


def bullet(level: int) -> str:
    """The bullet of an unnumbered item at a level of nesting, from 1."""
    return "•◦▪"[min(max(level, 1), 3) - 1]
