"""The starters computed by the own encoder agree with transformers' own classes in float32 on real examples."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.models import DeviceChoice, Head
from app.core.report import Silent
from app.core.requests import Question, TextsToClassify
from app.core.text import Document
from app.models.compute.forward import Forward
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.models.encoder.model import OwnModel
from app.tasks.heads.classification import classify
from app.tasks.qa.question_answering import read
from app.tasks.task import ReadyModel
from tests.conftest import ROOT

STARTERS = ROOT / "resources" / "models"
CLASSES = {
    Head.QUESTION_ANSWERING: "AutoModelForQuestionAnswering",
    Head.CLASSIFICATION: "AutoModelForSequenceClassification",
}


def rows(file: Path, count: int) -> list[dict[str, Any]]:
    """A number of examples of a file, spread evenly over it."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return list(islice(found, 0, None, max(1, len(found) // count)))[:count]


def both(name: str, head: Head, dtype: str) -> tuple[ReadyModel, ReadyModel]:
    """A starter as the app computes it, and by transformers' own class in float32."""
    import torch
    import transformers

    card = read_card(STARTERS / name)
    ours = load(card, head, DeviceChoice("cpu", dtype, "a test"))
    assert isinstance(ours.forward, Forward)
    assert isinstance(ours.forward._model, OwnModel)
    made = getattr(transformers, CLASSES[head]).from_pretrained(STARTERS / name, dtype=torch.float32).eval()
    theirs = Forward(made, head, "cpu", card.max_length)
    exact = DeviceChoice("cpu", "float32", "transformers")
    return (
        ReadyModel(card, ours.device, ours.tokenizer, ours.forward, precise=ours.precise),
        ReadyModel(card, exact, ours.tokenizer, theirs),
    )


@pytest.mark.parametrize(
    ("dtype", "numbers"),
    [
        ("float32", range(0, 1170, 60)),
        # Of the first 500 questions those whose answer, or whether there is one, is another in bfloat16 alone.
        ("bfloat16", (67, 120, 403, 471)),
    ],
)
def test_answers_are_those_of_transformers_in_float32(
    shared_data: Path, dtype: str, numbers: Sequence[int]
) -> None:
    examples = rows(shared_data / "qa" / "qa_dev-squad2.jsonl.xz", 1170)
    models = both("reader-quick", Head.QUESTION_ANSWERING, dtype)
    for number in numbers:
        question = Question(examples[number]["question"], (Document(examples[number]["context"]),), top_k=1)
        ours, theirs = (read(question, model, Silent()) for model in models)
        assert (ours.answered, ours.answers[0].span) == (theirs.answered, theirs.answers[0].span)


@pytest.mark.parametrize(("dtype", "count", "apart"), [("float32", 60, 1e-4), ("bfloat16", 30, 0.01)])
def test_classes_are_as_probable_as_with_transformers(
    shared_data: Path, dtype: str, count: int, apart: float
) -> None:
    texts = [row["text"] for row in rows(shared_data / "sentiment" / "reviews3_dev.jsonl.xz", count)]
    ours, theirs = (
        [
            score.probability
            for one in classify(TextsToClassify(tuple(texts)), model, Silent()).items
            for score in one.scores
        ]
        for model in both("starter-sentiment", Head.CLASSIFICATION, dtype)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=apart)
