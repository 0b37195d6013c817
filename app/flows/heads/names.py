"""Find the names in texts."""

from __future__ import annotations

from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import TextsToTag
from app.core.results import TaggedTexts
from app.flows.workspace import Workspace


def find_names(
    workspace: Workspace, texts: TextsToTag, report: Report, *, model: str = "", device: str = ""
) -> TaggedTexts:
    """Find the names in every text, in order; `model` and `device` overrule the settings.

    Raises SpanlightError where there is no text or one is blank, for a missing model or device, and EngineLost when
    the model process died; Stopped when cancelled.
    """
    texts.require_words()
    choice = workspace.choose(Head.TOKEN_CLASSIFICATION, model, device, report)
    return workspace.engine.run(texts, choice, report)


def load_finder(workspace: Workspace, report: Report, *, model: str = "", device: str = "") -> LoadedModel:
    """Have the model process load the model that finds names, so that the first text does not wait."""
    choice = workspace.choose(Head.TOKEN_CLASSIFICATION, model, device, report, use=False)
    return workspace.engine.load(choice, Head.TOKEN_CLASSIFICATION, report)
