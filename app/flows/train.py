"""Train a model for a task."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import ModelCard
from app.core.report import Report
from app.core.requests import TrainingRequest
from app.core.results import Training
from app.flows.rows import held_output
from app.flows.workspace import Workspace
from app.models.disk.card import SHORTEST, read_card
from app.training.examples import parse_source

QA = "qa"
PRETRAINING = "pretraining"
TOKENS = "tokens"
CLASSIFICATION = "classification"


def train(workspace: Workspace, request: TrainingRequest, report: Report) -> Training:
    """Train from the request's base and examples into its output folder; TrainingSteps come as partial results.

    The base and the teacher are folders or installed models' names. A run that was stopped or killed goes on from its
    last checkpoint when the same request comes again. Raises SpanlightError for a request that cannot be carried out
    and a base that is not whole, Busy where another process trains into the folder, Stopped when cancelled, EngineLost
    when the model process died.
    """
    _check_files(request)
    _check_numbers(request)
    base = _checkpoint(workspace, request.base, "base model")
    teacher = _checkpoint(workspace, request.teacher, "teacher").folder if request.teacher else ""
    if request.max_length > base.max_length:
        raise SpanlightError(
            f"{base.name} reads at most {base.max_length} tokens at a time.",
            f"The length asked for is {request.max_length}.",
        )
    for folder, noun in ((base.folder, "base model"), (teacher, "teacher")):
        if folder and Path(request.output).resolve() == Path(folder).resolve():
            raise SpanlightError(f"The output would overwrite the {noun}.", "Give another folder.")
    with held_output(Path(request.output)):
        result: Training = workspace.engine.run(
            replace(request, base=base.folder, teacher=teacher), None, report
        )
    return result


def _check_files(request: TrainingRequest) -> None:
    if request.task not in (QA, CLASSIFICATION, TOKENS, PRETRAINING):
        raise SpanlightError(
            f"There is no training for “{request.task}”.", "Choose qa, classification, tokens or pretraining."
        )
    if not request.examples or not request.dev:
        raise SpanlightError("Training needs examples and dev files.", "Give at least one of each.")
    for name in (*request.examples, *request.dev):
        path = parse_source(name).path
        if not path.is_file():
            raise SpanlightError(f"There is no file “{path}”.", "Check the name and the folder.")
    output = Path(request.output)
    if output.exists() and not output.is_dir():
        raise SpanlightError(f"“{output}” is a file.", "Give a folder for the model.")


def _check_numbers(request: TrainingRequest) -> None:
    for name, value in (
        ("epochs", request.epochs),
        ("learning rate", request.learning_rate),
        ("batch size", request.batch_size),
        ("evaluation interval", request.evaluate_every),
    ):
        if not (value > 0 and isfinite(value)):
            raise SpanlightError(f"The {name} must be a number above 0.", f"It is {value:g}.")
    if request.max_length < SHORTEST:
        raise SpanlightError(
            f"The length must be at least {SHORTEST} tokens.", f"It is {request.max_length}."
        )
    if not 0 <= request.dropout < 1:
        raise SpanlightError("The dropout must be from 0 to less than 1.", f"It is {request.dropout:g}.")
    if not 0 <= request.warm_up <= 1:
        raise SpanlightError("The warm-up is a share of all steps, 0 to 1.", f"It is {request.warm_up:g}.")
    if not (request.weight_decay >= 0 and isfinite(request.weight_decay)):
        raise SpanlightError("The weight decay must be 0 or more.", f"It is {request.weight_decay:g}.")
    if not 0 <= request.seed < 2**32:
        raise SpanlightError("The seed must be a whole number from 0 on.", f"It is {request.seed}.")


def _checkpoint(workspace: Workspace, name: str, noun: str) -> ModelCard:
    folder = Path(name).expanduser()
    if folder.is_dir():
        return read_card(folder)
    for card in workspace.shelf.cards():
        if card.name == name:
            return card
    raise SpanlightError(f"There is no {noun} “{name}”.", "Give a checkpoint's folder or an installed name.")
