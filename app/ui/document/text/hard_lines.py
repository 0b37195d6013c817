"""Hard-wrapped prose: finds the line ends that only wrap it, and shows them as spaces."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from app.core.text import Span, common_prefix
from app.ui.document.text.long_lines import LIMIT

# The wrap width is estimated from this many code points at the beginning of a text.
LOOKED_AT = 100_000
_SHORTEST, _LONGEST = 50, 100
# Lines of some paragraphs are longer, as web addresses are not wrapped.
_LONGER = 10
# A line is full if the first word of the next one would not have fitted, within this many code points.
_SLACK = 3
# With fewer lines than these, neither a text nor a single paragraph shows its wrap width.
_FEW, _FEW_OF_ONE = 20, 4
# A line that begins like this starts a paragraph: an indent, a list marker, the number of a note.
_START = re.compile(
    r"\s|[-*+•·‣◦–—o]\s|\(?(?:\d{1,3}|[A-Za-z]|[ivxlIVXL]{2,5})[.)]\s|\[[^\]]{1,20}\]|\d{4}-\d|\d\d:"
)
# Signs of tables, drawings and code; and how lines of quotes, comments and headings begin.
_FOREIGN = ("\t", "{", "}", "\\", "|", "/\n", "  \n", *(4 * sign for sign in "-_=*~#.+"))
_FOREIGN_BEGINNINGS = tuple(">#%:;/=")
_COLUMNS = re.compile(r"\S {3,}\S")
_FIELD = re.compile(r"^ *[^\s:=]+(?: [^\s:=]+){0,2}(?::| ?=)(?=\s|$)", re.MULTILINE)
_SIGNS = re.compile(r"[\d()\[\]<>=+*/$&@^~`#_]")
_STOPS = tuple('.!?:…"”’»)')
_DASHES, _LOOKED_BACK = "-–—", 4
# Shown for a line end after a dash or a space, where another space would be wrong.
NO_BLANK = "\u200b"
# The most states of a page that undo can restore.
_MOST_STATES = 100


def usual_length(lines: Sequence[str]) -> int:
    """The length at which the lines of a text were wrapped, in code points; 0 if they were not, or are too few to tell.

    In a hard-wrapped text most lines that are followed by another one are nearly as long as the longest, and hardly
    any is longer than people wrap at.
    """
    followed = [len(line) for line in _followed(lines)]
    if len(followed) < _FEW:
        return 0
    usual = sorted(followed)[len(followed) * 95 // 100]
    full = sum(length > usual * 0.75 for length in followed)
    return usual if _SHORTEST <= usual <= _LONGEST and full >= 0.6 * len(followed) else 0


def prose_width(text: str) -> int:
    """The length at which the prose of a text was wrapped, for `soft_ends`; 0 if it was not.

    It is also 0 where words are hyphenated at line ends: such a text is shown as it is.
    """
    beginning = text[:LOOKED_AT]
    lines = beginning.split("\n")
    followed = _followed(lines)
    if sum(line.endswith("-") and line[-2:-1].isalpha() for line in followed) > 1 + len(followed) / 20:
        return 0
    width = usual_length(lines) if len(followed) >= _FEW else _LONGEST
    ends = soft_ends(beginning, width)
    if len(ends) < max(_FEW_OF_ONE - 1, len(followed) / 4):
        return 0
    return sorted(end - beginning.rfind("\n", 0, end) - 1 for end in ends)[len(ends) * 95 // 100]


def soft_ends(text: str, width: int) -> list[int]:
    """The line ends of a text, in order, that only wrap its prose at `width` code points."""
    if not width:
        return []
    return [at + end for block, at in _blocks(text.split("\n")) for end in _ends_in(block, width)]


def _followed(lines: Sequence[str]) -> list[str]:
    """The lines that are followed by another one, neither of them blank."""
    return [line for line, after in pairwise(lines) if line.strip() and after.strip()]


def _blocks(lines: Sequence[str]) -> Iterator[tuple[list[str], int]]:
    """The blocks of lines between blank lines, each with its start in the text."""
    block: list[str] = []
    start = at = 0
    for line in (*lines, ""):
        if line and not line.isspace():
            if not block:
                start = at
            block.append(line)
        elif block:
            yield block, start
            block = []
        at += len(line) + 1


def _ends_in(lines: list[str], width: int) -> Iterator[int]:
    """The offsets of the line ends that only wrap a block of prose at `width` code points or fewer."""
    longest = max(map(len, lines))
    block = "\n".join(lines)
    if len(lines) < 2 or not _SHORTEST <= longest <= width + _LONGER or not _is_prose(block, lines):
        return
    if len(lines) >= _FEW_OF_ONE:
        width = min(width, longest)
    # Capital letters say nothing about two or three lines, or about a block in capitals.
    ignored = len(lines) < _FEW_OF_ONE or block.isupper()
    # For each line: whether the next one starts a paragraph, whether it is full, whether its sentence goes on.
    starts, full, goes_on = [], [], []
    for line, after in pairwise(lines):
        word = after.find(" ")
        starts.append(_START.match(after) is not None)
        full.append(len(line) + 1 + (word if word >= 0 else len(after)) > width - _SLACK)
        ended, capital = line.rstrip().endswith(_STOPS), after[0].isupper() and not ignored
        goes_on.append(after[0].islower() or not (ended or capital))
    inner = [index for index, start in enumerate(starts) if not start]
    if (
        sum(full[index] for index in inner) < 0.75 * len(inner)
        or sum(goes_on[index] for index in inner) < len(inner) / 3
    ):
        return
    at = length = 0
    for index, line in enumerate(lines[:-1]):
        at += len(line)
        length += len(line) + 1
        loose = goes_on[index] and len(line) > width / 2
        if not starts[index] and (full[index] or loose) and length < LIMIT:
            yield at
        else:
            length = 0
        at += 1


def _is_prose(block: str, lines: Sequence[str]) -> bool:
    """Whether a block is prose: it shows no or few signs of a table, a list, a form or code."""
    return not (
        any(each in block for each in _FOREIGN)
        or any(line.lstrip(" ").startswith(_FOREIGN_BEGINNINGS) for line in lines)
        or ("   " in block and _COLUMNS.search(block))
        or block.count(" ") * 12 < len(block)
        or len(_SIGNS.findall(block)) * 12 > len(block)
        or ((":" in block or "=" in block) and len(_FIELD.findall(block)) * 3 > len(lines))
    )


def run_on(text: str, ends: Sequence[int], nothing: str = NO_BLANK) -> str:
    """The text with these line ends replaced: by a space, or after a space or a dash by `nothing`."""
    parts: list[str] = []
    at = 0
    for end in ends:
        before = text[max(0, end - _LOOKED_BACK) : end]
        words = before.rstrip(_DASHES)
        needs_none = before[-1:] == " " or (words != before and not words.endswith(" "))
        parts += text[at:end], nothing if needs_none else " "
        at = end + 1
    return "".join((*parts, text[at:]))


class RunningProse:
    """A text whose wrapping line ends a page shows as spaces, kept in step with edits of the page.

    `text` has all line ends; `ends` are the offsets of those that are not shown, as far as `piece` has found them.
    """

    def __init__(self, text: str = "", width: int = 0) -> None:
        self.text = text
        self.ends = array("i")
        self._width = width
        self._shown: str | None = None
        # The hidden line ends of each earlier state of the page, by the hash of its text, so that undo restores them.
        self._states: dict[int, array[int]] = {}

    @property
    def runs_on(self) -> bool:
        """Whether line ends are or were shown as spaces; then the text cannot be taken from the page."""
        return bool(self.ends or self._states)

    def piece(self, start: int, end: int) -> str:
        """A piece of the text as it is shown; pieces must be asked for in order, from the start of the text."""
        piece = self.text[start:end]
        ends = soft_ends(piece, self._width)
        self.ends.extend(start + each for each in ends)
        return run_on(piece, ends)

    def beginning(self) -> str:
        """The beginning of the text as it is shown."""
        beginning = self.text[:LOOKED_AT]
        return run_on(beginning, soft_ends(beginning, self._width))

    def shown(self, span: Span, nothing: str = NO_BLANK) -> str:
        """The characters that the page shows for a span of the text."""
        ends = self.ends[bisect_left(self.ends, span.start) : bisect_left(self.ends, span.end)]
        start = max(0, span.start - _LOOKED_BACK)
        shown = run_on(self.text[start : span.end], [end - start for end in ends], nothing)
        return shown[span.start - start :]

    def copied(self, span: Span) -> str:
        """A span of the text for the clipboard, its paragraphs unwrapped."""
        return self.shown(span, "")

    def insert(self, span: Span, text: str) -> str:
        """Replace a span of the page with a text; returns it as it is shown."""
        self._keep()
        ends = soft_ends(text, prose_width(text))
        piece = run_on(text, ends)
        assert self._shown is not None
        self._take(
            self._shown[: span.start] + piece + self._shown[span.end :],
            self._around(span, len(text), (span.start + end for end in ends)),
        )
        return piece

    def edit(self, shown: str) -> None:
        """Update the text after an edit of the page, which now shows these characters."""
        self._keep()
        before = self._shown
        assert before is not None
        ends = self._states.get(hash(shown))
        if ends is None:
            start = common_prefix(before, shown)
            end = len(before) - common_prefix(before[start:][::-1], shown[start:][::-1])
            ends = self._around(Span(start, end), len(shown) - len(before) + end - start)
        self._take(shown, ends)

    def _keep(self) -> None:
        """Remember the page as it was before its first edit."""
        if self._shown is None:
            self._shown = run_on(self.text, self.ends)
            self._states[hash(self._shown)] = self.ends

    def _take(self, shown: str, ends: array[int]) -> None:
        self._shown, self.ends = shown, ends
        self._states[hash(shown)] = ends
        if len(self._states) > _MOST_STATES:
            del self._states[next(iter(self._states))]
        self.text = "\n".join(shown[one + 1 : end] for one, end in pairwise((-1, *ends, len(shown))))

    def _around(self, span: Span, length: int, inner: Iterable[int] = ()) -> array[int]:
        """The line ends after a span was replaced with `length` code points that have the line ends `inner`."""
        first, last = bisect_left(self.ends, span.start), bisect_left(self.ends, span.end)
        shift = length - len(span)
        return array("i", (*self.ends[:first], *inner, *(end + shift for end in self.ends[last:])))
