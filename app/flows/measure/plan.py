"""What the evaluations share: the plan, the sample of examples, figures by source, and the record with the model."""

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
    """What to measure on: files, and how many examples of each (0 for all), drawn at random by `seed`.

    `fit` fits the model's calibration on the examples and saves it with the model; `record` saves the figures with it.
    With `join` above 0 each question's paragraph is combined with that many others of its file in one document.
    `predictions` is the file for the answers to questions on whole documents, a row for each.
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
    """At most `limit` items, drawn at random by the seed and kept in their order; 0 takes all."""
    if not limit or len(items) <= limit:
        return items
    chosen = random.Random(seed).sample(range(len(items)), limit)
    return [items[index] for index in sorted(chosen)]


def sample_files(plan: Plan, read: Callable[[Path], Sequence[ItemT]]) -> list[ItemT]:
    """The plan's examples, file by file. Raises SpanlightError where there are none, and as `read` does."""
    found = [item for path in plan.files for item in sample(read(path), plan.limit, plan.seed)]
    if not found:
        raise SpanlightError("There is no text in the files.", "Give files with examples.")
    return found


def by_source(
    examples: Sequence[WithSource], figures: Callable[[Sequence[int]], FiguresT]
) -> dict[str, FiguresT]:
    """The figures over the examples of each source, given the examples' indices; sources in alphabetical order."""
    places: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        places.setdefault(example.source, []).append(place)
    return {source: figures(places[source]) for source in sorted(places)}


def per_cent(values: Sequence[float]) -> float | None:
    """The mean of values from 0 to 1, in per cent; None of no value."""
    return 100.0 * sum(values) / len(values) if values else None


def figures_by_name(figures: Any, digits: int, *left_out: str) -> dict[str, float]:
    """Figures, a dataclass, as they are saved with a model: by name in words; those over no example are left out."""
    return {
        name.replace("_", " "): round(float(value), digits)
        for name, value in asdict(figures).items()
        if value is not None and name not in left_out
    }
