"""Cuts documents into sections, tokenised one by one, whose windows do not depend on the order of reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tokenizers import Tokenizer

from app.core.text import Document
from app.tasks.text.pieces import Pieces, pieces_at
from app.tasks.text.text_cache import CachedText
from app.tasks.text.tokens import CHUNK, Tokens, cut, join, moved, part, tokenise_view
from app.tasks.text.windows import MAX_TOKENS, Ids, PairTemplate, Window, windows

_CHARACTERS_A_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Section:
    """The code points `start` to `end` of document number `document`; each is in exactly one section."""

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
    section: Section,
    cached: CachedText,
    *,
    length: int,
    stride: int,
) -> list[Window]:
    """The windows that score a section's tokens, in text order; for a text of one section those of `windows`.

    Half a stride of the text before the section is read with it, and as much, but at least the longest answer, of the
    text behind it. A token there is scored by the section that it begins in. `cached` is the document's text.
    """
    found = section_tokens(tokenizer, section, stride, cached)
    view = cached.view

    def title_at(point: int) -> np.ndarray:
        return cached.title(view.heading_at(point) if view else "", tokenizer)

    scoring = []
    for window in windows(
        template,
        question_ids,
        [found.tokens],
        cached.text,
        length=length,
        stride=stride,
        title_at=title_at if view and view.headings else None,
    ):
        scored = window.scored & (window.starts >= section.start) & (window.starts < section.end)
        if scored.any():
            own = found.pieces.part(window.first, window.first + len(window.starts))
            scoring.append(replace(window, scored=scored, pieces=own))
    return scoring


@dataclass(frozen=True, slots=True)
class SectionTokens:
    """A section's tokens and those around it that its windows hold, and their properties."""

    tokens: Tokens
    pieces: Pieces

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return self.pieces.nbytes + sum(
            array.nbytes for array in (self.tokens.ids, self.tokens.starts, self.tokens.ends)
        )


def section_tokens(tokenizer: Tokenizer, section: Section, stride: int, cached: CachedText) -> SectionTokens:
    """A section's tokens, from the text's cache or computed now."""
    return cached.get((section.start, section.end, stride), lambda: _read(tokenizer, section, stride, cached))


def _read(tokenizer: Tokenizer, section: Section, stride: int, cached: CachedText) -> SectionTokens:
    runs = [_tokens(tokenizer, section.start, section.end, cached)]
    if len(runs[0]):
        runs.insert(0, _before(tokenizer, section.start, stride // 2, cached))
        runs.append(_after(tokenizer, section.end, max(MAX_TOKENS, stride // 2), cached))
    tokens = join(runs)
    return SectionTokens(tokens, pieces_at(cached.text, tokens.starts, tokens.ends, cached.view))


def _tokens(tokenizer: Tokenizer, start: int, end: int, cached: CachedText) -> Tokens:
    """The tokens of a stretch of the text as its view has it read."""
    # A replacement at a stretch's end belongs to the next one, except at the end of the text.
    replacements = (
        cached.view.replacements_in(start, end + (start < end == len(cached.text))) if cached.view else ()
    )
    return moved(tokenise_view(tokenizer, cached.text[start:end], replacements, words=cached.words)[0], start)


def _before(tokenizer: Tokenizer, end: int, count: int, cached: CachedText) -> Tokens:
    """The last `count` tokens of the text before `end`, fewer only where the text begins."""
    text, reach = cached.text, count * _CHARACTERS_A_TOKEN
    while True:
        start = max(0, end - reach)
        # From a blank on, so that no word is cut in two.
        while 0 < start < end and not text[start].isspace():
            start += 1
        start = start if start < end else max(0, end - reach)
        tokens = _tokens(tokenizer, start, end, cached)
        if len(tokens) >= count or start == 0:
            return part(tokens, max(0, len(tokens) - count), len(tokens))
        reach *= 2


def _after(tokenizer: Tokenizer, start: int, count: int, cached: CachedText) -> Tokens:
    """The first `count` tokens of the text from `start` on, fewer only where the text ends."""
    text, reach = cached.text, count * _CHARACTERS_A_TOKEN
    while True:
        end = cut(text, start, reach)
        tokens = _tokens(tokenizer, start, end, cached)
        if len(tokens) >= count or end == len(text):
            return part(tokens, 0, count)
        reach *= 2
