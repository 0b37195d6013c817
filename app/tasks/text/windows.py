"""Cuts a document's tokens into overlapping windows, with the model's special tokens around them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from tokenizers import Tokenizer

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import TOKENS_PER_CHARACTER
from app.tasks.text.characters import TokenProperties
from app.tasks.text.tokens import Tokens, join, part

Ids = Sequence[int] | np.ndarray

LENGTH = 384
STRIDE = 128
# The longest answer; a section is read with at least so many tokens of what follows it.
MAX_TOKENS = 48
# The most tokens that a window begins with for the headings above it.
TITLE_TOKENS = 24

_PAD_TOKENS = ("[PAD]", "<pad>", "<PAD>")
_PROBES = ("a", "the", "1", ".")
_MOST_SPECIAL = 8
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class Window:
    """One input of the model.

    `input_ids` and `token_type_ids` are int32[L] or int64[L]; the document's n tokens begin at `context_at`, the first
    being number `first` of all that were cut into windows. `starts` and `ends` (int32[n]) are their code points in the
    whole text. `scored` (bool[n]) is True where no other window has more context around the token. `properties` are
    the tokens', None where not computed. `lexical` (float32[n]) is added to their start logits, None for nothing.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    context_at: int
    first: int
    starts: np.ndarray
    ends: np.ndarray
    scored: np.ndarray
    properties: TokenProperties | None = None
    lexical: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.input_ids)


@dataclass(frozen=True, slots=True)
class PairTemplate:
    """The special tokens that a tokenizer's post-processor puts around a pair and around a single text.

    `pair_parts` are the ids before, between and after the two texts, `pair_types` the token types of those parts
    and of the texts in between (five runs); `single_parts` and `single_types` the same for one text.
    """

    pair_parts: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    pair_types: tuple[tuple[int, ...], int, tuple[int, ...], int, tuple[int, ...]]
    single_parts: tuple[tuple[int, ...], tuple[int, ...]]
    single_types: tuple[tuple[int, ...], int, tuple[int, ...]]

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> PairTemplate:
        """The template of `tokenizer`, found by encoding a probe.

        Raises SpanlightError where it has no token for any probe, or puts more or other tokens around it than a
        model of BERT's families takes.
        """
        bare = (tokenizer.encode(p, add_special_tokens=False).ids for p in _PROBES)
        probe, size = next(((p, len(ids)) for p, ids in zip(_PROBES, bare, strict=True) if ids), ("", 0))
        pair, single = tokenizer.encode(probe, probe), tokenizer.encode(probe)
        content = [i for i, special in enumerate(pair.special_tokens_mask) if not special]
        around = (len(pair.ids) - len(content), len(single.ids) - single.special_tokens_mask.count(0))
        if not size or len(content) != 2 * size or max(around) > _MOST_SPECIAL:
            raise SpanlightError(
                Message("The model's tokenizer does not set a question before a text."),
                Message("Choose a model that was made for that, or fetch a whole copy of this one."),
            )
        a, b = content[0], content[size]
        ids, types = pair.ids, pair.type_ids
        s = single.special_tokens_mask.index(0)
        return cls(
            (tuple(ids[:a]), tuple(ids[a + size : b]), tuple(ids[b + size :])),
            (tuple(types[:a]), types[a], tuple(types[a + size : b]), types[b], tuple(types[b + size :])),
            (tuple(single.ids[:s]), tuple(single.ids[s + size :])),
            (tuple(single.type_ids[:s]), single.type_ids[s], tuple(single.type_ids[s + size :])),
        )

    @property
    def pair_overhead(self) -> int:
        """The number of special tokens of a pair."""
        return sum(map(len, self.pair_parts))

    @property
    def single_overhead(self) -> int:
        """The number of special tokens of a single text."""
        return sum(map(len, self.single_parts))

    def context_at(self, question_length: int) -> int:
        """The index of the context's first token after a question of so many tokens."""
        return len(self.pair_parts[0]) + question_length + len(self.pair_parts[1])

    def pair(self, question_ids: Ids, context_ids: Ids) -> tuple[np.ndarray, np.ndarray]:
        """Input ids and token types (int64[L]) of a question and a context."""
        before, between, after = self.pair_parts
        t0, ta, t1, tb, t2 = self.pair_types
        ids = np.concatenate(
            [_ids(before), _ids(question_ids), _ids(between), _ids(context_ids), _ids(after)]
        )
        runs = [_ids(t0), np.full(len(question_ids), ta), _ids(t1), np.full(len(context_ids), tb), _ids(t2)]
        return ids, np.concatenate(runs).astype(np.int64)

    def single(self, ids: Ids) -> tuple[np.ndarray, np.ndarray]:
        """Input ids and token types (int64[L]) of one text."""
        before, after = self.single_parts
        t0, ta, t1 = self.single_types
        types = np.concatenate([_ids(t0), np.full(len(ids), ta), _ids(t1)]).astype(np.int64)
        return np.concatenate([_ids(before), _ids(ids), _ids(after)]), types


def title_tokens(words: Ids, colon: Ids) -> np.ndarray:
    """The tokens that a window begins with for its headings: the last of their words and a colon, int64[n]."""
    return np.concatenate([_ids(words)[-(TITLE_TOKENS - len(colon)) :], _ids(colon)])


def _ids(values: Ids) -> np.ndarray:
    return np.asarray(values, dtype=np.int64)


def windows(
    template: PairTemplate,
    question_ids: Ids,
    chunks: Iterable[Tokens],
    text: str,
    *,
    length: int = LENGTH,
    stride: int = STRIDE,
    title_at: Callable[[int], np.ndarray] | None = None,
) -> Iterator[Window]:
    """Windows of question and context over a document's tokens, in document order, as the tokens come.

    A window has at most `length` tokens and ends at a paragraph's end (else a line's) where one lies in its last
    quarter; the next one starts `stride` tokens before that end (at most three eighths of a window's context, so that
    no token is in three windows), or where a line begins within the first half of these. `title_at` gives the tokens
    that a window begins with for the headings above a code point, `TITLE_TOKENS` at most. A question longer than a
    quarter of `length` is cut to that. A text without tokens has no windows.
    """
    question = _ids(question_ids)[: length // 4]
    capacity = length - template.pair_overhead - len(question) - (TITLE_TOKENS if title_at else 0)
    at = template.context_at(len(question))
    # Thousands of windows wait to be read: with int32 and shared types each takes 2 kB instead of 6.
    begin = template.pair(question, ())[0][:at].astype(np.int32)
    end = np.array(template.pair_parts[2], dtype=np.int32)
    types_of: dict[int, np.ndarray] = {}
    for first, tokens, scored in _slices(chunks, text, capacity, stride):
        title = title_at(int(tokens.starts[0])) if title_at else end[:0]
        ids = np.concatenate([begin, title, tokens.ids, end], dtype=np.int32)
        if len(ids) not in types_of:
            types_of[len(ids)] = template.pair(question, ids[at : len(ids) - len(end)])[1].astype(np.int32)
        yield Window(ids, types_of[len(ids)], at + len(title), first, tokens.starts, tokens.ends, scored)


def single_windows(
    template: PairTemplate,
    chunks: Iterable[Tokens],
    text: str,
    *,
    length: int = LENGTH,
    stride: int = STRIDE,
) -> Iterator[Window]:
    """Windows of a single text without a question, cut as `windows` cuts them."""
    for first, tokens, scored in _slices(chunks, text, length - template.single_overhead, stride):
        yield single_window(template, first, tokens, scored)


def single_window(template: PairTemplate, first: int, tokens: Tokens, scored: np.ndarray) -> Window:
    """The window of a single text's tokens, the first of which is number `first`; `scored` as in `Window`."""
    ids, types = template.single(tokens.ids)
    return Window(ids, types, len(template.single_parts[0]), first, tokens.starts, tokens.ends, scored)


# The number of a window's first token, its tokens, and their `scored` mask.
_Slice = tuple[int, Tokens, np.ndarray]


def _slices(chunks: Iterable[Tokens], text: str, capacity: int, stride: int) -> Iterator[_Slice]:
    """The slices of a text's tokens, one a window. Raises SpanlightError when a window has no room."""
    if capacity < 8:
        raise SpanlightError(
            Message("The model's windows are too short: its tokenizer leaves no room in them for a text."),
            Message("Choose another model."),
        )
    overlap = max(0, min(stride, capacity * 3 // 8))
    previous: _Slice | None = None
    for first, tokens in _overlapping(chunks, text, capacity, overlap):
        current = (first, tokens, np.ones(len(tokens), dtype=bool))
        if previous is not None:
            _divide_overlap(previous, current)
            yield previous
        previous = current
    if previous is not None:
        yield previous


def _overlapping(
    chunks: Iterable[Tokens], text: str, capacity: int, overlap: int
) -> Iterator[tuple[int, Tokens]]:
    """The tokens of each window, and the number of the first of them."""
    source = iter(chunks)
    buffer, first, more = join(()), 0, True
    while True:
        while more and len(buffer) <= capacity:
            chunk = next(source, None)
            more = chunk is not None
            buffer = buffer if chunk is None else join((buffer, chunk))
        if len(buffer) <= capacity:
            if len(buffer):
                yield first, buffer
            return
        size = _window_size(text, buffer, capacity)
        yield first, part(buffer, 0, size)
        begin = _line_start(text, buffer, size - overlap, size - overlap // 2)
        buffer, first = part(buffer, begin, len(buffer)), first + begin


def _window_size(text: str, tokens: Tokens, capacity: int) -> int:
    """The number of tokens for a window: up to the last paragraph's end in its last quarter, else the last line's."""
    line = 0
    # From line end to line end: searching between all tokens takes three times as long.
    low, at = int(tokens.ends[capacity - capacity // 4]), int(tokens.starts[capacity])
    while (at := text.rfind("\n", low, at)) >= 0:
        size = int(tokens.starts.searchsorted(at, side="right"))
        end = int(tokens.ends[size - 1])
        if end <= at:
            if _PARAGRAPH.search(text, end, int(tokens.starts[size])):
                return size
            line = line or size
            at = end
    return line or capacity


def _line_start(text: str, tokens: Tokens, low: int, high: int) -> int:
    """The first token from number `low` to `high` that begins a line; `low` where none does."""
    at = text.find("\n", int(tokens.ends[low - 1]) if low else 0, int(tokens.starts[high]))
    return int(tokens.starts.searchsorted(at, side="right")) if at >= 0 else low


def _divide_overlap(previous: _Slice, current: _Slice) -> None:
    """Score each shared token in the slice with more context around it (BERT's maximum-context rule), or the first.

    Changes both `scored` masks.
    """
    first, tokens, scored = previous
    next_first, next_tokens, next_scored = current
    overlap = first + len(tokens) - next_first
    if overlap <= 0:
        return
    shared = np.arange(overlap)
    context = np.minimum(next_first - first + shared, overlap - 1 - shared)
    next_context = np.minimum(shared, len(next_tokens) - 1 - shared)
    stays = context >= next_context
    scored[len(tokens) - overlap :] = stays
    next_scored[:overlap] = ~stays


class Inputs(Protocol):
    """One row of the model's input, unpadded."""

    @property
    def input_ids(self) -> np.ndarray:
        """The tokens' ids, int32[L] or int64[L]."""

    @property
    def token_type_ids(self) -> np.ndarray:
        """The tokens' types, int32[L] or int64[L]."""

    def __len__(self) -> int: ...


def padding_id(tokenizer: Tokenizer) -> int:
    """The id of the tokenizer's padding token; 0 where it has none, which the attention mask hides."""
    return next((i for name in _PAD_TOKENS if (i := tokenizer.token_to_id(name)) is not None), 0)


def pad(batch: Sequence[Inputs], pad_id: int, least: int = 0) -> dict[str, np.ndarray]:
    """The arrays input_ids, attention_mask and token_type_ids, int64 of batch × length.

    The length is the longest row's, but at least `least`.
    """
    shape = (len(batch), max(least, max(map(len, batch), default=0)))
    arrays = {
        name: np.zeros(shape, dtype=np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")
    }
    arrays["input_ids"][:] = pad_id
    for row, inputs in enumerate(batch):
        arrays["input_ids"][row, : len(inputs)] = inputs.input_ids
        arrays["token_type_ids"][row, : len(inputs)] = inputs.token_type_ids
        arrays["attention_mask"][row, : len(inputs)] = 1
    return arrays


def estimate_windows(text_length: int, length: int, stride: int) -> int:
    """About how many windows a text of so many code points has, at least 1."""
    tokens = text_length * TOKENS_PER_CHARACTER
    return max(1, math.ceil((tokens - stride) / max(1, length - stride)))
