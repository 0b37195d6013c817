"""Collects the words of one block with their styles, as they come."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate

from app.core.layout import BlockKind, Style
from app.core.text import normalise_newlines

Styles = frozenset[Style]
PLAIN: Styles = frozenset()

_ORDER = {style: number for number, style in enumerate(Style)}
_BLANK = " \t\n\f\v\r\x85\u2028\u2029"  # what collapses: not the no-break space
_BLANKS = re.compile(f"[{_BLANK}]+")
# Scripts without blanks between words: a line break of the source between two of these is not part of the text.
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U00020000-\U0003ffff"
_BROKEN = re.compile(f"(?<=[{_UNSPACED}])[ \t]*[\n\r][ \t\n\r]*(?=[{_UNSPACED}])")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_UNSEEN = re.compile("[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*")


def shows_nothing(text: str) -> bool:
    """Whether a text is only blanks, soft hyphens and formatting marks."""
    return _UNSEEN.fullmatch(text) is not None


class OpenBlock:
    """A block to which words are still added."""

    def __init__(self, kind: BlockKind, level: int, marker: str) -> None:
        self.kind = kind
        self.level = level
        self.marker = marker
        self._runs: list[tuple[str, Styles]] = []
        self._last = ""
        self._length = 0
        # Lines of the file: how many code points the block had when each began, and the line's number.
        self._lines: list[tuple[int, int]] = []
        self._blank: tuple[str, Styles] | None = None

    def from_line(self, number: int) -> None:
        """Set the line of the file for what is added from now on."""
        self._lines.append((self._length, number))

    def add(self, text: str, styles: Styles) -> None:
        """Add words; their blanks collapse, except in code."""
        if self.kind is BlockKind.CODE:
            self._append(normalise_newlines(text).replace("\v", "\n").replace("\f", "\n"), styles)
            return
        text = _BROKEN.sub("", text)
        behind = text.lstrip(_BLANK)
        if len(behind) < len(text):
            self._hold_back(text[: len(text) - len(behind)], styles)
        if not behind:
            return
        if self._blank is not None:
            blank, blank_styles = self._blank
            self._blank = None
            unspaced = "\n" in blank and _IS_UNSPACED.match(self._last) and _IS_UNSPACED.match(behind)
            if self._last not in ("", "\n") and not unspaced:
                self._append(" ", blank_styles)
        words = behind.rstrip(_BLANK)
        self._append(_BLANKS.sub(" ", words), styles)
        if len(words) < len(behind):
            self._hold_back(behind[len(words) :], styles)

    def line_break(self) -> None:
        """Add a newline; several in a row count as one."""
        self._blank = None
        if self.kind is BlockKind.CODE or self._last not in ("", "\n"):
            self._append("\n", PLAIN)

    def finish(self) -> tuple[str, list[tuple[int, int, Style]], list[tuple[int, int]]]:
        """The block's words, the stretches of each style, and where each line of the file begins, with its number.

        All are in the order of the text; there are no words if nothing is visible.
        """
        text = "".join(words for words, _ in self._runs)
        stretches, lines = _stretches(self._runs), self._lines
        if self.kind is BlockKind.CODE:
            keep = _without_margin(text)
            moved = _position_in(keep)
            text = "".join(text[start:end] + "\n" * newline for start, end, newline in keep)
            stretches = [(moved(first), moved(last), style) for first, last, style in stretches]
            lines = [(moved(offset), number) for offset, number in lines if keep and offset <= keep[-1][1]]
        if shows_nothing(text):
            return "", [], []
        start = 0 if self.kind is BlockKind.CODE else len(text) - len(text.lstrip())
        words = text[start:].rstrip()
        styles: list[tuple[int, int, Style]] = []
        for first, last, style in stretches:
            first, last = max(0, first - start), min(len(words), last - start)
            inner = words[first:last]
            first += len(inner) - len(inner.lstrip())
            last -= len(inner) - len(inner.rstrip())
            if first < last:
                styles.append((first, last, style))
        lines = [(max(0, offset - start), number) for offset, number in lines if offset - start <= len(words)]
        return words, sorted(styles, key=lambda each: (each[0], each[1], _ORDER[each[2]])), lines

    def _append(self, text: str, styles: Styles) -> None:
        if text:
            self._runs.append((text, styles))
            self._length += len(text)
            self._last = text[-1]

    def _hold_back(self, blank: str, styles: Styles) -> None:
        """Keep a blank until words follow."""
        if self._blank is None:
            self._blank = blank, styles
        elif "\n" in blank:
            self._blank = "\n", self._blank[1]


def _without_margin(text: str) -> list[tuple[int, int, bool]]:
    """Lines of code without empty lines around them, blanks at their ends, and the indent that all share.

    Each as its start and end in the text, and whether a newline follows it.
    """
    lines = text.split("\n")
    full = [number for number, line in enumerate(lines) if line.strip()]
    if not full:
        return []
    lowest, highest = min(lines[number] for number in full), max(lines[number] for number in full)
    margin = 0
    while lowest[margin] == highest[margin] and lowest[margin] in " \t":
        margin += 1
    keep = []
    start = 0
    for number, line in enumerate(lines):
        if full[0] <= number <= full[-1]:
            end = start + len(line.rstrip())
            keep.append((min(start + margin, end), end, number < full[-1]))
        start += len(line) + 1
    return keep


def _position_in(keep: list[tuple[int, int, bool]]) -> Callable[[int], int]:
    """A function that maps an offset in a text to that in its kept parts, or to the next part's start outside them."""
    ends = [end for _, end, _ in keep]
    lengths = [end - start + newline for start, end, newline in keep]
    begins = [0, *accumulate(lengths)]

    def moved(offset: int) -> int:
        part = bisect_left(ends, offset)
        return begins[part] + (max(0, offset - keep[part][0]) if part < len(keep) else 0)

    return moved


def _stretches(runs: list[tuple[str, Styles]]) -> list[tuple[int, int, Style]]:
    """The stretches of each style, as start, end and style; consecutive runs of the same style are one stretch."""
    found: list[tuple[int, int, Style]] = []
    began: dict[Style, int] = {}
    offset = 0
    for words, styles in runs:
        # A newline has no styles and ends none of them.
        if words != "\n":
            for style in [style for style in began if style not in styles]:
                found.append((began.pop(style), offset, style))
            for style in styles:
                began.setdefault(style, offset)
        offset += len(words)
    return found + [(start, offset, style) for style, start in began.items()]
