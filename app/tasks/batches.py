"""Runs a model on batches of windows of similar length, checks for a stop before each, and reports progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report
from app.tasks.task import Arrays, ReadyModel
from app.tasks.text.windows import Inputs, pad, padding_id

ItemT = TypeVar("ItemT")

# Batches have multiples of this length: on a CPU kernels are compiled and cached for every length that occurs, and with
# few lengths memory stays bounded.
_LENGTH_STEP = 16
# A batch of short inputs has at least so many tokens: smaller products leave cores idle.
_LEAST_TOKENS = 1024


def batch_size(model: ReadyModel) -> int:
    """The number of windows in a batch: few on a CPU, whose caches they share, more on a GPU."""
    return 8 if model.device.device == "cpu" else 32


def group_size(model: ReadyModel) -> int:
    """The number of neighbouring windows of a long text in a batch: few, so that the first are soon read."""
    return 4 if model.device.device == "cpu" else 32


def in_groups(items: Iterable[ItemT], size: int) -> Iterator[list[ItemT]]:
    """The items in lists of at most `size`, in their order, consumed lazily."""
    source = iter(items)
    while group := list(islice(source, size)):
        yield group


def by_length(items: Iterable[ItemT], window: Callable[[ItemT], Inputs], size: int) -> Iterator[list[ItemT]]:
    """Batches of at most `size` items, more where they are short, sorted by length within buffers of eight batches."""
    for buffer in in_groups(items, 8 * size):
        buffer.sort(key=lambda item: len(window(item)), reverse=True)
        start = 0
        while start < len(buffer):
            count = max(size, _LEAST_TOKENS // max(1, len(window(buffer[start]))))
            yield buffer[start : start + count]
            start += count


class Runner:
    """Runs batches of windows through a model."""

    def __init__(self, model: ReadyModel, report: Report) -> None:
        self._model = model
        self._report = report
        self._pad_id = padding_id(model.tokenizer)

    def __call__(self, windows: Sequence[Inputs], more: Arrays | None = None) -> tuple[Arrays, float]:
        """The model's output arrays for a batch, and the seconds it took; raises Stopped when the work is to stop.

        `more` are input arrays besides those of the windows.
        """
        self._report.check()
        started = time.perf_counter()
        arrays = self._model.forward(self.inputs(windows) | (more or {}))
        return arrays, time.perf_counter() - started

    def inputs(self, windows: Sequence[Inputs]) -> Arrays:
        """The model's input arrays for a batch of windows."""
        longest = max(map(len, windows))
        least = min(-(-longest // _LENGTH_STEP) * _LENGTH_STEP, self._model.card.max_length)
        return pad(windows, self._pad_id, least)


def positions_of(rows: Sequence[Sequence[int] | np.ndarray]) -> Arrays:
    """The input array `positions` of a masked-word head, from those of each row: int64[rows, m], padded with -1."""
    positions = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int64)
    for padded, row in zip(positions, rows, strict=True):
        padded[: len(row)] = row
    return {"positions": positions}


def require_finite(model: ReadyModel, *outputs: np.ndarray) -> None:
    """Raise SpanlightError where a model's outputs are not all finite."""
    if not all(np.isfinite(values).all() for values in outputs):
        raise SpanlightError(
            Message("The model {name} gave values that are not numbers.", name=model.card.name),
            Message("Its weights may be damaged: choose another model, or install this one again."),
        )


class Pace:
    """Reports progress, with the time left at the pace so far; `due` tells when, ten times a second."""

    def __init__(self, report: Report, what: str) -> None:
        self._report = report
        self._what = what
        self._started = time.perf_counter()
        self._reported_at = -1.0

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.perf_counter() - self._started

    def due(self) -> bool:
        """Whether it is time for the next report."""
        return self._reported_at < 0 or self.seconds - self._reported_at >= 0.1

    def report(self, done: int, total: int, left: float | None = None, document: int = -1) -> None:
        """Report how far the work is, with `left` seconds to go, None to estimate them.

        `document` is that of the Progress.
        """
        self._reported_at = self.seconds
        if not done or self.seconds <= 0.5:
            left = None
        elif left is None:
            left = self.seconds / done * max(0, total - done)
        self._report.progress(Progress(done, total, self._what, left, document))
