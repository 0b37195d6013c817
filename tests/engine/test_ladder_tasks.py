"""Memory runs out in opened models and in every kind of task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.inspection import (
    Example,
    LookAtAttention,
    LookAtLoss,
    LookAtReasons,
    LookAtSpans,
    Method,
    Subject,
)
from app.core.requests import (
    PassagePairs,
    Question,
    QuestionBatch,
    TextsToClassify,
    TextsToTag,
    TextToFill,
)
from app.core.text import Document, Span
from app.engine.process import Host
from tests.engine.ladder import CPU, LESS, QA, QUESTION, TEXT, ask, shorter
from tests.helpers.fake_gpu import FakeGpu

SUBJECT = Subject(QA, TEXT, pair="Who stole the tarts?", focus=Span(4, 9))
OPENED = {
    "spans": LookAtSpans(SUBJECT),
    "attention": LookAtAttention(SUBJECT, 1),
    "loss": LookAtLoss(SUBJECT, Example(answer=Span(4, 9))),
    "gradient": LookAtReasons(SUBJECT, method=Method.GRADIENT_INPUT),
}

VALUES = {
    "SpanScores": ("start_logits", "end_logits", "null_score"),
    "Attention": ("weights",),
    "Losses": ("total", "by_model", "in_training"),
    "Attribution": ("shares", "score", "baseline"),
}


@pytest.mark.parametrize("fits", [200, 20])
@pytest.mark.parametrize("look", OPENED.values(), ids=OPENED)
def test_opened_models_step_down_too(gpu: FakeGpu, ladder_models: Path, look: Any, fits: int) -> None:
    expected, _ = ask(Host(), ladder_models / ("reader-192" if fits == 200 else "reader"), look, "cpu")
    gpu.tokens = {"cuda": fits}
    found, said = ask(host := Host(), ladder_models / "reader", look)
    assert [one for one in said if one != LESS] == (
        [shorter(192)] if fits == 200 else [shorter(192), shorter(96), shorter(64), CPU]
    )
    assert len(said) == len(set(said))
    assert found.window == expected.window
    for name in VALUES[type(found).__name__]:
        values = [np.array(getattr(one, name), dtype=float) for one in (found, expected)]
        assert np.isfinite(values[0]).all()
        np.testing.assert_allclose(*values, atol=1e-4)
    gpu.refused.clear()
    assert ask(host, ladder_models / "reader", look)[1] == []
    assert gpu.refused == []


def test_gradients_are_computed_in_smaller_batches_before_windows_get_shorter(
    gpu: FakeGpu, ladder_models: Path
) -> None:
    look = LookAtReasons(SUBJECT, method=Method.INTEGRATED_GRADIENTS)
    expected, _ = ask(Host(), ladder_models / "reader", look, "cpu")
    gpu.tokens = {"cuda": 2 * 384}
    found, said = ask(Host(), ladder_models / "reader", look)
    assert said == [LESS]
    np.testing.assert_allclose(found.shares, expected.shares, atol=1e-5)
    assert found.steps == expected.steps


OTHERS = {
    "classify": ("judge", TextsToClassify((TEXT, "The queen was sad. " * 3))),
    "fill": ("filler", TextToFill(TEXT, (Span(0, 3), Span(3000, 3003)))),
    "follow": ("filler", PassagePairs(((TEXT, TEXT), ("The queen made tarts.", "The knave stole them.")))),
    "tag": ("tagger", TextsToTag((TEXT,))),
    "many": ("reader", QuestionBatch((QUESTION, Question("Who made them?", (Document("The queen."),))))),
}


@pytest.mark.parametrize("fits", [4 * 384, 200, 8])
@pytest.mark.parametrize(("folder", "request_"), OTHERS.values(), ids=OTHERS)
def test_every_task_steps_down(
    gpu: FakeGpu, ladder_models: Path, folder: str, request_: Any, fits: int
) -> None:
    expected, _ = ask(Host(), ladder_models / folder, request_, "cpu")
    gpu.tokens = {"cuda": fits}
    found, said = ask(host := Host(), ladder_models / folder, request_)
    assert len(said) == len(set(said))
    assert (CPU in said) == (fits == 8)
    assert type(found) is type(expected)
    if fits != 200:  # shorter windows give other numbers
        np.testing.assert_allclose(
            chances(found, request_), chances(expected, request_), atol=1e-5, equal_nan=True
        )
    gpu.refused.clear()
    assert ask(host, ladder_models / folder, request_)[1] == []
    assert gpu.refused == []


def chances(result: Any, request: Any) -> np.ndarray:
    """Return the probabilities of a result, in order."""
    match request:
        case TextsToClassify():
            return np.array([score.probability for item in result.items for score in item.scores])
        case TextToFill():
            return np.array([guess.probability for blank in result.blanks for guess in blank.guesses])
        case PassagePairs():
            return np.array([item.probability for item in result.items])
        case QuestionBatch():
            return np.array([answer.probability for reading in result for answer in reading.answers])
    return np.array([entity.probability for item in result.items for entity in item.entities])
