"""Documents to sections that are tokenised one by one, in any order, into windows that do not depend on that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tokenizers import Tokenizer

from app.core.text import Document
from app.tasks.kept import KeptText
from app.tasks.known_words import KnownWords
from app.tasks.pieces import pieces
from app.tasks.spans import MAX_TOKENS
from app.tasks.tokens import CHUNK, Tokens, cut, join, moved, part, tokenise
from app.tasks.windows import Ids, PairTemplate, Window, windows

_CHARACTERS_A_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Section:
    """The code points `start` to `end` of document number `document`; every one of a text is in one section."""

    document: int
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


def sections(documents: Sequence[Document], *, size: int = CHUNK) -> Iterator[Section]:
    """The sections of documents in their order, each of at most `size` code points, cut where `tokenise` cuts."""
    for number, document in enumerate(documents):
        at = 0
        while at < len(document.text):
            end = cut(document.text, at, size)
            yield Section(number, at, end)
            at = end


def section_windows(
    template: PairTemplate,
    question_ids: Ids,
    tokenizer: Tokenizer,
    text: str,
    section: Section,
    *,
    length: int,
    stride: int,
    kept: KeptText | None = None,
) -> list[Window]:
    """The windows that score a section's tokens, in the order of the text; a text of one section gives `windows`'.

    Half a stride of the text before the section is read with it, and as much, but at least the longest answer, of the
    text behind it. A token there is scored by the section that it begins in. `kept` is what is kept of the text.
    """
    found = section_tokens(tokenizer, section, stride, kept or KeptText(text))
    made = []
    for window in windows(template, question_ids, [found.tokens], text, length=length, stride=stride):
        scored = window.scored & (window.starts >= section.start) & (window.starts < section.end)
        if scored.any():
            own = slice(window.first, window.first + len(window.starts))
            made.append(replace(window, scored=scored, inner=found.inner[own], says=found.says[own]))
    return made


@dataclass(frozen=True, slots=True)
class SectionTokens:
    """A section's tokens with those around it that its windows hold, and what `pieces` tells of them."""

    tokens: Tokens
    inner: np.ndarray
    says: np.ndarray

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return sum(
            array.nbytes
            for array in (self.tokens.ids, self.tokens.starts, self.tokens.ends, self.inner, self.says)
        )


def section_tokens(tokenizer: Tokenizer, section: Section, stride: int, kept: KeptText) -> SectionTokens:
    """A section's tokens, made now where they are not kept of its text."""
    return kept.get((section.start, section.end, stride), lambda: _read(tokenizer, section, stride, kept))


def _read(tokenizer: Tokenizer, section: Section, stride: int, kept: KeptText) -> SectionTokens:
    text, words = kept.text, kept.words
    own = join(tokenise(tokenizer, text[section.start : section.end], words=words))
    tokens = own
    if len(own):
        before = _before(tokenizer, text, section.start, stride // 2, words)
        after = _after(tokenizer, text, section.end, max(MAX_TOKENS, stride // 2), words)
        tokens = join((before, moved(own, section.start), after))
    return SectionTokens(tokens, *pieces(text, tokens.starts, tokens.ends))


def _before(tokenizer: Tokenizer, text: str, end: int, count: int, words: KnownWords | None) -> Tokens:
    """The last `count` tokens of the text before `end`, fewer only where the text begins."""
    reach = count * _CHARACTERS_A_TOKEN
    while True:
        start = max(0, end - reach)
        # From a blank on, so that no word is cut in two.
        while 0 < start < end and not text[start].isspace():
            start += 1
        start = start if start < end else max(0, end - reach)
        tokens = join(tokenise(tokenizer, text[start:end], words=words))
        if len(tokens) >= count or start == 0:
            return moved(part(tokens, max(0, len(tokens) - count), len(tokens)), start)
        reach *= 2


def _after(tokenizer: Tokenizer, text: str, start: int, count: int, words: KnownWords | None) -> Tokens:
    """The first `count` tokens of the text from `start` on, fewer only where the text ends."""
    reach = count * _CHARACTERS_A_TOKEN
    while True:
        end = cut(text, start, reach)
        tokens = join(tokenise(tokenizer, text[start:end], words=words))
        if len(tokens) >= count or end == len(text):
            return moved(part(tokens, 0, count), start)
        reach *= 2
