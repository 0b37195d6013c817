"""Cuts a document's tokens into overlapping windows of the model, with its special tokens around them."""

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
from app.tasks.text.characters import Pieces
from app.tasks.text.tokens import Tokens, join, part

Ids = Sequence[int] | np.ndarray

LENGTH = 384
STRIDE = 128
# The longest answer; a section is read with at least so many tokens behind it.
MAX_TOKENS = 48
# At most so many tokens are read before a window for the headings of its sections.
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
    whole text. `scored` (bool[n]) is True where no other window has more context around the token. `pieces` are the
    tokens' properties, None where not computed. `lexical` (float32[n]) is added to their start logits where answers
    are scored, None for nothing.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    context_at: int
    first: int
    starts: np.ndarray
    ends: np.ndarray
    scored: np.ndarray
    pieces: Pieces | None = None
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
        """How many special tokens a pair has."""
        return sum(map(len, self.pair_parts))

    @property
    def single_overhead(self) -> int:
        """How many special tokens a single text has."""
        return sum(map(len, self.single_parts))

    def context_at(self, question_length: int) -> int:
        """Where the context begins behind a question of so many tokens."""
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
    """The tokens read before a window for its headings: the last of their words and a colon, int64[n]."""
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

    A window has at most `length` tokens and ends at a paragraph bound (else a line's end) where one lies in its last
    quarter; the next one starts `stride` tokens before that end (at most three eighths of a window's
    context, so that no token is in three windows), or where a line begins within the next half of them. `title_at`
    gives the tokens to read before a window for the headings at a code point, `TITLE_TOKENS` at most. A question
    longer than a quarter of `length` is cut to that. A text without tokens has no windows.
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
    for piece in _slices(chunks, text, length - template.single_overhead, stride):
        yield single_window(template, *piece)


def single_window(template: PairTemplate, first: int, tokens: Tokens, scored: np.ndarray) -> Window:
    """The window of a single text's tokens, the first of them number `first`; `scored` as in `Window`."""
    ids, types = template.single(tokens.ids)
    return Window(ids, types, len(template.single_parts[0]), first, tokens.starts, tokens.ends, scored)


_Slice = tuple[int, Tokens, np.ndarray]


def _slices(chunks: Iterable[Tokens], text: str, capacity: int, stride: int) -> Iterator[_Slice]:
    """Each window's first token, tokens and scored mask. Raises SpanlightError when a window has no room."""
    if capacity < 8:
        raise SpanlightError(
            Message("The model's windows are too short: its tokenizer leaves no room in them for a text."),
            Message("Choose another model."),
        )
    overlap = max(0, min(stride, capacity * 3 // 8))
    last: _Slice | None = None
    for first, tokens in _stretches(chunks, text, capacity, overlap):
        scored = np.ones(len(tokens), dtype=bool)
        if last is not None:
            _share(last, first, len(tokens), scored)
            yield last
        last = (first, tokens, scored)
    if last is not None:
        yield last


def _stretches(
    chunks: Iterable[Tokens], text: str, capacity: int, overlap: int
) -> Iterator[tuple[int, Tokens]]:
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
        size = _bound(text, buffer, capacity)
        yield first, part(buffer, 0, size)
        begin = _line_begin(text, buffer, size - overlap, size - overlap // 2)
        buffer, first = part(buffer, begin, len(buffer)), first + begin


def _bound(text: str, tokens: Tokens, capacity: int) -> int:
    """How many tokens a window takes: up to the last paragraph bound in its last quarter, else the last line's."""
    line = 0
    # From line end to line end: searching between all tokens took three times as long.
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


def _line_begin(text: str, tokens: Tokens, low: int, high: int) -> int:
    """The first token from number `low` to `high` that a line begins with; `low` where none does."""
    at = text.find("\n", int(tokens.ends[low - 1]) if low else 0, int(tokens.starts[high]))
    return int(tokens.starts.searchsorted(at, side="right")) if at >= 0 else low


def _share(last: _Slice, first: int, size: int, scored: np.ndarray) -> None:
    """Gives each shared token to the window with more context (BERT's maximum-context rule), ties to the first."""
    overlap = last[0] + len(last[1]) - first
    if overlap <= 0:
        return
    here = np.arange(overlap)
    in_last = np.minimum(first - last[0] + here, overlap - 1 - here)
    in_next = np.minimum(here, size - 1 - here)
    wins = in_last >= in_next
    last[2][len(last[1]) - overlap :] = wins
    scored[:overlap] = ~wins


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
    """Arrays for the model: input_ids, attention_mask and token_type_ids, int64 of batch × longest row.

    They are at least `least` long.
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
