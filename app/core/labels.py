"""Texts of a table, labelled by a person, to teach a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# The most texts and labels of one data set.
MOST_TEXTS, MOST_LABELS = 100_000, 50
# A head is taught once every label has this many examples.
ENOUGH = 8


@dataclass(frozen=True, slots=True)
class Label:
    """A label's name, and a short description that texts are compared with before there are examples."""

    name: str
    words: str = ""

    @property
    def text(self) -> str:
        """The text that is embedded for the label."""
        return f"{self.name}: {self.words}" if self.words else self.name


@dataclass(frozen=True, slots=True)
class Dataset:
    """A named table whose texts are labelled; `number` is 0 until it is saved.

    `columns` are the table's column names, `text_column` is the index of the column of texts, `rows` counts the rows.
    With `multi` several labels may apply to a text, or none. `model` is the folder of the classifier taught from it,
    empty until there is one. `source` is the path that the table was read from.
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
        """Return the labels' names with those in `names` replaced by their new ones."""
        return tuple(names.get(name, name) for name in self.names)


@dataclass(frozen=True, slots=True)
class GivenLabels:
    """The labels that a person gave to the text of a row; empty `labels` mean that none applies.

    `guess` is the model's label at that time, empty without a model, and `shown` whether the person saw it. `seconds`
    is the time in seconds since 1970.
    """

    row: int
    labels: tuple[str, ...]
    guess: str = ""
    shown: bool = False
    seconds: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether the model's guess was one of the person's labels."""
        return self.guess in self.labels


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Predictions for labelled texts by heads that had not learnt from them (cross-validation).

    `rows` are the texts' row numbers, `labels` the given labels, and `probabilities` the predicted ones of all the data
    set's labels. `curve` is the learning curve: a number of examples, and the share of wrong labels after learning from
    them. `more` is by how much that share would fall with 64 more examples.
    """

    rows: tuple[int, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    probabilities: tuple[tuple[float, ...], ...] = ()
    curve: tuple[tuple[int, float], ...] = ()
    more: float = 0.0
