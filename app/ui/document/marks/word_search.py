"""Search for words, in short turns, and in a Qt text document."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from app.core.text import Offsets

# About how long a step of a search takes, in seconds; what a search found is its return value.
TURN = 0.006
_BLANK = "[ \u00a0]"
# In one paragraph.
_MOST_MARKED = 1000


@dataclass(frozen=True, slots=True)
class ViewState:
    """A page's selection and scroll position, to be restored after a search.

    The selection is from `anchor` to `position`, and words are searched from `start` on: positions of the page's own
    kind. The values of `scrolled` are the page's own too.
    """

    anchor: int
    position: int
    start: int
    scrolled: tuple[float, float]

    def is_at(self, other: ViewState) -> bool:
        """Whether the selection and the top of the page are the same."""
        own = (self.anchor, self.position, self.scrolled)
        return own == (other.anchor, other.position, other.scrolled)


class Searched(Protocol):
    """A text on the screen that words can be found in."""

    def selected_words(self) -> str:
        """The selected words, empty without a selection."""

    def view_state(self) -> ViewState:
        """The selection and scroll position, for `restore_view`."""

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        """Select the next match of these words, cyclically, in short turns; False if there is none.

        The search starts at the cursor, or at the state `since` where a search began.
        """

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, 0 for none, and of all; in short turns, after `seek`."""

    def mark_all(self, words: str) -> None:
        """Mark every match of these words on the page; none for empty words."""


def start_of(cursor: QTextCursor, top: int, seen: Sequence[tuple[QTextBlock, QPointF]]) -> int:
    """Where a search starts: where the selection begins if that is in the blocks seen from `top` on, else there."""
    bottom = seen[-1][0].position() + seen[-1][0].length() if seen else top
    return cursor.selectionStart() if top <= cursor.selectionStart() <= bottom else top


def after(cursor: QTextCursor, backwards: bool) -> int:
    """Where the search for a next place starts."""
    return cursor.selectionStart() if backwards else cursor.selectionEnd()


def selection(cursor: QTextCursor, anchor: int, position: int) -> QTextCursor:
    """The cursor with a selection, as far as the text reaches."""
    last = cursor.document().characterCount() - 1
    cursor.setPosition(min(anchor, last))
    cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def seek_words(
    document: QTextDocument, words: str, start: int, backwards: bool = False
) -> Generator[None, None, QTextCursor | None]:
    """Search the next match of these words after a position, or the last before it, cyclically, in short turns.

    Upper and lower case are the same, and a blank also matches a no-break space. Returns the match, selected, or None
    where there is none. QTextDocument.find takes several times as long, all in one turn.
    """
    if not words:
        return None
    pattern = _pattern(words)
    block = document.findBlock(start)
    inside = start - block.position()
    until = time.perf_counter() + TURN
    for step in range(document.blockCount() + 1):
        text = block.text()
        # Counting UTF-16 units takes longer than searching: it is done only where the search starts and ends.
        low, high = (0, len(text)) if step else _sides(block, inside, backwards)
        found = _last(pattern, text, high) if backwards else pattern.search(text, low)
        if found is not None:
            return _selected(block, found.start(), found.end())
        if time.perf_counter() > until:
            number = block.blockNumber()
            yield
            # The text may have been changed meanwhile: it goes on in the block that has this number now.
            block = document.findBlockByNumber(min(number, document.blockCount() - 1))
            until = time.perf_counter() + TURN
        block = block.previous() if backwards else block.next()
        if not block.isValid():
            block = document.lastBlock() if backwards else document.firstBlock()
    return None


def count_words(document: QTextDocument, words: str, position: int) -> Generator[None, None, tuple[int, int]]:
    """The number of matches of these words that begin at or before a position, and of all, in short turns.

    The matches are those of successive `seek_words`.
    """
    number = several = 0
    pattern, block = _pattern(words), document.firstBlock()
    until = time.perf_counter() + TURN
    while words and block.isValid():
        text = block.text()
        starts = [found.start() for found in pattern.finditer(text)]
        several += len(starts)
        inside = position - block.position()
        if inside >= block.length():
            number += len(starts)
        elif starts and inside >= 0:
            number += bisect_right(starts, Offsets(text).to_point(inside))
        following = block.blockNumber() + 1
        if time.perf_counter() > until:
            yield
            until = time.perf_counter() + TURN
        block = document.findBlockByNumber(following)
    return number, several


def pattern_of(words: str) -> re.Pattern[str] | None:
    """What matches these words; None for empty ones."""
    return _pattern(words) if words else None


def matches_in(pattern: re.Pattern[str], block: QTextBlock) -> Iterator[tuple[int, int]]:
    """The start and the end of each match in a block, in UTF-16 units of it."""
    text = block.text()
    found = [match.span() for match in islice(pattern.finditer(text), _MOST_MARKED)]
    offsets = Offsets(text) if found else None
    for start, end in found:
        assert offsets is not None
        yield offsets.to_qt(start), offsets.to_qt(end)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(_BLANK.join(map(re.escape, re.split(_BLANK, words))), re.IGNORECASE)


def _sides(block: QTextBlock, inside: int, backwards: bool) -> tuple[int, int]:
    """The start, or the end, of the search in the block where it starts, in code points."""
    text = block.text()
    at = Offsets(text).to_point(inside)
    return (0, at) if backwards else (at, len(text))


def _last(pattern: re.Pattern[str], text: str, end: int) -> re.Match[str] | None:
    last, found = None, pattern.search(text, 0, end)
    while found is not None:
        last, found = found, pattern.search(text, found.start() + 1, end)
    return last


def _selected(block: QTextBlock, start: int, end: int) -> QTextCursor:
    """A cursor with a part of a block selected, given in code points."""
    offsets, at = Offsets(block.text()), block.position()
    return selection(QTextCursor(block), at + offsets.to_qt(start), at + offsets.to_qt(end))
