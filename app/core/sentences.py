"""The sentences of a text, and the one around a place in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from app.core.text import Span

_BOUND = re.compile(
    r"""
    (?P<stop>[.!?…]+["'”’»)\]]*)(?=\s)       # a stop, closing marks, and white space
    | [。！？｡]+["”’」』）]*                    # stops of scripts without a space after them
    | (?P<line>\n[^\S\n]*\n\s*                # a blank line
    | (?<=\S)[^\S\n\t]*\t\s*                 # the next cell of a table's row
    | \n(?=[^\S\n]*(?:[-*•‣▪#]|\d{1,3}[.)])[^\S\n]))   # the next item of a list, a heading
    | (?P<row>\n)                           # perhaps the end of a table's row
    """,
    re.VERBOSE,
)
_WORD_BEFORE = re.compile(r"[^\s(\[\"“‘]*\Z")
_ABBREVIATION = re.compile(
    r"mr|mrs|ms|dr|prof|rev|hon|st|sr|jr|vs|etc|e\.g|i\.e|cf|figs?|vol|pp|ca|approx|al|inc|ltd|co|corp|dept|est|gen|col"
    r"|lt|capt|sgt|gov|sen|rep|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mt",
    re.IGNORECASE,
)
# Abbreviations only before a number: "p. 20", "No. 5", "Art. 3".
_NUMBERED = re.compile(
    r"p|nos?|nr|ch|chap|sec|sect|arts?|par|paras?|eqs?|tab|app|ed|ex|l|ll|n|v", re.IGNORECASE
)
_LONGEST_ROW = 2000
# The number of an item or a clause: "3.1", "(a)", "iv.".
ITEM_NUMBER = (
    r"(?P<before>[(\[]?(?:\d{1,3}\.)*)(?P<number>\d{1,3}|[ivxlcIVXLC]{1,6}|[a-zA-Z])(?P<after>[.)\]]?)"
)
# A bullet or an item's number at the beginning of a line, with words behind it.
_ITEM = re.compile(rf"^[^\S\n]*+(?:(?P<bullet>[-*•‣▪])|{ITEM_NUMBER})[^\S\n]+(?=\S)", re.MULTILINE)
# Code points from an item to the next one of its list, at most.
ITEMS_APART = 2000
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()
_JOINING = "\u200d\ufe0e\ufe0f"


def sentence_around(text: str, span: Span, *, reach: int = 400) -> Span:
    """Return the sentence, or the sentences, around the span; always contains the whole span.

    A sentence ends at a stop, a blank line, a list item or a table's cell (a tab). At most `reach` code
    points on each side are searched: without a bound within them, the sentence is cut between two words.
    Abbreviations and initials are recognised by a short English list, so the result may be several sentences.
    """
    return Span(_start(text, span.start, reach), _end(text, span, reach))


def sentences(text: str, *, reach: int = 1000) -> Iterator[Span]:
    """Yield the sentences of a text in order; only the white space between them is left out.

    A sentence longer than `reach` code points is split between two words.
    """
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = _end(text, Span(at, at + 1), reach)
        yield Span(at, end)
        at = end


def item_starts(text: str) -> list[int]:
    """Return the starts of the lines that are items of a list, ascending.

    As a line may also begin with a date, an amount or an initial, the item before or after it in the same numbering
    must begin at most `ITEMS_APART` code points away.
    """
    found: set[int] = set()
    last: dict[tuple[str, ...], tuple[int, int]] = {}
    for item in _ITEM.finditer(text):
        for form, number in _numbers(item):
            before, start = last.get(form, (-1, -ITEMS_APART))
            continues = number == before + (form[0] != "bullet")
            if continues and start >= 0 and item.start() - start <= ITEMS_APART:
                found |= {start, item.start()}
            last[form] = number, item.start()
    return sorted(found)


def _numbers(item: re.Match[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the numberings that an item may belong to, with its number in each: “i” is a letter and a Roman number."""
    if item["bullet"]:
        yield ("bullet", item["bullet"]), 0
        return
    before, number, after = item["before"], item["number"], item["after"]
    if not before and not after:
        return
    if number.isdecimal():
        yield ("digits", before, after), int(number)
    if number in _ROMAN:
        yield ("roman", before, after), _ROMAN.index(number)
    is_initial = number.isupper() and not before and after == "."
    if len(number) == 1 and number.isalpha() and not is_initial:
        yield ("letters", before, after, str(number.isupper())), ord(number)


def is_abbreviation(word: str) -> bool:
    """Whether a word, given without its final stop, is an abbreviation in a short English list."""
    return _ABBREVIATION.fullmatch(word) is not None


def _start(text: str, at: int, reach: int) -> int:
    low = max(0, at - reach)
    start = -1
    for found in _bounds(text, low, min(len(text), at + 1)):
        if found.end() <= at:
            start = found.end()
    if start < 0:
        start = _cut_before(text, low, at) if low else 0
    while start < at and text[start].isspace():
        start += 1
    return start


def _end(text: str, span: Span, reach: int) -> int:
    high = min(len(text), span.end + reach)
    # A stop may be the span's own last character, with or without closing marks after it.
    for found in _bounds(text, max(span.start, span.end - 4), min(len(text), high + 1)):
        end = found.start() if found["line"] is not None else found.end()
        if span.end <= end <= high:
            break
    else:
        end = _cut_after(text, high, span.end) if high < len(text) else high
    while end > span.end and text[end - 1].isspace():
        end -= 1
    return end


def _bounds(text: str, low: int, high: int) -> Iterator[re.Match[str]]:
    return (found for found in _BOUND.finditer(text, low, high) if not _continues(text, found))


def _continues(text: str, found: re.Match[str]) -> bool:
    """Whether a match ends no sentence: after an abbreviation, an initial or a list's number, or a mere line end."""
    if found["row"] is not None:
        before = text[max(0, found.start() - _LONGEST_ROW) : found.start()].rpartition("\n")[2]
        after = text[found.end() : found.end() + _LONGEST_ROW].partition("\n")[0]
        return "\t" not in before.strip() and "\t" not in after.strip()
    stop = found["stop"]
    if stop is None:
        return False
    after = text[found.end() : found.end() + 8].lstrip()
    if after[:1].islower():
        return True
    if stop[0] != "." or stop[:2] == "..":
        return False
    before = text[max(0, found.start() - 24) : found.start()]
    match = _WORD_BEFORE.search(before)
    word = match.group() if match else ""
    if is_abbreviation(word) or (len(word) == 1 and word.isupper()):
        return True
    if after[:1].isdecimal() and _NUMBERED.fullmatch(word):
        return True
    if re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word):
        return True
    line = before[: len(before) - len(word)]
    return word.isdigit() and len(word) <= 3 and (not line.strip(" \t") or line.rstrip(" \t").endswith("\n"))


def _cut_before(text: str, low: int, at: int) -> int:
    """Return the first word's start from `low` on, or `low` moved off a combining sequence."""
    blank = re.compile(r"\s").search(text, low - 1, at)
    if blank:
        return blank.end()
    while low < at and _joins(text, low):
        low += 1
    return low


def _cut_after(text: str, high: int, at: int) -> int:
    """Return the last word's end up to `high`, or `high` moved off a combining sequence."""
    for place in range(high, at, -1):
        if text[place].isspace():
            return place
    while high > at and _joins(text, high):
        high -= 1
    return high


def _joins(text: str, at: int) -> bool:
    """Whether the character at `at` combines with the one before it."""
    return bool(
        unicodedata.combining(text[at])
        or text[at] in _JOINING
        or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
        or text[at - 1] == "\u200d"
    )
