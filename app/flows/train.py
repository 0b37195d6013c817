"""Trains a model for a task."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import ModelCard
from app.core.report import Report
from app.core.requests import TrainingRequest
from app.core.results import Training
from app.flows.rows import lock_output
from app.flows.workspace import Workspace
from app.models.disk.card import SHORTEST, read_card
from app.training.examples import parse_source

QA = "qa"
PRETRAINING = "pretraining"
TOKENS = "tokens"
CLASSIFICATION = "classification"


def train(workspace: Workspace, request: TrainingRequest, report: Report) -> Training:
    """Train the request's base on its examples, and write the model into the output folder.

    Partial results are TrainingSteps. The base and the teacher are folders or names of installed models. A run that was
    stopped or killed resumes from its last checkpoint when the same request is repeated. Raises SpanlightError for an
    invalid request or an incomplete base, Busy where another process trains into the folder, Stopped when cancelled,
    EngineLost when the model process died.
    """
    _check_files(request)
    _check_numbers(request)
    base = _checkpoint(
        workspace, request.base, Message("There is no base model “{name}”.", name=request.base)
    )
    no_teacher = Message("There is no teacher “{name}”.", name=request.teacher)
    teacher = _checkpoint(workspace, request.teacher, no_teacher).folder if request.teacher else ""
    if request.max_length > base.max_length:
        raise SpanlightError(
            Message("{base} reads at most {most} tokens at a time.", base=base.name, most=base.max_length),
            Message("The length asked for is {value}.", value=request.max_length),
        )
    output = Path(request.output).resolve()
    if output == Path(base.folder).resolve():
        raise SpanlightError(
            Message("The output would overwrite the base model."), Message("Give another folder.")
        )
    if teacher and output == Path(teacher).resolve():
        raise SpanlightError(
            Message("The output would overwrite the teacher."), Message("Give another folder.")
        )
    with lock_output(Path(request.output)):
        result: Training = workspace.engine.run(
            replace(request, base=base.folder, teacher=teacher), None, report
        )
    return result


def _check_files(request: TrainingRequest) -> None:
    if request.task not in (QA, CLASSIFICATION, TOKENS, PRETRAINING):
        raise SpanlightError(
            Message("There is no training for “{task}”.", task=request.task),
            Message("Choose qa, classification, tokens or pretraining."),
        )
    if not request.examples or not request.dev:
        raise SpanlightError(
            Message("Training needs examples and dev files."), Message("Give at least one of each.")
        )
    for name in (*request.examples, *request.dev):
        path = parse_source(name).path
        if not path.is_file():
            raise SpanlightError(
                Message("There is no file “{file}”.", file=str(path)),
                Message("Check the name and the folder."),
            )
    output = Path(request.output)
    if output.exists() and not output.is_dir():
        raise SpanlightError(
            Message("“{file}” is a file.", file=str(output)), Message("Give a folder for the model.")
        )


def _check_numbers(request: TrainingRequest) -> None:
    for value, sentence in (
        (request.epochs, Message("The epochs must be a number above 0.")),
        (request.learning_rate, Message("The learning rate must be a number above 0.")),
        (request.batch_size, Message("The batch size must be a number above 0.")),
        (request.evaluate_every, Message("The evaluation interval must be a number above 0.")),
    ):
        if not (value > 0 and isfinite(value)):
            raise SpanlightError(sentence, Message("It is {value:g}.", value=value))
    if request.max_length < SHORTEST:
        raise SpanlightError(
            Message("The length must be at least {least} tokens.", least=SHORTEST),
            Message("It is {value}.", value=request.max_length),
        )
    if not 0 <= request.dropout < 1:
        raise SpanlightError(
            Message("The dropout must be from 0 to less than 1."),
            Message("It is {value:g}.", value=request.dropout),
        )
    if not 0 <= request.warm_up <= 1:
        raise SpanlightError(
            Message("The warm-up is a share of all steps, 0 to 1."),
            Message("It is {value:g}.", value=request.warm_up),
        )
    if not (request.weight_decay >= 0 and isfinite(request.weight_decay)):
        raise SpanlightError(
            Message("The weight decay must be 0 or more."),
            Message("It is {value:g}.", value=request.weight_decay),
        )
    if not 0 <= request.seed < 2**32:
        raise SpanlightError(
            Message("The seed must be a whole number from 0 on."),
            Message("It is {value}.", value=request.seed),
        )


def _checkpoint(workspace: Workspace, name: str, missing: str) -> ModelCard:
    folder = Path(name).expanduser()
    if folder.is_dir():
        return read_card(folder)
    for card in workspace.shelf.cards():
        if card.name == name:
            return card
    raise SpanlightError(missing, Message("Give a checkpoint's folder or an installed name."))
