"""The forward pass of a loaded model, in batches that its device's memory has room for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from app.core.errors import SpanlightError
from app.core.models import Head
from app.models.compute.memory import size_of
from app.models.compute.room import Room

Arrays = dict[str, np.ndarray]
OUTPUTS = {
    Head.QUESTION_ANSWERING: ("start_logits", "end_logits"),
    Head.CLASSIFICATION: ("logits",),
    Head.MASKED_WORDS: ("logits",),
    Head.NEXT_SENTENCE: ("logits",),
    Head.TOKEN_CLASSIFICATION: ("logits",),
}


class MaskedPositions:
    """The masked positions to predict: only their states reach the masked-words head.

    Logits of every token would take batch × length × vocabulary numbers, gigabytes for long windows. The head computes
    each token independently, so the logits of the chosen ones are unchanged.
    """

    def __init__(self, head: Any) -> None:
        self._positions: np.ndarray | None = None
        head.register_forward_pre_hook(self._choose)

    @contextmanager
    def chosen(self, positions: np.ndarray) -> Iterator[None]:
        """Have the head see these positions only: int64[batch, places], -1 for none, which sees zeros."""
        self._positions = positions
        try:
            yield
        finally:
            self._positions = None

    def _choose(self, _: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if self._positions is None:
            return inputs
        import torch

        states, *others = inputs
        places = torch.from_numpy(np.ascontiguousarray(self._positions, dtype=np.int64)).to(states.device)
        rows = torch.arange(len(places), device=states.device)[:, None]
        return states[rows, places.clamp(min=0)] * (places >= 0)[..., None], *others


class Forward:
    """The forward pass of a model: arrays in, logits out.

    A batch that does not fit into the device's memory is computed in smaller ones, and so are later ones: `room`
    remembers the size that fitted.
    """

    def __init__(
        self, model: Any, head: Head, device: str, max_length: int, places: MaskedPositions | None = None
    ) -> None:
        self._model, self._outputs, self._device, self._max_length = model, OUTPUTS[head], device, max_length
        self._places = places
        self.room = Room(device)
        types = int(getattr(model.config, "type_vocab_size", 0) or 0)
        self._sizes = {"input_ids": int(model.config.vocab_size)}
        if types > 1:  # with one token type, or none, transformers adds them by itself
            self._sizes["token_type_ids"] = types

    def __call__(self, arrays: Arrays) -> Arrays:
        """Logits of a batch, float32.

        Raises ValueError for an input longer than the model's limit or a position outside of it, SpanlightError for a
        token or token type without an embedding (from another model's tokenizer), OutOfMemory if not even one input
        fits into the device's memory.
        """
        length = arrays["input_ids"].shape[1]
        if length > self._max_length:
            raise ValueError(f"{length} tokens where the model reads {self._max_length}")
        if "positions" in arrays and arrays["positions"].max(initial=-1) >= length:
            raise ValueError(f"a position beyond the {length} tokens")
        if any(arrays[name].max(initial=0) >= size for name, size in self._sizes.items()):
            raise SpanlightError(
                "The tokenizer gave a token that the model does not know.",
                "Tokenizer and weights do not belong together: fetch a whole copy of this model.",
            )
        parts = self.room.pieces(
            len(arrays["input_ids"]),
            length,
            lambda rows: self._compute({name: array[rows] for name, array in arrays.items()}),
        )
        return {name: np.concatenate([part[name] for part in parts]) for name in self._outputs}

    @property
    def size(self) -> int:
        """The bytes of the model's parameters and buffers."""
        return size_of(self._model)

    def tensors(self, arrays: Arrays) -> dict[str, Any]:
        """The arrays that the model takes as inputs, int64 on its device."""
        return {name: self._tensor(arrays[name]) for name in ("attention_mask", *self._sizes)}

    def outputs(self, tensors: dict[str, Any], positions: np.ndarray | None = None) -> dict[str, Any]:
        """The head's outputs by name, float32 on the device; `positions` are those of masked words."""
        if positions is None:
            found = self._model(**tensors)
        elif self._places is None:
            found = self._model(**tensors, positions=self._tensor(positions))
        else:
            with self._places.chosen(positions):
                found = self._model(**tensors)
        return {name: found[name].float() for name in self._outputs}

    def _tensor(self, array: np.ndarray) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(array, dtype=np.int64)).to(self._device)

    def _compute(self, arrays: Arrays) -> Arrays:
        import torch

        with torch.inference_mode():
            found = self.outputs(self.tensors(arrays), arrays.get("positions"))
            return {name: values.cpu().numpy() for name, values in found.items()}
