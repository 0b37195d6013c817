"""Give texts their class probabilities."""

from __future__ import annotations

from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import TextsToClassify
from app.core.results import Classifications
from app.flows.workspace import Workspace


def classify(
    workspace: Workspace, texts: TextsToClassify, report: Report, *, model: str = "", device: str = ""
) -> Classifications:
    """Classify every text whole, in order; `model` and `device` overrule the settings.

    Raises SpanlightError where there is no text or one is blank, for a missing model or device, and EngineLost when
    the model process died; Stopped when cancelled.
    """
    texts.require_words()
    choice = workspace.choose(Head.CLASSIFICATION, model, device, report)
    return workspace.engine.run(texts, choice, report)


def load_classifier(
    workspace: Workspace, report: Report, *, model: str = "", device: str = ""
) -> LoadedModel:
    """Have the model process load the classifier, so that the first text does not wait."""
    choice = workspace.choose(Head.CLASSIFICATION, model, device, report, use=False)
    return workspace.engine.load(choice, Head.CLASSIFICATION, report)
