"""Cuts documents into sections, which are tokenised one by one, so that their windows do not depend on the order.

What is computed from a text is cached for the next question: its tokens, and where its words begin.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np
from tokenizers import Tokenizer

from app.core.text import Document, View
from app.tasks.text.characters import TokenProperties, token_properties
from app.tasks.text.tokens import (
    CHUNK,
    KnownWords,
    Tokens,
    chunk_end,
    join,
    moved,
    part,
    tokenise,
    tokenise_view,
)
from app.tasks.text.windows import MAX_TOKENS, Ids, PairTemplate, Window, title_tokens, windows

_CHARACTERS_PER_TOKEN = 8
# The cached values of 500,000 English words take 16 MB besides the text itself.
MOST_BYTES = 96 * 2**20
# A shorter text is tokenised so fast that caching gains nothing.
LEAST_CHARACTERS = 20_000


class Cacheable(Protocol):
    """A value to cache."""

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""


CacheableT = TypeVar("CacheableT", bound=Cacheable)


class TextCache:
    """A cache for the texts that a model read last; the least recently used text is dropped first.

    It takes at most `most` bytes, texts included. Its keys are whole texts, so that no text gets another's values.
    """

    def __init__(self, tokenizer: Tokenizer, most: int = MOST_BYTES) -> None:
        self.words = KnownWords(tokenizer) if KnownWords.suits(tokenizer) else None
        self._most = most
        self._texts: OrderedDict[str, CachedText] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """The memory that the texts and their values take, without `words`."""
        return sum(text.nbytes for text in self._texts.values())

    def of(self, document: Document) -> CachedText:
        """The CachedText of a document's text and view, stored if there is room."""
        text = document.text
        found = self._texts.get(text)
        if found is not None and found.view == document.view:
            self._texts.move_to_end(text)
            return found
        found = CachedText(text, document.view, self)
        self._texts.pop(text, None)
        if len(text) >= LEAST_CHARACTERS and found.nbytes <= self._most:
            self._texts[text] = found
            self.make_room(found, 0)
        return found

    def clear(self) -> None:
        """Drop all texts."""
        self._texts.clear()

    def make_room(self, text: CachedText, size: int) -> bool:
        """Drop less recently used texts for `size` more bytes of a text; return whether there is room now."""
        if self._texts.get(text.text) is not text:
            return False
        while self.nbytes + size > self._most:
            oldest = next(iter(self._texts.values()))
            if oldest is text:
                return False
            del self._texts[oldest.text]
        return True


class CachedText:
    """The cached values of one text. Without `cache`, or where that has no room, they are computed each time."""

    def __init__(self, text: str, view: View | None = None, cache: TextCache | None = None) -> None:
        self.text, self.view = text, view
        self.nbytes = sys.getsizeof(text)
        self._cache = cache
        self._values: dict[Hashable, Any] = {}

    @property
    def words(self) -> KnownWords | None:
        """The cache of the tokens of words, None where there is none for the tokenizer."""
        return self._cache.words if self._cache else None

    def title(self, words: str, tokenizer: Tokenizer) -> np.ndarray:
        """The tokens that a window under a heading of these words begins with, int64[n]; none for no words."""

        def make() -> np.ndarray:
            ids, colon = (join(tokenise(tokenizer, each)).ids for each in (words, ":"))
            return title_tokens(ids, colon) if len(ids) else ids

        return self.get(words, make)

    def has(self, key: Hashable) -> bool:
        """Whether a value is cached under `key`."""
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], CacheableT]) -> CacheableT:
        """The value cached under `key`, else that of `make`, which is cached if there is room."""
        value: CacheableT | None = self._values.get(key)
        if value is None:
            value = make()
            if self._cache is not None and self._cache.make_room(self, value.nbytes):
                self._values[key] = value
                self.nbytes += value.nbytes
        return value


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
            end = chunk_end(document.text, at, size)
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

    They also hold half a stride of the text before the section, and as much of the text behind it, but at least the
    longest answer. A token there is scored in the section that it begins in. `cached` is the document's text.
    """
    found = section_tokens(tokenizer, section, stride, cached)
    view = cached.view

    # Most windows of a section have the same title, also where `cached` has no room.
    title = cache(lambda words: cached.title(words, tokenizer))

    def title_at(point: int) -> np.ndarray:
        return title(view.heading_at(point) if view else "")

    scoring: list[Window] = []
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
            properties = found.properties.part(window.first, window.first + len(window.starts))
            scoring.append(replace(window, scored=scored, properties=properties))
    return scoring


@dataclass(frozen=True, slots=True)
class SectionTokens:
    """The tokens of a section and of the text around it that its windows hold, and their properties."""

    tokens: Tokens
    properties: TokenProperties

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return self.properties.nbytes + sum(
            array.nbytes for array in (self.tokens.ids, self.tokens.starts, self.tokens.ends)
        )


def section_tokens(tokenizer: Tokenizer, section: Section, stride: int, cached: CachedText) -> SectionTokens:
    """The SectionTokens of a section, from the text's cache or computed now."""
    key = (section.start, section.end, stride)
    return cached.get(key, lambda: _tokenise_section(tokenizer, section, stride, cached))


def _tokenise_section(
    tokenizer: Tokenizer, section: Section, stride: int, cached: CachedText
) -> SectionTokens:
    runs = [_tokens(tokenizer, section.start, section.end, cached)]
    if len(runs[0]):
        runs.insert(0, _last_tokens_before(tokenizer, section.start, stride // 2, cached))
        runs.append(_first_tokens_from(tokenizer, section.end, max(MAX_TOKENS, stride // 2), cached))
    tokens = join(runs)
    return SectionTokens(tokens, token_properties(cached.text, tokens.starts, tokens.ends, cached.view))


def _tokens(tokenizer: Tokenizer, start: int, end: int, cached: CachedText) -> Tokens:
    """The tokens of the text from `start` to `end`, with its view's replacements."""
    # A replacement at the end belongs to what follows, except at the end of the text.
    replacements = (
        cached.view.replacements_in(start, end + (start < end == len(cached.text))) if cached.view else ()
    )
    return moved(tokenise_view(tokenizer, cached.text[start:end], replacements, words=cached.words)[0], start)


def _last_tokens_before(tokenizer: Tokenizer, end: int, count: int, cached: CachedText) -> Tokens:
    """The last `count` tokens of the text before `end`, fewer only where the text begins."""
    text, reach = cached.text, count * _CHARACTERS_PER_TOKEN
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


def _first_tokens_from(tokenizer: Tokenizer, start: int, count: int, cached: CachedText) -> Tokens:
    """The first `count` tokens of the text from `start` on, fewer only where the text ends."""
    text, reach = cached.text, count * _CHARACTERS_PER_TOKEN
    while True:
        end = chunk_end(text, start, reach)
        tokens = _tokens(tokenizer, start, end, cached)
        if len(tokens) >= count or end == len(text):
            return part(tokens, 0, count)
        reach *= 2
