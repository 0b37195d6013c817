"""Windows to batches of like length, read one after another with a check for stop before each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from app.core.errors import SpanlightError
from app.core.report import Progress, Report
from app.tasks.task import Arrays, ReadyModel
from app.tasks.windows import Window, pad, padding_id

ItemT = TypeVar("ItemT")

# A CPU's kernels are compiled and kept for every length that occurs: with few lengths, memory stays bounded.
_LENGTHS_OF = 16


def batch_size(model: ReadyModel) -> int:
    """How many windows are read at once: few on a CPU, whose caches they share, more on a GPU."""
    return 8 if model.device.device == "cpu" else 32


def padded_length(window: Window) -> int:
    """The length that a window is padded to: the next multiple of 16.

    A window's logits in bfloat16 depend on it, in the second decimal. It is the window's own, so that they do not
    depend on what else is read.
    """
    return -(-len(window) // _LENGTHS_OF) * _LENGTHS_OF


def by_length(items: Iterable[ItemT], window: Callable[[ItemT], Window], size: int) -> Iterator[list[ItemT]]:
    """Batches of at most `size` items whose windows are padded to the same length.

    Eight batches' worth of items is held to choose from: where there is no full batch of one length, those that have
    waited longest go first.
    """
    source = iter(items)
    held: dict[int, list[ItemT]] = {}
    while True:
        for item in islice(source, 8 * size - sum(map(len, held.values()))):
            held.setdefault(padded_length(window(item)), []).append(item)
        if not held:
            return
        length = next((each for each, waiting in held.items() if len(waiting) >= size), next(iter(held)))
        waiting = held.pop(length)
        if len(waiting) > size:
            held[length] = waiting[size:]
        yield waiting[:size]


def few_first(items: Iterable[ItemT], window: Callable[[ItemT], Window], size: int) -> Iterator[list[ItemT]]:
    """Batches as of `by_length`, which come of two items first, then of twice as many, and so on.

    So the first of them need not wait for more to be made.
    """
    source = iter(items)
    few = 2
    while few < 8 * size and (some := list(islice(source, few))):
        yield from by_length(some, window, size)
        few *= 2
    yield from by_length(source, window, size)


class Runner:
    """Runs batches of windows through a model, and stops before one where the work is to stop."""

    def __init__(self, model: ReadyModel, report: Report) -> None:
        self._model = model
        self._report = report
        self._pad_id = padding_id(model.tokenizer)

    def __call__(self, windows: list[Window]) -> tuple[Arrays, float]:
        """The model's arrays for a batch, and the seconds it took; raises Stopped when the work is to stop."""
        self._report.check()
        started = time.perf_counter()
        arrays = self._model.forward(pad(windows, self._pad_id, self._least(windows)))
        return arrays, time.perf_counter() - started

    def _least(self, windows: list[Window]) -> int:
        return min(max(map(padded_length, windows)), self._model.card.max_length)


def require_finite(finite: bool, model: ReadyModel) -> None:
    """Raises SpanlightError when a model's output holds what is not a number."""
    if not finite:
        raise SpanlightError(
            f"The model {model.card.name} gave values that are not numbers.",
            "Its weights may be damaged: choose another model, or install this one again.",
        )


class Pace:
    """When to tell of progress, and how much time is left at the pace so far."""

    def __init__(self, report: Report, what: str, every: float = 0.1) -> None:
        self._report = report
        self._what = what
        self._every = every
        self._started = time.perf_counter()
        self._told = -1.0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    def due(self) -> bool:
        """Whether it is time to tell again."""
        return self._told < 0 or self.seconds - self._told >= self._every

    def tell(self, done: int, total: int) -> None:
        """Says how far the work has come."""
        self._told = self.seconds
        left = self.seconds / done * max(0, total - done) if done and self.seconds > 0.5 else None
        self._report.progress(Progress(done, total, self._what, left))
