"""The first token's state, the pooled output, and the pooled output computed by hand."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from app.core.inside import InputWindow, Pooling
from app.models.inside.heads import is_pooler
from app.models.inside.stages import activation, is_dropout
from app.models.inside.trace import Call, Trace, first_token


def pooling(trace: Trace) -> Pooling:
    """The first token's state in a run and the output of the layer that takes it, also computed by hand.

    The window and the model's name are left empty.
    """
    none = InputWindow(())
    found = pooling_layer(trace)
    if found is None:
        return Pooling(none, tuple(_numbers(trace.sequence[0, 0]).tolist()))
    dense, activation_call = found
    first, pooled, recomputed = by_hand(trace, dense, activation_call)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(pooled))
    return Pooling(
        none,
        tuple(first.tolist()),
        tuple(pooled.tolist()),
        tuple(recomputed.tolist()),
        path=dense.path,
        activation=activation(activation_call) if activation_call is not None else "",
        is_pooler=is_pooler(dense, trace),
        cosine=float(first @ pooled / max(lengths, 1e-30)),
        difference=float(np.abs(first - pooled).max()),
        error=float(np.abs(pooled - recomputed).max()),
        used=any(call is dense for call in trace.path_to_logits()),
    )


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


def by_hand(
    trace: Trace, dense: Call, activation_call: Call | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first token's state, the pooled output, and activation(W · first + b): float64[width] each."""
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
    """The values of a tensor as float32 has them, in float64."""
    return tensor.detach().float().cpu().numpy().astype(np.float64)
