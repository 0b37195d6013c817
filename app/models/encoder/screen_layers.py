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
from app.models.encoder.screen_linears import QuantisedLinear, Quantiser, scale_of

# So many tokens of a text are kept to find the scales: the error of a scale hardly changes with more.
_KEPT = 512
# How the spread of the channels is shared between activations and weights; at a half both get as much of it.
_SHARED = 0.5


class Seen:
    """What enters the four linears of each layer of the exact encoder, on some rows of a text."""

    def __init__(self, layers: int) -> None:
        self._kept: list[dict[str, Tensor]] = [{} for _ in range(layers)]
        self._highest: list[dict[str, Tensor]] = [{} for _ in range(layers)]
        self.seconds = 0.0  # spent on looking

    def __call__(self, layer: int, name: str, values: Tensor) -> None:
        """Takes what enters a linear, [tokens, channels]: as `Encoder.states` shows it."""
        began = perf_counter()
        low, high = values.aminmax(dim=0)
        self._highest[layer][name] = torch.maximum(high, -low).float()
        self._kept[layer][name] = values[:: max(1, len(values) // _KEPT)].float()
        self.seconds += perf_counter() - began

    def values(self, layer: int, name: str) -> Tensor:
        """Some tokens' values, float32[tokens, channels]."""
        return self._kept[layer][name]

    def smoothing(self, layer: int, name: str, weight: Tensor) -> Tensor:
        """A number for each channel by which activations are divided and the weight's columns multiplied."""
        values = self._highest[layer][name].clamp(min=1e-4)
        weights = weight.abs().amax(0).clamp_(min=1e-4)
        return values**_SHARED / weights ** (1 - _SHARED)


class ScreenLayer:
    """Self-attention and a feed-forward network in int8; attention's products, residuals and LayerNorm stay float32.

    What goes from one linear to the next stays in bytes: GELU's results are quantised while they are in the cache, and
    the residual is added where the product stands.
    """

    def __init__(self, plan: Plan, weights: LayerWeights, seen: Seen, number: int, top: int) -> None:
        self._number, self._heads, self._top = number, plan.heads, top
        whole, attended, inner = weights.query_key_value, weights.attended, weights.inner
        # Attention mixes tokens, not channels: its result is smoothed by making smaller values, for nothing.
        smoothing = seen.smoothing(number, "attended", attended.weight)
        values = torch.cat((torch.ones(2 * plan.hidden), 1 / smoothing))
        whole = Pair(whole.weight * values[:, None], whole.bias * values)
        self._smoothing = smoothing
        self._attended_in = Quantiser(torch.ones(plan.hidden), top)
        self._attended = QuantisedLinear(Pair(attended.weight * smoothing, attended.bias))
        smoothing = seen.smoothing(number, "query_key_value", whole.weight)
        self._states_in = Quantiser(smoothing, top)
        self._query_key_value = QuantisedLinear(Pair(whole.weight * smoothing, whole.bias))
        smoothing = seen.smoothing(number, "inner", inner.weight)
        self._inner_in = Quantiser(smoothing, top)
        self._inner = QuantisedLinear(Pair(inner.weight * smoothing, inner.bias), plan.activation)
        self._outer = QuantisedLinear(weights.outer)
        self._attended_norm = Norm(weights.attended_norm, plan.epsilon)
        self._outer_norm = Norm(weights.outer_norm, plan.epsilon)
        self.fit(seen)

    def fit(self, seen: Seen) -> None:
        """Finds the scales of what enters the linears."""
        number = self._number
        self._query_key_value.scale = self._states_in.fit(seen.values(number, "query_key_value"))
        self._attended.scale = self._attended_in.fit(seen.values(number, "attended") / self._smoothing)
        self._inner.scale = self._inner_in.fit(seen.values(number, "inner"))
        self._outer.scale = scale_of(seen.values(number, "outer"), self._top)

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
