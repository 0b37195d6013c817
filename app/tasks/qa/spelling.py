"""Corrects misspelt words of a question by the documents' own words.

A slip of the keys hides a word from both the search for passages and the reader, whose tokens of it are those of other
words: with one wrong letter in each of 356 questions on single paragraphs, the F1 of reader-quick's answers falls from
59 to 29, and is 55 with these corrections.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tokenizers import Tokenizer

from app.core.text import is_one_slip
from app.tasks.qa.ranking import word_starts_of
from app.tasks.text.sections import CachedText

# A word in small letters: one with a capital is a name, or an abbreviation, and is taken as it is typed.
_TYPED = re.compile(r"(?<![\w'’-])[^\W\d_]{4,24}(?![\w'’-])")
_WORD = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r"""["“„«][^"“„«”»]*["”“»]""")
_LEAST = 5
_MOST_CHECKED = 8
# Of a longer question only the beginning is checked.
_LONGEST = 2_000


def respelt(question: str, texts: Sequence[CachedText], tokenizer: Tokenizer) -> str:
    """The question with its misspelt words replaced by the likeliest words of the texts.

    A word is misspelt if it is all in small letters, if it stands in none of the texts, if the tokenizer does not know
    it whole, and if the texts have a word of five small letters or more that begins with the same letter and differs by
    one slip: a letter too many, too few or wrong, or two exchanged. A capital at the beginning of a cell counts as
    small where the next word is. Other endings are no slips, and words in quotation marks are taken as they are typed.
    """
    quoted = [found.span() for found in _QUOTED.finditer(question[:_LONGEST])]
    checked = 0

    def correct(found: re.Match[str]) -> str:
        nonlocal checked
        word = found.group()
        if not word.islower() or any(start < found.start() < end for start, end in quoted):
            return word
        if checked >= _MOST_CHECKED or _is_known(word, tokenizer):
            return word
        checked += 1
        return _correction(word, texts)

    return _TYPED.sub(correct, question[:_LONGEST]) + question[_LONGEST:]


def _is_known(word: str, tokenizer: Tokenizer) -> bool:
    return len(tokenizer.encode(f" {word}", add_special_tokens=False).ids) == 1


def _correction(word: str, texts: Iterable[CachedText]) -> str:
    """The most frequent word of the texts that is one slip away; the word itself if it stands there, or none is."""
    near: Counter[str] = Counter()
    for text in texts:
        starts = word_starts_of(text)
        for first in (word[0], word[0].upper()):
            for at in starts.like(first):
                match = _WORD.match(text.text, at, at + len(word) + 2)
                there = match.group() if match else ""
                if there == word or there.lower() == word:
                    return word
                if len(there) < _LEAST or not is_one_slip(word, there.lower()):
                    continue
                if there.islower() or _begins_cell(text.text, at, at + len(there)):
                    near[there.lower()] += 1
    return near.most_common(1)[0][0] if near else word


def _begins_cell(text: str, start: int, end: int) -> bool:
    """Whether a word begins a cell or an item, and one in small letters follows, so that its capital names nobody."""
    line_end = text.find("\n", end)
    before = text[text.rfind("\n", 0, start) + 1 : start].rstrip(" ")
    after = text[end : line_end if line_end >= 0 else len(text)]
    begins = before.endswith(tuple("|\t-*•")) if before else "|" in after or "\t" in after
    return begins and after[:1] == " " and after[1:2].islower()
