"""When a GPU breaks down, the process that used it ends, the CPU answers, and no GPU is used any more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import DeviceLost
from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice, Question
from app.core.text import Document
from app.engine.client import Engine
from tests.engine.breaking import start_breaking
from tests.helpers.children import Listener, gone
from tests.helpers.small_models import small_checkpoint

QUESTION = Question("Who stole the tarts?", (Document("The knave of hearts stole the tarts."),))
SENTENCE = "The GPU broke down: the models now run on the CPU."
REASON = "the GPU broke down: CUDA error: device-side assert triggered"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "log", start_breaking)
    yield engine
    engine.close()


def test_the_cpu_answers_in_another_process_and_goes_on(engine: Engine, tmp_path: Path) -> None:
    choice = ModelChoice(str(small_checkpoint(tmp_path / "reader")), "cuda")
    loaded = engine.load(choice, Head.QUESTION_ANSWERING, Silent())
    assert loaded.device.title == "GPU"
    first, listener = engine.pid, Listener()
    reading = engine.run(QUESTION, choice, listener)
    assert listener.notices == [SENTENCE]
    assert (reading.device, reading.complete) == ("CPU", True)
    assert engine.pid not in (None, first)
    assert gone(first or 0)

    second, again = engine.pid, Listener()
    assert engine.run(QUESTION, choice, again).device == "CPU"
    assert (again.notices, engine.pid) == ([], second)
    loaded = engine.load(choice, Head.QUESTION_ANSWERING, Silent())
    assert loaded.device.reason.startswith(REASON)
    assert engine.devices(Silent()).auto.reason.startswith(REASON)
    by_hand = ModelChoice(choice.folder, "cpu")
    assert engine.load(by_hand, Head.QUESTION_ANSWERING, Silent()).device.reason.startswith("chosen")


def test_work_without_a_model_is_not_begun_again_by_itself(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def run(order: object, report: object) -> object:
        asked.append(order)
        raise DeviceLost("The GPU broke down: it is lost.", "Choose the device cpu.")

    monkeypatch.setattr(engine._child, "run", run)
    with pytest.raises(DeviceLost):
        engine.run("a training", None, Silent())
    assert len(asked) == 1


def test_a_cpu_that_breaks_down_as_well_is_said_to(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    listener, ends = Listener(), []

    def run(order: object, report: object) -> object:
        raise DeviceLost("The GPU broke down: it is lost.", "Choose the device cpu.")

    monkeypatch.setattr(engine._child, "run", run)
    monkeypatch.setattr(engine._child, "end", lambda: ends.append(1))
    for _ in range(2):
        with pytest.raises(DeviceLost):
            engine.run(QUESTION, ModelChoice("reader"), listener)
    assert listener.notices == [SENTENCE]
    assert len(ends) == 3
