"""Look into a model at work on one text."""

from __future__ import annotations

from typing import Any

from app.core.inspection import Look
from app.core.report import Report
from app.flows.workspace import Workspace


def look(workspace: Workspace, request: Look, report: Report, *, model: str = "", device: str = "") -> Any:
    """Bring back what a look asks for (each kind's docstring says what); `model` and `device` overrule the settings.

    Raises SpanlightError for a missing model or device and for what the subject lacks, EngineLost when the model
    process died; Stopped when the report says so.
    """
    choice = workspace.choose(request.subject.head, model, device)
    return workspace.engine.run(request, choice, report)
