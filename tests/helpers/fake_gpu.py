"""A GPU that is none: models run on the CPU, are told to be on cuda:0, and have as much memory as a test gives them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from app.core.models import DeviceChoice, Head, ModelCard
from app.engine import model_pool
from app.models.compute import device as devices
from app.models.compute.faults import out_of_memory
from app.models.compute.forward import Room
from app.models.compute.loader import Loaded, load

GPU = DeviceChoice("cuda:0", "float32", "a graphics card")
SAYS = {
    "cuda": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB."),
    "cpu": RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes."),
}


@dataclass
class FakeGpu:
    """What fits: `tokens` of a batch by device (all where it is not named), `models` at once on the GPU.

    `loads` names the devices that a model can be loaded onto. `breaks` is what the GPU says instead of computing.
    What was loaded where, and every batch that was computed or did not fit, is noted.
    """

    tokens: dict[str, int] = field(default_factory=dict)
    models: int | None = None
    loads: tuple[str, ...] = ("cuda", "cpu")
    breaks: str = ""
    loaded: list[str] = field(default_factory=list)
    batches: list[tuple[str, int, int]] = field(default_factory=list)
    refused: list[tuple[str, int, int]] = field(default_factory=list)
    alive: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    left: list[weakref.ref[Any]] = field(default_factory=list)

    def install(self, put: Callable[[object, str, Any], None] = setattr) -> FakeGpu:
        """Have the models of this process go by it; `put` sets an attribute, as monkeypatch's does."""
        put(model_pool.devices, "choose", self.choose)
        put(model_pool, "load", self.load)
        return self

    def choose(self, wanted: str, precision: str = "auto") -> DeviceChoice:
        if wanted == "cpu":
            return devices.cpu("chosen in the settings", precision)
        return GPU if precision == "auto" else replace(GPU, dtype=precision)

    def load(
        self, card: ModelCard, head: Head, device: DeviceChoice, check: Callable[[], None], *, opened: bool
    ) -> Loaded:
        kind = device.device.partition(":")[0]
        self.loaded.append(kind)
        full = kind == "cuda" and self.models is not None and len(self.alive) >= self.models
        if full or kind not in self.loads:
            raise out_of_memory(device.device)
        found = load(card, head, replace(device, device="cpu", dtype="float32"), check, opened=opened)
        model = found.forward._model  # type: ignore[attr-defined]
        if kind == "cuda":
            found.forward.room = Room(device.device)  # type: ignore[attr-defined]
            self.alive.add(model)
        if isinstance(model, torch.nn.Module):
            model.register_forward_pre_hook(lambda _, __, inputs: self._take(kind, inputs), with_kwargs=True)
        else:
            found.forward._model = Watched(model, lambda inputs: self._take(kind, inputs))  # type: ignore[attr-defined]
        return replace(found, device=device)

    def _take(self, kind: str, inputs: dict[str, Any]) -> None:
        rows, length = inputs["input_ids"].shape
        if kind == "cuda" and self.breaks:
            raise RuntimeError(self.breaks)
        # What an earlier batch left behind would fill the memory of a real one.
        assert not [tensor for tensor in self.left if tensor() is not None], (
            "tensors of a failed batch are held"
        )
        if rows * length <= self.tokens.get(kind, rows * length):
            self.batches.append((kind, rows, length))
            return
        self.refused.append((kind, rows, length))
        states = torch.zeros(rows, length)
        self.left = [weakref.ref(states)]
        raise type(SAYS[kind])(str(SAYS[kind]))


class Watched:
    """A model of the own encoder, whose inputs are shown before it computes them."""

    def __init__(self, model: Any, show: Callable[[dict[str, Any]], None]) -> None:
        self._model, self._show = model, show

    def __call__(self, **inputs: Any) -> Any:
        self._show(inputs)
        return self._model(**inputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
