"""The choice of the model for a task."""

from __future__ import annotations

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.flows.workspace import Workspace


def use(workspace: Workspace, head: Head, name: str) -> ModelCard:
    """Use this model for a head's tasks from now on, and save that; the card of the model in use.

    `name` is a model's name, folder or repository, empty to take the first installed one. Raises SpanlightError where
    there is none of that name or it has no such head, and where the settings cannot be written.
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
    """How the settings name a model: by its name where that finds it, else by its folder."""
    found = next(
        (each for each in workspace.shelf.cards() if each.name == card.name and head in each.heads), None
    )
    return card.name if found is not None and found.folder == card.folder else card.folder
