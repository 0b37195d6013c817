"""Measures a model on examples with known answers, saves the measure, and compares two measures."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.measures import Comparison, ExampleSet, Measure
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Quiet, Report
from app.core.requests import ModelChoice
from app.core.results import Classification
from app.flows.batches import GroupReport
from app.flows.heads.classify_batch import classify_texts
from app.flows.measure.evaluate import ask_known, qa_figures, qa_figures_by_name, question_on
from app.flows.measure.evaluate_classes import class_figures, require_one_winner
from app.flows.measure.evaluate_names import find_known
from app.flows.measure.example_files import Examples, bundled_sets, read_examples
from app.flows.measure.example_files import example_set as example_set
from app.flows.measure.label_matching import first_spellings, match_labels
from app.flows.measure.plan import sample
from app.flows.workspace import Workspace
from app.training.examples import QaExample, TextExample
from app.training.metrics import name_figures
from app.training.tagged import TaggedText

Labels = Mapping[str, str] | None
_SEED = 13
_WARM_UP = 4  # examples read before the clock starts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result on all examples: figures in per cent, whether each was right, and the device, "" if unknown."""

    figures: dict[str, float]
    right: tuple[bool, ...]
    device: str = ""


# Reads examples of one kind, either a few to warm up or all of them.
Reader = Callable[[Sequence[Any], GroupReport], Outcome]


def _questions_reader(
    workspace: Workspace, card: ModelCard, items: Sequence[QaExample], choice: ModelChoice, _: Labels
) -> Reader:
    """An answer is right if it equals a known one, or if there is none and none is known."""

    def read(some: Sequence[QaExample], whole: GroupReport) -> Outcome:
        outcomes, last = ask_known(workspace, ((item, question_on(item)) for item in some), choice, whole)
        figures = qa_figures_by_name(qa_figures(outcomes))
        names = ("exact", "f1", "forced f1", "no answer right", "calibration error")
        return Outcome(
            {name: figures[name] for name in names if name in figures},
            tuple(outcome.right for outcome in outcomes),
            last.device,
        )

    return read


def _texts_reader(
    workspace: Workspace, card: ModelCard, items: Sequence[TextExample], choice: ModelChoice, labels: Labels
) -> Reader:
    """The known class is right; probabilities of several of the model's labels that map to one class are added up."""
    require_one_winner(card)
    spelt = first_spellings([item.label for item in items])
    known = list(dict.fromkeys(spelt.values()))
    own = match_labels(card.name, card.labels, known, labels)
    # The model's other labels are never right, so they must differ from the labels of the set.
    others = {label: f"{label} (not in the set)" for label in card.labels if label not in own}

    def winner(classes: Classification | None) -> tuple[str, float]:
        assert classes is not None  # no example is blank
        sums: dict[str, float] = {}
        for score in classes.scores:
            label = own.get(score.label) or others[score.label]
            sums[label] = sums.get(label, 0.0) + score.probability
        best = max(sums, key=sums.__getitem__)
        return best, min(1.0, sums[best])

    def read(some: Sequence[TextExample], whole: GroupReport) -> Outcome:
        predicted: list[tuple[str, float]] = []
        texts = ((item, item.text) for item in some)
        classify_texts(workspace, texts, choice, whole, lambda _, classes: predicted.append(winner(classes)))
        truths = [spelt[item.label] for item in some]
        found = class_figures(predicted, truths, [*known, *others.values()])
        figures = {
            "accuracy": 100 * found.accuracy,
            "macro f1": 100 * found.macro_f1,
            "calibration error": 100 * found.calibration_error,
        }
        right = tuple(label == truth for (label, _), truth in zip(predicted, truths, strict=True))
        return Outcome(figures, right)

    return read


def _names_reader(
    workspace: Workspace, card: ModelCard, items: Sequence[TaggedText], choice: ModelChoice, labels: Labels
) -> Reader:
    """A sentence is right where exactly its names are found, each with its exact place and kind."""
    spelt = first_spellings([name.kind for item in items for name in item.names])

    def read(some: Sequence[TaggedText], whole: GroupReport) -> Outcome:
        found, kinds, device = find_known(workspace, some, choice, whole)
        # The task derives the kinds of names that a model knows from its labels, in any of several schemes.
        own = match_labels(card.name, sorted(kinds), list(dict.fromkeys(spelt.values())), labels)

        def kind(label: str) -> str:
            """The set's kind for one of the model's; else a wrong kind, or none if `labels` were given."""
            return own.get(label, "" if labels else f"{label} (not in the set)")

        guesses = [{(name.span, its) for name in names if (its := kind(name.label))} for names in found]
        truths = [{(name.span, spelt[name.kind]) for name in item.names} for item in some]
        overall, _ = name_figures(guesses, truths)
        figures = {
            "f1": 100 * overall.f1,
            "precision": 100 * overall.precision,
            "recall": 100 * overall.recall,
        }
        return Outcome(figures, tuple(map(operator.eq, guesses, truths)), device)

    return read


_READERS: dict[Head, Callable[..., Reader]] = {
    Head.QUESTION_ANSWERING: _questions_reader,
    Head.CLASSIFICATION: _texts_reader,
    Head.TOKEN_CLASSIFICATION: _names_reader,
}


def example_sets(workspace: Workspace, report: Report) -> tuple[ExampleSet, ...]:
    """The bundled sets of examples."""
    return bundled_sets(workspace.paths)


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
    """Run a model, given by its name or folder, on all examples, and save the measure.

    A `limit` above 0 is the size of a random sample, which is always the same. `labels` maps the model's labels (or
    kinds of names) to the set's. The speed is that of reading only: the model is loaded and warmed up before the clock
    starts. Raises SpanlightError for a file or a model that does not fit, LabelsDiffer if their labels differ; Stopped
    when cancelled, and then nothing is saved.
    """
    card = workspace.find_model(data.head, model)
    file_examples = read_examples(Path(data.path), data.head)
    items = tuple(sample(file_examples.items, limit, _SEED))
    examples = Examples(data.head, items)
    choice = workspace.choose(data.head, model, device, report, adjusted=False)
    read = _READERS[data.head](workspace, card, items, choice, labels)
    workspace.engine.load(choice, data.head, report)
    # The name under which the engine reports the progress of a group.
    what = "questions" if data.head is Head.QUESTION_ANSWERING else "texts"
    read(items[:_WARM_UP], GroupReport(Quiet(report), min(_WARM_UP, len(items)), what))
    whole = GroupReport(report, len(items), what)
    done = read(items, whole)
    seconds = whole.seconds
    report.check()
    # Queried afterwards, since the model may have moved to another device when memory ran out.
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
    except SpanlightError as fault:  # the measure is valid nevertheless
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
    """Count the examples that both models, only one, or neither got right.

    Raises SpanlightError unless the examples are identical.
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
    """Compare two models, given by name or folder, on `data`, or else on the examples that both were last measured on.

    A missing measure is made now, on a bundled set if no other is given. Raises as `measure` does.
    """
    saved = measured(workspace, report)
    if data is None and not limit:
        pairs = (
            (one, other)
            for one in saved
            for other in saved
            if one.digest == other.digest and first in _names_of(one) and second in _names_of(other)
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
    """The first bundled set, for this head if one is given, that all these models can be measured on.

    Raises SpanlightError if there is none.
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


def _names_of(one: Measure) -> tuple[str, str]:
    return one.model, one.folder
