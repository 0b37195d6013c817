"""Measures how well a model finds names, on texts with known names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToTag
from app.core.results import Entity
from app.core.rows import without_surrogates
from app.flows.batches import GroupReport, groups
from app.flows.measure.plan import Plan, by_source, figures_by_name, sample_files
from app.flows.models.installed import measured_on, update_notes
from app.flows.workspace import Workspace
from app.training.examples import parse_source
from app.training.metrics import NameFigures, name_figures
from app.training.tagged import TaggedText, read_tagged


@dataclass(frozen=True, slots=True)
class NamesEvaluation:
    """All figures: overall, by kind of name, and by source."""

    model: str
    texts: int
    overall: NameFigures
    by_kind: dict[str, NameFigures]
    by_source: dict[str, NameFigures]
    seconds: float


def evaluate_names(
    workspace: Workspace, plan: Plan, report: Report, *, model: str = "", device: str = ""
) -> NamesEvaluation:
    """Find the names in every text, and compare them with the known ones.

    A file is PATH, or PATH?labels=person:PER,... to rename kinds and drop all others. Raises SpanlightError for files
    that do not fit, and if the model knows none of their kinds; Stopped when cancelled.
    """
    card = workspace.find_model(Head.TOKEN_CLASSIFICATION, model)
    choice = workspace.choose(Head.TOKEN_CLASSIFICATION, model, device, report)
    examples = sample_files(plan, _read_tagged)
    whole = GroupReport(report, len(examples), "texts")
    found, kinds, _ = find_known(workspace, examples, choice, whole)
    there = {name.kind for example in examples for name in example.names}
    if there and not there & kinds:
        raise SpanlightError(
            f"The model {card.name} knows none of the kinds of names in the files: {', '.join(sorted(there))}.",
            "Rename them: FILE?labels=person:PER,location:LOC.",
        )
    evaluation = _evaluation(card.name, examples, found, whole.seconds)
    if plan.record:
        files = [parse_source(str(file)).path for file in plan.files]
        update_notes(card, measured={measured_on(files): _figures_by_name(evaluation)})
    return evaluation


def _read_tagged(file: Path) -> list[TaggedText]:
    source = parse_source(str(file))
    return read_tagged(source.path, source.labels)


def find_known(
    workspace: Workspace, examples: Sequence[TaggedText], choice: ModelChoice, whole: GroupReport
) -> tuple[list[tuple[Entity, ...]], set[str], str]:
    """Find the names in every text, in order; returns them, all kinds that the model knows, and the device."""
    found: list[tuple[Entity, ...]] = []
    kinds: set[str] = set()
    device = ""
    for group in groups(examples, lambda example: len(example.text)):
        texts = tuple(without_surrogates(example.text) for example in group)
        result = workspace.engine.run(TextsToTag(texts), choice, whole)
        found += [item.entities for item in result.items]
        kinds |= set(result.labels)
        device = result.device or device
        whole.count_done(len(group))
    return found, kinds, device


def _evaluation(
    model: str, examples: list[TaggedText], found: list[tuple[Entity, ...]], seconds: float
) -> NamesEvaluation:
    guesses = [[(entity.span, entity.label) for entity in entities] for entities in found]
    truths = [[(name.span, name.kind) for name in example.names] for example in examples]
    overall, by_kind = name_figures(guesses, truths)

    def figures(places: Sequence[int]) -> NameFigures:
        return name_figures([guesses[at] for at in places], [truths[at] for at in places])[0]

    return NamesEvaluation(
        model=model,
        texts=len(examples),
        overall=overall,
        by_kind=by_kind,
        by_source=by_source(examples, figures),
        seconds=seconds,
    )


def _figures_by_name(found: NamesEvaluation) -> dict[str, float]:
    overall = figures_by_name(found.overall, 4, "names", "found")
    return (
        {"texts": float(found.texts)}
        | overall
        | {f"f1 {kind}": round(figures.f1, 4) for kind, figures in found.by_kind.items()}
    )
