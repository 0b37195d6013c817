"""Pairs of text segments, the second following the first or not, with masked words (BERT, section 3.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from app.tasks.heads.masking import Masker
from app.tasks.text.windows import PairTemplate, pad
from app.training.passages import Passage

FOLLOWS, RANDOM = 0, 1
IGNORED = -100


@dataclass(frozen=True, slots=True)
class MaskedPair:
    """One input with some of its tokens masked.

    `input_ids` and `token_type_ids` are int64[L], `masked` (int64[m]) the places whose tokens are to be predicted,
    `words` (int64[m]) those tokens, `relation` FOLLOWS, RANDOM or, for a single segment, IGNORED.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    masked: np.ndarray
    words: np.ndarray
    relation: int

    def __len__(self) -> int:
        return len(self.input_ids)


class Pairs:
    """Makes inputs of at most `length` tokens from passages: a segment and the next one, or an unrelated one.

    In half of the pairs the second does not follow; a share `near` of those is from the same document, where it has
    other passages, the rest from another document. `short` is the share of inputs of a random smaller length.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        passages: Sequence[Passage],
        length: int,
        rate: float,
        near: float = 0.0,
        short: float = 0.0,
    ) -> None:
        self._template = PairTemplate.of(tokenizer)
        self._masker = Masker(tokenizer, rate)
        self._passages = passages
        self._room = length - self._template.pair_overhead
        self._near, self._short = near, short
        self._homes: dict[str, list[int]] = defaultdict(list)
        for i, passage in enumerate(passages):
            self._homes[passage.document].append(i)

    def draws(self, index: int) -> int:
        """How many inputs a passage is worth."""
        return max(1, round(len(self._passages[index]) / self._room))

    def draw(self, index: int, rng: np.random.Generator) -> MaskedPair:
        """An input from somewhere in passage `index`."""
        passage = self._passages[index]
        room = self._room
        if self._short and rng.random() < self._short:
            room = int(rng.integers(min(8, room), room + 1))
        start, end = _stretch(passage, room, int(rng.integers(len(passage.sentences))))
        if end - start < 2:
            ids = np.concatenate(passage.sentences[start:end])[:room]
            return self._masked(*self._template.single(ids), IGNORED, rng)
        middle = int(rng.integers(start + 1, end))
        first = np.concatenate(passage.sentences[start:middle])
        second = np.concatenate(passage.sentences[middle:end])
        relation = FOLLOWS
        if rng.random() < 0.5:
            other = self._other(index, rng)
            if other is not None:
                relation = RANDOM
                second = _from(self._passages[other], max(1, room - len(first)), rng)
        return self._masked(*self._template.pair(*_fitted(first, second, room)), relation, rng)

    def _other(self, index: int, rng: np.random.Generator) -> int | None:
        """A passage unrelated to this one; None where there is no other document."""
        home = self._homes[self._passages[index].document]
        if len(home) > 1 and self._near and rng.random() < self._near:
            found = home[int(rng.integers(len(home) - 1))]
            return found if found != index else home[-1]
        if len(home) == len(self._passages):
            return None
        while True:
            found = int(rng.integers(len(self._passages)))
            if self._passages[found].document != self._passages[index].document:
                return found

    def _masked(
        self, ids: np.ndarray, types: np.ndarray, relation: int, rng: np.random.Generator
    ) -> MaskedPair:
        masked, places, words = self._masker.mask(ids, self._ordinary(ids), rng)
        return MaskedPair(masked, types, places, words, relation)

    def _ordinary(self, ids: np.ndarray) -> np.ndarray:
        """The places of tokens that are not the template's special ones."""
        special = np.concatenate([np.asarray(part, dtype=np.int64) for part in self._template.pair_parts])
        return np.flatnonzero(~np.isin(ids, special))


def collate_masked(features: Sequence[MaskedPair], pad_id: int, multiple: int = 8) -> dict[str, np.ndarray]:
    """Arrays of batch × longest, `masked` of batch × most masked (-1 where none), and `targets`, int64.

    Targets hold the relation, then the words at the masked places; IGNORED where there is none.
    """
    longest = -(-max(map(len, features)) // multiple) * multiple
    most = max(len(f.masked) for f in features)
    masked = np.full((len(features), most), -1, dtype=np.int64)
    targets = np.full((len(features), 1 + most), IGNORED, dtype=np.int64)
    for row, feature in enumerate(features):
        masked[row, : len(feature.masked)] = feature.masked
        targets[row, 0] = feature.relation
        targets[row, 1 : 1 + len(feature.words)] = feature.words
    return {**pad(features, pad_id, longest), "masked": masked, "targets": targets}


def _stretch(passage: Passage, room: int, start: int) -> tuple[int, int]:
    """The range of sentences around `start` that fills `room` tokens: forwards first, then backwards."""
    lengths = [len(s) for s in passage.sentences]
    end, size = start + 1, lengths[start]
    while end < len(lengths) and size < room:
        size += lengths[end]
        end += 1
    while start > 0 and size + lengths[start - 1] <= room:
        start -= 1
        size += lengths[start]
    return start, end


def _from(passage: Passage, room: int, rng: np.random.Generator) -> np.ndarray:
    start, end = _stretch(passage, room, int(rng.integers(len(passage.sentences))))
    return np.concatenate(passage.sentences[start:end])


def _fitted(first: np.ndarray, second: np.ndarray, room: int) -> tuple[np.ndarray, np.ndarray]:
    """Both cut to `room` tokens together, to half of it at least: the first at its start, the second at its end."""
    size = min(len(second), max(room - len(first), room // 2))
    return first[max(0, len(first) - (room - size)) :], second[:size]
