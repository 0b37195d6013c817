"""Looking for words in a text document of Qt."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from app.core.positions import Offsets

# Looking for words: each step of it takes about a turn's time, in seconds, and tells at the end what it found.
TURN = 0.006
Found = TypeVar("Found")
_BLANK = "[ \u00a0]"


@dataclass(frozen=True, slots=True)
class Stand:
    """How a page stands before words are looked for as they are typed, for it to be put back.

    What is selected, from `anchor` to `position`, and `start`, from which on words are looked for: positions of the
    page's own kind. How far it is `scrolled` only the page understands.
    """

    anchor: int
    position: int
    start: int
    scrolled: tuple[float, float]

    def is_at(self, other: Stand) -> bool:
        """Whether the same is selected, and the same stands at the top of the page."""
        own = (self.anchor, self.position, self.scrolled)
        return own == (other.anchor, other.position, other.scrolled)


def start_of(cursor: QTextCursor, top: int, bottom: int) -> int:
    """Where a search starts: where the selection begins if that can be seen between two positions, else at the top."""
    return cursor.selectionStart() if top <= cursor.selectionStart() <= bottom else top


def after(cursor: QTextCursor, backwards: bool) -> int:
    """Where the search for a next place starts."""
    return cursor.selectionStart() if backwards else cursor.selectionEnd()


def selected_then(cursor: QTextCursor, stand: Stand) -> QTextCursor:
    """The cursor with what was selected then, as far as the text still reaches."""
    last = cursor.document().characterCount() - 1
    cursor.setPosition(min(stand.anchor, last))
    cursor.setPosition(min(stand.position, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def seek_words(
    document: QTextDocument, words: str, start: int, backwards: bool = False
) -> Generator[None, None, QTextCursor | None]:
    """Look for the next place of these words after a position, or the last before it, and round, in short turns.

    Upper and lower case are the same, and a blank is also one that does not break. Comes to the place, selected, or
    None where there is none. QTextDocument.find takes several times as long, all in one turn.
    """
    if not words:
        return None
    pattern = _pattern(words)
    block = document.findBlock(start)
    inside = start - block.position()
    until = time.perf_counter() + TURN
    for step in range(document.blockCount() + 1):
        text = block.text()
        # Counting its UTF-16 units takes longer than looking: only where the search starts, and where it ends.
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
    """How many places of these words begin at or before a position, and how many there are, in short turns.

    Places are those that `seek_words` comes to one after another.
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


def at_once(steps: Generator[None, None, Found]) -> Found:
    """What a search in turns comes to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Found = end.value
            return found


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(_BLANK.join(map(re.escape, re.split(_BLANK, words))), re.IGNORECASE)


def _sides(block: QTextBlock, inside: int, backwards: bool) -> tuple[int, int]:
    """From where on, or up to where, a block is looked through that the search starts in; code points."""
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
    offsets = Offsets(block.text())
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + offsets.to_qt(start))
    cursor.setPosition(block.position() + offsets.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
    return cursor
