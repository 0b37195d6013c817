"""A model opened for inspection: its stages and modules, its attention, and the attribution of its scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from app.core.inside import HeadPicture, InputWindow, ModuleRow, Pooling, Stage
from app.core.models import Head, ModelCard
from app.models.compute.forward import Arrays, Forward
from app.models.families import Family
from app.models.inside.gradients import Attributor, Score
from app.models.inside.heads import heads, is_pooler
from app.models.inside.stages import WeightCounter, activation, is_dropout
from app.models.inside.trace import Call, Trace, first_token, recorded
from app.models.inside.trunk import trunk

T = TypeVar("T")


class Inside:
    """One head's model, opened: float32 with eager attention, on any device; see `app.tasks.task.Inside`.

    `forward` is the model's forward pass from arrays to arrays.
    """

    def __init__(self, model: Any, family: Family, head: Head, card: ModelCard, forward: Forward) -> None:
        self._model, self._family, self._head, self._card = model, family, head, card
        self._forward = forward

    def stages(self, arrays: Arrays) -> tuple[tuple[Stage, ...], tuple[HeadPicture, ...]]:
        """The stages up to the heads, recorded while the model ran on these arrays; and the heads of the family.

        The head in use is first; the others are built without weights and run to get their shapes.
        """
        trace, weights = self._trace(arrays), WeightCounter()
        shared = trunk(trace, weights)  # counts its weights first: a head has the rest
        return shared, heads(trace, self._head, self._card, self._family, weights)

    def modules(self) -> tuple[tuple[ModuleRow, ...], str]:
        """Every module in the order of `print(model)`, and that text; a row counts all weights at and below it."""
        rows = []
        for path, module in self._model.named_modules(remove_duplicate=False):
            parts = path.split(".") if path else []
            name, kind = parts[-1] if parts else "", type(module).__name__
            count = sum(one.numel() for one in module.parameters())
            rows.append(ModuleRow(len(parts), path, name, kind, module.extra_repr(), count))
        return tuple(rows), str(self._model)

    def pooling(self, arrays: Arrays) -> Pooling:
        """The first token's state and the pooled output on these arrays; without the window and the model's name."""
        return pooling(self._trace(arrays))

    def _trace(self, arrays: Arrays) -> Trace:
        return recorded(self._model, lambda: self._forward(arrays))

    @property
    def layers(self) -> int:
        """The number of encoder layers that run one after another."""
        return int(self._model.config.num_hidden_layers)

    def attention(self, arrays: Arrays, layer: int) -> np.ndarray:
        """The attention weights of a layer, counted from 0, for the first input: float32[heads, length, length].

        Each row is one token's attention to all tokens, and sums to 1 (Vaswani et al. 2017, section 3.2.1). A model
        whose layers share their weights (ALBERT) has as many layers as it runs. Raises ValueError if there is no such
        layer, or the model's attention does not return its weights (it must be eager).
        """

        def compute() -> np.ndarray:
            with torch.inference_mode():
                found = self._model(**self._forward.tensors(arrays), output_attentions=True).attentions
            if not found or found[0] is None:
                raise ValueError("attention weights need eager attention")
            if not 0 <= layer < len(found):
                raise ValueError(f"layer {layer} of {len(found)}")
            weights: np.ndarray = found[layer][0].float().cpu().numpy()
            return weights

        return self._with_room(arrays, compute)

    def loss(self, arrays: Arrays, labels: Arrays) -> float:
        """The loss of the model's own class for these labels, named as in its forward; may be NaN.

        Integers and floats keep their dtype: transformers distinguishes classes from values by it.
        """

        def compute() -> float:
            tensors = self._forward.tensors(arrays)
            targets = {
                name: torch.from_numpy(np.asarray(values)).to(tensors["input_ids"].device)
                for name, values in labels.items()
            }
            # Without a problem type in its config, a class stores there the one that it infers from the first labels.
            problem_type = getattr(self._model.config, "problem_type", None)
            try:
                with torch.inference_mode():
                    return float(self._model(**tensors, **targets).loss)
            finally:
                self._model.config.problem_type = problem_type

        return self._with_room(arrays, compute)

    def shares(
        self, arrays: Arrays, score: Score, steps: int, on_step: Callable[[int, int], None]
    ) -> tuple[np.ndarray, float, float, int]:
        """Attribute a score to the tokens: shares float64[length], the score, the baseline's score, the steps taken.

        By integrated gradients in `steps` steps, or with 0 by gradient × input, where the baseline's score is 0. The
        tokens marked in `special_tokens_mask` stay unchanged in the baseline. `on_step` is called with the numbers of
        steps done and of all.
        """
        positions = arrays.get("positions")
        if positions is not None:
            # Each position costs logits of the whole vocabulary at every step: only those used are computed.
            used = sorted({position for _, (position, *_), _ in score})
            positions = positions[:, used]
            score = [(name, (used.index(first), *rest), weight) for name, (first, *rest), weight in score]

        def outputs(tensors: dict[str, Any]) -> dict[str, Any]:
            rows = len(tensors["input_ids"])
            return self._forward.outputs(tensors, None if positions is None else positions.repeat(rows, 0))

        unchanged = arrays["special_tokens_mask"][0] > 0

        def attributor() -> Attributor:
            tensors, room = self._forward.tensors(arrays), self._forward.room
            return Attributor(self._model, tensors, outputs, score, unchanged, on_step, room)

        if steps:
            return attributor().integrated(steps)
        return self._with_room(arrays, lambda: (*attributor().gradient_input(), 0.0, 1))

    def _with_room(self, arrays: Arrays, compute: Callable[[], T]) -> T:
        """The result of `compute` for one input; raises OutOfMemory, with the input's length, if it does not fit."""
        return self._forward.room.in_batches(1, arrays["input_ids"].shape[1], lambda _: compute())[0]


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
