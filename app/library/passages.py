"""Cuts texts into passages, and turns passages and questions into the words that are indexed and searched."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from array import array
from collections.abc import Iterator

from app.core.stop_words import stop_words_for
from app.core.text import UNSPACED, is_one_slip
from app.library.search import fold

# Characters, about 100 English words. Among 67,000 passages of 5 million words, the first 100 held the answer to 96% of
# SQuAD's questions and 74% of docqa's; with passages that overlap by half 96% and 79%, for half as much again on the
# disk. What is read around a passage makes up for that (`python3 -m app bench library`).
SIZE = 600
# The same amount of text in scripts without blanks between words.
_SIZE_UNSPACED = 200
_PROBE = 20_000
# A number is one word with all of its parts: 2.1.5, 10:30, 1,000.
_WORDS = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+")
_BETWEEN = re.compile("[.,:/]")
# Up to this many parts of a number are found together.
_MOST_PARTS = 3
_MOST_WORDS = 32
# Words of fewer letters are too alike to be taken for each other; an ending that the index leaves out has at most so
# many.
_LEAST_RESPELT, _ENDING = 5, 5
# Looking for words one slip away takes a tenth of a second among 100,000 passages: so many words of a question get it.
MOST_RESPELT = 8
# The rows of a passage in the index, and the first letters by which words count as forms of one word. Among 20,000
# passages the first 20 hold the answer to 76.8% of docqa's questions where FTS5 itself counts occurrences, at twice the
# size, and to 76.4% with 8 rows, 75.7% with 4 and 68.7% with one.
ROWS, _ALIKE = 8, 4
# Stop words that are not indexed: they would take a seventh of the index and distinguish little, as most occur in very
# many passages. None of them is a question by itself.
_NOT_INDEXED = frozenset(
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
    """The text with blanks between its words; in scripts that write none, each pair of letters counts as a word."""
    return _RUNS.sub(_pairs, text) if UNSPACED.search(text) else text


_RUNS = re.compile(f"{UNSPACED.pattern}+")


def _pairs(run: re.Match[str]) -> str:
    # Marks above and below letters, as Thai has them, end a word.
    letters = "".join(filter(str.isalnum, run.group()))
    pairs = [letters[at : at + 2] for at in range(max(1, len(letters) - 1))]
    return f" {' '.join(pairs)} "


def rows_of(text: str) -> list[str]:
    """The rows of a passage, or of a name, in the index: words separated by blanks.

    Of the words that begin alike the first goes into the first row, the second into the second, and so on, and the rest
    into the last: a word is found in as many rows as it occurs in the passage.
    """
    rows: list[list[str]] = [[] for _ in range(ROWS)]
    seen: dict[str, int] = {}
    for word in _words_in(text, _NOT_INDEXED):
        for part in (word,) if word.isalnum() else _parts(word):
            beginning = part[:_ALIKE]
            row = seen.get(beginning, 0)
            seen[beginning] = row + 1
            rows[row if row < ROWS else -1].append(part)
    return [" ".join(row) for row in rows]


def search_words(question: str) -> list[str]:
    """A question's words as the index has them, the longest first; empty without words.

    Stop words are left out unless there are no others.
    """
    some = question[: 64 * SIZE]
    stop_words = stop_words_for(_WORDS.findall(some.lower()))
    words = _words_in(some, stop_words) or _words_in(some, frozenset())
    found = dict.fromkeys(".".join(_BETWEEN.split(word)[:_MOST_PARTS]) for word in words)
    return sorted(found, key=len, reverse=True)[:_MOST_WORDS]


def rows_with(connection: sqlite3.Connection, word: str, respell: bool) -> Iterator[Iterator[int]]:
    """Yield the numbers of the index's rows with a word, then those with each word one slip away from it.

    The latter come with `respell` only, those of the most frequent word first. The index has words without their
    endings: what a word and one of these have in common decides.
    """
    found = connection.execute("SELECT rowid FROM search WHERE search MATCH ?", (f'"{word}"',))
    yield (row for (row,) in found)
    if not respell or not word.isalpha():
        return
    for kind in ("row", "instance"):
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{kind} USING fts5vocab(main, search, {kind})"
        )
    alike = connection.execute(
        "SELECT term FROM temp.row WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? ORDER BY doc DESC",
        (word[0], chr(ord(word[0]) + 1), max(_LEAST_RESPELT, len(word) - _ENDING), len(word) + 1),
    )
    for (term,) in alike.fetchall():
        if any(is_one_slip(word[:size], term) for size in range(len(term) - 1, len(term) + 2)):
            yield (
                row for (row,) in connection.execute("SELECT doc FROM temp.instance WHERE term = ?", (term,))
            )


def _words_in(text: str, without: frozenset[str]) -> list[str]:
    """A text's words but those in `without`, folded: without case and accents."""
    if text.isascii():
        return [word for word in _WORDS.findall(text.lower()) if word not in without]
    found: list[str] = []
    # Composed, so that no accent stands by itself: it would end a word.
    for word in _WORDS.findall(unicodedata.normalize("NFC", indexed(text))):
        if word.lower() not in without:
            found += [word.lower()] if word.isascii() else _WORDS.findall(fold(word))
    return found


def _parts(number: str) -> Iterator[str]:
    """The parts of a number, each by itself and with up to `_MOST_PARTS` - 1 that follow it."""
    parts = _BETWEEN.split(number)
    for at in range(len(parts)):
        for end in range(at + 1, min(at + _MOST_PARTS, len(parts)) + 1):
            yield ".".join(parts[at:end])
