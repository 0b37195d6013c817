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
    """Return the text with no line longer than `limit` code points, and the number of breaks made.

    Qt lays out a whole line again whenever the window's width or one of the line's characters changes, which takes
    seconds for a line of some megabytes. A break replaces a blank, if possible one behind a sentence, so that the text
    keeps its length; where a line has no blank, a line end is added, never within a character that is made of several
    code points.
    """
    if not _any_longer(text, limit):
        return text, 0
    lines = text.split("\n")
    pieces = [line[start:end] for line in lines for start, end in cuts(line, limit)]
    return "\n".join(pieces), len(pieces) - len(lines)


def added(text: str, limit: int = LIMIT) -> list[int]:
    """Return the code points of a text before which `broken` adds a line end, in order."""
    found: list[int] = []
    start = 0
    for line in text.split("\n"):
        if len(line) > limit:
            found += (start + two for (_, one), (two, _) in pairwise(cuts(line, limit)) if one == two)
        start += len(line) + 1
    return found


def as_shown(opened: Opened, text: str) -> Opened:
    """Return the file with the text as the page shows it, its very long lines broken: questions are about that text."""
    read = opened.document.text
    if text == read:
        return opened
    shown = replace(opened, document=replace(opened.document, text=text))
    if len(text) == len(read):
        return shown
    # Where line ends were added, positions behind them differ from those in the file.
    breaks = added(read)
    known = len(text) == len(read) + len(breaks)
    shown = replace(shown, document=replace(shown.document, view=None))
    lines = (start + bisect_left(breaks, start) for start in opened.lines) if known else ()
    return replace(shown, headings=(), lines=array("i", lines), sha256="")


def _any_longer(text: str, limit: int) -> bool:
    """Whether a line of a text is longer than `limit`, with as few searches as possible."""
    start = 0
    while len(text) - start > limit:
        # The last line end within reach: the shorter lines before it are skipped at once.
        end = text.rfind("\n", start, start + limit + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def cuts(line: str, limit: int = LIMIT) -> list[tuple[int, int]]:
    """Return where the pieces of a line begin and end, none longer than `limit`; at most one blank is between two."""
    pieces = []
    start = 0
    while len(line) - start > limit:
        end, after = _cut(line, start, start + limit)
        pieces.append((start, end))
        start = after
    return [*pieces, (start, len(line))]


def _cut(line: str, start: int, limit: int) -> tuple[int, int]:
    """Return where the piece from `start` on ends, and where the next one begins."""
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
    while end > low and _is_within_character(line, end):
        end -= 1
    return end, end


def _is_within_character(line: str, at: int) -> bool:
    before, after = line[at - 1], line[at]
    return bool(
        before == "\u200d"
        or after in _JOINERS
        or unicodedata.combining(after)
        or unicodedata.category(after) == "Mc"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U0001f1e6" <= after <= "\U0001f1ff"
    )
