"""Find words for the blanks of a text."""

from __future__ import annotations

from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import TextToFill
from app.core.results import FilledText
from app.flows.workspace import Workspace


def fill(
    workspace: Workspace, text: TextToFill, report: Report, *, model: str = "", device: str = ""
) -> FilledText:
    """Find the likeliest words for every blank of a text; `model` and `device` overrule the settings.

    Raises SpanlightError where there is no blank, for a missing model or device, and EngineLost when the model
    process died; Stopped when cancelled.
    """
    text.require_blanks()
    choice = workspace.choose(Head.MASKED_WORDS, model, device, report)
    return workspace.engine.run(text, choice, report)


def load_filler(workspace: Workspace, report: Report, *, model: str = "", device: str = "") -> LoadedModel:
    """Have the model process load the model that fills blanks, so that the first text does not wait."""
    choice = workspace.choose(Head.MASKED_WORDS, model, device, report, use=False)
    return workspace.engine.load(choice, Head.MASKED_WORDS, report)
