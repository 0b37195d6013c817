"""What the model process keeps of a text for the next question on it: its tokens, and where its words begin."""

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

# Of 500,000 English words, 16 MB are kept besides the text itself.
MOST_BYTES = 96 * 2**20
# A shorter text is read so soon that nothing is won.
LEAST_CHARACTERS = 20_000


class Weighed(Protocol):
    """Something to keep."""

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""


WeighedT = TypeVar("WeighedT", bound=Weighed)


class TextCache:
    """What is kept of the texts that one tokenizer's model read last; the least recently used text goes first.

    At most `most` bytes, texts included. A text is known by its characters, so another one never gets what is its.
    """

    def __init__(self, tokenizer: Tokenizer, most: int = MOST_BYTES) -> None:
        self.words = KnownWords(tokenizer) if KnownWords.suits(tokenizer) else None
        self._most = most
        self._texts: OrderedDict[str, CachedText] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """The memory that it takes, but for the words' tokens."""
        return sum(text.nbytes for text in self._texts.values())

    def of(self, document: Document) -> CachedText:
        """What is kept of a document's text as it is read; it is filled, and stays, as long as there is room."""
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
        """Let go of everything."""
        self._texts.clear()

    def make_room(self, text: CachedText, size: int) -> bool:
        """Whether so many bytes more may be kept of a text; others that were not used since go for it."""
        if self._texts.get(text.text) is not text:
            return False
        while self.nbytes + size > self._most:
            oldest = next(iter(self._texts.values()))
            if oldest is text:
                return False
            del self._texts[oldest.text]
        return True


class CachedText:
    """What is kept of one text. Without `kept`, or when that has no room, everything is made each time."""

    def __init__(self, text: str, view: View | None = None, kept: TextCache | None = None) -> None:
        self.text, self.view = text, view
        self.nbytes = sys.getsizeof(text)
        self._kept = kept
        self._things: dict[Hashable, Any] = {}
        self._titles: dict[str, np.ndarray] = {}

    @property
    def words(self) -> KnownWords | None:
        """The tokens of words, where the tokenizer suits that."""
        return self._kept.words if self._kept else None

    def title(self, words: str, tokenizer: Tokenizer) -> np.ndarray:
        """What is read before a window under a heading of these words, int64[n]; nothing for no words."""
        if words not in self._titles:
            ids, colon = (join(tokenise(tokenizer, each)).ids for each in (words, ":"))
            self._titles[words] = title_tokens(ids, colon) if len(ids) else ids
        return self._titles[words]

    def keeps(self, key: Hashable) -> bool:
        """Whether something is kept under `key`."""
        return key in self._things

    def get(self, key: Hashable, make: Callable[[], WeighedT]) -> WeighedT:
        """The thing kept under `key`, made now if it is not there."""
        thing: WeighedT | None = self._things.get(key)
        if thing is None:
            thing = make()
            if self._kept is not None and self._kept.make_room(self, thing.nbytes):
                self._things[key] = thing
                self.nbytes += thing.nbytes
        return thing
