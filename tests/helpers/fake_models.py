"""Ready models whose forward is a few lines of numpy, around a small real tokenizer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from app.core.models import DeviceChoice, Head, ModelCard, ProblemType, QaCalibration
from app.core.report import Stopped
from app.tasks.task import Arrays, ReadyModel
from tests.helpers.children import Listener
from tests.helpers.small_models import small_tokenizer

CPU = DeviceChoice("cpu", "float32", "a test")


class Noted(Listener):
    """A Report that keeps what it is told, and stops at its check number `stop_at`."""

    def __init__(self, stop_at: int = 0) -> None:
        super().__init__()
        self.checks = 0
        self._stop_at = stop_at

    def check(self) -> None:
        self.checks += 1
        if self.checks == self._stop_at:
            raise Stopped


class SpanModel:
    """Start and end logits looked up by token, a null score of its own; padding scores highest of all."""

    def __init__(self, tokenizer: Tokenizer, seed: int = 1, null: float = 0.0) -> None:
        random = np.random.default_rng(seed)
        size = tokenizer.get_vocab_size()
        self.starts = random.normal(size=size).astype(np.float32)
        self.ends = random.normal(size=size).astype(np.float32)
        self.null = null
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, arrays: Arrays) -> Arrays:
        ids, mask = arrays["input_ids"], arrays["attention_mask"]
        assert ids.dtype == mask.dtype == arrays["token_type_ids"].dtype == np.int64
        self.shapes.append(ids.shape)
        start, end = self.starts[ids], self.ends[ids]
        start[:, 0] = end[:, 0] = self.null / 2
        start[mask == 0] = end[mask == 0] = 99.0
        return {"start_logits": start, "end_logits": end}


class ClassModel:
    """Logits of a window are the sum of its real tokens' rows in a table."""

    def __init__(self, tokenizer: Tokenizer, labels: int, seed: int = 1) -> None:
        size = (tokenizer.get_vocab_size(), labels)
        self.table = np.random.default_rng(seed).normal(size=size).astype(np.float32)
        self.batches: list[int] = []

    def __call__(self, arrays: Arrays) -> Arrays:
        ids, mask = arrays["input_ids"], arrays["attention_mask"]
        self.batches.append(len(ids))
        return {"logits": (self.table[ids] * mask[:, :, None]).sum(axis=1) / 10}


def card(head: Head, labels: tuple[str, ...] = (), *, window: int = 64, stride: int = 16) -> ModelCard:
    """A card for a fake model."""
    return ModelCard("fake", "", "bert", (head,), labels, window=window, stride=stride)


def span_reader(
    family: str = "bert",
    *,
    seed: int = 1,
    null: float = 0.0,
    window: int = 64,
    stride: int = 16,
    calibration: QaCalibration | None = None,
    device: str = "cpu",
) -> ReadyModel:
    """A question answering model around `SpanModel`."""
    tokenizer = small_tokenizer(family)
    about = card(Head.QUESTION_ANSWERING, window=window, stride=stride)
    about = replace(about, calibration=calibration or QaCalibration())
    return ReadyModel(about, replace(CPU, device=device), tokenizer, SpanModel(tokenizer, seed, null))


def reader_of(words: dict[str, float], **options: Any) -> ReadyModel:
    """A question answering model for which these words alone look like answers, by so many logits in all."""
    model = span_reader(**options)
    fake = model.forward
    assert isinstance(fake, SpanModel)
    fake.starts[:] = fake.ends[:] = -5.0
    for word, score in words.items():
        token = model.tokenizer.token_to_id(word)
        fake.starts[token] = fake.ends[token] = score / 2
    return model


def classifier(
    labels: tuple[str, ...], problem: ProblemType = ProblemType.SINGLE_LABEL, *, temperature: float = 1.0
) -> ReadyModel:
    """A classification model around `ClassModel`."""
    tokenizer = small_tokenizer("bert")
    about = replace(card(Head.CLASSIFICATION, labels), problem=problem, class_temperature=temperature)
    return ReadyModel(about, CPU, tokenizer, ClassModel(tokenizer, len(labels)))


class TagModel:
    """Logits of a token are its row in a table and a little of its neighbours'; padding tells nothing."""

    def __init__(self, tokenizer: Tokenizer, labels: int, seed: int = 1, reach: float = 0.0) -> None:
        size = (tokenizer.get_vocab_size(), labels)
        self.table = np.random.default_rng(seed).normal(size=size).astype(np.float32) * 3
        self.reach = reach
        self.batches: list[int] = []

    def __call__(self, arrays: Arrays) -> Arrays:
        ids, mask = arrays["input_ids"], arrays["attention_mask"]
        self.batches.append(len(ids))
        own = self.table[ids] * mask[:, :, None]
        logits = own.copy()
        logits[:, 1:] += self.reach * own[:, :-1]
        logits[:, :-1] += self.reach * own[:, 1:]
        return {"logits": np.where(mask[:, :, None], logits, 99.0).astype(np.float32)}


def tagger(
    labels: tuple[str, ...], family: str = "bert", *, reach: float = 0.0, window: int = 64
) -> ReadyModel:
    """A token classification model around `TagModel`."""
    tokenizer = small_tokenizer(family)
    about = card(Head.TOKEN_CLASSIFICATION, labels, window=window)
    return ReadyModel(about, CPU, tokenizer, TagModel(tokenizer, len(labels), reach=reach))
