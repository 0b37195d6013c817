"""Small random checkpoints opened up, each made once; and what transformers' own class makes of one.

A few families are seen every day; the others, which are built of the same parts, are among the long tests.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from app.core.inside import HeadPicture, Stage
from app.core.inspection import Subject
from app.core.models import DeviceChoice, Head, ProblemType
from app.core.text import Span
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.models.families import FAMILIES as KNOWN
from app.models.inside.opened import Inside
from app.tasks.task import Arrays, ReadyModel
from tests.helpers.small_models import small_checkpoint

_HOME = os.environ["SPANLIGHT_HOME"]  # of all tests together, deleted after them
QA, CLASSIFY, WORDS = Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS
NEXT, TOKENS = Head.NEXT_SENTENCE, Head.TOKEN_CLASSIFICATION
DAILY = ("bert", "roberta", "distilbert", "albert")


def daily(family: str, *more: object) -> Any:
    """A test's parameters, which are daily ones or not."""
    return pytest.param(family, *more, marks=() if family in DAILY else pytest.mark.long)


FAMILIES = [daily(family) for family in (*DAILY, "mpnet", "electra")]
EVERY = [daily(*one.values, head) for one in FAMILIES for head in KNOWN[one.values[0]].heads_known]
EVERY_KNOWN = [daily(family, head) for family, about in KNOWN.items() for head in about.heads_known]
LENGTH = 21
LABELS = ("bad", "fine", "good")
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
TEXT = (
    "The King of Hearts sat down. The Knave stole the tarts on a bad day in the city."
    " Alice came back to Paris! She had the book."
)
SUBJECTS = {
    QA: Subject(QA, TEXT, "Who stole the tarts?"),
    CLASSIFY: Subject(CLASSIFY, TEXT),
    WORDS: Subject(
        WORDS, TEXT.replace("Knave", "_____").replace("city", "____"), blanks=(Span(33, 38), Span(75, 79))
    ),
    NEXT: Subject(NEXT, TEXT, "Then the Queen came too."),
    TOKENS: Subject(TOKENS, TEXT),
}


@cache
def opened_model(
    family: str = "bert",
    head: Head = QA,
    labels: tuple[str, ...] = (),
    problem: ProblemType = ProblemType.SINGLE_LABEL,
) -> ReadyModel:
    """A small model of this family and head, its inside at hand."""
    labels = labels or (TAGS if head is TOKENS else LABELS)
    folder = small_checkpoint(Path(mkdtemp(dir=_HOME)) / f"{family}-{head}", family, head, labels, problem)
    loaded = load(read_card(folder), head, DeviceChoice("cpu", "float32", "a test"), opened=True)
    return ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward, loaded.inside)


@cache
def own_class(model_folder: str, head: Head) -> Any:
    """The same checkpoint in transformers' own class, eager."""
    auto = {
        QA: transformers.AutoModelForQuestionAnswering,
        CLASSIFY: transformers.AutoModelForSequenceClassification,
        WORDS: transformers.AutoModelForMaskedLM,
        NEXT: transformers.AutoModelForNextSentencePrediction,
        TOKENS: transformers.AutoModelForTokenClassification,
    }[head]
    made = auto.from_pretrained(model_folder, dtype=torch.float32, attn_implementation="eager")
    return made.eval().requires_grad_(False)


def own_inputs(model: Any, arrays: Arrays) -> dict[str, torch.Tensor]:
    """The arrays that a class of transformers takes, as tensors."""
    types = getattr(model.config, "type_vocab_size", 0) > 1
    names = ("input_ids", "attention_mask", *(["token_type_ids"] if types else []))
    return {name: torch.from_numpy(np.array(arrays[name])) for name in names}


def made(family: str, head: Head) -> Inside:
    """The inside of a small model that a test may change."""
    inside = opened_model.__wrapped__(family, head).inside
    assert isinstance(inside, Inside)
    return inside


held = cache(made)


@cache
def looked(
    family: str, head: Head, length: int = LENGTH
) -> tuple[tuple[Stage, ...], tuple[HeadPicture, ...]]:
    """The trunk and the heads of a small model on a row of so many tokens."""
    return held(family, head).stages(row(head, length))


def row(head: Head, length: int = LENGTH) -> Arrays:
    """One row of input, with three places for masked words, one of them none."""
    ids = np.random.default_rng(length).integers(5, 200, (1, length))
    types = (np.arange(length) > length // 2).astype(np.int64)[None]
    arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
    return arrays | ({"positions": np.array([[3, 7, -1]])} if head is Head.MASKED_WORDS else {})
