"""Lists the installed models, chooses the one for each head, and updates the notes in their folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard, QaCalibration
from app.core.offers import Origin
from app.core.reliability import Reliability
from app.flows.workspace import Workspace
from app.models.disk.notes import read_notes, read_origin, write_notes
from app.models.disk.shelving import clear_leftovers


def installed(workspace: Workspace) -> tuple[ModelCard, ...]:
    """Read the cards of all installed models; folders without a usable model are left out, and in `shelf.refused`.

    Incomplete folders that killed processes left are deleted first; a model that was set aside to be replaced is
    restored.
    """
    clear_leftovers(workspace.paths.models)
    return workspace.shelf.cards()


def origin_of(folder: str) -> Origin | None:
    """The origin of the model in a folder; None if it is missing or cannot be read."""
    try:
        return read_origin(folder)
    except SpanlightError:
        return None


def use(workspace: Workspace, head: Head, name: str) -> ModelCard:
    """Use this model for a head from now on, and save that; returns the card of the model in use.

    `name` is a model's name, folder or repository, empty for the default model. Raises SpanlightError where there is no
    such model or it lacks the head, and where the settings cannot be written.
    """
    wanted = name.strip()
    card = workspace.shelf.find(wanted, head) if wanted else workspace.shelf.default(head)
    before = dict(workspace.settings.models)
    if wanted:
        workspace.settings.models[head.value] = _settings_name(workspace, card, head)
    else:
        workspace.settings.models.pop(head.value, None)
    try:
        workspace.save_settings()
    except BaseException:
        workspace.settings.models = before
        raise
    return card


def in_use(workspace: Workspace) -> dict[Head, str]:
    """The folder of the model in use for each head that an installed model has."""
    found = {}
    for head in Head:
        try:
            found[head] = workspace.find_model(head).folder
        except SpanlightError:
            continue  # no installed model has this head
    return found


def _settings_name(workspace: Workspace, card: ModelCard, head: Head) -> str:
    """What the settings call a model: its name if that is unambiguous, else its folder."""
    found = next(
        (each for each in workspace.shelf.cards() if each.name == card.name and head in each.heads), None
    )
    return card.name if found is not None and found.folder == card.folder else card.folder


def update_notes(
    card: ModelCard,
    *,
    calibration: QaCalibration | None = None,
    class_temperature: float | None = None,
    measured: dict[str, dict[str, float]] | None = None,
    reliability: Reliability | None = None,
) -> None:
    """Update the notes in a checkpoint's folder with fitted values, and with figures by the data measured on.

    Measured reliabilities replace those of the same kinds of text; a new calibration drops all old ones. Raises
    SpanlightError where the folder cannot be written.
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
            Message(
                "Nothing could be written into {folder}: {reason}.", folder=card.folder, reason=fault.strerror
            ),
            Message("Check the folder's permissions."),
        ) from fault


def measured_on(files: Sequence[Path]) -> str:
    """The key under which figures on these files are recorded."""
    return " + ".join(path.name.split(".")[0] for path in files)
