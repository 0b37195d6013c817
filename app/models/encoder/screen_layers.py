"""A layer of the BERT family with its linears in int8, and what they are fitted to."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import torch
from torch import Tensor
from torch.nn.functional import pad

from app.models.encoder.batch import Batch
from app.models.encoder.encoder import Norm
from app.models.encoder.plan import Plan
from app.models.encoder.reading import LayerWeights, Pair
from app.models.encoder.screen_linears import LEVEL, QuantisedLinear, Quantiser, Scale, scale_of

# So many tokens of a text are kept to find the scales: the error of a scale hardly changes with more.
_KEPT = 256
# One more neuron for so many, to take what others have beyond the range: with more, ordinary neurons are copied too,
# for nothing.
_SPARE = 192


class Seen:
    """What enters the four linears of each layer of the exact encoder, on some rows of a text."""

    def __init__(self, layers: int) -> None:
        self._kept: list[dict[str, Tensor]] = [{} for _ in range(layers)]
        self._ranges: list[dict[str, tuple[Tensor, Tensor]]] = [{} for _ in range(layers)]
        self.seconds = 0.0  # spent on looking

    def __call__(self, layer: int, name: str, values: Tensor) -> None:
        """Takes what enters a linear, [tokens, channels]: as `Encoder.states` shows it."""
        began = perf_counter()
        low, high = values.amin(0), values.amax(0)  # `aminmax` takes ten times as long
        self._ranges[layer][name] = low.float(), high.float()
        # A copy: a view would hold all of them, 100 MB for four windows.
        self._kept[layer][name] = values[:: max(1, len(values) // _KEPT)].to(torch.float32, copy=True)
        self.seconds += perf_counter() - began

    def values(self, layer: int, name: str) -> Tensor:
        """Some tokens' values, float32[tokens, channels]."""
        return self._kept[layer][name]

    def range(self, layer: int, name: str) -> tuple[Tensor, Tensor]:
        """Each channel's lowest and highest value of all tokens, float32[channels]."""
        return self._ranges[layer][name]


def smoothed(pair: Pair, low: Tensor, high: Tensor, top: int) -> tuple[Quantiser, Pair]:
    """A quantiser for inputs of these ranges, and the linear that takes what it gives.

    Every channel uses all levels, and the weights' columns bear the difference: weights, which have a scale for each
    output, err a third as much as activations. With the halves shared (SmoothQuant's alpha of 0.5 instead of 1) the
    scores of best spans err by a third more.
    """
    middle, reach = (high + low) / 2, ((high - low) / 2).clamp_(min=1e-4)
    linear = Pair(pair.weight * reach, pair.bias + pair.weight @ middle)
    return Quantiser(middle, reach, top), linear


def spread(inner: Pair, outer: Pair, high: Tensor, low: float) -> tuple[Pair, Pair, Scale]:
    """A feed-forward network's two linears with some neurons more, and the scale between them.

    Single neurons give values at the first token that are many times those of all others (massive activations, Sun et
    al. 2024); the levels must not be stretched to reach them. What such a neuron has beyond the range R, its copies
    give: GELU(z) is about min(GELU(z), R) + GELU(z - R), as levels end at R. Scores of best spans err half as much.
    """
    spare = max(1, len(high) // _SPARE)
    most = max(float(high.max()), 1e-6)
    ends = most * torch.linspace(0.02, 1, 99)
    copies = ((high / ends[:, None]).ceil() - 1).clamp_(min=0)
    number = int((copies.sum(1) <= spare).nonzero()[0])
    step = (float(ends[number]) - low) / LEVEL
    scale = Scale(step, round(-low / step))
    end = (LEVEL - scale.zero) * step
    which = copies[number].long().nonzero()[:, 0]
    counts = copies[number][which].long()
    which = which.repeat_interleave(counts)
    nth = torch.cat([torch.arange(1, int(count) + 1) for count in counts] or [torch.zeros(0)])
    rest = spare - len(which)  # neurons of nothing, so that every layer has as many
    first = Pair(
        torch.cat((inner.weight, inner.weight[which], inner.weight.new_zeros(rest, inner.weight.shape[1]))),
        torch.cat((inner.bias, inner.bias[which] - nth * end, inner.bias.new_zeros(rest))),
    )
    columns = outer.weight[:, which]
    second = torch.cat((outer.weight, columns, outer.weight.new_zeros(len(columns), rest)), 1)
    return first, Pair(second, outer.bias), scale


class ScreenLayer:
    """Self-attention and a feed-forward network in int8; attention's products, residuals and LayerNorm stay float32.

    What goes from one linear to the next stays in bytes: GELU's results are quantised while they are in the cache, and
    the residual is added where the product stands.
    """

    def __init__(self, plan: Plan, weights: LayerWeights, seen: Seen, number: int, top: int) -> None:
        self._number, self._heads = number, plan.heads

        def smooth(name: str, pair: Pair) -> tuple[Quantiser, Pair]:
            return smoothed(pair, *seen.range(number, name), top)

        self._states_in, pair = smooth("query_key_value", weights.query_key_value)
        self._query_key_value = QuantisedLinear(pair)
        self._attended_in, pair = smooth("attended", weights.attended)
        self._attended = QuantisedLinear(pair)
        if top == LEVEL:
            low, high = seen.range(number, "outer")
            inner, outer, scale = spread(weights.inner, weights.outer, high, float(low.min()))
        else:  # levels do not end at the highest one that is meant to be used
            inner, outer, scale = weights.inner, weights.outer, scale_of(seen.values(number, "outer"), top)
        self._inner_in, pair = smooth("inner", inner)
        self._inner, self._outer = QuantisedLinear(pair, plan.activation), QuantisedLinear(outer)
        self._outer.scale = scale
        self._attended_norm = Norm(weights.attended_norm, plan.epsilon)
        self._outer_norm = Norm(weights.outer_norm, plan.epsilon)
        self.fit(seen)

    def fit(self, seen: Seen) -> None:
        """Finds the scales of what enters the linears anew; that between the feed-forward network's two stays."""
        number = self._number
        self._query_key_value.scale = self._states_in.fit(seen.values(number, "query_key_value"))
        self._attended.scale = self._attended_in.fit(seen.values(number, "attended"))
        self._inner.scale = self._inner_in.fit(seen.values(number, "inner"))

    def __call__(self, batch: Batch, states: Tensor) -> Tensor:
        """The states behind the layer, [tokens, hidden], of those before, whose memory it takes.

        The batch may hold fewer tokens: those after them stand there to round their number up, and are not attended to.
        """
        levels = self._states_in(states)
        found = batch.attention(self._query_key_value(levels), self._heads)
        if len(found) < len(states):
            found = pad(found, (0, 0, 0, len(states) - len(found)))
        states = self._attended_norm(self._attended.added(self._attended_in(found), states))
        levels = self._inner.quantised(self._inner_in(states), self._outer.scale)
        return self._outer_norm(self._outer.added(levels, states))

    def tensors(self) -> Iterator[Tensor]:
        """Its weights in memory."""
        for linear in (self._query_key_value, self._attended, self._inner, self._outer):
            yield from linear.tensors()
        for norm in (self._attended_norm, self._outer_norm):
            yield from (norm.weight, norm.bias)
