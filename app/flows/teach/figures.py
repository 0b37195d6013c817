"""Figures of how good a taught classifier is on held-out texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.labels import Dataset, HeldOut
from app.core.message import Message
from app.core.reliability import interval
from app.core.wording import percent
from app.training.metrics import confusion

# A given label is doubted if the classifier finds it at most this likely, and another label at least that likely.
_MOST_DOUBTED, _LEAST_RATHER = 0.2, 0.5


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
    """A text whose given label the classifier doubts, and the label that it predicts, with its probability."""

    row: int
    label: str
    rather: str
    probability: float


@dataclass(frozen=True, slots=True)
class TaughtFigures:
    """Accuracy with its 95% interval, each label's figures, and the confusion matrix with a row per given label.

    With several labels a text is right if all of them are. `more` is that of HeldOut, at most what is left to gain.
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
    """Compute the figures of at least one held-out text, for the labels that still exist."""
    names = dataset.names
    said = [predict_labels(dataset, row) for row in held_out.probabilities]
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
        # The learning curve is that of a simpler classifier, which has more to gain.
        min(held_out.more, 1.0 - right / total),
    )


def predict_labels(dataset: Dataset, probabilities: Sequence[float]) -> tuple[str, ...]:
    """The predicted labels: the likeliest one, or with `multi` all with a probability of at least one half."""
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
        if rather not in labels and of[rather] >= _LEAST_RATHER and own <= _MOST_DOUBTED:
            found.append(Doubt(row, "; ".join(labels), rather, of[rather]))
    return sorted(found, key=lambda doubt: -doubt.probability)
