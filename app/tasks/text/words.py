"""Splits a text of any script into words, with punctuation marks as words of their own, as in CoNLL files."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from app.core.sentences import is_abbreviation

# Letters of scripts that put no blanks between words: Han, kana, Thai, Lao, Khmer, Myanmar.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F),
    (0x1B000, 0x1B16F), (0x20000, 0x3FFFF),
)  # fmt: skip
_SPECIAL = {
    **dict.fromkeys("'’ʹ′\u05f3\u05f4", "'"), **dict.fromkeys("-\u2010\u2011\u05be", "-"), "\u200d": "j",
    "s": "z", "S": "Z", **{mark: mark for mark in ".,:/&@#_"},
    **dict.fromkeys(map(chr, range(0x1F3FB, 0x1F400)), "m"), **dict.fromkeys(map(chr, range(0x1F1E6, 0x1F200)), "r"),
}  # fmt: skip
# A word, in kinds of characters: A capital, a other letter, Z and z for S and s, d digit, c letter of an unspaced
# script, m combining mark, f invisible, j joiner, r regional indicator, y symbol, p punctuation, u part of an address;
# some marks are their own kind; a blank is everything that is not part of a word.
_WORD = re.compile(
    r"""
    (?P<initials> [AazZ]m*\.(?:[AazZ]m*\.)+ (?![AazZdm_])      # U.S., e.g.
    | [AazZ]m*(?:\.[AazZ]m*)+ (?![AazZdm_.])                   # U.S
    | [AZ]m*\.(?=[ ]{0,2}[AZ]) )                               # J. Smith
    | (?P<address> u+ )
    | [@\#](?=[AazZ_d]) [AazZd_](?:[AazZd_m]|[fj]+(?=[AazZd_m]))*   # @name, #tag
    | 'm*[zZ](?![AazZdm_])                                     # the 's of a possessive
    | [AazZd_] (?: [AazZd_m] | [fj]+(?=[AazZd_m])
        | (?: '(?![zZ](?![AazZdm_])) | - | & | (?<=d)[.,:/](?=d) ) (?=[AazZd_]) )*
    | cm*
    | rr?m*
    | ym*(?:j+[ym]m*)*
    | \.{2,} | -{2,} | '{2}
    | m+
    | [^ fj]m*
    """,
    re.VERBOSE,
)
_ADDRESS = re.compile(
    r"""(?:https?://|www\.)[^\s<>"“”]*[\w/]|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?<![.-])""",
    re.IGNORECASE,
)


def words(text: str) -> tuple[np.ndarray, np.ndarray]:
    """The starts and ends of the words of a text, int32[n] each, in order; none is empty, none overlaps another.

    A word is a run of letters, digits and their marks with the apostrophes, hyphens and ampersands inside it (O'Brien,
    Aix-en-Provence, AT&T); an initial or an abbreviation keeps its stop (J., U.S., Inc.); an address, @name and #tag is
    one. The 's behind a word, an emoji, a run of stops and any other punctuation mark is a word of its own, and so is
    every letter of a script that puts no blanks between words. Blanks and control characters belong to no word.
    """
    kinds = _kinds(text)
    spans = np.array([found.span() for found in _WORD.finditer(kinds)], dtype=np.int32).reshape(-1, 2)
    return _with_stops(text, spans[:, 0], spans[:, 1])


def _kinds(text: str) -> str:
    kinds = text.translate({ord(character): _kind(character) for character in set(text)})
    if "://" in text or "@" in text or "www." in text.lower():
        parts, at = [], 0
        for found in _ADDRESS.finditer(text):
            parts += [kinds[at : found.start()], "u" * (found.end() - found.start())]
            at = found.end()
        kinds = "".join((*parts, kinds[at:]))
    return kinds


def _kind(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    category = unicodedata.category(character)
    match category[0]:
        case "L":
            if any(low <= ord(character) <= high for low, high in _UNSPACED):
                return "c"
            return "A" if category in ("Lu", "Lt") else "a"
        case "N":
            return "d"
        case "M":
            return "m"
        case "P" | "S":
            return "y" if category in ("So", "Sk") else "p"
    return "f" if category == "Cf" else " "


def _with_stops(text: str, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words, each abbreviation with its stop."""
    remains = np.ones(len(starts), dtype=bool)
    for at in np.flatnonzero((starts[1:] == ends[:-1]) & (ends[1:] - starts[1:] == 1)).tolist():
        if text[ends[at]] == "." and is_abbreviation(text[starts[at] : ends[at]]):
            ends[at] += 1
            remains[at + 1] = False
    return starts[remains], ends[remains]
