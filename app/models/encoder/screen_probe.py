"""Whether int8 linears may be used: tried on this machine before a screen is made of them.

The operators are private to PyTorch, so that they must first give what the same whole numbers give in float32. What
was found holds for the process.
"""

from __future__ import annotations

import logging
from functools import lru_cache

import torch
from torch import Tensor

from app.models.encoder.linears import PlainLinear
from app.models.encoder.reading import Pair
from app.models.encoder.screen_linears import LEVEL, WEIGHT, QuantisedLinear, Scale

_log = logging.getLogger(__name__)

# CPUs without VNNI add two products in 16 bits: those of 255 and 127 do not fit, those of 127 do.
_TOPS = (LEVEL, LEVEL // 2)
_TOKENS = 32


@lru_cache(maxsize=16)
def highest_level(hidden: int, inner: int, activation: str) -> int:
    """The highest level of activations that linears of these sizes are right for, 0 where int8 cannot be used."""
    try:
        with torch.inference_mode():
            return next((top for top in _TOPS if _is_right(hidden, inner, activation, top)), 0)
    except (RuntimeError, AttributeError, TypeError, ValueError) as error:
        _log.info("int8 linears cannot be used: %s", str(error)[:200])
        return 0


def _is_right(hidden: int, inner: int, activation: str, top: int) -> bool:
    """Whether a feed-forward network gives the right numbers, its sums as large as they come."""
    generator = torch.Generator().manual_seed(1)
    first, second = _weights(inner, hidden, generator), _weights(hidden, inner, generator)
    levels = torch.randint(0, top + 1, (_TOKENS, hidden), generator=generator)
    levels[::2] = top
    residual = torch.randn(_TOKENS, hidden, generator=generator)
    scale = Scale(4 / (top * hidden * WEIGHT), top // 3)
    states = (levels - scale.zero) * scale.step
    exact = PlainLinear(first, activation)(states)
    between = Scale(
        float(exact.max() - exact.min()) / top,
        round(-float(exact.min()) / (exact.max() - exact.min()).item() * top),
    )
    inner_linear, outer_linear = QuantisedLinear(first, activation), QuantisedLinear(second)
    inner_linear.scale, outer_linear.scale = scale, between
    found = inner_linear.quantised(levels.to(torch.uint8), between)
    if found.dtype != torch.uint8 or not _near(
        (found.float() - between.zero) * between.step, exact, 1.01 * between.step
    ):
        return False
    exact = PlainLinear(second)((found.float() - between.zero) * between.step)
    off = 1e-4 * float(exact.abs().max())
    return _near(outer_linear(found), exact, off) and _near(
        outer_linear.added(found, residual.clone()), exact + residual, off
    )


def _weights(outputs: int, inputs: int, generator: torch.Generator) -> Pair:
    """Whole numbers that stay themselves in int8; every second output takes the greatest of one sign."""
    weight = torch.randint(-WEIGHT, WEIGHT + 1, (outputs, inputs), generator=generator).float()
    weight[:, 0] = WEIGHT
    weight[::2] = WEIGHT
    return Pair(weight, torch.randn(outputs, generator=generator))


def _near(found: Tensor, exact: Tensor, off: float) -> bool:
    return found.shape == exact.shape and bool((found - exact).abs().max() <= off)
