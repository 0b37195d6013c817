"""The linears of an encoder's layers: PyTorch's own, or packed once for oneDNN with the following operation fused in.

Packing saves oneDNN from reordering a weight at each product; the fused GELU or residual is computed while a product's
results are in the cache.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from app.models.encoder.reading import Affine

# By the activation's name: oneDNN's name and algorithm, and PyTorch's function.
_FUSED = {"": ("none", ""), "gelu": ("gelu", "none"), "gelu_tanh": ("gelu", "tanh"), "relu": ("relu", "")}
_PLAIN: dict[str, Any] = {
    "": lambda values: values,
    "gelu": functional.gelu,
    "gelu_tanh": lambda values: functional.gelu(values, approximate="tanh"),
    "relu": torch.relu_,
}


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
    """A linear packed for oneDNN by PyTorch's private operators, to be used only after `probe` has checked these."""

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
