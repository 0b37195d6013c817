"""Corrects marks that Tesseract mistakes, by their pixels: bullets, quotation marks, upright strokes, tables' rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.documents.recognition.words import DARK, Letter, PagePicture, RecognisedWord

_BULLET = "•"
# All lengths are shares of the size of a word's font.
# A bullet: its sides, how far from a square it may be, how much of its box is dark, and where its middle stands.
_LEAST, _MOST, _SQUARE, _FULL = 0.15, 0.55, 1.4, 0.7
_LOWEST, _HIGHEST = 0.1, 0.62
# How far before a line's words its bullet may stand, and how far at least.
_FAR, _NEAR = 3.5, 0.3
# Where there are quotation marks and hardly any letter, the widest stroke of one, and how far two are apart.
_SINGLE = {'"': "'", "“": "‘", "”": "’"}
_UPPER, _MIDDLE, _STROKE, _APART, _AS_HIGH = 0.85, 0.45, 0.2, 0.25, 0.6
# A rule reaches farther up or down than any of these letters.
_LIKE_RULES = frozenset("|[]{}()/\\Il1!iJ")
_ABOVE, _BELOW, _BESIDE = 1.25, 0.6, 0.4


class _Ink(NamedTuple):
    """The box around the dark pixels of a part of a picture, and their number."""

    left: int
    top: int
    right: int
    bottom: int
    dark: int


def corrected(picture: PagePicture, words: Sequence[RecognisedWord]) -> Iterator[RecognisedWord]:
    """The words of a picture with these marks corrected, and without words that are nothing but a rule or paper."""
    begins_line = False
    for word in words:
        begins_line = begins_line or word.begins_line
        groups = list(_between_rules(picture, word)) if _has_ink(picture, word) else []
        if begins_line and groups:
            groups = _with_bullet(picture, word, groups)
        for letters in groups:
            yield replace(word, letters=tuple(letters), begins_line=begins_line)
            begins_line = False


def _has_ink(picture: PagePicture, word: RecognisedWord) -> bool:
    """Whether there is ink where a word is: Tesseract sees dashes in wide gaps."""
    left, right = word.letters[0].left, max(letter.right for letter in word.letters)
    return _ink(picture, left, word.base - word.size, right, word.base + 0.3 * word.size) is not None


def _with_bullet(
    picture: PagePicture, word: RecognisedWord, groups: list[list[Letter]]
) -> list[list[Letter]]:
    """The letters of a line's first word, with the bullet before them, or as the bullet that they are."""
    first, size = word.letters[0], word.size
    aside = round(0.15 * size)
    if len(word.letters) == 1:
        own = _ink(picture, first.left - aside, word.base - size, first.right + aside, word.base + 0.3 * size)
        if _is_bullet(own, word):
            return [[Letter(_BULLET, first.left, first.right)]]
    left, right = first.left - round(_FAR * size), first.left - round(_NEAR * size)
    ink = _ink(picture, left, word.base - 0.8 * size, right, word.base + 0.2 * size)
    if ink is not None and _is_bullet(ink, word):
        return [[Letter(_BULLET, ink.left, ink.right)], *groups]
    return groups


def _is_bullet(ink: _Ink | None, word: RecognisedWord) -> bool:
    """Whether dark pixels are a bullet: a filled disc or square."""
    if ink is None:
        return False
    wide, high = ink.right - ink.left, ink.bottom - ink.top
    above = word.base - (ink.top + ink.bottom) / 2
    return (
        _LEAST * word.size <= min(wide, high)
        and max(wide, high) <= min(_MOST * word.size, _SQUARE * min(wide, high))
        and ink.dark >= _FULL * wide * high
        and _LOWEST * word.size <= above <= _HIGHEST * word.size
    )


def _ink(picture: PagePicture, left: float, top: float, right: float, bottom: float) -> _Ink | None:
    """The dark pixels of a part of a picture; None without any."""
    first, last = max(0, round(left)), min(picture.width, round(right))
    most_left, most_right, rows, count = last, first, [], 0
    for row in range(max(0, round(top)), min(picture.height, round(bottom))) if first < last else ():
        line = picture.pixels[picture.stride * row + first : picture.stride * row + last].translate(DARK)
        if dark := line.count(1):
            rows.append(row)
            count += dark
            most_left = min(most_left, first + line.find(1))
            most_right = max(most_right, first + line.rfind(1) + 1)
    return _Ink(most_left, rows[0], most_right, rows[-1] + 1, count) if rows else None


def _single(picture: PagePicture, word: RecognisedWord, letter: Letter) -> Letter:
    """A letter, as a single quotation mark if it is a double one of one stroke."""
    if letter.character not in _SINGLE:
        return letter
    base, size = word.base, word.size
    kinds, heights, aside = "", [], round(_APART * size)
    for column in range(max(0, letter.left - aside), min(picture.width, letter.right + aside)):
        upper = _ink(picture, column, base - _UPPER * size, column + 1, base - _MIDDLE * size)
        lower = _ink(picture, column, base - 0.9 * _MIDDLE * size, column + 1, base)
        kinds += "x" if lower else "'" if upper else " "
        heights.append(upper.bottom - upper.top if upper else 0)
    # What joins the lower part of a letter is that letter's, unless it is as high as a stroke.
    strokes = [(max(heights[slice(*found.span())]), found.span()) for found in re.finditer("'+", kinds)]
    highest = max((height for height, _ in strokes), default=0)
    high = [span for height, span in strokes if height >= _AS_HIGH * highest]
    if len(high) == 1 and high[0][1] - high[0][0] <= _STROKE * size:
        start, end = high[0]
        if kinds[start - 1 : start] == kinds[end : end + 1] == " ":
            return letter._replace(character=_SINGLE[letter.character])
    return letter


def _between_rules(picture: PagePicture, word: RecognisedWord) -> Iterator[list[Letter]]:
    """The letters of a word, split where a rule of a table was taken for a letter."""
    letters: list[Letter] = []
    for letter in word.letters:
        if not _is_rule(picture, word, letter):
            letters.append(_capital(picture, word, _single(picture, word, letter)))
        elif letters:
            yield letters
            letters = []
    if letters:
        yield letters


def _is_rule(picture: PagePicture, word: RecognisedWord, letter: Letter) -> bool:
    if letter.character not in _LIKE_RULES:
        return False
    left, right = round(letter.left - _BESIDE * word.size), round(letter.right + _BESIDE * word.size)
    around = _ink(picture, left, word.base - 0.75 * word.size, right, word.base)
    # More than this is light letters on a dark ground.
    if around is None or around.dark > 0.4 * 0.75 * word.size * (right - left):
        return False
    upper, lower = (
        [round(word.base + end * word.size) for end in ends] for ends in ((-_ABOVE, -0.1), (-0.4, _BELOW))
    )
    return any(
        _is_dark(picture, column, *upper) or _is_dark(picture, column, *lower)
        for column in range(max(1, letter.left - 2), min(picture.width - 1, letter.right + 2))
    )


def _is_dark(picture: PagePicture, column: int, top: int, bottom: int) -> bool:
    """Whether a line down a column, or hardly aslant, is dark from one row to another."""
    if not 0 <= top < bottom <= picture.height:
        return False
    start, end, stride = picture.stride * top + column, picture.stride * bottom, picture.stride
    near = (picture.pixels[start + aside : end : stride].translate(DARK) for aside in (-1, 0, 1))
    return all(any(row) for row in zip(*near, strict=False))


def _capital(picture: PagePicture, word: RecognisedWord, letter: Letter) -> Letter:
    """A letter, as a capital I if it is an upright stroke that ends on the base line."""
    if letter.character != "|":
        return letter
    below = _ink(
        picture, letter.left, word.base + 0.1 * word.size, letter.right, word.base + 0.25 * word.size
    )
    return letter if below else letter._replace(character="I")
