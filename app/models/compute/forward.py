"""The forward pass of a loaded model, in batches that fit into its device's memory, and once more in float32."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head
from app.models.compute.faults import exhausted_device, is_out_of_memory, out_of_memory, ran_out
from app.models.compute.memory import computer, gpu, release

_log = logging.getLogger(__name__)
T = TypeVar("T")
Arrays = dict[str, np.ndarray]
OUTPUTS = {
    Head.QUESTION_ANSWERING: ("start_logits", "end_logits"),
    Head.CLASSIFICATION: ("logits",),
    Head.MASKED_WORDS: ("logits",),
    Head.NEXT_SENTENCE: ("logits",),
    Head.TOKEN_CLASSIFICATION: ("logits",),
    Head.EMBEDDINGS: ("embeddings",),
}
# The float32 weights are only loaded if this many times their bytes are free: Linux overcommits memory, and kills the
# process that then uses it.
_SPARE = 2


class Room:
    """The batch size that fits into a device's memory: halved when a batch does not fit, and remembered.

    `notify` is called once, with a sentence for the user, when batches first have to be smaller.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._tokens = 0
        self._notified = False
        self.notify: Callable[[str], None] = lambda _: None

    @property
    def tokens(self) -> int:
        """The most tokens of a batch, 0 as long as every batch fitted."""
        return self._tokens

    def rows(self, length: int, most: int) -> int:
        """How many of `most` inputs of `length` tokens make a batch, at least 1."""
        return min(most, max(1, self._tokens // length)) if self._tokens else most

    def in_batches(self, count: int, length: int, compute: Callable[[slice], T]) -> list[T]:
        """Compute `count` inputs of `length` tokens in slices that fit, and return the results in order.

        Raises OutOfMemory if a single input does not fit.
        """
        found: list[T] = []
        at = 0
        while at < count:
            rows = self.rows(length, count - at)
            try:
                found.append(compute(slice(at, at + rows)))
                at += rows
                continue
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                whose = exhausted_device(error)
            # Only out here, where the exception is gone, are the tensors freed that its traceback referred to.
            release(garbage=False)
            self._halve(rows, length, whose)
        return found

    def _halve(self, rows: int, length: int, whose: str) -> None:
        device = whose if whose == "cpu" else self._device
        if rows <= 1:
            raise out_of_memory(device, length)
        self._tokens = rows // 2 * length
        if not self._notified:
            self._notified = True
            self.notify(Message("{ran_out}: less is read at a time.", ran_out=ran_out(device)))


class MaskedPositions:
    """Selects the masked positions to predict: only their states reach the masked-words head.

    Logits of every token would take batch × length × vocabulary numbers, gigabytes for long windows. The head computes
    each token independently, so the logits at the selected positions are unchanged.
    """

    def __init__(self, head: Any) -> None:
        self._positions: np.ndarray | None = None
        head.register_forward_pre_hook(self._select)

    @contextmanager
    def selected(self, positions: np.ndarray) -> Iterator[None]:
        """Have the head see only these positions inside the context: int64[batch, n], -1 for none (zeros)."""
        self._positions = positions
        try:
            yield
        finally:
            self._positions = None

    def _select(self, _: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if self._positions is None:
            return inputs
        import torch

        states, *others = inputs
        positions = torch.from_numpy(np.ascontiguousarray(self._positions, dtype=np.int64)).to(states.device)
        rows = torch.arange(len(positions), device=states.device)[:, None]
        return states[rows, positions.clamp(min=0)] * (positions >= 0)[..., None], *others


class Forward:
    """The forward pass of a model: arrays in, logits out.

    A batch that does not fit into the device's memory is computed in smaller ones, and so are later batches: `room`
    remembers the size that fitted. `masked` is for a masked-words head that computes every position it is given.
    """

    def __init__(
        self, model: Any, head: Head, device: str, max_length: int, masked: MaskedPositions | None = None
    ) -> None:
        self._model, self._outputs, self._device, self._max_length = model, OUTPUTS[head], device, max_length
        self._masked = masked
        self.room = Room(device)
        types = int(getattr(model.config, "type_vocab_size", 0) or 0)
        self._sizes = {"input_ids": int(model.config.vocab_size)}
        if types > 1:  # with one token type, or none, transformers sets them itself
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
                Message("The tokenizer gave a token that the model does not know."),
                Message("Tokenizer and weights do not belong together: fetch a whole copy of this model."),
            )
        parts = self.room.in_batches(
            len(arrays["input_ids"]),
            length,
            lambda rows: self._compute({name: array[rows] for name, array in arrays.items()}),
        )
        return {name: np.concatenate([part[name] for part in parts]) for name in self._outputs}

    @property
    def size(self) -> int:
        """The bytes of the model's weights in memory; shared tensors count once."""
        own: int | None = getattr(self._model, "bytes", None)
        if own is not None:
            return own
        tensors = {one.data_ptr(): one for one in (*self._model.parameters(), *self._model.buffers())}
        return sum(one.nbytes for one in tensors.values())

    def tensors(self, arrays: Arrays) -> dict[str, Any]:
        """The arrays that are inputs of the model, as int64 tensors on its device."""
        return {name: self._tensor(arrays[name]) for name in ("attention_mask", *self._sizes)}

    def outputs(self, tensors: dict[str, Any], positions: np.ndarray | None = None) -> dict[str, Any]:
        """The head's outputs by name, float32 on the device; `positions` are those of masked words."""
        if positions is None:
            found = self._model(**tensors)
        elif self._masked is None:
            found = self._model(**tensors, positions=self._tensor(positions))
        else:
            with self._masked.selected(positions):
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


class PreciseForward:
    """The forward pass of a model in float32, for the few windows with near ties; loaded at its first call.

    On a CPU no layer's weights stay in memory: of 110 million, reading them again takes a quarter of a second, keeping
    them 390 MB. `load` returns the forward pass, None if it is not available; `weights` is how many are in memory at
    once, on `device`.
    """

    def __init__(self, load: Callable[[], Forward | None], weights: int, device: str) -> None:
        self._load, self._bytes, self._device = load, 4 * weights, device
        self._forward: Forward | None = None
        self._closed = False

    def __call__(self, arrays: Arrays) -> Arrays | None:
        """Logits of a batch, float32; None, from then on, if memory runs out or the weights are gone.

        Raises what the model's `check` raises.
        """
        if self._closed:
            return None
        try:
            if self._forward is None and self._has_room():
                self._forward = self._load()
            if self._forward is not None:
                return self._forward(arrays)
        except (SpanlightError, OSError) as error:
            # Logged without the traceback, which would keep tensors in memory.
            _log.warning("Near answers are not read in float32: %s", error)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            _log.warning("Near answers are not read in float32: %s", error)
        self.close()
        release(garbage=False)
        return None

    @property
    def size(self) -> int:
        """The bytes of the weights in memory, 0 as long as they were not needed."""
        return self._forward.size if self._forward is not None else 0

    def close(self) -> None:
        """Release the weights for good."""
        self._forward, self._closed = None, True

    def _has_room(self) -> bool:
        total, free = computer() if self._device == "cpu" else gpu(self._device)
        return not total or free >= _SPARE * self._bytes
