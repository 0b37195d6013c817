"""Lane functions of the section that measures models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.measures import ExampleSet, Measure
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.measure.measure import bring_back, example_set, example_sets, forget, measured
from app.flows.models.installed import installed
from app.flows.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MeasureContent:
    """The models, the sets of examples, the measures so far, and the folder of each task's model."""

    cards: tuple[ModelCard, ...]
    sets: tuple[ExampleSet, ...]
    measures: tuple[Measure, ...]
    used: dict[Head, str]


def look(workspace: Workspace, report: Report) -> MeasureContent:
    """The content of the section."""
    cards, sets = installed(workspace), example_sets(workspace, report)
    return MeasureContent(cards, sets, measured(workspace, report), _used(workspace, sets))


def _used(workspace: Workspace, sets: tuple[ExampleSet, ...]) -> dict[Head, str]:
    found = {}
    for head in dict.fromkeys(data.head for data in sets):
        try:
            found[head] = workspace.find_model(head).folder
        except SpanlightError:
            continue  # no model is installed for it
    return found


def own_set(path: Path, report: Report) -> ExampleSet:
    """The set of examples in the user's own file."""
    return example_set(path)


def delete(workspace: Workspace, measures: tuple[Measure, ...], report: Report) -> tuple[Measure, ...]:
    """Delete these; returns the remaining ones."""
    forget(workspace, measures, report)
    return measured(workspace, report)


def put_back(workspace: Workspace, measures: tuple[Measure, ...], report: Report) -> tuple[Measure, ...]:
    """Save these again; returns all saved ones."""
    bring_back(workspace, measures, report)
    return measured(workspace, report)
