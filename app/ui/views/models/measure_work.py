"""What the section that measures models has done in a lane."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.core.measures import ExampleSet, Measure
from app.core.models import ModelCard
from app.core.report import Report
from app.flows.measure import bring_back, example_set, example_sets, forget, measured
from app.flows.models import installed
from app.flows.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Known:
    """What can be measured, on what, and what was measured so far."""

    cards: tuple[ModelCard, ...]
    sets: tuple[ExampleSet, ...]
    measures: tuple[Measure, ...]


def look(workspace: Workspace, report: Report) -> Known:
    """All that the section shows."""
    return Known(installed(workspace), example_sets(workspace, report), measured(workspace, report))


def own_set(path: Path, report: Report) -> ExampleSet:
    """What a file of the person's own holds."""
    return example_set(path)


def delete(workspace: Workspace, measures: tuple[Measure, ...], report: Report) -> tuple[Measure, ...]:
    """Forget these; what is left."""
    forget(workspace, measures, report)
    return measured(workspace, report)


def put_back(workspace: Workspace, measures: tuple[Measure, ...], report: Report) -> tuple[Measure, ...]:
    """Keep these again; all that are kept then."""
    bring_back(workspace, measures, report)
    return measured(workspace, report)
