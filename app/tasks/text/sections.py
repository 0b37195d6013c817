"""Cuts documents into sections, tokenised one by one, whose windows do not depend on the order of reading.

What is computed from a text is cached in the model process for the next question: tokens, and where words begin.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from tokenizers import Tokenizer

from app.core.text import Document, View
from app.tasks.text.characters import Pieces, pieces_at
from app.tasks.text.tokens import CHUNK, KnownWords, Tokens, cut, join, moved, part, tokenise, tokenise_view
from app.tasks.text.windows import MAX_TOKENS, Ids, PairTemplate, Window, title_tokens, windows

_CHARACTERS_A_TOKEN = 8
# 500,000 English words take 16 MB besides the text itself.
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
    """A cache for the texts that one tokenizer's model read last; the least recently used text is dropped first.

    It takes at most `most` bytes, texts included. Its keys are whole texts, so that no text gets another's values.
    """

    def __init__(self, tokenizer: Tokenizer, most: int = MOST_BYTES) -> None:
        self.words = KnownWords(tokenizer) if KnownWords.suits(tokenizer) else None
        self._most = most
        self._texts: OrderedDict[str, CachedText] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """The memory that it takes, without the words' tokens."""
        return sum(text.nbytes for text in self._texts.values())

    def of(self, document: Document) -> CachedText:
        """The CachedText of a document's text and view; it is stored as long as there is room."""
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
        """Drops everything."""
        self._texts.clear()

    def make_room(self, text: CachedText, size: int) -> bool:
        """Drops less recently used texts for `size` more bytes of a text; returns whether there is room now."""
        if self._texts.get(text.text) is not text:
            return False
        while self.nbytes + size > self._most:
            oldest = next(iter(self._texts.values()))
            if oldest is text:
                return False
            del self._texts[oldest.text]
        return True


class CachedText:
    """The cached values of one text. Without `cache`, or when that has no room, everything is computed each time."""

    def __init__(self, text: str, view: View | None = None, cache: TextCache | None = None) -> None:
        self.text, self.view = text, view
        self.nbytes = sys.getsizeof(text)
        self._cache = cache
        self._values: dict[Hashable, Any] = {}
        self._titles: dict[str, np.ndarray] = {}

    @property
    def words(self) -> KnownWords | None:
        """The cached tokens of words, where the tokenizer allows that."""
        return self._cache.words if self._cache else None

    def title(self, words: str, tokenizer: Tokenizer) -> np.ndarray:
        """The tokens to read before a window under a heading of these words, int64[n]; none for no words."""
        if words not in self._titles:
            ids, colon = (join(tokenise(tokenizer, each)).ids for each in (words, ":"))
            self._titles[words] = title_tokens(ids, colon) if len(ids) else ids
        return self._titles[words]

    def has(self, key: Hashable) -> bool:
        """Whether a value is cached under `key`."""
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], CacheableT]) -> CacheableT:
        """The value cached under `key`, else computed now and cached if there is room."""
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
