"""The starters computed by the own encoder agree with transformers' own classes in float32 on real examples."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from app.core.models import DeviceChoice, Head
from app.core.report import Silent
from app.core.requests import Question, TextsToClassify
from app.core.results import Reading
from app.core.text import Document
from app.models.compute.forward import Forward
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.models.encoder.model import OwnModel
from app.tasks.heads.classification import classify
from app.tasks.qa.question_answering import read
from app.tasks.task import ReadyModel
from app.training.metrics import f1
from tests.conftest import ROOT

STARTERS = ROOT / "resources" / "models"
CLASSES = {
    Head.QUESTION_ANSWERING: "AutoModelForQuestionAnswering",
    Head.CLASSIFICATION: "AutoModelForSequenceClassification",
}


def rows(file: Path, count: int) -> list[dict[str, Any]]:
    """As many examples of a file, taken evenly from all of it."""
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


def agreement(examples: Sequence[dict[str, Any]], dtype: str) -> tuple[float, float, float]:
    """The share of questions whose best span is the same, and the F1 in per cent of ours and theirs."""
    models = both("reader-quick", Head.QUESTION_ANSWERING, dtype)
    same, scores = [], []
    for row in examples:
        question = Question(row["question"], (Document(row["context"]),), top_k=1)
        found: list[Reading] = [read(question, model, Silent()) for model in models]
        spans = [(one.answers[0].span.start, one.answers[0].span.end) for one in found]
        same.append(spans[0] == spans[1])
        references = [answer["text"] for answer in row["answers"]]
        scores.append([f1(one.best.text if one.best else "", references) for one in found])
    ours, theirs = 100 * np.mean(scores, axis=0)
    return float(np.mean(same)), float(ours), float(theirs)


def probabilities_apart(texts: Sequence[str], dtype: str) -> float:
    """The largest difference of a class probability."""
    ours, theirs = (
        [
            score.probability
            for one in classify(TextsToClassify(tuple(texts)), model, Silent()).items
            for score in one.scores
        ]
        for model in both("starter-sentiment", Head.CLASSIFICATION, dtype)
    )
    return float(np.abs(np.subtract(ours, theirs)).max())


def test_answers_are_those_of_transformers(shared_data: Path) -> None:
    same, ours, theirs = agreement(rows(shared_data / "qa" / "qa_dev-squad2.jsonl.xz", 20), "float32")
    assert same == 1.0
    assert ours == theirs > 0


def test_near_answers_of_bfloat16_are_those_of_transformers_in_float32(shared_data: Path) -> None:
    # Of the first 500 questions those whose answer, or whether there is one, is another in bfloat16 alone.
    examples = rows(shared_data / "qa" / "qa_dev-squad2.jsonl.xz", 1170)
    ours, theirs = both("reader-quick", Head.QUESTION_ANSWERING, "bfloat16")
    for number in (67, 120, 403, 471):
        question = Question(examples[number]["question"], (Document(examples[number]["context"]),), top_k=1)
        one, other = (read(question, model, Silent()) for model in (ours, theirs))
        assert (one.answered, one.answers[0].span) == (other.answered, other.answers[0].span)


def test_classes_are_as_probable_as_with_transformers(shared_data: Path) -> None:
    texts = [row["text"] for row in rows(shared_data / "sentiment" / "reviews3_dev.jsonl.xz", 60)]
    assert probabilities_apart(texts, "float32") <= 1e-4
    assert probabilities_apart(texts[:30], "bfloat16") <= 0.01
