"""Examples to inputs of the model with what is to be predicted: numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from app.tasks.tokens import Tokens, join, tokenise
from app.tasks.windows import PairTemplate, pad
from app.training.examples import QaExample, TextExample


@dataclass(frozen=True, slots=True)
class Feature:
    """One input: `input_ids` and `token_type_ids` (int64[L]) and its targets.

    Targets are start and end positions for question answering ((0, 0): unanswerable; L or more: to be
    ignored), or the class's index.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    targets: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.input_ids)


@dataclass(frozen=True, slots=True)
class Crop:
    """How inputs are shortened while learning: with probability `share` to `length` tokens."""

    share: float = 0.0
    length: int = 128

    def draw(self, longest: int, rng: np.random.Generator) -> int:
        """The length in tokens that this input may have, at most `longest`."""
        return min(longest, self.length) if rng.random() < self.share else longest


class Features:
    """Makes inputs from examples, and keeps the tokens of texts that come up again."""

    def __init__(
        self, tokenizer: Tokenizer, max_length: int, crop: Crop | None = None, elsewhere: float = 0.0
    ) -> None:
        self._tokenizer = tokenizer
        self._template = PairTemplate.of(tokenizer)
        self._length = max_length
        self._crop = crop or Crop()
        self._elsewhere = elsewhere
        self._kept: dict[str, Tokens] = {}

    def of_question(self, example: QaExample, rng: np.random.Generator) -> Feature:
        """One window of the question on its context, with a reference drawn from those given.

        A context too long for the window is cut where the reference stays inside, at a place drawn at random; with
        the probability `elsewhere` where it does not, which makes the window unanswerable.
        """
        question = self._tokens(example.question).ids[: self._length // 4]
        tokens = self._tokens(example.context)
        room = self._crop.draw(self._length, rng) - self._template.pair_overhead - len(question)
        target = None
        if example.answers:
            text, start = example.answers[int(rng.integers(len(example.answers)))]
            target = token_span(tokens, start, start + len(text))
        first, inside = place(len(tokens), room, target, rng, self._elsewhere)
        ids, types = self._template.pair(question, tokens.ids[first : first + room])
        if not example.answers or not inside:
            return Feature(ids, types, (0, 0))
        if target is None:
            return Feature(ids, types, (len(ids), len(ids)))
        shift = self._template.context_at(len(question)) - first
        return Feature(ids, types, (target[0] + shift, target[1] + shift))

    def of_text(self, example: TextExample, labels: Sequence[str], rng: np.random.Generator) -> Feature:
        """One window of the text, at a place drawn at random where it is too long, with its class's index."""
        tokens = self._tokens(example.text)
        room = self._crop.draw(self._length, rng) - self._template.single_overhead
        first, _ = place(len(tokens), room, None, rng)
        ids, types = self._template.single(tokens.ids[first : first + room])
        return Feature(ids, types, (labels.index(example.label),))

    def _tokens(self, text: str) -> Tokens:
        if text not in self._kept:
            self._kept[text] = join(tokenise(self._tokenizer, text))
        return self._kept[text]


def token_span(tokens: Tokens, start: int, end: int) -> tuple[int, int] | None:
    """First and last token that share a code point with a place in the text; None where none does."""
    first = int(np.searchsorted(tokens.ends, start, side="right"))
    last = int(np.searchsorted(tokens.starts, end, side="left")) - 1
    return (first, last) if first <= last else None


def place(
    size: int, room: int, target: tuple[int, int] | None, rng: np.random.Generator, elsewhere: float = 0.0
) -> tuple[int, bool]:
    """First token of a window of `room` tokens over `size` of them, and whether it holds the target."""
    if size <= room:
        return 0, True
    if target is None:
        return int(rng.integers(size - room + 1)), True
    away = [*range(0, target[0] - room + 1), *range(target[1] + 1, size - room + 1)]
    if away and rng.random() < elsewhere:
        return away[int(rng.integers(len(away)))], False
    low = max(0, min(target[1] + 1 - room, target[0]))
    high = max(low, min(target[0], size - room))
    return int(rng.integers(low, high + 1)), True


def batches(
    lengths: Sequence[int], size: int, rng: np.random.Generator | None, bucket: int = 40
) -> list[list[int]]:
    """Indices in batches of `size` of like length: shuffled, sorted within buckets of batches, batches shuffled.

    Without `rng` all is sorted, longest first, and nothing shuffled.
    """
    if rng is None:
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        return [order[i : i + size] for i in range(0, len(order), size)]
    shuffled = rng.permutation(len(lengths)).tolist()
    made: list[list[int]] = []
    for start in range(0, len(shuffled), size * bucket):
        part = sorted(shuffled[start : start + size * bucket], key=lambda i: lengths[i])
        made += [part[i : i + size] for i in range(0, len(part), size)]
    return [made[i] for i in rng.permutation(len(made)).tolist()]


def collate(features: Sequence[Feature], pad_id: int, multiple: int = 8) -> dict[str, np.ndarray]:
    """Arrays of batch × longest (up to a multiple of `multiple`), and `targets` of batch × targets, all int64."""
    longest = -(-max(map(len, features)) // multiple) * multiple
    # A target outside its own window is moved outside the padded batch too.
    targets = [[t if t < len(f) or len(f.targets) == 1 else longest for t in f.targets] for f in features]
    return {**pad(features, pad_id, longest), "targets": np.array(targets, dtype=np.int64)}
