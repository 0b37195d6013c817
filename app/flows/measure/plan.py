"""The common parts of all evaluations: the plan, samples of examples, and figures by source and by name."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from app.core.errors import SpanlightError

ItemT = TypeVar("ItemT")
FiguresT = TypeVar("FiguresT")


@dataclass(frozen=True, slots=True)
class Plan:
    """The files to measure on, and the number of examples that are drawn from each with `seed`, 0 for all.

    `fit` fits the model's calibration on the examples and saves it with the model; `record` saves the figures with it.
    For each number in `join` above 0, a question's paragraph is combined with that many others of its file into one
    document. `predictions` is a file for the answers to questions on whole documents, a row each.
    """

    files: tuple[Path, ...]
    limit: int = 0
    seed: int = 13
    fit: bool = False
    record: bool = False
    join: tuple[int, ...] = (0,)
    predictions: Path | None = None


class WithSource(Protocol):
    """An example that names the data set it comes from."""

    @property
    def source(self) -> str:
        """The data set's name."""


def sample(items: Sequence[ItemT], limit: int, seed: int) -> Sequence[ItemT]:
    """A random sample of at most `limit` items in their order; 0 takes all."""
    if not limit or len(items) <= limit:
        return items
    chosen = random.Random(seed).sample(range(len(items)), limit)
    return [items[index] for index in sorted(chosen)]


def sample_files(plan: Plan, read: Callable[[Path], Sequence[ItemT]]) -> list[ItemT]:
    """Read and sample the plan's files. Raises SpanlightError if they have no examples, and as `read` does."""
    found = [item for path in plan.files for item in sample(read(path), plan.limit, plan.seed)]
    if not found:
        raise SpanlightError("There is no text in the files.", "Give files with examples.")
    return found


def by_source(
    examples: Sequence[WithSource], figures: Callable[[Sequence[int]], FiguresT]
) -> dict[str, FiguresT]:
    """Compute figures for each source, sorted by name, from the indices of its examples."""
    places: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        places.setdefault(example.source, []).append(place)
    return {source: figures(places[source]) for source in sorted(places)}


def per_cent(values: Sequence[float]) -> float | None:
    """The mean of values from 0 to 1 in per cent; None if there are no values."""
    return 100.0 * sum(values) / len(values) if values else None


def figures_by_name(figures: Any, digits: int, *left_out: str) -> dict[str, float]:
    """The figures of a dataclass as they are saved with a model, by name with spaces; None is left out."""
    return {
        name.replace("_", " "): round(float(value), digits)
        for name, value in asdict(figures).items()
        if value is not None and name not in left_out
    }
