"""The linears of an encoder's layers: PyTorch's own, or packed once for oneDNN with the following operation fused in.

Packing saves oneDNN from reordering a weight at each product; the fused GELU or residual is computed while a product's
results are in the cache.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from app.models.encoder.reading import Affine, Reader

# By the activation's name: oneDNN's name and algorithm, and PyTorch's function.
_FUSED = {"": ("none", ""), "gelu": ("gelu", "none"), "gelu_tanh": ("gelu", "tanh"), "relu": ("relu", "")}
_PLAIN: dict[str, Any] = {
    "": lambda values: values,
    "gelu": functional.gelu,
    "gelu_tanh": lambda values: functional.gelu(values, approximate="tanh"),
    "relu": torch.relu_,
}
# Enough rows to be worth several threads; first tries are slower, so the best of several counts.
_TOKENS, _TRIES = 64, 5
# How far a result may be off, in standard deviations of the results: a few roundings of the dtype.
_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 0.03, torch.float16: 0.004}

_log = logging.getLogger(__name__)


class PlainLinear:
    """PyTorch's own linear on [tokens, width], followed by an activation or none."""

    def __init__(self, affine: Affine, activation: str = "") -> None:
        self._weight, self._bias, self._activation = affine.weight, affine.bias, _PLAIN[activation]

    def __call__(self, states: Tensor) -> Tensor:
        """The linear's product, after the activation."""
        found: Tensor = self._activation(functional.linear(states, self._weight, self._bias))
        return found

    def added(self, states: Tensor, residual: Tensor) -> Tensor:
        """The linear's product plus a residual; for a linear without an activation.

        A residual of a wider dtype than the states is overwritten, and the sum has its dtype.
        """
        found = functional.linear(states, self._weight, self._bias)
        return found.add_(residual) if residual.dtype == found.dtype else residual.add_(found)


class PackedLinear:
    """A linear packed for oneDNN by PyTorch's private operators, used only after `linears_for` checked these."""

    def __init__(self, affine: Affine, activation: str = "") -> None:
        self._ops: Any = torch.ops.mkldnn
        self._weight = self._ops._reorder_linear_weight(affine.weight)
        self._bias = affine.bias
        self._name, self._algorithm = _FUSED[activation]

    def __call__(self, states: Tensor) -> Tensor:
        """See `PlainLinear`."""
        found: Tensor = self._ops._linear_pointwise(
            states, self._weight, self._bias, self._name, [], self._algorithm
        )
        return found

    def added(self, states: Tensor, residual: Tensor) -> Tensor:
        """See `PlainLinear`."""
        if residual.dtype != states.dtype:
            return residual.add_(self(states))
        found: Tensor = self._ops._linear_pointwise.binary(states, residual, self._weight, self._bias, "add")
        return found


Linear = PlainLinear | PackedLinear
MakeLinear = Callable[[Affine, str], Linear]


def linears_for(reader: Reader) -> MakeLinear:
    """The class of linears for what is read: packed ones on a CPU if they are right for its sizes and no slower."""
    config = reader.plan.config
    if reader.device != "cpu" or reader.dtype not in _TOLERANCE:
        return PlainLinear
    better = packed_is_better(reader.dtype, config.hidden, config.inner, reader.plan.activation)
    return PackedLinear if better else PlainLinear


@lru_cache(maxsize=64)
def packed_is_better(dtype: torch.dtype, hidden: int, inner: int, activation: str) -> bool:
    """Whether packed linears give right results and are no slower than PyTorch's; takes some milliseconds."""
    generator = torch.Generator().manual_seed(1)
    states = torch.randn(_TOKENS, hidden, generator=generator)
    first, second = _weights(inner, hidden, generator), _weights(hidden, inner, generator)
    try:
        with torch.inference_mode():
            exact = _feed_forward(PlainLinear, (first, second), activation)(states)
            pairs = (_converted(dtype, first), _converted(dtype, second))
            packed = _feed_forward(PackedLinear, pairs, activation)
            if not _is_near(packed(states.to(dtype)), exact, dtype):
                _log.info("packed linears give other numbers in %s: they are not used", dtype)
                return False
            plain = _feed_forward(PlainLinear, pairs, activation)
            return _is_no_slower(packed, plain, states.to(dtype))
    except (RuntimeError, AttributeError, TypeError) as error:
        _log.info("packed linears cannot be used in %s: %s", dtype, str(error)[:200])
        return False


def _converted(dtype: torch.dtype, affine: Affine) -> Affine:
    return Affine(affine.weight.to(dtype), affine.bias.to(dtype))


def _feed_forward(
    make: MakeLinear, pairs: tuple[Affine, Affine], activation: str
) -> Callable[[torch.Tensor], torch.Tensor]:
    """The feed-forward half of a layer, which uses both fused operations: an activation and a residual."""
    inner, outer = make(pairs[0], activation), make(pairs[1], "")
    return lambda states: outer.added(inner(states), states)


def _is_near(found: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype) -> bool:
    if found.dtype != dtype or found.shape != exact.shape:
        return False
    return bool((found.float() - exact).abs().max() <= _TOLERANCE[dtype] * exact.std())


def _is_no_slower(
    packed: Callable[[torch.Tensor], torch.Tensor],
    plain: Callable[[torch.Tensor], torch.Tensor],
    states: torch.Tensor,
) -> bool:
    """Whether the best time of `packed` is at most a tenth above that of `plain`; the two alternate."""
    best = [float("inf")] * 2
    for _ in range(_TRIES):
        for which, compute in enumerate((packed, plain)):
            began = time.perf_counter()
            compute(states)
            best[which] = min(best[which], time.perf_counter() - began)
    return best[0] <= 1.1 * best[1]


def _weights(outputs: int, inputs: int, generator: torch.Generator) -> Affine:
    weight = torch.randn(outputs, inputs, generator=generator) * inputs**-0.5
    return Affine(weight, torch.randn(outputs, generator=generator) * 0.1)
