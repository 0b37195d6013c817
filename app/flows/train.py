"""Teach a model a head of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.requests import TrainingRequest
from app.core.results import Training
from app.flows.workspace import Workspace
from app.training.examples import parse_source

QA = "qa"
CLASSIFICATION = "classification"


def train(workspace: Workspace, request: TrainingRequest, report: Report) -> Training:
    """Train from the request's base and examples into its output folder; TrainingSteps come as partial results.

    The base is a folder or an installed model's name. A run that was stopped or killed goes on from its last
    checkpoint when it is asked for again. Raises SpanlightError for a request that cannot be carried out, Stopped
    when the report says so, EngineLost when the model process died.
    """
    _check(request)
    base = _base_folder(workspace, request.base)
    result: Training = workspace.engine.run(replace(request, base=base), None, report)
    return result


def _check(request: TrainingRequest) -> None:
    if request.task not in (QA, CLASSIFICATION):
        raise SpanlightError(f"There is no training for “{request.task}”.", "Choose qa or classification.")
    if not request.examples or not request.dev:
        raise SpanlightError("Training needs examples and dev files.", "Give at least one of each.")
    for name in (*request.examples, *request.dev):
        path = parse_source(name).path
        if not path.is_file():
            raise SpanlightError(f"There is no file “{path}”.", "Check the name and the folder.")
    output = Path(request.output)
    if output.exists() and not output.is_dir():
        raise SpanlightError(f"“{output}” is a file.", "Give a folder for the model.")
    for name, value in (
        ("epochs", request.epochs),
        ("learning rate", request.learning_rate),
        ("batch size", request.batch_size),
        ("evaluation interval", request.evaluate_every),
    ):
        if not value > 0:
            raise SpanlightError(f"The {name} must be more than 0.", f"It is {value:g}.")
    if request.max_length < 16:
        raise SpanlightError("The length must be at least 16 tokens.", f"It is {request.max_length}.")
    if not 0 <= request.dropout < 1:
        raise SpanlightError("The dropout must be from 0 to less than 1.", f"It is {request.dropout:g}.")


def _base_folder(workspace: Workspace, base: str) -> str:
    folder = Path(base).expanduser()
    if folder.is_dir():
        return str(folder)
    for card in workspace.shelf.cards():
        if card.name == base:
            return card.folder
    raise SpanlightError(
        f"There is no base model “{base}”.", "Give a checkpoint's folder or an installed name."
    )
