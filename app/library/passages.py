"""Texts cut into passages, and their words and a question's as they are indexed and searched."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator

from app.core.stop_words import STOP_WORDS
from app.core.text import UNSPACED
from app.library.found import fold

# About 100 English words. Among 67,000 passages of 5 million words, 100 of these held the answer of 96% of SQuAD's
# questions and 74% of docqa's; with half a stride 96% and 79%, for half as much again on the disk. What is read around
# a passage makes up for that (`python3 -m app bench library`).
SIZE = 600
# As long to read, in scripts without blanks between words.
_SIZE_UNSPACED = 200
_PROBE = 20_000
# A number is one word with all of its parts: 2.1.5, 10:30, 1,000.
_WORDS = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+")
_BETWEEN = re.compile("[.,:/]")
# As many parts of a number are found together.
_MOST_PARTS = 3
_MOST_WORDS = 32
# The rows of a passage in the index, and the letters by which words are taken for one word in several forms. Among
# 20,000 passages the first 20 hold the answer of 76.8% of docqa's questions where FTS5 itself counts, for twice the
# size, and of 76.4% with 8 rows, 75.7% with 4 and 68.7% with one.
ROWS, _ALIKE = 8, 4
# Stop words that are not indexed: they would take a seventh of the index, and tell nothing, as most stand in very many
# passages. None of them is a question by itself.
_EVERYWHERE = frozenset(
    """
    a an and any are as at be been but by for from had has have he his i if in into is it its my of on or our she such
    than that the their them there these they this to was we were which with you your
    """.split()
)


def starts_of_passages(text: str) -> array[int]:
    """Where a text's passages begin; each ends where the next begins, between two words if there is a blank."""
    probe = text[:_PROBE]
    size = _SIZE_UNSPACED if 3 * len(UNSPACED.findall(probe)) > len(probe) else SIZE
    starts = array("i")
    at = 0
    while at < len(text):
        starts.append(at)
        end = at + size
        if end < len(text):
            blank = max(text.rfind(mark, at + size // 2, end) for mark in " \n\t")
            end = blank + 1 if blank >= 0 else end
        at = end
    return starts


def indexed(text: str) -> str:
    """A text with blanks between its words: in scripts without blanks between words each pair of letters is a word."""
    return _RUNS.sub(_pairs, text) if UNSPACED.search(text) else text


_RUNS = re.compile(f"{UNSPACED.pattern}+")


def _pairs(run: re.Match[str]) -> str:
    # Marks above and below letters, as Thai has them, end a word.
    letters = "".join(filter(str.isalnum, run.group()))
    pairs = [letters[at : at + 2] for at in range(max(1, len(letters) - 1))]
    return f" {' '.join(pairs)} "


def rows_of(text: str) -> list[str]:
    """The words of a passage, or of a name, for its rows in the index, parted by blanks.

    The first of its words that begin alike is in the first row, the second in the second, and so on; all further ones
    are in the last: in as many rows stands a word as it occurs in the passage.
    """
    rows: list[list[str]] = [[] for _ in range(ROWS)]
    seen: dict[str, int] = {}
    for word in _words_in(text, _EVERYWHERE):
        for part in (word,) if word.isalnum() else _parts(word):
            begins = part[:_ALIKE]
            place = seen.get(begins, 0)
            seen[begins] = place + 1
            rows[place if place < ROWS else -1].append(part)
    return [" ".join(row) for row in rows]


def search_words(question: str) -> list[str]:
    """A question's words as they stand in the index, the longest first; empty without words.

    Stop words are left out unless there are no others.
    """
    some = question[: 64 * SIZE]
    words = _words_in(some, STOP_WORDS) or _words_in(some, frozenset())
    found = dict.fromkeys(".".join(_BETWEEN.split(word)[:_MOST_PARTS]) for word in words)
    return sorted(found, key=len, reverse=True)[:_MOST_WORDS]


def _words_in(text: str, without: frozenset[str]) -> list[str]:
    """A text's words but for some, without case and accents."""
    if text.isascii():
        return [word for word in _WORDS.findall(text.lower()) if word not in without]
    found: list[str] = []
    # Letters that were put together of parts are one letter each: a mark by itself would end a word.
    for word in _WORDS.findall(unicodedata.normalize("NFC", indexed(text))):
        if word.lower() not in without:
            found += [word.lower()] if word.isascii() else _WORDS.findall(fold(word))
    return found


def _parts(number: str) -> Iterator[str]:
    """The parts of a number, each by itself, and with those that follow it."""
    parts = _BETWEEN.split(number)
    for at in range(len(parts)):
        for end in range(at + 1, min(at + _MOST_PARTS, len(parts)) + 1):
            yield ".".join(parts[at:end])
