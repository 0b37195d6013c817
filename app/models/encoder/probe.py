"""Tests whether oneDNN's packed linears may be used on this machine, before a model is computed with them.

The operators are private to PyTorch: a release may drop or change them, or refuse a dtype on some processor. So they
must first give the results of PyTorch's own linear, on random matrices of the model's sizes, and take no longer. The
outcome is cached for the process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import lru_cache

import torch

from app.models.encoder.linears import Linear, PackedLinear, PlainLinear
from app.models.encoder.reading import Affine, Reader

_log = logging.getLogger(__name__)

MakeLinear = Callable[[Affine, str], Linear]
# Enough rows to be worth several threads; first tries are slower, so the best of several counts.
_TOKENS, _TRIES = 64, 5
# How far a result may be off, in standard deviations of the results: a few roundings of the dtype.
_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 0.03, torch.float16: 0.004}


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
