"""What is installed."""

from __future__ import annotations

from app.core.errors import SpanlightError
from app.core.models import ModelCard
from app.flows.workspace import Workspace


def installed(workspace: Workspace) -> tuple[ModelCard, ...]:
    """The cards of all installed models, read afresh; folders that hold no usable model are left out."""
    return workspace.shelf.cards()


def refused(workspace: Workspace) -> dict[str, SpanlightError]:
    """Folders that `installed` left out, each with what is wrong with it, as of the last look."""
    return workspace.shelf.refused
