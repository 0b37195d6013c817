"""A model opened for inspection: its modules' inputs and outputs, and what its scores are based on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch

from app.core.inside import HeadPicture, ModuleRow, Stage
from app.core.models import Head, ModelCard
from app.models.compute.forward import Arrays, Forward
from app.models.families import Family
from app.models.inside.gradients import Score, Shares
from app.models.inside.heads import heads
from app.models.inside.pooling import Pooled, pooling
from app.models.inside.stages import Weights
from app.models.inside.trace import Trace, traced
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
        """The stages up to the heads, with the shapes recorded while the model ran once on these arrays, and every head
        of the model's family, the one in use first; the others' modules are built and run to get their shapes.
        """
        trace, weights = self._trace(arrays), Weights()
        shared = trunk(trace, weights)  # counts its weights first: a head has what is left
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

    def pooling(self, arrays: Arrays) -> Pooled:
        """The first token's state and the pooled output on these arrays."""
        return pooling(self._trace(arrays))

    def _trace(self, arrays: Arrays) -> Trace:
        return traced(self._model, lambda: self._forward(arrays))

    @property
    def layers(self) -> int:
        """How many encoder layers run one after another."""
        return int(self._model.config.num_hidden_layers)

    def attention(self, arrays: Arrays, layer: int) -> np.ndarray:
        """Attention weights of layer number `layer` (from 0), float32[heads, length, length] of the first row.

        A row of the last two dimensions is one token's attention to each, and sums to 1 (Vaswani et al. 2017, section
        3.2.1). A model whose layers share their weights (ALBERT) has as many layers as it runs. Raises ValueError if
        there is no such layer, or the model's attention does not return its weights (it must be eager).
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
            # A class without a problem type in its config stores the one it infers from the first labels there.
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
        """A score attributed to the tokens: float64[length], the score, the baseline's (0 without steps), steps.

        By integrated gradients in `steps` steps, or by gradient × input with 0. The tokens marked in
        `special_tokens_mask` stay unchanged in the baseline. `on_step` is called with the steps done and all.
        """
        positions = arrays.get("positions")
        if positions is not None:
            # Each place costs scores of the whole vocabulary at every step: only those used are computed.
            used = sorted({place for _, (place, *_), _ in score})
            positions = positions[:, used]
            score = [(name, (used.index(place), *at), weight) for name, (place, *at), weight in score]

        def outputs(tensors: dict[str, Any]) -> dict[str, Any]:
            rows = len(tensors["input_ids"])
            return self._forward.outputs(tensors, None if positions is None else positions.repeat(rows, 0))

        unchanged = arrays["special_tokens_mask"][0] > 0

        def found() -> Shares:
            tensors, room = self._forward.tensors(arrays), self._forward.room
            return Shares(self._model, tensors, outputs, score, unchanged, on_step, room)

        if steps:
            return found().integrated(steps)
        return self._with_room(arrays, lambda: (*found().gradient_input(), 0.0, 1))

    def _with_room(self, arrays: Arrays, compute: Callable[[], T]) -> T:
        """The result of `compute` for one input; raises OutOfMemory, with the input's length, if it does not fit."""
        return self._forward.room.one_input(arrays["input_ids"].shape[1], compute)
