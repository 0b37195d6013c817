"""How two lines are joined: with a blank, without one, or with the hyphen at the first one's end removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

HYPHENS = "\x02-\u00ad\u2010"

_WORDS = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_LAST = re.compile(rf"((?:[^\W\d_]+[-\u2010])*[^\W\d_]+)[{re.escape(HYPHENS)}]$")
_BROKEN = re.compile(r"([^\W\d_]+)(?:\x02|[-\u2010\u00ad] ?\r?\n)([^\W\d_]+)")
# Scripts written without blanks between words, including full-width forms and their punctuation.
_UNSPACED = re.compile(
    "[\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3001-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff]"
)
_WIDE_MARKS = re.compile("[\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’]")
# Prefixes that keep their hyphen if the document gives no evidence.
_KEEP_HYPHEN = frozenset(["all", "cross", "ex", "half", "non", "post", "pre", "self", "well"])
# The minimum length of a compound's parts, and the minimum count of them as words in the document.
_WHOLE, _OFTEN = 4, 3


class Hyphens:
    """Which words a document writes with a hyphen and which without, learned from all of its words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        broken: list[tuple[str, str]] = []
        for text in texts:
            broken += _BROKEN.findall(text)
            self._words.update(map(_usual, _WORDS.findall(_BROKEN.sub(" ", text))))
        without = sum(1 for one, two in broken if _usual(one + two) in self._words)
        hyphenated = sum(1 for one, two in broken if _usual(f"{one}-{two}") in self._words)
        self._takes_out = without >= hyphenated

    def join(self, line: str, following: str) -> tuple[str, bool]:
        """The separator between two lines of a paragraph, and whether the first one's last hyphen is removed.

        A hyphen is removed if the document has the word without it more often; if it has neither, the document's usual
        way is followed, but the hyphen stays after capitals, before a capital letter, and between words that occur
        separately elsewhere.
        """
        if not line or not following:
            return "", False
        last, first = line[-1], following[0]
        if last == "\u00ad":
            return "", True
        if last in HYPHENS:
            left, right = _LAST.search(line[-80:]), _WORDS.match(following[:80])
            if not left:
                return ("", False) if last == "\x02" or right is None else (" ", False)
            if right is None:
                return "", False
            return "", self._is_one_word(left[1], right[0])
        if last in "—/" and line[-2:-1] not in ("", " ", last):
            return "", False
        if _UNSPACED.match(last) and _UNSPACED.match(first):
            return "", False
        if (_WIDE_MARKS.match(last) and _UNSPACED.match(last)) or (
            _WIDE_MARKS.match(first) and _UNSPACED.match(first)
        ):
            return "", False
        return " ", False

    def _is_one_word(self, left: str, right: str) -> bool:
        plain = right[0].islower() and not left.isupper()
        without, hyphenated = self._words[_usual(left + right)], self._words[_usual(f"{left}-{right}")]
        if without != hyphenated:
            return without > hyphenated
        if not plain or left.casefold() in _KEEP_HYPHEN or "-" in left:
            return False
        if (
            min(len(left), len(right)) >= _WHOLE
            and min(self._words[_usual(left)], self._words[right]) >= _OFTEN
        ):
            return False  # two words of the document, not the halves of one
        return self._takes_out


def _usual(word: str) -> str:
    """A word in lower case, unless it mixes upper and lower case, as identifiers do."""
    return word.lower() if word.istitle() or word.isupper() or word[1:].islower() else word
