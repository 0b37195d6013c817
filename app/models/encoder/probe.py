"""Whether oneDNN's packed linears may be used: tested on this machine before any model is computed with them.

The operators are private to PyTorch: a release may drop or change them, or refuse a dtype on some processor. So they
must first give the numbers of PyTorch's own linear, on random matrices of the model's sizes, and take no longer. The
result is cached for the process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import lru_cache

import torch

from app.models.encoder.linears import Linear, PackedLinear, PlainLinear
from app.models.encoder.reading import Pair

_log = logging.getLogger(__name__)

MakeLinear = Callable[[Pair, str], Linear]
# Enough rows to be worth the threads; the first of some tries is slower, so the best is taken.
_TOKENS, _TRIES = 64, 5
# How far a result may be off, in units of the results' standard deviation: some roundings of the dtype.
_OFF = {torch.float32: 1e-4, torch.bfloat16: 0.03, torch.float16: 0.004}


def linears_for(device: str, dtype: torch.dtype, hidden: int, inner: int, activation: str) -> MakeLinear:
    """The kind of linear for an encoder of these sizes: packed ones on a CPU if they are right and no slower."""
    if device != "cpu" or dtype not in _OFF:
        return PlainLinear
    return PackedLinear if packed_is_better(dtype, hidden, inner, activation) else PlainLinear


@lru_cache(maxsize=64)
def packed_is_better(dtype: torch.dtype, hidden: int, inner: int, activation: str) -> bool:
    """Whether packed linears give the right numbers and are no slower than PyTorch's; takes some milliseconds."""
    generator = torch.Generator().manual_seed(1)
    states = torch.randn(_TOKENS, hidden, generator=generator)
    first, second = _weights(inner, hidden, generator), _weights(hidden, inner, generator)
    try:
        with torch.inference_mode():
            exact = _feed_forward(PlainLinear, (first, second), activation)(states)
            pairs = (_in(dtype, first), _in(dtype, second))
            packed = _feed_forward(PackedLinear, pairs, activation)
            if not _is_near(packed(states.to(dtype)), exact, dtype):
                _log.info("packed linears give other numbers in %s: they are not used", dtype)
                return False
            plain = _feed_forward(PlainLinear, pairs, activation)
            return _is_no_slower(packed, plain, states.to(dtype))
    except (RuntimeError, AttributeError, TypeError) as error:
        _log.info("packed linears cannot be used in %s: %s", dtype, str(error)[:200])
        return False


def _in(dtype: torch.dtype, pair: Pair) -> Pair:
    return Pair(pair.weight.to(dtype), pair.bias.to(dtype))


def _feed_forward(
    make: MakeLinear, pairs: tuple[Pair, Pair], activation: str
) -> Callable[[torch.Tensor], torch.Tensor]:
    """The half of a layer that uses all fused operations: an activation, a residual."""
    inner, outer = make(pairs[0], activation), make(pairs[1], "")
    return lambda states: outer.added(inner(states), states)


def _is_near(found: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype) -> bool:
    if found.dtype != dtype or found.shape != exact.shape:
        return False
    return bool((found.float() - exact).abs().max() <= _OFF[dtype] * exact.std())


def _is_no_slower(
    packed: Callable[[torch.Tensor], torch.Tensor],
    plain: Callable[[torch.Tensor], torch.Tensor],
    states: torch.Tensor,
) -> bool:
    """Whether the best time of one is at most a tenth above the other's; in turn, as other programs run too."""
    best = [float("inf")] * 2
    for _ in range(_TRIES):
        for which, compute in enumerate((packed, plain)):
            began = time.perf_counter()
            compute(states)
            best[which] = min(best[which], time.perf_counter() - began)
    return best[0] <= 1.1 * best[1]


def _weights(outputs: int, inputs: int, generator: torch.Generator) -> Pair:
    weight = torch.randn(outputs, inputs, generator=generator) * inputs**-0.5
    return Pair(weight, torch.randn(outputs, generator=generator) * 0.1)
