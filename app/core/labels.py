"""Texts of a table with labels of the person's own, to teach a classifier from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Texts of one data set, and labels.
MOST_TEXTS, MOST_LABELS = 100_000, 50
# From so many examples of every label on a head is taught.
ENOUGH = 8


@dataclass(frozen=True, slots=True)
class Label:
    """A label's name, and a few words of description by which texts are compared with it before there are examples."""

    name: str
    words: str = ""

    @property
    def text(self) -> str:
        """The text that stands for it."""
        return f"{self.name}: {self.words}" if self.words else self.name


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table whose texts are labelled, under a name; `number` is 0 until it is saved.

    `columns` are those of the table, `text_column` is the index of the texts', `rows` counts them. With `multi` several
    labels may apply to a text, or none. `model` is the folder of the classifier that was taught from it, empty before.
    `source` is the path that it was read from.
    """

    number: int
    name: str
    columns: tuple[str, ...]
    text_column: int = 0
    labels: tuple[Label, ...] = ()
    multi: bool = False
    source: str = ""
    model: str = ""
    rows: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names."""
        return tuple(label.name for label in self.labels)

    def renamed(self, names: Mapping[str, str]) -> tuple[str, ...]:
        """The labels' names after some were renamed."""
        return tuple(names.get(name, name) for name in self.names)


@dataclass(frozen=True, slots=True)
class GivenLabels:
    """The labels that a person gave to the text in a row: their names, none if none applies.

    `guess` is the model's label then, empty without one, and `shown` whether the person saw it. `seconds` is the time
    since 1970.
    """

    row: int
    labels: tuple[str, ...]
    guess: str = ""
    shown: bool = False
    seconds: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether the guess was right by the person."""
        return self.guess in self.labels


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What is known of labelled texts whose labels were predicted by heads that had not learnt from them.

    `rows` are their numbers, `probabilities` those of the data set's labels for each, and `labels` the given ones.
    `curve` has numbers of examples with the share of wrong labels after learning from so many, `more` by how much that
    would fall with 64 more.
    """

    rows: tuple[int, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    probabilities: tuple[tuple[float, ...], ...] = ()
    curve: tuple[tuple[int, float], ...] = ()
    more: float = 0.0
