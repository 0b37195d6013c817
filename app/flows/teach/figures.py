"""How good a taught classifier is on texts that were held out, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.labels import Dataset, HeldOut
from app.core.message import Message
from app.core.reliability import interval
from app.core.wording import percent
from app.training.metrics import confusion

# A label that others find less likely than this, and another one more likely than that, is doubted.
_DOUBTED, _RATHER = 0.2, 0.5


@dataclass(frozen=True, slots=True)
class LabelFigures:
    """A label's precision, recall and F1, 0 to 1, and how many texts have it; `low` and `high` bound the recall."""

    label: str
    precision: float
    recall: float
    f1: float
    texts: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A text whose own label the classifier doubts, and the one that it finds likelier, with its probability."""

    row: int
    label: str
    rather: str
    probability: float


@dataclass(frozen=True, slots=True)
class TaughtFigures:
    """Accuracy with its 95 % interval, each label's figures, and the confusion matrix, a row for each given label.

    With several labels a text counts as right where all of them are. `more` is HeldOut's, but never above what is left
    to gain.
    """

    texts: int
    accuracy: float
    low: float
    high: float
    by_label: tuple[LabelFigures, ...]
    confusion: tuple[tuple[int, ...], ...]
    doubts: tuple[Doubt, ...]
    more: float

    @property
    def in_words(self) -> str:
        """The accuracy in words: "84% right (80% to 88%)"."""
        return Message(
            "{accuracy} right ({low} to {high})",
            accuracy=percent(self.accuracy),
            low=percent(self.low),
            high=percent(self.high),
        )


def figures(dataset: Dataset, held_out: HeldOut) -> TaughtFigures:
    """The figures of what was held out; of labels that are still there. There is at least one text."""
    names = dataset.names
    said = [predicted(dataset, row) for row in held_out.probabilities]
    right = sum(set(one) == set(other) for one, other in zip(said, held_out.labels, strict=True))
    by_label = []
    for name in names:
        both = sum(name in one and name in other for one, other in zip(said, held_out.labels, strict=True))
        predictions, texts = sum(name in one for one in said), sum(name in one for one in held_out.labels)
        by_label.append(
            LabelFigures(
                name,
                both / predictions if predictions else 0.0,
                both / texts if texts else 0.0,
                2 * both / (predictions + texts) if predictions + texts else 0.0,
                texts,
                *(interval(both, texts) if texts else (0.0, 1.0)),
            )
        )
    matrix: list[list[int]] = []
    if not dataset.multi:
        firsts = [one[0] for one in said], [one[0] for one in held_out.labels]
        matrix = confusion(*firsts, names)
    total = len(said)
    return TaughtFigures(
        total,
        right / total,
        *interval(right, total),
        tuple(by_label),
        tuple(map(tuple, matrix)),
        tuple(_doubts(dataset, held_out)),
        # The curve is of a simpler classifier, which has more to gain.
        min(held_out.more, 1.0 - right / total),
    )


def predicted(dataset: Dataset, probabilities: Sequence[float]) -> tuple[str, ...]:
    """The labels that probabilities speak for: the likeliest, or with `multi` all that reach one half."""
    if dataset.multi:
        return tuple(name for name, each in zip(dataset.names, probabilities, strict=True) if each >= 0.5)
    return (dataset.names[max(range(len(probabilities)), key=probabilities.__getitem__)],)


def _doubts(dataset: Dataset, held_out: HeldOut) -> list[Doubt]:
    found = []
    for row, labels, probabilities in zip(
        held_out.rows, held_out.labels, held_out.probabilities, strict=True
    ):
        of = dict(zip(dataset.names, probabilities, strict=True))
        rather = max(of, key=of.__getitem__)
        own = min((of[label] for label in labels), default=0.0)
        if rather not in labels and of[rather] >= _RATHER and own <= _DOUBTED:
            found.append(Doubt(row, "; ".join(labels), rather, of[rather]))
    return sorted(found, key=lambda doubt: -doubt.probability)
