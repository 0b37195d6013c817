"""What is installed."""

from __future__ import annotations

from app.core.models import ModelCard
from app.flows.workspace import Workspace


def installed(workspace: Workspace) -> tuple[ModelCard, ...]:
    """The cards of all installed models, read afresh; folders that hold no usable model are left out."""
    return workspace.shelf.cards()
