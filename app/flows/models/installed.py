"""What is installed, and what is kept beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import ModelCard, QaCalibration
from app.core.offers import Origin
from app.core.reliability import Reliability
from app.flows.workspace import Workspace
from app.models.disk.notes import read_notes, write_notes
from app.models.disk.origin import read_origin
from app.models.disk.shelving import clear_leftovers


def installed(workspace: Workspace) -> tuple[ModelCard, ...]:
    """The cards of all installed models, read afresh; folders that hold no usable model are left out.

    What killed processes left half built or half removed is cleared away before; a model that one had set aside for its
    successor is there again.
    """
    clear_leftovers(workspace.paths.models)
    return workspace.shelf.cards()


def refused(workspace: Workspace) -> dict[str, SpanlightError]:
    """Folders that `installed` left out, each with what is wrong with it, as of the last look."""
    return workspace.shelf.refused


def origin_of(folder: str) -> Origin | None:
    """Where the model in a folder came from; None where its mark is missing or cannot be read."""
    try:
        return read_origin(folder)
    except SpanlightError:
        return None


def keep_beside(
    card: ModelCard,
    *,
    calibration: QaCalibration | None = None,
    class_temperature: float | None = None,
    measured: dict[str, dict[str, float]] | None = None,
    reliability: Reliability | None = None,
) -> None:
    """Write what was fitted, and figures by what they were measured on, into what stands beside a checkpoint.

    The reliability of kinds of text that were not measured stays, unless a calibration was fitted: it was of the one
    before. Raises SpanlightError where the folder cannot be written.
    """
    notes = read_notes(card.folder)
    notes = replace(
        notes,
        calibration=calibration or notes.calibration,
        class_temperature=class_temperature or notes.class_temperature,
        measured=notes.measured | (measured or {}),
        reliability={**({} if calibration else notes.reliability), **(reliability or {})},
    )
    try:
        write_notes(card.folder, notes)
    except OSError as fault:
        raise SpanlightError(
            f"Nothing could be written into {card.folder}: {fault.strerror}.",
            "Check the folder's permissions.",
        ) from fault


def measured_on(files: Sequence[Path]) -> str:
    """What figures over these files are recorded under."""
    return " + ".join(path.name.split(".")[0] for path in files)
