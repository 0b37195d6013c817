"""Long texts of words by chance, and a model to which a few of their windows look likelier than all others."""

from __future__ import annotations

import numpy as np

from app.core.requests import Question
from app.core.results import Reading
from app.core.text import Document
from app.tasks.task import Arrays
from tests.helpers.fake_models import SpanModel

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

    def __call__(self, arrays: Arrays) -> Arrays:
        logits = super().__call__(arrays)
        self.rows += len(arrays["input_ids"])
        logits["start_logits"][:, 1:] += 6 * wave(arrays) ** 9  # not of [CLS]
        return logits


def wave(arrays: Arrays) -> np.ndarray:
    """A number for each row that its tokens make, -1 to 1, whatever else is in the batch."""
    ids = arrays["input_ids"] * arrays["attention_mask"]
    places = np.arange(1, ids.shape[1] + 1)
    return np.sin((ids * places).sum(axis=1, keepdims=True)).astype(np.float32)


def text_of(seed: int, words: int = 6000) -> str:
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))


def ask(text: str, *documents: str, **options: object) -> Question:
    return Question(text, tuple(Document(d) for d in documents), **options)


def found(reading: Reading) -> tuple[object, ...]:
    return (
        reading.answers, reading.answered, reading.no_answer_probability, reading.heat,
        reading.windows, reading.windows_total, reading.complete, reading.quick,
    )  # fmt: skip
