"""Texts cut into passages, and their words and a question's as FTS5 indexes and finds them."""

from __future__ import annotations

import re
from array import array

from app.core.stop_words import STOP_WORDS
from app.core.text import UNPARTED

# About 100 English words. Among 67,000 passages of 5 million words, 100 of these held the answer of 96% of SQuAD's
# questions and 74% of docqa's; with half a stride 96% and 79%, for half as much again on the disk. What is read around
# a passage makes up for that (`python3 -m app bench library`).
SIZE = 600
# As long to read, in scripts without blanks between words.
_SIZE_UNPARTED = 200
_PROBE = 20_000
# A number is one word with all of its parts: 2.1.5, 10:30, 1,000. FTS5 takes them as a phrase.
_WORDS = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+")
_MOST_WORDS = 32


def starts_of_passages(text: str) -> array[int]:
    """Where a text's passages begin; each ends where the next begins, between two words if there is a blank."""
    probe = text[:_PROBE]
    size = _SIZE_UNPARTED if 3 * len(UNPARTED.findall(probe)) > len(probe) else SIZE
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
    """A text as it is indexed: in scripts without blanks between words each pair of letters is a word."""
    return _RUNS.sub(_pairs, text) if UNPARTED.search(text) else text


_RUNS = re.compile(f"{UNPARTED.pattern}+")


def _pairs(run: re.Match[str]) -> str:
    # FTS5 takes marks above and below letters, as Thai has them, for ends of words.
    letters = "".join(filter(str.isalnum, run.group()))
    pairs = [letters[at : at + 2] for at in range(max(1, len(letters) - 1))]
    return f" {' '.join(pairs)} "


def search_words(question: str) -> str:
    """The FTS5 expression that finds any of a question's words; empty without words.

    Stop words are left out unless there are no others.
    """
    found = dict.fromkeys(_WORDS.findall(indexed(question[: 64 * SIZE])))
    words = [word for word in found if word.lower() not in STOP_WORDS] or list(found)
    longest = sorted(words, key=len, reverse=True)[:_MOST_WORDS]
    return " OR ".join(f'"{word}"' for word in longest)
