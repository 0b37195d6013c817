"""A model that a quicker pass may look over beforehand, and texts long enough for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.core.requests import Question
from app.core.results import Reading
from app.core.text import Document
from app.tasks.task import Arrays, ReadyModel
from tests.helpers.fake_models import SpanModel, span_reader

WORDS = (
    "the king",
    "queen",
    "stole",
    "tarts",
    ". ",
    "\n\n",
    "שלום",
    "日本語",
    "👩\u200d👩\u200d👧",
    "paris",
    "a",
    "story",
)


class Varied(SpanModel):
    """Some windows are much likelier to hold an answer than others; counts the windows that it reads."""

    rows = 0
    first = np.zeros((0, 0))

    def __call__(self, arrays: Arrays) -> Arrays:
        logits = super().__call__(arrays)
        self.rows += len(arrays["input_ids"])
        self.first = arrays["input_ids"] if len(self.shapes) == 1 else self.first
        logits["start_logits"] += 6 * wave(arrays, 1.0) ** 9
        return logits


def wave(arrays: Arrays, phase: float) -> np.ndarray:
    """A number for each row that its tokens make, -1 to 1, whatever else is in the batch."""
    ids = arrays["input_ids"] * arrays["attention_mask"]
    places = np.arange(1, ids.shape[1] + 1)
    return np.sin(phase * (ids * places).sum(axis=1, keepdims=True)).astype(np.float32)


class Near:
    """A screen that is off by at most `noise` in a span's score, each window by its own part of it."""

    def __init__(self, exact: Callable[[Arrays], Arrays], noise: float, *, begins: bool = True) -> None:
        self.noise = noise
        self.fitted: list[int] = []
        self.calls = 0
        self.text: object = None
        self._begins = begins
        self._exact = exact

    def fits(self, text: object) -> bool:
        return text is not None and self.text == text

    def begin(self, arrays: Arrays, text: object = None) -> bool:
        self.fitted.append(len(arrays["input_ids"]))
        self.text = text if self._begins else None
        return self._begins

    def __call__(self, arrays: Arrays) -> Arrays:
        self.calls += 1
        logits = self._exact(arrays)
        off = self.noise / 2 * wave(arrays, 2.0)
        return {name: values + off for name, values in logits.items()}


def twice(seed: int = 1, noise: float = 0.2, *, dtype: str = "float32") -> tuple[ReadyModel, Varied, Near]:
    model = span_reader(seed=seed)
    exact = Varied(model.tokenizer, seed)
    near = Near(Varied(model.tokenizer, seed), noise)
    device = replace(model.device, dtype=dtype)
    return replace(model, forward=exact, screen=near, device=device), exact, near


def text_of(seed: int, words: int = 6000) -> str:
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))


def ask(text: str, *documents: str, **options: object) -> Question:
    return Question(text, tuple(Document(d) for d in documents), **options)


def found(reading: Reading) -> tuple[object, ...]:
    return (
        reading.answers, reading.answered, reading.no_answer_probability, reading.heat,
        reading.windows, reading.windows_total, reading.complete, reading.quick,
    )  # fmt: skip
