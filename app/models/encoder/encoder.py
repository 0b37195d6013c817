"""The encoder of the BERT family: embeddings and layers (Devlin et al. 2019, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor
from torch.nn.functional import embedding, layer_norm

from app.models.encoder.batch import Batch
from app.models.encoder.linears import Linear, MakeLinear, PlainLinear, linears_for
from app.models.encoder.reading import Reader


class Norm:
    """LayerNorm over the last dimension, in float32."""

    def __init__(self, reader: Reader, name: str) -> None:
        self._affine, self._epsilon = reader.affine(name, dtype=torch.float32), reader.plan.epsilon

    def __call__(self, states: Tensor) -> Tensor:
        """The normalized states."""
        weight = self._affine.weight
        return layer_norm(states, weight.shape, weight, self._affine.bias, self._epsilon)


class Embeddings:
    """Word, position and token type embeddings, their LayerNorm, and ELECTRA's projection.

    The word embeddings keep their stored dtype if it is narrower, and a row is widened when it is used: a starter's
    float16 table is 23 MB instead of 47. `words` is a table to share with another model.
    """

    def __init__(self, reader: Reader, words: Tensor | None) -> None:
        plan = reader.plan
        self._plan, self._dtype = plan, reader.dtype
        self.words = reader.narrow(plan.embeddings("word_embeddings.weight")) if words is None else words
        self._positions = reader.tensor(plan.embeddings("position_embeddings.weight"), torch.float32)
        self._types = None
        if plan.types:
            self._types = reader.tensor(plan.embeddings("token_type_embeddings.weight"), torch.float32)
        self._norm = Norm(reader, plan.embeddings("LayerNorm"))
        self._project: Linear | None = None
        if plan.config.width != plan.config.hidden:
            self._project = linears_for(reader)(reader.affine(f"{plan.prefix}embeddings_project"), "")

    def __call__(self, batch: Batch, ids: Tensor, types: Tensor | None) -> Tensor:
        """The first layer's input, float32[tokens, hidden], from [batch, length] ids and token types."""
        states = embedding(batch.pack(ids), self.words).float()
        if self._types is not None:
            states += self._types[0] if types is None else embedding(batch.pack(types), self._types)
        states += embedding(batch.pack(self._position_ids(ids)), self._positions)
        states = self._norm(states)
        return states if self._project is None else self._project(states.to(self._dtype)).float()

    def _position_ids(self, ids: Tensor) -> Tensor:
        """The rows of the position embeddings for the tokens, [batch, length]."""
        if self._plan.padding is None:
            return torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        mask = (ids != self._plan.padding).long()
        return mask.cumsum(1) * mask + self._plan.padding


class RelativePositions:
    """The relative position bias that is added to attention scores, the same in every layer.

    As in T5 (Raffel et al. 2020, section 2.1): distances fall into 16 buckets in each direction, one for each up to 7,
    then wider ones, the last from 91 on. `table` holds the buckets' scores, [32, heads].
    """

    _BEGINS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91)

    def __init__(self, table: Tensor) -> None:
        self.table = table

    def __call__(self, length: int) -> Tensor:
        """The scores between the tokens of an input, [heads, length, length]."""
        begins = torch.tensor(self._BEGINS, device=self.table.device)
        distances = torch.arange(1 - length, length, device=self.table.device)
        buckets = torch.bucketize(distances.abs(), begins, right=True) + (distances > 0) * (len(begins) + 1)
        # The row of token i is the slice that begins at the distance -i.
        return self.table[buckets].t().contiguous().unfold(1, length, 1).flip(1)


class Layer:
    """Self-attention and a feed-forward network, each with its residual and LayerNorm.

    Query, key and value are one product: the states are read once, not three times. In a `selective` layer, whose
    states are needed at few positions only, the query is a product of its own: it and all that follows are computed for
    those positions only.

    Between the linears the states are float32, and in the model's dtype only as the linears' input: this removes a
    third of bfloat16's errors. Without it class probabilities of 500 reviews were off by up to 0.014.
    """

    def __init__(self, reader: Reader, number: int, make: MakeLinear, selective: bool) -> None:
        plan = reader.plan
        self._heads, self._dtype = plan.config.heads, reader.dtype
        query, *key_value = (plan.part(number, part) for part in ("query", "key", "value"))
        self._query = make(reader.affine(query), "") if selective else None
        self._query_key_value = make(reader.affine(*([] if selective else [query]), *key_value), "")
        self._attended = make(reader.affine(plan.part(number, "attended")), "")
        self._attended_norm = Norm(reader, plan.part(number, "attended_norm"))
        self._inner = make(reader.affine(plan.part(number, "inner")), plan.activation)
        self._outer = make(reader.affine(plan.part(number, "outer")), "")
        self._outer_norm = Norm(reader, plan.part(number, "outer_norm"))

    def __call__(self, batch: Batch, states: Tensor) -> Tensor:
        """The states after the layer, float32[tokens, hidden]; those before it may be overwritten."""
        narrow = states.to(self._dtype)
        return self._rest(batch.attention(self._query_key_value(narrow), self._heads), states)

    def at_positions(self, batch: Batch, states: Tensor, positions: Tensor) -> Tensor:
        """The states after a selective layer at `positions` [batch, n]: float32[batch × n, hidden]."""
        assert self._query is not None
        selected, narrow = batch.select(states, positions), states.to(self._dtype)
        query = self._query(selected.to(self._dtype))
        found = batch.attention_at(query, self._query_key_value(narrow), self._heads)
        return self._rest(found, selected)

    def _rest(self, found: Tensor, states: Tensor) -> Tensor:
        states = self._attended_norm(self._attended.added(found, states))
        found = self._inner(states.to(self._dtype))
        return self._outer_norm(self._outer.added(found, states))


class Encoder:
    """Embeddings and layers in one dtype on one device; `check` is called before each layer, and may raise.

    If `selective`, so is the last layer, and `states_at` takes the place of `states`. `words` is as for `Embeddings`.
    With `streaming`, each layer is loaded when it is reached and freed after it: a pass takes longer and hardly any
    memory.
    """

    def __init__(
        self,
        reader: Reader,
        check: Callable[[], None],
        *,
        selective: bool,
        words: Tensor | None,
        streaming: bool,
    ) -> None:
        plan = reader.plan
        self.plan, self.dtype, self.device, self.check = plan, reader.dtype, reader.device, check
        self._reader = reader
        self.embeddings = Embeddings(reader, words)
        self.distances: RelativePositions | None = None
        if plan.distances:
            wide = torch.float32 if reader.device == "cpu" else None
            self.distances = RelativePositions(reader.tensor(plan.distances, wide))
        # Layers are made one at a time, so that only one's weights are in memory both as read and as packed.
        layers = () if streaming else tuple(_layers(reader, linears_for(reader), selective))
        self.layers: Sequence[Layer] = layers

    def states(self, batch: Batch, ids: Tensor, types: Tensor | None = None) -> Tensor:
        """The last layer's states, float32[tokens, hidden]."""
        states = self.embeddings(batch, ids, types)
        for layer in self.layers or self._streamed():
            self.check()
            states = layer(batch, states)
        return states

    def states_at(self, batch: Batch, ids: Tensor, types: Tensor | None, positions: Tensor) -> Tensor:
        """The last layer's states at positions [batch, n], float32[batch, n, hidden]."""
        states = self.embeddings(batch, ids, types)
        for layer in self.layers[:-1]:
            self.check()
            states = layer(batch, states)
        self.check()
        return batch.regroup(self.layers[-1].at_positions(batch, states, positions))

    def _streamed(self) -> Iterator[Layer]:
        with self._reader as reader:
            # For weights that are used once, packing takes longer than it saves.
            yield from _layers(reader, PlainLinear, selective=False)


def _layers(reader: Reader, make: MakeLinear, selective: bool) -> Iterator[Layer]:
    plan = reader.plan
    for number in range(plan.config.layers):
        yield Layer(reader, number, make, selective and number == plan.config.layers - 1)
