"""Forward and backward of a batch, on a CPU split over threads that each run their own part on one core.

Threads that share every operation wait for the slowest at each; two cores, one of which is busy with something else,
then do less than one. Parts of a batch synchronise only once a step. Gradients are added in the order of
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

from app.training.teacher import PREFIX, Teacher

_RANGE = 1 << 16  # of the random numbers


class Draws:
    """The random generator of all dropouts in one copy of a model; deterministic for a seed.

    torch's dropout draws each number by itself from one generator that all threads share and wait for: 12 ns a number
    on one core, a sixth of a step in float32. Drawing 16 random bits for each here takes 1.7 ns (Xeon, AVX512, torch
    2.13).
    """

    def __init__(self) -> None:
        self._bits = np.random.SFC64(0)

    def begin(self, *seed: int) -> None:
        """Seed the generator with these numbers, each 0 or more."""
        self._bits = np.random.SFC64(seed)

    def mask(self, shape: torch.Size, rate: float) -> Tensor:
        """A dropout mask, float32 of this shape: 0 with probability `rate` (to 1/65536), else scaled to the mean 1."""
        count = shape.numel()
        dropped = min(round(rate * _RANGE), _RANGE - 1)
        words = self._bits.random_raw((count + 3) // 4)
        bits = torch.from_numpy(words.view(np.int16)[:count])  # torch cannot compare unsigned ones
        mask = bits.ge(dropped - _RANGE // 2).to(torch.float32)
        return mask.mul_(_RANGE / (_RANGE - dropped)).view(shape)


class Dropout(nn.Module):
    """Zeroes each number with probability `p` while training (Srivastava et al. 2014), and scales the others up."""

    def __init__(self, p: float, draws: Draws) -> None:
        super().__init__()
        self.p, self.draws = p, draws

    def forward(self, hidden: Tensor) -> Tensor:
        """The masked and scaled numbers, in the shape and dtype given."""
        return hidden * self.draws.mask(hidden.shape, self.p).to(hidden.dtype) if self.training else hidden


def replace_dropouts(model: nn.Module) -> None:
    """Replace torch's dropouts in a model by ones that share a generator of the model's own; on the CPU only."""
    draws = Draws()
    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child) is nn.Dropout and child.p > 0:
                setattr(module, name, Dropout(child.p, draws))


def draws_of(model: nn.Module) -> Draws:
    """The generator that a model's dropouts share; an unused one for a model without any."""
    return next((m.draws for m in model.modules() if isinstance(m, Dropout)), Draws())


Arrays = dict[str, np.ndarray]
Loss = Callable[[Any, Tensor], Tensor]
Forward = Callable[[nn.Module, dict[str, Tensor]], Any]


class Workers:
    """Runs batches through a model on `device`, in `count` parts (one where count is 1).

    `loss` takes the model's output and the targets of a part. With `bfloat16` it computes in that: on a CPU with a copy
    of the weights, whose originals are updated in float32 (Micikevicius et al. 2018), on a GPU by autocast. `forward`
    runs the model on all arrays but the targets, where the model itself cannot take them. On a CPU the model's dropouts
    are replaced by faster ones. A `teacher`, moved to the same device and precision, reads each part in the thread that
    learns from it.
    """

    def __init__(
        self,
        model: nn.Module,
        device: str,
        loss: Loss,
        count: int = 1,
        bfloat16: bool = True,
        forward: Forward | None = None,
        teacher: Teacher | None = None,
    ) -> None:
        self._device = torch.device(device)
        self._loss = loss
        self._autocast = bfloat16 and self._device.type != "cpu"
        self._custom_forward = forward
        self._teacher = teacher
        if teacher:
            teacher.model.to(self._device, torch.bfloat16 if bfloat16 else torch.float32)
        if self._device.type == "cpu":
            replace_dropouts(model)
        self._weights = list(model.parameters())
        self._copied = bfloat16 and self._device.type == "cpu"
        self._stale = self._copied
        if self._copied:
            model = copy.deepcopy(model).bfloat16()
        self._models = [model, *(_twin(model) for _ in range(count - 1))]
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
        """Add the gradients of a batch's mean loss to the model's; returns that loss.

        Dropout is seeded with `seed`, numbers of 0 or more; on a GPU torch's own generator draws.
        """
        self._refresh()
        for i, (model, draws) in enumerate(zip(self._models, self._draws, strict=True)):
            model.train()
            draws.begin(*seed, i)
        parts = self._parts(batch)
        shares = [len(part["targets"]) / len(batch["targets"]) for part in parts]
        losses = self._run(
            self._learn, [(i, part, share) for i, (part, share) in enumerate(zip(parts, shares, strict=True))]
        )
        for others in self._parameters if self._copied else self._parameters[1:]:
            for mine, other in zip(self._weights, others, strict=True):
                if other.grad is not None:
                    fresh = other.grad.to(mine.dtype)
                    mine.grad = fresh if mine.grad is None else mine.grad.add_(fresh)
                    other.grad = None
        self.note_change()
        return sum(losses)

    def note_change(self) -> None:
        """Note that the model's weights were changed between two batches."""
        self._stale = self._copied

    def _refresh(self) -> None:
        """Update the bfloat16 copy of the weights after these were changed."""
        if self._stale:
            with torch.no_grad():
                for copied, weight in zip(self._parameters[0], self._weights, strict=True):
                    copied.copy_(weight)
            self._stale = False

    def outputs(self, batch: Arrays) -> list[Arrays]:
        """The model's logits for the parts of a batch, float32; parts and rows are in the order of the batch."""
        self._refresh()
        for model in self._models:
            model.eval()
        return self._run(self._outputs, list(enumerate(self._parts(batch))))

    def _parts(self, batch: Arrays) -> list[Arrays]:
        """A batch split into parts of similar size, in order; rows with the same number in `pairs` stay together."""
        count = min(len(self._models), len(batch["input_ids"]))
        pairs = batch.get("pairs", np.arange(len(batch["input_ids"])))
        begins = [part[0] for part in np.array_split(pairs, count)]
        cuts = np.unique(np.searchsorted(pairs, begins))[1:]
        split = {name: np.split(array, cuts) for name, array in batch.items()}
        return [{name: arrays[i] for name, arrays in split.items()} for i in range(len(cuts) + 1)]

    def _run(self, function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
        if self._pool is None:
            return [function(*job) for job in jobs]
        return [future.result() for future in [self._pool.submit(function, *job) for job in jobs]]

    def _tensors(self, part: Arrays) -> dict[str, Tensor]:
        return {n: torch.from_numpy(np.ascontiguousarray(a)).to(self._device) for n, a in part.items()}

    def _forward(self, index: int, part: dict[str, Tensor]) -> Any:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._autocast):
            if self._custom_forward is not None:
                return self._custom_forward(
                    self._models[index], {n: t for n, t in part.items() if n != "targets"}
                )
            return _run(self._models[index], part)

    def _learn(self, index: int, arrays: Arrays, share: float) -> float:
        part = self._tensors(arrays)
        output = self._forward(index, part)
        loss = self._loss(output, part["targets"])
        if self._teacher:
            with torch.no_grad():
                teacher_output = _run(self._teacher.model, part, PREFIX)
            loss = self._teacher.loss(loss, output, teacher_output, part["teacher_positions"])
        loss = loss * share
        loss.backward()
        return float(loss.detach())

    def _outputs(self, index: int, part: Arrays) -> Arrays:
        with torch.inference_mode():
            output = self._forward(index, self._tensors(part))
        return {k: v.float().cpu().numpy() for k, v in output.items() if k.endswith("logits")}


def _run(model: nn.Module, part: dict[str, Tensor], prefix: str = "") -> Any:
    """The model's output on those arrays of a part that it takes, whose names begin with `prefix` in the part."""
    taken = signature(model.forward).parameters
    names = ("input_ids", "attention_mask", "token_type_ids")
    return model(**{n: part[prefix + n] for n in names if n in taken and prefix + n in part})


def _one_core() -> None:
    torch.set_num_threads(1)


def _twin(model: nn.Module) -> nn.Module:
    """A copy of the model that shares its weights, but has gradients of its own."""
    twin = copy.deepcopy(model)
    for mine, its in zip(model.parameters(), twin.parameters(), strict=True):
        its.data = mine.data
    return twin
