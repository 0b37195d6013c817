"""Measures a classifier on texts with known classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard, ProblemType
from app.core.reliability import calibration_error
from app.core.report import Report
from app.core.requests import ClassCalibrationData, ClassReading
from app.core.results import Classification
from app.flows.batches import GroupReport
from app.flows.heads.classify_batch import classify_texts
from app.flows.measure.plan import Plan, by_source, figures_by_name, sample_files
from app.flows.models.installed import measured_on, update_notes
from app.flows.workspace import Workspace
from app.training.examples import TextExample, read_texts
from app.training.metrics import accuracy, confusion, macro_f1


@dataclass(frozen=True, slots=True)
class OneClass:
    """A class's figures, 0 to 1, and its number of texts; the precision of a class never predicted is None."""

    precision: float | None
    recall: float | None
    texts: int


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Figures on a set of texts, 0 to 1; macro F1 is over the classes that are known or predicted for any text.

    `calibration_error` is the mean difference, over ten bins, between the winner's probability and the share of such
    winners that are right (Guo et al. 2017, equation 3).
    """

    texts: int
    accuracy: float
    macro_f1: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class ClassEvaluation:
    """All figures; `confusion` has a row per known class and a column per predicted one, in the order of `labels`.

    `temperature` is the fitted one, if any; the figures are without it.
    """

    model: str
    overall: ClassFigures
    by_source: dict[str, ClassFigures]
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    by_class: dict[str, OneClass]
    windows: int
    seconds: float
    temperature: float | None = None


def evaluate_classes(
    workspace: Workspace, plan: Plan, report: Report, *, model: str = "", device: str = ""
) -> ClassEvaluation:
    """Classify every text, and compare the winning class with the known one.

    A label is a class's name, or its index if no class has such a name. Raises SpanlightError for files that do not
    fit and for a head without a single winner, Stopped when cancelled.
    """
    card = workspace.find_model(Head.CLASSIFICATION, model)
    require_one_winner(card)
    choice = workspace.choose(Head.CLASSIFICATION, model, device, report)
    examples = sample_files(plan, lambda path: _examples(path, card))
    whole = GroupReport(report, len(examples), "texts")
    found: list[Classification] = []

    def take(example: TextExample, item: Classification | None) -> None:
        assert item is not None  # no example is blank
        found.append(item)

    classify_texts(workspace, ((example, example.text) for example in examples), choice, whole, take)
    evaluation = _evaluation(card, examples, found, whole.seconds)
    if plan.fit:
        readings = tuple(
            ClassReading(tuple(s.probability for s in item.scores), card.labels.index(example.label))
            for example, item in zip(examples, found, strict=True)
        )
        temperature = workspace.engine.run(ClassCalibrationData(readings), choice, report)
        evaluation = replace(evaluation, temperature=temperature)
    if plan.fit or plan.record:
        update_notes(
            card,
            class_temperature=evaluation.temperature,
            measured={measured_on(plan.files): figures_by_name(evaluation.overall, 4)}
            if plan.record
            else None,
        )
    return evaluation


def require_one_winner(card: ModelCard) -> None:
    """Raise SpanlightError for a model that does not choose one of several classes."""
    if card.problem is not ProblemType.SINGLE_LABEL or len(card.labels) < 2:
        raise SpanlightError(
            Message("The model {name} does not choose one of several classes.", name=card.name),
            Message("Only a model that does can be measured so."),
        )


def _examples(path: Path, card: ModelCard) -> list[TextExample]:
    """The texts of a file, each labelled with one of the model's classes."""
    examples = read_texts(path)
    if not examples:
        raise SpanlightError(f"There is no text in {path.name}.", "Give a file with labelled texts.")
    for number, example in enumerate(examples, start=1):
        if not example.text.strip():
            raise SpanlightError(f"Text {number} of {path.name} is empty.", "Take it out of the file.")
    return [replace(example, label=_class(example.label, card, path)) for example in examples]


def _class(label: str, card: ModelCard, path: Path) -> str:
    named = [each for each in card.labels if each.casefold() == label.casefold()]
    if named:
        return named[0]
    if label.isdecimal() and int(label) < len(card.labels):
        return card.labels[int(label)]
    raise SpanlightError(
        f"{path.name} has the label “{label}”, which {card.name} does not know.",
        f"Its classes are: {', '.join(card.labels)}.",
    )


def _evaluation(
    card: ModelCard, examples: Sequence[TextExample], found: Sequence[Classification], seconds: float
) -> ClassEvaluation:
    truths = [example.label for example in examples]
    winners = [item.winner for item in found]

    def figures(places: Sequence[int]) -> ClassFigures:
        predicted = [(winners[p], found[p].probability) for p in places]
        return class_figures(predicted, [truths[p] for p in places], card.labels)

    matrix = confusion(winners, truths, card.labels)
    by_class = {}
    for index, label in enumerate(card.labels):
        right, predicted, true = matrix[index][index], sum(row[index] for row in matrix), sum(matrix[index])
        by_class[label] = OneClass(
            right / predicted if predicted else None, right / true if true else None, true
        )
    return ClassEvaluation(
        model=card.name,
        overall=figures(range(len(examples))),
        by_source=by_source(examples, figures),
        labels=card.labels,
        confusion=tuple(tuple(row) for row in matrix),
        by_class=by_class,
        windows=sum(item.windows for item in found),
        seconds=seconds,
    )


def class_figures(
    predicted: Sequence[tuple[str, float]], truths: Sequence[str], labels: Sequence[str]
) -> ClassFigures:
    """Compute figures from each text's prediction (the winning class and its probability) and its known class."""
    winners = [winner for winner, _ in predicted]
    present = [label for label in labels if label in winners or label in truths]
    return ClassFigures(
        texts=len(truths),
        accuracy=accuracy(winners, truths),
        macro_f1=macro_f1(winners, truths, present),
        calibration_error=calibration_error(
            (probability, winner == truth)
            for (winner, probability), truth in zip(predicted, truths, strict=True)
        ),
    )
