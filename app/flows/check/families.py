"""A tiny model of every family taken in and used as a person's own would be, and one taught."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from app.core.inspection import LookAtAttention, Subject
from app.core.models import Head, family_title
from app.core.requests import TextsToClassify, TrainingRequest
from app.flows.check.trial import Trial, require
from app.flows.check.vocabularies import write_vocabulary
from app.flows.heads.classify import classify
from app.flows.heads.inspect import look
from app.flows.models.installed import installed
from app.flows.models.installing import complete
from app.flows.models.take_in import import_model
from app.flows.train import CLASSIFICATION, train
from app.flows.workspace import Workspace
from app.models.families import FAMILIES

TEXT, QUESTION = "The lamp is lit every evening at dusk.", "When is it lit?"
GOOD, BAD = "good", "bad"
ROWS = tuple((f"{word} number {number}", word) for number in range(8) for word in (GOOD, BAD))


def try_families(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """Try every family, and take one in as a person does; what is written goes into the folder."""
    for family in FAMILIES:
        deed = partial(_read, trial, workspace, folder / f"tiny-{family}", family)
        trial.run(f"{family_title(family)}: a model made, read and looked into", deed)
    deed = partial(_take_in, trial, workspace, folder / "someones-own")
    trial.run("Models: one from a folder added", deed)


def _read(trial: Trial, workspace: Workspace, folder: Path, family: str) -> None:
    workspace.engine.make_model(folder, family, *write_vocabulary(folder, family), trial.report)
    complete(folder)
    card = workspace.engine.try_model(str(folder), trial.report)
    require(Head.QUESTION_ANSWERING in card.heads, f"{card.name} is said to answer no questions.")
    subject = Subject(Head.QUESTION_ANSWERING, TEXT, QUESTION)
    seen = look(workspace, LookAtAttention(subject), trial.report, model=str(folder))
    require(bool(seen.weights), "There are no attentions.")


def _take_in(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """It is tried in a process of its own then."""
    workspace.engine.make_model(folder, "bert", *write_vocabulary(folder, "bert"), trial.report)
    card = import_model(workspace, folder, trial.report)
    found = {one.name for one in installed(workspace)}
    require(card.name in found, f"{card.name} is not among the models.")


def try_training(trial: Trial, workspace: Workspace, folder: Path) -> None:
    """Teach a tiny model for some steps, and classify with it; what is written goes into the folder."""
    trial.run(
        "Teach: some steps, and the model opened", partial(_teach, trial, workspace, folder / "teaching")
    )


def _teach(trial: Trial, workspace: Workspace, folder: Path) -> None:
    base = folder / "base"
    tokens, padding = write_vocabulary(base, "deberta")  # the tokenizer.json that training begins with
    workspace.engine.make_model(base, "bert", tokens, padding, trial.report)
    rows = folder / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in ROWS), encoding="utf-8"
    )
    request = TrainingRequest(
        CLASSIFICATION,
        str(base),
        (str(rows),),
        (str(rows),),
        str(folder / "taught"),
        epochs=2,
        batch_size=4,
        max_length=64,
        evaluate_every=4,
        device="cpu",
    )
    training = train(workspace, request, trial.report)
    require(training.steps == 2 * len(ROWS) // 4, f"{training.steps} steps were taken.")
    found = classify(workspace, TextsToClassify((ROWS[0][0],)), trial.report, model=training.folder)
    labels = {score.label for score in found.items[0].scores}
    require(labels == {GOOD, BAD}, f"It knows the classes {', '.join(sorted(labels))}.")
