"""Ask documents a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.models import Head, LoadedModel
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    from app.core.report import Report
    from app.core.requests import Question
    from app.core.results import Reading


def ask(
    workspace: Workspace, question: Question, report: Report, *, model: str = "", device: str = ""
) -> Reading:
    """Read the documents for the question; better and better Readings come as partial results.

    `model` and `device` overrule the settings. Raises SpanlightError for a question without words, a missing model
    or device, and EngineLost when the model process died; Stopped when the report says so.
    """
    if not question.text.strip():
        raise SpanlightError("The question is empty.", "Type what you want to know.")
    if not question.documents:
        raise SpanlightError("There is nothing to read.", "Open or paste a text first.")
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report)
    return workspace.engine.run(question, choice, report)


def load_reader(workspace: Workspace, report: Report, *, model: str = "", device: str = "") -> LoadedModel:
    """Have the model process load the reader, so that the first question need not wait."""
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report, use=False)
    return workspace.engine.load(choice, Head.QUESTION_ANSWERING, report)


def own_threshold(workspace: Workspace, report: Report) -> float:
    """The probability from which on the reader holds a text to answer; raises SpanlightError where there is none."""
    return workspace.find_model(Head.QUESTION_ANSWERING).calibration.threshold
