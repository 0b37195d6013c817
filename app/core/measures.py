"""Measurements of a model on examples with known answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.core.models import Head, ModelCard
from app.core.offers import Source


@dataclass(frozen=True, slots=True)
class ExampleSet:
    """A file of examples with known answers; `title` is its name for the user, `examples` counts them."""

    path: str
    title: str
    head: Head
    examples: int
    line: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """One model measured on one set.

    `model` and `folder` name the model, `data` the set and `digest` its examples (SHA-256 of their inputs, so that two
    measures are compared only on the same ones). `figures` are by name, in per cent ("exact", "f1", "accuracy",
    "calibration error" ...). `seconds` is the time of reading without loading. `right` has one digit per example in
    order, 1 if it was answered correctly. `when` is ISO 8601, UTC.
    """

    model: str
    folder: str
    head: Head
    data: str
    digest: str
    examples: int
    figures: dict[str, float]
    seconds: float
    device: str
    right: str
    when: str

    @property
    def speed(self) -> float:
        """Examples a second."""
        return self.examples / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two measures of the same examples side by side: how many both, one, or neither got right."""

    first: Measure
    second: Measure
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def chance(self) -> float:
        """The p-value: how likely two equally good models would differ at least as much by chance, 0 to 1.

        The exact two-sided McNemar test (McNemar 1947; Fagerland et al. 2013, exact conditional): of the n examples
        that only one of them got right, each is the first's or the second's with probability one half.
        """
        count = self.only_first + self.only_second
        term = total = 1
        for at in range(min(self.only_first, self.only_second)):
            term = term * (count - at) // (at + 1)
            total += term
        return min(1.0, 2 * total / 2**count)


def latest_of(card: ModelCard, measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The latest measure of one model for each set of examples, from measures sorted latest first.

    A starter is identified by its name, as its bundled folder changes with each installation.
    """
    found: dict[tuple[str, str], Measure] = {}
    for one in measures:
        if one.folder == card.folder or (card.source == Source.STARTER and one.model == card.name):
            found.setdefault((one.head, one.digest), one)
    return tuple(found.values())
