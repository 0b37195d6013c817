"""Model inputs with their targets, made from examples: numpy only."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace

import numpy as np
from tokenizers import Tokenizer

from app.core.text import View
from app.tasks.text.tokens import Tokens, part, tokenise_view
from app.tasks.text.windows import TITLE_TOKENS, PairTemplate, pad, title_tokens
from app.training.examples import QaExample, TextExample


@dataclass(frozen=True, slots=True)
class Feature:
    """One input: `input_ids` and `token_type_ids` (int64[L]) and its targets.

    Targets are start and end positions for question answering ((0, 0): unanswerable; L or more: ignored by the loss),
    or the class's index. `paired` is another window of the same question and text, whose loss is shared with this
    one's. A pair's title and context begin at `context_at`.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    targets: tuple[int, ...]
    paired: Feature | None = None
    context_at: int = 0

    def __len__(self) -> int:
        return len(self.input_ids)


class Features:
    """Makes inputs from examples, and caches the tokens of each text.

    An input has at most `max_length` tokens, with the probability `crop` at most `crop_length`; for the other
    probabilities see `of_question`.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        max_length: int,
        *,
        crop: float = 0.0,
        crop_length: int = 128,
        elsewhere: float = 0.0,
        beside: float = 0.0,
        titled: float = 0.0,
    ) -> None:
        self._tokenizer = tokenizer
        self._template = PairTemplate.of(tokenizer)
        self._length = max_length
        self._crop, self._crop_length = crop, crop_length
        self._elsewhere, self._beside, self._titled = elsewhere, beside, titled
        self._token_cache: dict[str, Tokens] = {}

    def of_question(self, example: QaExample, rng: np.random.Generator) -> Feature:
        """One window of the question on its context; its target is one of the reference answers, drawn at random.

        Where the context is too long, a random part of it that holds the answer is the window; with the probability
        `elsewhere` a part without an answer, which makes the window unanswerable. With the probability `beside` it is
        paired with another window, one of those that share most words with the question and hold no reference answer.
        With the probability `titled` the heading over a window, or else the context's title, is read before it.
        """
        question = self._tokens(example.question).ids[: self._length // 4]
        tokens = self._tokens(example.context, example.view)
        longest = self._draw_length(rng)
        titled = rng.random() < self._titled
        room = longest - self._template.pair_overhead - len(question) - (TITLE_TOKENS if titled else 0)
        target = None
        if example.answers:
            text, start = example.answers[int(rng.integers(len(example.answers)))]
            target = token_span(tokens, start, start + len(text))
        first = None
        if len(tokens) > room and (not example.answers or rng.random() < self._elsewhere):
            first = self._draw_distractor(example, question, tokens, room, rng)
        inside = first is None
        if first is None:
            drawn = window_start(len(tokens), room, target, rng)
            first = line_start(example.context, tokens, drawn, room, target)
        feature, begins = self._window(example, question, part(tokens, first, first + room), titled)
        if example.answers and inside:
            shift = begins - first
            targets = (target[0] + shift, target[1] + shift) if target else (len(feature), len(feature))
            feature = replace(feature, targets=targets)
        if len(tokens) > room and rng.random() < self._beside:
            other = self._draw_distractor(example, question, tokens, room, rng, apart_from=first)
            if other is not None:
                paired, _ = self._window(example, question, part(tokens, other, other + room), titled)
                feature = replace(feature, paired=paired)
        return feature

    def _window(
        self, example: QaExample, question: np.ndarray, context: Tokens, titled: bool
    ) -> tuple[Feature, int]:
        """The Feature of a question and a part of its context, unanswerable, and the context's first position in it."""
        title = np.zeros(0, dtype=np.int32)
        if titled and len(context):
            view, begins = example.view, int(context.starts[0])
            words = view.heading_at(begins) if view and view.headings else example.title.replace("_", " ")
            title = title_tokens(self._tokens(words).ids, self._tokens(":").ids) if words else title
        at = self._template.context_at(len(question))
        ids, types = self._template.pair(question, np.concatenate([title, context.ids]))
        return Feature(ids, types, (0, 0), context_at=at), at + len(title)

    def of_unlabelled(self, example: QaExample, other: QaExample, rng: np.random.Generator) -> Feature:
        """An unlabelled input, whose targets the loss ignores.

        The question is asked of a window of its own context if that has several, else of `other`'s context.
        """
        if len(self._tokens(example.context, example.view)) <= self._length:
            example = replace(other, question=example.question)
        feature = self.of_question(replace(example, answers=()), rng)
        return replace(feature, targets=(len(feature), len(feature)), paired=None)

    def _draw_distractor(
        self,
        example: QaExample,
        question: np.ndarray,
        tokens: Tokens,
        room: int,
        rng: np.random.Generator,
        *,
        apart_from: int | None = None,
    ) -> int | None:
        """Draw the first token of one of the four windows that share most with the question and hold no answer.

        It overlaps the window that begins at token `apart_from` by less than half. None where there is none.
        """
        wanted = [text.lower() for text, _ in example.answers]
        begins = range(int(rng.integers(max(1, room // 2))), len(tokens) - room // 3, max(1, room // 2))
        contents = [np.unique(tokens.ids[at : at + room]) for at in begins]
        question_ids = np.unique(question)
        frequent = sum(np.isin(question_ids, each).astype(np.float64) for each in contents)
        weights = np.log1p(len(contents) / np.maximum(frequent, 1))
        ranked = []
        for at, each in zip(begins, contents, strict=True):
            last = min(at + room, len(tokens)) - 1
            words = example.context[tokens.starts[at] : tokens.ends[last]].lower()
            apart = apart_from is None or abs(at - apart_from) > room // 2
            if apart and not any(text in words for text in wanted):
                ranked.append((float(weights[np.isin(question_ids, each)].sum()), at))
        ranked.sort(reverse=True)
        if not ranked:
            return None
        chosen = ranked[int(rng.integers(min(4, len(ranked))))][1]
        return line_start(example.context, tokens, chosen, room)

    def of_text(self, example: TextExample, labels: Sequence[str], rng: np.random.Generator) -> Feature:
        """One window of the text, drawn at random where it is too long, with its class's index."""
        tokens = self._tokens(example.text)
        room = self._draw_length(rng) - self._template.single_overhead
        first = window_start(len(tokens), room, None, rng)
        ids, types = self._template.single(tokens.ids[first : first + room])
        return Feature(ids, types, (labels.index(example.label),))

    def _draw_length(self, rng: np.random.Generator) -> int:
        """Draw the most tokens that an input may have."""
        return min(self._length, self._crop_length) if rng.random() < self._crop else self._length

    def _tokens(self, text: str, view: View | None = None) -> Tokens:
        if text not in self._token_cache:
            self._token_cache[text] = tokenise_view(self._tokenizer, text, view.replacements if view else ())[
                0
            ]
        return self._token_cache[text]


def token_span(tokens: Tokens, start: int, end: int) -> tuple[int, int] | None:
    """The first and last token that hold a code point from `start` to `end`; None where none does."""
    first = int(np.searchsorted(tokens.ends, start, side="right"))
    last = int(np.searchsorted(tokens.starts, end, side="left")) - 1
    return (first, last) if first <= last else None


def window_start(size: int, room: int, target: tuple[int, int] | None, rng: np.random.Generator) -> int:
    """Draw where a window of `room` tokens begins in `size` tokens; it holds the target, if there is one."""
    if size <= room:
        return 0
    if target is None:
        return int(rng.integers(size - room + 1))
    low = max(0, min(target[1] + 1 - room, target[0]))
    high = max(low, min(target[0], size - room))
    return int(rng.integers(low, high + 1))


def line_start(
    text: str, tokens: Tokens, first: int, room: int, target: tuple[int, int] | None = None
) -> int:
    """The first token of the line that `first` is in, if it is near and the target stays inside; else `first`."""
    if not first:
        return 0
    begin = int(np.searchsorted(tokens.starts, text.rfind("\n", 0, int(tokens.starts[first])) + 1))
    near = first - begin <= room // 4
    return begin if near and (target is None or target[1] < begin + room) else first


def longest_first(rows: Sequence[Sized], size: int) -> list[list[int]]:
    """The rows' indices in batches of `size`, sorted by length, the longest first."""
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    return [order[i : i + size] for i in range(0, len(order), size)]


def batches(lengths: Sequence[int], size: int, rng: np.random.Generator, bucket: int = 40) -> list[list[int]]:
    """Shuffled batches of `size` indices of similar `lengths`: they are sorted within buckets of `bucket` batches."""
    shuffled = rng.permutation(len(lengths)).tolist()
    found: list[list[int]] = []
    for start in range(0, len(shuffled), size * bucket):
        part = sorted(shuffled[start : start + size * bucket], key=lambda i: lengths[i])
        found += [part[i : i + size] for i in range(0, len(part), size)]
    return [found[i] for i in rng.permutation(len(found)).tolist()]


def padded_length(rows: Sequence[Sized]) -> int:
    """The longest row's length, rounded up to a multiple of 8."""
    return -(-max(map(len, rows)) // 8) * 8


def collate(features: Sequence[Feature], pad_id: int) -> dict[str, np.ndarray]:
    """Arrays of batch × `padded_length`, and `targets` of batch × targets, all int64.

    A paired window is the row after its partner. Where there are any, `pairs` (batch) numbers each row's feature, and
    is also the last column of the targets.
    """
    rows = with_paired(features)
    longest = padded_length(rows)
    # A target beyond its own window is moved beyond the padded length.
    targets = [[t if t < len(f) or len(f.targets) == 1 else longest for t in f.targets] for f in rows]
    arrays = {**pad(rows, pad_id, longest), "targets": np.array(targets, dtype=np.int64)}
    if any(f.paired for f in features):
        arrays["pairs"] = np.repeat(np.arange(len(features)), [len(with_paired([f])) for f in features])
        arrays["targets"] = np.column_stack([arrays["targets"], arrays["pairs"]])
    return arrays


def with_paired(features: Sequence[Feature]) -> list[Feature]:
    """The rows of a batch: each feature, followed by its paired one."""
    return [row for f in features for row in (f, f.paired) if row is not None]
