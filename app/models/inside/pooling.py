"""The first token's state, the pooled output, and the pooled output computed by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from app.models.inside.heads import is_pooler
from app.models.inside.stages import activation, is_dropout
from app.models.inside.trace import Call, Trace, first_token

Vectors = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class Pooled:
    """The first token's last state, the pooled output, and the same computed by hand: float32[width] each.

    `path` is the name of the dense layer that takes the first token's state, `activation` the activation after it;
    without such a layer both are empty, as are the last two arrays. `is_pooler` is whether the layer is a pooler and
    not a head's own, `used` whether the scores depend on it.
    """

    first: np.ndarray
    pooled: np.ndarray
    recomputed: np.ndarray
    path: str
    activation: str
    is_pooler: bool
    used: bool


def pooling(trace: Trace) -> Pooled:
    """The first token's state in a run and the output of the layer that takes it, also computed by hand."""
    found = pooling_layer(trace)
    if found is None:
        none = np.zeros(0, dtype=np.float32)
        return Pooled(_numbers(trace.sequence[0, 0]), none, none, "", "", False, False)
    dense, activation_call = found
    used = any(call is dense for call in trace.path_to_logits())
    name = activation(activation_call) if activation_call is not None else ""
    return Pooled(*by_hand(trace, dense, activation_call), dense.path, name, is_pooler(dense, trace), used)


def pooling_layer(trace: Trace) -> tuple[Call, Call | None] | None:
    """The dense layer that takes the first token's state, and the activation after it; None if there is none."""
    calls = [call for call in trace.calls[trace.encoder_end :] if call.leaf]
    at = next((at for at, call in enumerate(calls) if first_token(call, trace.sequence)), None)
    if at is None:
        return None
    rest = iter(calls[at + 1 :])
    dense = next((call for call in rest if not is_dropout(call)), None)
    if dense is None or not isinstance(dense.module, nn.Linear):
        return None
    if any(one is dense.outs[0] for one in trace.logits):
        return None  # its output is the scores themselves
    activation_call = next((call for call in rest if any(one is dense.outs[0] for one in call.ins)), None)
    return dense, activation_call if activation_call is not None and activation(activation_call) else None


def by_hand(trace: Trace, dense: Call, activation_call: Call | None) -> Vectors:
    """The first token's state, the pooled output, and activation(W · first + b) computed in float64: float32[width]."""
    linear, pooled = dense.module, (activation_call or dense).outs[0][0]
    assert isinstance(linear, nn.Linear)
    first = trace.sequence[0, 0]
    with torch.inference_mode():
        found = linear.weight.detach().cpu().double() @ first.cpu().double()
        if linear.bias is not None:
            found = found + linear.bias.detach().cpu().double()
        if activation_call is not None and activation_call.recompute is not None:
            found = activation_call.recompute(found)
    return _numbers(first), _numbers(pooled), _numbers(found)


def _numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().float().cpu().numpy().copy()
