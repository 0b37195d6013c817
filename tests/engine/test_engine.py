"""The real model process, with torch: one for the whole file, unless a test ends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.core.requests import ModelChoice, Question, QuestionBatch, TextsToClassify
from app.core.results import Classifications, Reading
from app.core.text import Document
from app.engine.child import ChildBug
from app.engine.client import Engine
from app.models.disk.card import read_card
from tests.helpers.children import Listener
from tests.helpers.small_models import small_checkpoint

TARTS = "The queen of hearts made some tarts. The knave of hearts stole the tarts. The king was sad."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    small_checkpoint(folder / "reader", "bert")
    small_checkpoint(folder / "other", "roberta")
    small_checkpoint(folder / "judge", "distilbert", Head.CLASSIFICATION, ("bad", "good"))
    return folder


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "engine.log"


@pytest.fixture(scope="module")
def engine(log: Path) -> Iterator[Engine]:
    engine = Engine(log)
    yield engine
    engine.close()


def choice(models: Path, name: str) -> ModelChoice:
    return ModelChoice(str(models / name), "cpu")


def phases(listener: Listener) -> list[str]:
    return [progress.what for progress in listener.told]


def question(text: str = TARTS) -> Question:
    return Question("Who stole the tarts?", (Document(text),), threshold=0.0)


def test_a_model_is_loaded_and_what_it_is_is_said(engine: Engine, models: Path) -> None:
    listener = Listener()
    loaded = engine.load(choice(models, "reader"), Head.QUESTION_ANSWERING, listener)
    assert loaded.card == read_card(models / "reader")
    assert loaded.device.device == "cpu"
    assert loaded.device.dtype in ("float32", "bfloat16")
    assert loaded.device.reason
    assert "Loading reader" in phases(listener)
    assert engine.alive


def test_a_question_is_answered_with_a_place_in_the_text(engine: Engine, models: Path) -> None:
    reading = engine.run(question(), choice(models, "reader"), Listener())
    assert isinstance(reading, Reading)
    assert reading.best is not None
    assert reading.best.span.of(TARTS) == reading.best.text
    assert reading.complete
    assert (reading.model, reading.device) == ("reader", "CPU")


def test_texts_are_classified(engine: Engine, models: Path) -> None:
    found = engine.run(TextsToClassify(("a bad story", "a good one")), choice(models, "judge"), Listener())
    assert isinstance(found, Classifications)
    assert len(found.items) == 2
    for item in found.items:
        assert [score.label for score in item.scores] == ["bad", "good"]
        assert sum(score.probability for score in item.scores) == pytest.approx(1, abs=1e-5)


def test_models_are_held_until_their_files_change(engine: Engine, models: Path) -> None:
    for name in ("reader", "other"):
        engine.run(question(), choice(models, name), Silent())
    again = Listener()
    engine.run(question(), choice(models, "reader"), again)
    engine.run(question(), choice(models, "other"), again)
    assert not [phase for phase in phases(again) if "Loading" in phase]
    (models / "other" / "spanlight.json").write_text('{"window": 64}')
    changed = Listener()
    loaded = engine.load(choice(models, "other"), Head.QUESTION_ANSWERING, changed)
    assert "Loading other" in phases(changed)
    assert loaded.card.window == 64


def test_a_long_text_tells_how_far_it_is_and_stops_when_asked(engine: Engine, models: Path) -> None:
    engine.load(choice(models, "reader"), Head.QUESTION_ANSWERING, Silent())
    before = engine.pid
    listener = Listener(lambda heard: bool(heard.partials) and any(each.total for each in heard.told))
    with pytest.raises(Stopped):
        engine.run(question(TARTS * 4000), choice(models, "reader"), listener)
    assert isinstance(listener.partials[0], Reading)
    assert not listener.partials[0].complete
    assert engine.run(question(), choice(models, "reader"), Silent()).complete
    assert engine.pid == before


def test_faults_are_said_and_bugs_told_apart(engine: Engine, models: Path) -> None:
    with pytest.raises(SpanlightError, match="reader cannot classify texts"):
        engine.run(TextsToClassify(("a",)), choice(models, "reader"), Silent())
    with pytest.raises(SpanlightError, match=r"The question number 2 is empty\.") as fault:
        batch = QuestionBatch((question(), replace(question(), text=" ")))
        engine.run(batch, choice(models, "reader"), Silent())
    assert isinstance(fault.value.message, Message) and isinstance(fault.value.hint, Message)
    assert fault.value.message.values == {"number": 2}
    with pytest.raises(SpanlightError, match="There is no model folder"):
        engine.run(question(), choice(models, "unicorn"), Silent())
    with pytest.raises(SpanlightError, match="There is no device called 'abacus'"):
        engine.run(question(), ModelChoice(str(models / "reader"), "abacus"), Silent())
    with pytest.raises(ChildBug, match="no task answers int"):
        engine.run(7, choice(models, "reader"), Silent())


def test_nothing_was_printed_while_all_went_well(engine: Engine, models: Path, log: Path) -> None:
    engine.load(choice(models, "judge"), Head.CLASSIFICATION, Silent())
    assert log.read_text() == ""
