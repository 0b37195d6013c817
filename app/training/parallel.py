"""Forward and backward of a batch, on a CPU split over threads that each run their own part on one core.

Threads that share every single operation wait for the slowest at each; two cores of which one is also wanted by
something else then do less than one. Parts of a batch meet only once a step. Gradients are added in the order of
the parts, so a run gives the same weights bit by bit each time.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from types import TracebackType
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from app.training.dropout import draws_of, give_own_draws

Arrays = dict[str, np.ndarray]
Loss = Callable[[Any, Tensor], Tensor]
Forward = Callable[[nn.Module, dict[str, Tensor]], Any]


class Workers:
    """Runs batches through a model on `device`, in `count` parts (one where count is 1).

    `loss` takes the model's output and the targets of a part. `autocast` runs matrix products in bf16. `forward`
    runs the model on all arrays but the targets, where the model itself does not take them. On a CPU the model's
    dropouts are exchanged for quicker ones.
    """

    def __init__(
        self,
        model: nn.Module,
        device: str,
        loss: Loss,
        count: int = 1,
        autocast: bool = True,
        forward: Forward | None = None,
    ) -> None:
        self._device = torch.device(device)
        self._loss = loss
        self._autocast = autocast
        self._way = forward
        if self._device.type == "cpu":
            give_own_draws(model)
        self._models = [model, *(_twin(model) for _ in range(count - 1))]
        taken = signature(model.forward).parameters
        self._inputs = [n for n in ("input_ids", "attention_mask", "token_type_ids") if n in taken]
        self._parameters = [list(m.parameters()) for m in self._models]
        self._draws = [draws_of(m) for m in self._models]
        self._pool = ThreadPoolExecutor(count, initializer=_one_core) if count > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def learn(self, batch: Arrays, *seed: int) -> float:
        """Adds the gradients of a batch's mean loss to the model's, and returns that loss.

        Dropout draws from `seed`, numbers of 0 or more; on a GPU from torch's own generator.
        """
        for i, (model, draws) in enumerate(zip(self._models, self._draws, strict=True)):
            model.train()
            draws.begin(*seed, i)
        parts = self._parts(batch)
        shares = [len(part["targets"]) / len(batch["targets"]) for part in parts]
        losses = self._run(
            self._learn, [(i, part, share) for i, (part, share) in enumerate(zip(parts, shares, strict=True))]
        )
        for others in self._parameters[1:]:
            for mine, other in zip(self._parameters[0], others, strict=True):
                if other.grad is not None:
                    mine.grad = other.grad if mine.grad is None else mine.grad.add_(other.grad)
                    other.grad = None
        return sum(losses)

    def outputs(self, batch: Arrays) -> list[Arrays]:
        """The model's logits for each part of a batch, float32, in order; parts keep the order of the rows."""
        for model in self._models:
            model.eval()
        return self._run(self._outputs, list(enumerate(self._parts(batch, strided=False))))

    def _parts(self, batch: Arrays, strided: bool = True) -> list[Arrays]:
        count = min(len(self._models), len(batch["input_ids"]))
        if strided:
            return [{name: array[i::count] for name, array in batch.items()} for i in range(count)]
        split = {name: np.array_split(array, count) for name, array in batch.items()}
        return [{name: arrays[i] for name, arrays in split.items()} for i in range(count)]

    def _run(self, function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
        if self._pool is None:
            return [function(*job) for job in jobs]
        return [future.result() for future in [self._pool.submit(function, *job) for job in jobs]]

    def _forward(self, index: int, part: Arrays) -> Any:
        inputs = {
            name: torch.from_numpy(np.ascontiguousarray(array)).to(self._device)
            for name, array in part.items()
            if (name in self._inputs if self._way is None else name != "targets")
        }
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._autocast):
            if self._way is not None:
                return self._way(self._models[index], inputs)
            return self._models[index](**inputs)

    def _learn(self, index: int, part: Arrays, share: float) -> float:
        targets = torch.from_numpy(np.ascontiguousarray(part["targets"])).to(self._device)
        loss = self._loss(self._forward(index, part), targets) * share
        loss.backward()
        return float(loss.detach())

    def _outputs(self, index: int, part: Arrays) -> Arrays:
        with torch.inference_mode():
            output = self._forward(index, part)
        return {k: v.float().cpu().numpy() for k, v in output.items() if k.endswith("logits")}


def _one_core() -> None:
    torch.set_num_threads(1)


def _twin(model: nn.Module) -> nn.Module:
    """A copy that shares the weights, but has its own gradients."""
    twin = copy.deepcopy(model)
    for mine, its in zip(model.parameters(), twin.parameters(), strict=True):
        its.data = mine.data
    return twin
