"""The picture of a model and its pooling, as the model process gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.core.inside import ModelPicture, Part, Pooling
from app.core.inspection import LookAtModel, LookAtPooling, Subject
from app.core.models import SHOWN_HEADS, Head
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.core.text import Span
from app.engine.client import Engine
from tests.conftest import ROOT
from tests.helpers.small_models import small_checkpoint

MODELS = ROOT / "resources" / "models"
TEXT = "The Queen of Hearts made some tarts, all on a summer day. The Knave of Hearts stole the tarts."
QUESTION = Subject(Head.QUESTION_ANSWERING, TEXT, "Who stole the tarts?")
FILM = Subject(Head.CLASSIFICATION, "A wonderful film, and the best of the year.")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(tmp_path_factory.mktemp("log") / "engine.log")
    yield engine
    engine.close()


def look(engine: Engine, request: LookAtModel | LookAtPooling, folder: Path) -> object:
    return engine.run(request, ModelChoice(str(folder), "cpu"), Silent())


def test_the_starter_that_answers_opened_up(engine: Engine) -> None:
    found = look(engine, LookAtModel(QUESTION), MODELS / "reader-quick")
    assert isinstance(found, ModelPicture)
    length = len(found.window.tokens)
    assert found.trunk[-1].output == (1, length, 384)
    used = found.heads[0]
    assert used.head is Head.QUESTION_ANSWERING and used.in_use and used.held
    assert [(s.detail, s.output) for s in used.stages] == [("384 → 2", (1, length, 2)), ("", (1, length))]
    layers = next(stage for stage in found.trunk if stage.term == "encoder layers")
    assert layers.repeats == 6 and "feed-forward 384 → 1,536 → 384" in layers.detail
    counted = sum(stage.parameters for stage in (*found.trunk, *used.stages))
    assert counted == found.parameters == found.modules[0].parameters
    assert "BertForQuestionAnswering(" in found.printed
    assert [token.span.of(TEXT) for token in found.window.tokens if token.part is Part.TEXT][:2] == [  # type: ignore[union-attr]
        "The",
        "Queen",
    ]


def test_the_starter_that_answers_has_no_pooler(engine: Engine) -> None:
    found = look(engine, LookAtPooling(QUESTION), MODELS / "reader-quick")
    assert isinstance(found, Pooling)
    assert len(found.first) == 384 and found.pooled == found.recomputed == () and not found.used


def test_the_pooler_identity_on_the_starter_that_classifies(engine: Engine) -> None:
    found = look(engine, LookAtPooling(FILM), MODELS / "starter-sentiment")
    assert isinstance(found, Pooling)
    assert (found.path, found.activation) == ("bert.pooler.dense", "tanh")
    assert found.is_pooler and found.used
    assert found.error < 1e-6
    assert found.error == pytest.approx(np.abs(np.subtract(found.pooled, found.recomputed)).max(), abs=1e-9)
    first, pooled = np.array(found.first), np.array(found.pooled)
    assert found.difference == pytest.approx(np.abs(first - pooled).max()) and found.difference > 0.5
    assert found.cosine == pytest.approx(first @ pooled / np.linalg.norm(first) / np.linalg.norm(pooled))
    assert np.abs(np.tanh(np.arctanh(pooled)) - pooled).max() < 1e-6 and np.abs(first).max() > 1


@pytest.mark.parametrize("head", SHOWN_HEADS)
def test_every_head_of_a_small_model(engine: Engine, tmp_path: Path, head: Head) -> None:
    folder = small_checkpoint(tmp_path / "m", "bert", head, ("O", "B-PER", "I-PER"))
    text = "The king of hearts made some tarts."
    subject = {
        Head.MASKED_WORDS: Subject(head, text, blanks=(Span(4, 8), Span(29, 34))),
        Head.NEXT_SENTENCE: Subject(head, text, "The knave of hearts stole the tarts."),
        Head.QUESTION_ANSWERING: Subject(head, text, "Who?"),
    }.get(head, Subject(head, text))
    found = look(engine, LookAtModel(subject), folder)
    assert isinstance(found, ModelPicture)
    length = len(found.window.tokens)
    assert found.trunk[0].output == (1, length)
    assert found.heads[0].head is head and len(found.heads) == 5
    shapes = {
        Head.QUESTION_ANSWERING: (1, length),
        Head.CLASSIFICATION: (1, 3),
        Head.MASKED_WORDS: (1, 2, found.trunk[1].parameters // 32),
        Head.NEXT_SENTENCE: (1, 2),
        Head.TOKEN_CLASSIFICATION: (1, length, 3),
    }
    assert found.heads[0].stages[-1].output == shapes[head]
