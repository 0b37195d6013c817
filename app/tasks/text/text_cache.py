"""Caches in the model process what is computed from a text for the next question: tokens, and where words begin."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

import numpy as np
from tokenizers import Tokenizer

from app.core.text import Document, View
from app.tasks.text.known_words import KnownWords
from app.tasks.text.tokens import join, tokenise
from app.tasks.text.windows import title_tokens

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
