"""How a model of each head is measured: what is read, and what counts as right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.core.models import ModelCard
from app.core.requests import ModelChoice
from app.core.results import Classification
from app.flows.groups import GroupReport
from app.flows.heads.classify_batch import classify_texts
from app.flows.measure.evaluate import qa_figures, question_on, read_known, recorded
from app.flows.measure.evaluate_classes import class_figures, require_one_winner
from app.flows.measure.evaluate_names import find_known
from app.flows.measure.label_matching import matched, one_spelling
from app.flows.workspace import Workspace
from app.training.examples import QaExample, TextExample
from app.training.metrics import name_figures
from app.training.tagged import TaggedText

WARMING = 4  # examples read before the clock starts


@dataclass(frozen=True, slots=True)
class Outcome:
    """What reading all examples came to: figures in per cent, whether each was right, and where (empty: not told)."""

    figures: dict[str, float]
    right: tuple[bool, ...]
    device: str = ""


class Reader(Protocol):
    """Reads a set of examples: a few of them to warm up, then all."""

    def warm(self, whole: GroupReport) -> None:
        """Read a few, and refuse what does not fit."""

    def read(self, whole: GroupReport) -> Outcome:
        """Read all."""


def reader_of(
    workspace: Workspace,
    card: ModelCard,
    items: Sequence[QaExample | TextExample | TaggedText],
    choice: ModelChoice,
    labels: Mapping[str, str] | None,
) -> Reader:
    """The reader of examples that are all of one kind. Raises SpanlightError where the model does not fit them."""
    first = items[0]
    if isinstance(first, QaExample):
        return _Questions(workspace, [item for item in items if isinstance(item, QaExample)], choice)
    if isinstance(first, TextExample):
        texts = [item for item in items if isinstance(item, TextExample)]
        return _Texts(workspace, card, texts, choice, labels)
    return _Names(workspace, card, [item for item in items if isinstance(item, TaggedText)], choice, labels)


class _Questions:
    """Right is an answer that is exactly one of the known ones, and none where there is none."""

    def __init__(self, workspace: Workspace, items: Sequence[QaExample], choice: ModelChoice) -> None:
        self._workspace, self._items, self._choice = workspace, items, choice

    def warm(self, whole: GroupReport) -> None:
        asked = ((item, question_on(item)) for item in self._items[:WARMING])
        read_known(self._workspace, asked, self._choice, whole)

    def read(self, whole: GroupReport) -> Outcome:
        asked = ((item, question_on(item)) for item in self._items)
        outcomes, last = read_known(self._workspace, asked, self._choice, whole)
        figures = recorded(qa_figures(outcomes))
        told = ("exact", "f1", "forced f1", "no answer right", "calibration error")
        return Outcome(
            {name: figures[name] for name in told if name in figures},
            tuple(outcome.right for outcome in outcomes),
            last.device,
        )


class _Texts:
    """Right is the known class; several of the model's labels may stand for one, their probabilities added up."""

    def __init__(
        self,
        workspace: Workspace,
        card: ModelCard,
        items: Sequence[TextExample],
        choice: ModelChoice,
        labels: Mapping[str, str] | None,
    ) -> None:
        require_one_winner(card)
        self._workspace, self._items, self._choice = workspace, items, choice
        self._spelt = one_spelling([item.label for item in items])
        self._known = list(dict.fromkeys(self._spelt.values()))
        self._matched = matched(card.name, card.labels, self._known, labels)
        # What the model says beyond the set's labels is never right, and must not be taken for one of them.
        self._others = {
            label: f"{label} (not in the set)" for label in card.labels if label not in self._matched
        }

    def warm(self, whole: GroupReport) -> None:
        self._classify(self._items[:WARMING], whole)

    def read(self, whole: GroupReport) -> Outcome:
        said = [self._winner(item) for item in self._classify(self._items, whole)]
        truths = [self._spelt[item.label] for item in self._items]
        figures = class_figures(said, truths, [*self._known, *self._others.values()])
        return Outcome(
            {
                "accuracy": 100 * figures.accuracy,
                "macro f1": 100 * figures.macro_f1,
                "calibration error": 100 * figures.calibration_error,
            },
            tuple(winner == truth for (winner, _), truth in zip(said, truths, strict=True)),
        )

    def _classify(self, items: Sequence[TextExample], whole: GroupReport) -> list[Classification]:
        found: list[Classification] = []

        def take(item: TextExample, classes: Classification | None) -> None:
            assert classes is not None  # no example is blank
            found.append(classes)

        classify_texts(self._workspace, ((item, item.text) for item in items), self._choice, whole, take)
        return found

    def _winner(self, classes: Classification) -> tuple[str, float]:
        sums: dict[str, float] = {}
        for score in classes.scores:
            label = self._matched.get(score.label) or self._others[score.label]
            sums[label] = sums.get(label, 0.0) + score.probability
        winner = max(sums, key=sums.__getitem__)
        return winner, min(1.0, sums[winner])


class _Names:
    """Right is a sentence whose every name is found, with its exact place and kind, and no other."""

    def __init__(
        self,
        workspace: Workspace,
        card: ModelCard,
        items: Sequence[TaggedText],
        choice: ModelChoice,
        labels: Mapping[str, str] | None,
    ) -> None:
        self._workspace, self._card, self._items, self._choice = workspace, card, items, choice
        self._labels = labels
        self._spelt = one_spelling([name.kind for item in items for name in item.names])
        self._matched: dict[str, str] = {}

    def warm(self, whole: GroupReport) -> None:
        # The kinds of names that a model knows are told by its task, from labels in any of several schemes.
        _, kinds, _ = find_known(self._workspace, self._items[:WARMING], self._choice, whole)
        known = list(dict.fromkeys(self._spelt.values()))
        self._matched = matched(self._card.name, sorted(kinds), known, self._labels)

    def read(self, whole: GroupReport) -> Outcome:
        found, _, device = find_known(self._workspace, self._items, self._choice, whole)
        guesses = [
            {(name.span, kind) for name in names if (kind := self._kind(name.label))} for names in found
        ]
        truths = [{(name.span, self._spelt[name.kind]) for name in item.names} for item in self._items]
        overall, _ = name_figures(guesses, truths)
        return Outcome(
            {
                "f1": 100 * overall.f1,
                "precision": 100 * overall.precision,
                "recall": 100 * overall.recall,
            },
            tuple(guessed == true for guessed, true in zip(guesses, truths, strict=True)),
            device,
        )

    def _kind(self, label: str) -> str:
        """The set's kind; of others, that which the model says (wrong there), none where it was said what counts."""
        other = "" if self._labels else f"{label} (not in the set)"
        return self._matched.get(label, other)
