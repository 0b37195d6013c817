"""Linears in int8 for a screen: unsigned activations times signed weights, packed for oneDNN.

Weights are symmetric with a scale for each output, activations affine with one scale for all. Where the CPU has
instructions for dot products of bytes (VNNI), such a product takes a quarter of float32's time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from app.models.encoder.linears import FUSED
from app.models.encoder.reading import Pair

# The highest weight, and the highest level of an activation.
WEIGHT, LEVEL = 127, 255


@dataclass(frozen=True, slots=True)
class Scale:
    """How activations are quantised: `step` is the distance of two levels, `zero` the level that stands for 0."""

    step: float = 1.0
    zero: int = 0


class QuantisedLinear:
    """A linear with an activation behind it, or none; `scale` is its input's, and may be changed.

    Private operators of PyTorch, only to be used where `screen_probe` found them right.
    """

    def __init__(self, pair: Pair, activation: str = "") -> None:
        self._ops: Any = torch.ops.onednn
        self._steps = (pair.weight.abs().amax(1) / WEIGHT).clamp_(min=1e-12)
        whole = (pair.weight / self._steps[:, None]).round_().clamp_(-WEIGHT, WEIGHT).to(torch.int8)
        self._weight = self._ops.qlinear_prepack(whole, None)
        self._zeros = torch.zeros(len(self._steps), dtype=torch.int32)
        self._bias = pair.bias.clone()
        self._name, self._algorithm = FUSED[activation]
        self.scale = Scale()

    def __call__(self, levels: Tensor) -> Tensor:
        """The product in float32, [tokens, out], of quantised activations uint8[tokens, in]."""
        return self._run(levels, Scale(), torch.float32)

    def quantised(self, levels: Tensor, scale: Scale) -> Tensor:
        """The product, and the activation of it, as levels of another scale: for a linear that follows at once."""
        return self._run(levels, scale, torch.uint8)

    def added(self, levels: Tensor, residual: Tensor) -> Tensor:
        """The product with a residual added; it takes the residual's memory."""
        ours = self.scale.step, self.scale.zero, self._weight, self._steps, self._zeros
        then: tuple[Any, ...] = 1.0, 0, torch.float32, 1.0, 0, "sum", 1.0, "none", [], ""
        found: Tensor = self._ops.qlinear_pointwise.binary(levels, *ours, residual, self._bias, *then)
        return found

    def tensors(self) -> tuple[Tensor, ...]:
        """Its weights in memory."""
        return self._weight, self._steps, self._zeros, self._bias

    def _run(self, levels: Tensor, scale: Scale, dtype: torch.dtype) -> Tensor:
        ours = self.scale.step, self.scale.zero, self._weight, self._steps, self._zeros, self._bias
        then: tuple[Any, ...] = scale.step, scale.zero, dtype, self._name, [], self._algorithm
        found: Tensor = self._ops.qlinear_pointwise(levels, *ours, *then)
        return found


class Quantiser:
    """Turns activations into levels, each channel less its own middle and divided by its own number first.

    `smoothing` are the numbers, by which the linear's weights were multiplied: channels that are far larger than all
    others would take the levels from them (SmoothQuant, Xiao et al. 2023, section 4). The middles' product with the
    weights is in the linear's bias. Both cost nothing here. `top` is the highest level.
    """

    def __init__(self, middle: Tensor, smoothing: Tensor, top: int) -> None:
        self._middle, self._smoothing, self._top = middle, smoothing, top
        self._factor = self._shift = torch.zeros_like(smoothing)

    def fit(self, values: Tensor) -> Scale:
        """Finds the scale for values like these, float32[tokens, channels], and uses it."""
        scale = scale_of((values - self._middle) / self._smoothing, self._top)
        self._factor = 1 / (self._smoothing * scale.step)
        self._shift = scale.zero + 0.5 - self._middle * self._factor  # with a half, cutting off rounds
        return scale

    def __call__(self, states: Tensor) -> Tensor:
        """Levels, uint8[tokens, channels], of float32 states."""
        levels = torch.addcmul(self._shift, states, self._factor).clamp_(0, self._top)
        # To bytes at once takes three times as long: 80 µs for 384 tokens, by way of 16 bits 23.
        return levels.to(torch.int16).to(torch.uint8)


def scale_of(values: Tensor, top: int) -> Scale:
    """The scale for values like these that errs least by the squares; what lies outside of it is cut off.

    Its range is theirs or a part of it: finer levels for all may be worth more than a few large values.
    """
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    best, least = Scale(), float("inf")
    for part in (1.0, 0.9, 0.8, 0.7, 0.6):
        step = max(part * (high - low) / top, 1e-12)
        scale = Scale(step, min(top, max(0, round(-part * low / step))))
        levels = (values / step + scale.zero).round_().clamp_(0, top)
        error = float((levels.sub_(scale.zero).mul_(step) - values).square_().mean())
        if error < least:
            best, least = scale, error
    return best
