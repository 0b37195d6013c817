"""Very long lines, broken so that they can be shown."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.layout import Opened

LIMIT = 10_000

_STOPS = "。！？．｡、，"
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"


def broken(text: str, limit: int = LIMIT) -> tuple[str, int]:
    """The text with no line longer than `limit` code points, and how many breaks that took.

    Qt lays out a line of text as a whole whenever the window's width or one of its letters changes, which
    takes seconds for a line of some megabytes. A break takes the place of a blank, best of one
    that follows a sentence's end, so that the text keeps its length; where a line has no blank, a line
    end is added, never within a character that is made of several code points.
    """
    if not _any_longer(text, limit):
        return text, 0
    lines = text.split("\n")
    parts: list[str] = []
    breaks = 0
    for line in lines:
        pieces = [line[start:end] for start, end in cuts(line, limit)]
        breaks += len(pieces) - 1
        parts.extend(pieces)
    return "\n".join(parts), breaks


def added(text: str, limit: int = LIMIT) -> list[int]:
    """The code points of a text that `broken` adds a line end before, in order."""
    found: list[int] = []
    start = 0
    for line in text.split("\n"):
        if len(line) > limit:
            found += (start + two for (_, one), (two, _) in pairwise(cuts(line, limit)) if one == two)
        start += len(line) + 1
    return found


def as_shown(opened: Opened, text: str) -> Opened:
    """The file with the text shown on the page, which breaks very long lines: questions are about that text."""
    read = opened.document.text
    if text == read:
        return opened
    shown = replace(opened, document=replace(opened.document, text=text))
    if len(text) == len(read):
        return shown
    # A line without blanks is broken by an added line end: after it, positions differ from those in the file.
    breaks = added(read)
    known = len(text) == len(read) + len(breaks)
    shown = replace(shown, document=replace(shown.document, view=None))
    lines = (start + bisect_left(breaks, start) for start in opened.lines) if known else ()
    return replace(shown, headings=(), lines=array("i", lines), sha256="")


def _any_longer(text: str, limit: int) -> bool:
    """Whether a line of a text is longer than `limit`; with as few searches as possible."""
    start = 0
    while len(text) - start > limit:
        # The last line end within reach: lines shorter than that are not checked one by one.
        end = text.rfind("\n", start, start + limit + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def cuts(line: str, limit: int = LIMIT) -> list[tuple[int, int]]:
    """Where the pieces of a line begin and end, none longer than `limit`; between two is at most one blank."""
    pieces = []
    start = 0
    while len(line) - start > limit:
        end, after = _cut(line, start, start + limit)
        pieces.append((start, end))
        start = after
    return [*pieces, (start, len(line))]


def _cut(line: str, start: int, limit: int) -> tuple[int, int]:
    """Where a piece that begins at `start` ends, and where the next one begins."""
    low = start + (limit - start) // 2
    for mark in (". ", "! ", "? "):
        stop = line.rfind(mark, low, limit)
        if stop >= 0:
            return stop + 1, stop + 2
    blank = line.rfind(" ", low, limit)
    if blank >= 0:
        return blank, blank + 1
    end = max(line.rfind(stop, low, limit) for stop in _STOPS) + 1
    if end <= low:
        end = limit
    while end > low and _joins(line, end):
        end -= 1
    return end, end


def _joins(line: str, at: int) -> bool:
    before, after = line[at - 1], line[at]
    return bool(
        before == "\u200d"
        or after in _JOINERS
        or unicodedata.combining(after)
        or unicodedata.category(after) == "Mc"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U0001f1e6" <= after <= "\U0001f1ff"
    )
