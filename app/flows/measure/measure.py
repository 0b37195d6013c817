"""Measure a model on examples with known answers, save the figures, and compare two measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.measures import Comparison, ExampleSet, Measure
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Quiet, Report
from app.core.requests import ModelChoice
from app.core.results import Classification
from app.flows.batches import GroupReport
from app.flows.heads.classify_batch import classify_texts
from app.flows.measure.evaluate import qa_figures, question_on, read_known, recorded
from app.flows.measure.evaluate_classes import class_figures, require_one_winner
from app.flows.measure.evaluate_names import find_known
from app.flows.measure.example_files import Examples, read_examples, sets_that_come_along
from app.flows.measure.example_files import example_set as example_set
from app.flows.measure.label_matching import matched, one_spelling
from app.flows.measure.plan import sample
from app.flows.workspace import Workspace
from app.training.examples import QaExample, TextExample
from app.training.metrics import name_figures
from app.training.tagged import TaggedText

_SEED = 13
WARMING = 4  # examples read before the clock starts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result on all examples: figures in per cent, whether each was right, and the device (empty if unknown)."""

    figures: dict[str, float]
    right: tuple[bool, ...]
    device: str = ""


def _reader_of(
    workspace: Workspace,
    card: ModelCard,
    items: Sequence[QaExample | TextExample | TaggedText],
    choice: ModelChoice,
    labels: Mapping[str, str] | None,
) -> _Questions | _Texts | _Names:
    """The reader of examples that are all of one kind.

    `warm` reads a few and refuses what does not fit, `read` reads all. Raises SpanlightError where the model does not
    fit the examples.
    """
    first = items[0]
    if isinstance(first, QaExample):
        return _Questions(workspace, [item for item in items if isinstance(item, QaExample)], choice)
    if isinstance(first, TextExample):
        texts = [item for item in items if isinstance(item, TextExample)]
        return _Texts(workspace, card, texts, choice, labels)
    return _Names(workspace, card, [item for item in items if isinstance(item, TaggedText)], choice, labels)


class _Questions:
    """An answer is right that is exactly one of the known ones, and no answer where there is none."""

    def __init__(self, workspace: Workspace, items: Sequence[QaExample], choice: ModelChoice) -> None:
        self._workspace, self._items, self._choice = workspace, items, choice

    def warm(self, whole: GroupReport) -> None:
        questions = ((item, question_on(item)) for item in self._items[:WARMING])
        read_known(self._workspace, questions, self._choice, whole)

    def read(self, whole: GroupReport) -> Outcome:
        questions = ((item, question_on(item)) for item in self._items)
        outcomes, last = read_known(self._workspace, questions, self._choice, whole)
        figures = recorded(qa_figures(outcomes))
        names = ("exact", "f1", "forced f1", "no answer right", "calibration error")
        return Outcome(
            {name: figures[name] for name in names if name in figures},
            tuple(outcome.right for outcome in outcomes),
            last.device,
        )


class _Texts:
    """The known class is right; several of the model's labels may map to one, with their probabilities added up."""

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
        # The model's other labels are never right, and must not be taken for labels of the set.
        self._others = {
            label: f"{label} (not in the set)" for label in card.labels if label not in self._matched
        }

    def warm(self, whole: GroupReport) -> None:
        self._classify(self._items[:WARMING], whole)

    def read(self, whole: GroupReport) -> Outcome:
        predicted = [self._winner(item) for item in self._classify(self._items, whole)]
        truths = [self._spelt[item.label] for item in self._items]
        figures = class_figures(predicted, truths, [*self._known, *self._others.values()])
        return Outcome(
            {
                "accuracy": 100 * figures.accuracy,
                "macro f1": 100 * figures.macro_f1,
                "calibration error": 100 * figures.calibration_error,
            },
            tuple(winner == truth for (winner, _), truth in zip(predicted, truths, strict=True)),
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
    """A sentence is right where exactly its names are found, each with its exact place and kind."""

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
        # The task derives the kinds of names that a model knows from its labels, in any of several schemes.
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
        """The set's kind for a model's label; else the label itself (a wrong kind), or none if `labels` were given."""
        other = "" if self._labels else f"{label} (not in the set)"
        return self._matched.get(label, other)


def example_sets(workspace: Workspace, report: Report) -> tuple[ExampleSet, ...]:
    """The bundled sets of examples."""
    return sets_that_come_along(workspace.paths)


def measure(
    workspace: Workspace,
    model: str,
    data: ExampleSet,
    report: Report,
    *,
    limit: int = 0,
    labels: Mapping[str, str] | None = None,
    device: str = "",
) -> Measure:
    """Run a model (a name or a folder) on all examples, and save the measure.

    With a `limit` above 0 it reads that many, drawn at random but always the same. `labels` maps the model's labels (or
    kinds of names) to the set's. Speed is of reading only: the model is loaded and has read a few examples before the
    clock starts. Raises SpanlightError for a file or a model that does not fit, LabelsDiffer
    where their labels differ, and Stopped, which keeps nothing.
    """
    card = workspace.find_model(data.head, model)
    file_examples = read_examples(Path(data.path), data.head)
    items = tuple(sample(file_examples.items, limit, _SEED))
    examples = Examples(data.head, items)
    choice = workspace.choose(data.head, model, device, report, adjusted=False)
    reader = _reader_of(workspace, card, items, choice, labels)
    workspace.engine.load(choice, data.head, report)
    # The engine reports a group's progress under this name.
    what = "questions" if isinstance(items[0], QaExample) else "texts"
    reader.warm(GroupReport(Quiet(report), min(WARMING, len(items)), what))
    whole = GroupReport(report, len(items), what)
    done = reader.read(whole)
    seconds = whole.seconds
    report.check()
    # Queried only now: where memory ran out, the model may have moved to another device.
    device = done.device or workspace.engine.load(choice, data.head, report).device.title
    found = Measure(
        model=card.name,
        folder=card.folder,
        head=data.head,
        data=data.title
        if len(items) == len(file_examples.items)
        else Message("{set}, a part", set=data.title),
        digest=examples.digest(),
        examples=len(items),
        figures={name: round(value, 2) for name, value in done.figures.items()},
        seconds=seconds,
        device=device,
        right="".join("01"[right] for right in done.right),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    try:
        workspace.measures.keep(found)
    except SpanlightError as fault:  # the measure is valid all the same
        report.notice(
            Message("This measure is not kept: {reason} {hint}", reason=fault.message, hint=fault.hint)
        )
    return found


def measured(workspace: Workspace, report: Report) -> tuple[Measure, ...]:
    """All saved measures, the latest first."""
    return workspace.measures.all()


def forget(workspace: Workspace, measures: Iterable[Measure], report: Report) -> None:
    """Delete measures. Raises SpanlightError when the disk refuses."""
    for one in measures:
        workspace.measures.forget(one)


def bring_back(workspace: Workspace, measures: Iterable[Measure], report: Report) -> None:
    """Save deleted measures again. Raises SpanlightError when the disk refuses."""
    workspace.measures.keep(*measures)


def compare(first: Measure, second: Measure) -> Comparison:
    """How many examples both models, one, or neither got right.

    Raises SpanlightError unless the examples are the very same.
    """
    if first.digest != second.digest or len(first.right) != len(second.right):
        raise SpanlightError(
            Message("Only measures on the very same examples can be compared."),
            Message(
                "{first} read “{data}”, {second} “{other}”: measure both on one set.",
                first=first.model,
                data=first.data,
                second=second.model,
                other=second.data,
            ),
        )
    pairs = list(zip(first.right, second.right, strict=True))
    counts = [pairs.count((one, other)) for one, other in (("1", "1"), ("1", "0"), ("0", "1"), ("0", "0"))]
    return Comparison(first, second, *counts)


def compare_models(
    workspace: Workspace,
    first: str,
    second: str,
    report: Report,
    *,
    data: ExampleSet | None = None,
    limit: int = 0,
    device: str = "",
) -> Comparison:
    """Two models (names or folders) on the same examples: those of `data`, else those that both were last measured on.

    A missing measure is made now, on a bundled set where no other is given. Raises as `measure` does.
    """
    saved = measured(workspace, report)
    if data is None and not limit:
        pairs = (
            (one, other)
            for one in saved
            for other in saved
            if one.digest == other.digest and first in _names(one) and second in _names(other)
        )
        found = next(pairs, None)
        if found is not None:
            return compare(*found)
    data = data or set_for(workspace, (first, second), report)
    file_examples = read_examples(Path(data.path), data.head)
    digest = Examples(data.head, tuple(sample(file_examples.items, limit, _SEED))).digest()
    both = []
    for model in (first, second):
        own = workspace.find_model(data.head, model).folder
        known = next((one for one in saved if (one.folder, one.digest) == (own, digest)), None)
        both.append(known or measure(workspace, model, data, report, limit=limit, device=device))
    return compare(*both)


def set_for(
    workspace: Workspace, models: Sequence[str], report: Report, head: Head | None = None
) -> ExampleSet:
    """The first bundled set that all these models can read, of a head where that is given.

    Raises SpanlightError where there is none.
    """
    faults: dict[str, SpanlightError] = {}
    for data in example_sets(workspace, report):
        if head in (None, data.head):
            try:
                for model in models:
                    workspace.find_model(data.head, model)
            except SpanlightError as fault:
                faults[fault.message] = fault
                continue
            return data
    if len(faults) == 1:
        raise next(iter(faults.values()))
    *others, last = dict.fromkeys(models)
    none = Message("No examples come along that fit {model}.", model=last)
    if others:
        none = Message(
            "No examples come along that fit {models} and {model}.", models=", ".join(others), model=last
        )
    raise SpanlightError(
        none, Message("They are for answering questions, classifying texts and finding names.")
    )


def _names(one: Measure) -> tuple[str, str]:
    return one.model, one.folder
