"""The layouts of a batch's tokens in memory, with or without padding, and attention over them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

# Between a power of two and the next, numbers of tokens are rounded up to one of this many steps.
_LEAST_STEP, _STEPS = 8, 16

# Called with a length: the relative position bias of the attention scores, [heads, length, length].
Distances = Callable[[int], Tensor]


class Unpadded:
    """A batch without padding: the inputs' tokens follow one another, inputs of equal length side by side.

    Attention runs separately over each group of inputs of equal length, so that no mask is needed either. For a CPU,
    where launching a kernel costs next to nothing: 8 texts of 60 to 250 tokens take half the time. The first token is
    repeated after the last, unused, to round the number of tokens: oneDNN compiles code for each number of tokens that
    it meets, and keeps 2 MB for each.
    """

    def __init__(self, mask: Tensor, distances: Distances | None = None) -> None:
        lengths = mask.sum(1)
        order = lengths.argsort(stable=True)
        counts = lengths[order]
        self._shape = tuple(mask.shape)
        self._starts = counts.cumsum(0) - counts
        self._last = counts - 1
        self._regroup = order.argsort()
        self._order = order
        self._tokens = int(lengths.sum())
        self._more = rounded(self._tokens) - self._tokens
        self._index: Tensor | None = None
        if self._more or self._tokens < mask.numel():
            rows = order.repeat_interleave(counts)
            columns = torch.arange(len(rows)) - self._starts.repeat_interleave(counts)
            self._index = pad(rows * mask.shape[1] + columns, (0, self._more))
        runs = torch.unique_consecutive(counts, return_counts=True)
        self._runs = list(zip(*(part.tolist() for part in runs), strict=True))
        self._added = None if distances is None else distances(int(counts[-1]))
        self._positions = torch.zeros(len(mask), 1, dtype=torch.int64)

    def pack(self, values: Tensor) -> Tensor:
        """[tokens] from [batch, length]: the values without padding, in this layout."""
        flat = values.reshape(-1)
        return flat if self._index is None else flat[self._index]

    def unpack(self, values: Tensor) -> Tensor:
        """[batch, length, ...] from [tokens, ...], the reverse of `pack`; padding has finite, undefined values."""
        if self._index is None:
            return values.unflatten(0, self._shape)
        padded = values.new_zeros(self._shape[0] * self._shape[1], *values.shape[1:])
        padded[self._index[: self._tokens]] = values[: self._tokens]
        return padded.unflatten(0, self._shape)

    def select(self, states: Tensor, positions: Tensor) -> Tensor:
        """The states at some positions of each input: [batch × n, width] for positions [batch, n]."""
        self._positions = positions
        if self._index is not None:
            self._positions = positions[self._order].minimum(self._last[:, None])
        return states[(self._positions + self._starts[:, None]).flatten()]

    def regroup(self, values: Tensor) -> Tensor:
        """[batch, n, ...] from values that were computed for the tokens that `select` chose last."""
        found = values.unflatten(0, self._positions.shape)
        return found if self._index is None else found[self._regroup]

    def means(self, values: Tensor) -> Tensor:
        """[batch, width] from [tokens, width]: the mean over each input's tokens."""
        found, at = [], 0
        for length, count in self._runs:
            found.append(values[at : at + length * count].unflatten(0, (count, length)).mean(1))
            at += length * count
        return torch.cat(found)[self._regroup]

    def attention(self, query_key_value: Tensor, heads: int) -> Tensor:
        """[tokens, hidden] from [tokens, 3 × hidden]: the attention of each token to all tokens of its input."""
        found, at = [], 0
        for length, count in self._runs:
            one = query_key_value[at : at + length * count].unflatten(0, (count, length))
            added = None if self._added is None else self._added[None, :, :length, :length]
            found.append(_attention(one.chunk(3, -1), heads, added).flatten(0, 1))
            at += length * count
        if self._more:
            found.append(found[0].new_zeros(self._more, found[0].shape[-1]))
        return found[0] if len(found) == 1 else torch.cat(found)

    def attention_at(self, query: Tensor, key_value: Tensor, heads: int) -> Tensor:
        """[batch × n, hidden]: the attention of the tokens that `select` chose last."""
        queries = query.unflatten(0, self._positions.shape)
        found, at, row = [], 0, 0
        for length, count in self._runs:
            one = key_value[at : at + length * count].unflatten(0, (count, length))
            some, positions = queries[row : row + count], self._positions[row : row + count]
            added = None if self._added is None else self._added[:, positions, :length].transpose(0, 1)
            found.append(_attention((some, *one.chunk(2, -1)), heads, added).flatten(0, 1))
            at, row = at + length * count, row + count
        return found[0] if len(found) == 1 else torch.cat(found)


class Padded:
    """A batch in which every input has the same length; a mask excludes padding, if there is any. For a GPU."""

    def __init__(self, mask: Tensor, distances: Distances | None = None) -> None:
        self._shape = tuple(mask.shape)
        self._kept = mask[..., None]
        there = None if bool(mask.all()) else mask.bool()[:, None, None, :]
        self._mask = there
        if distances is not None:
            added = distances(mask.shape[1])[None]
            self._mask = added if there is None else added.masked_fill(~there, float("-inf"))
        self._positions = mask.new_zeros(len(mask), 1)

    def pack(self, values: Tensor) -> Tensor:
        """See `Unpadded`."""
        return values.reshape(-1)

    def unpack(self, values: Tensor) -> Tensor:
        """See `Unpadded`."""
        return values.unflatten(0, self._shape)

    def select(self, states: Tensor, positions: Tensor) -> Tensor:
        """See `Unpadded`."""
        self._positions = positions
        rows = torch.arange(self._shape[0], device=states.device)[:, None] * self._shape[1]
        return states[(positions + rows).flatten()]

    def regroup(self, values: Tensor) -> Tensor:
        """See `Unpadded`."""
        return values.unflatten(0, self._positions.shape)

    def means(self, values: Tensor) -> Tensor:
        """See `Unpadded`."""
        return (values.unflatten(0, self._shape) * self._kept).sum(1) / self._kept.sum(1)

    def attention(self, query_key_value: Tensor, heads: int) -> Tensor:
        """See `Unpadded`."""
        inputs = query_key_value.unflatten(0, self._shape)
        return _attention(inputs.chunk(3, -1), heads, self._mask).flatten(0, 1)

    def attention_at(self, query: Tensor, key_value: Tensor, heads: int) -> Tensor:
        """See `Unpadded`."""
        queries = query.unflatten(0, self._positions.shape)
        inputs, mask = key_value.unflatten(0, self._shape), self._mask
        if mask is not None and mask.shape[2] > 1:
            rows = torch.arange(self._shape[0], device=mask.device)[:, None]
            mask = mask.expand(self._shape[0], -1, -1, -1)[rows, :, self._positions].transpose(1, 2)
        return _attention((queries, *inputs.chunk(2, -1)), heads, mask).flatten(0, 1)


Batch = Unpadded | Padded


def batch_of(mask: Tensor, distances: Distances | None = None) -> Batch:
    """The layout for inputs with this attention mask, int64[batch, length]."""
    if mask.device.type != "cpu" or not _ends_in_padding(mask):
        return Padded(mask, distances)
    return Unpadded(mask, distances)


def rounded(tokens: int) -> int:
    """A number of tokens, rounded up by a sixteenth or 7 at most, so that few different ones occur."""
    step = _LEAST_STEP
    while 2 * _STEPS * step < tokens:
        step *= 2
    return -(-tokens // step) * step


def _ends_in_padding(mask: Tensor) -> bool:
    """Whether each row has a token, and padding only after its tokens."""
    return bool((mask[:, 0] == 1).all()) and bool((mask[:, :-1] >= mask[:, 1:]).all())


def _attention(parts: tuple[Tensor, ...], heads: int, mask: Tensor | None) -> Tensor:
    """[batch, queries, hidden] from query, key and value, [batch, tokens, hidden] each, without copying them."""
    query, key, value = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in parts)
    return scaled_dot_product_attention(query, key, value, attn_mask=mask).transpose(1, 2).flatten(-2)
