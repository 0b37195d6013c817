"""Which readers come with a quicker one that finds passages of a long text for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.core.text import Document
from app.engine.holding import ModelPool
from app.engine.orders import GetMemory
from app.engine.process import Host
from tests.engine.ladder import LESS, QUESTION, TEXT, ask, shorter
from tests.helpers.fake_gpu import FakeGpu
from tests.helpers.fake_models import Noted
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in ("plain", "quick", "other"):
        small_checkpoint(folder / name)
    small_checkpoint(folder / "naming", notes={"finder": "quick"})
    return folder


@pytest.mark.parametrize(
    ("name", "asked", "expected"),
    [
        ("plain", "", None),
        ("plain", "other", "other"),
        ("naming", "", "quick"),
        ("naming", "other", "quick"),
        ("plain", "gone", None),
    ],
)
def test_the_finder_is_the_one_that_the_model_names_else_the_one_asked_for(
    models: Path, name: str, asked: str, expected: str | None
) -> None:
    holding = ModelPool(Silent)
    choice = ModelChoice(str(models / name), "cpu", finder=str(models / asked) if asked else "")
    key = holding.ready(choice, QA, "")
    load = holding.reader(key, "").finder
    assert len(holding) == 1, "it is loaded when it is wanted"
    finder = load() if load else None
    assert (finder.card.name if finder else None) == expected
    assert finder is None or finder.finder is None
    opened = holding.ready(choice, QA, "", opened=True)
    assert holding.reader(opened, "").finder is None


LONG = replace(QUESTION, documents=(Document(TEXT * 10),), in_order=False)
ALONE = "The GPU's memory ran out: long texts are read by reader alone."


def test_a_finder_that_has_no_room_is_not_loaded_again(gpu: FakeGpu, ladder_models: Path) -> None:
    host, gpu.models = Host(), 1
    reading, said = ask(host, ladder_models / "reader", LONG, finder=ladder_models / "other")
    assert said == [ALONE]
    assert (reading.device, reading.windows) == ("GPU", reading.windows_whole)
    assert gpu.loaded == ["cuda", "cuda"]
    again, said = ask(host, ladder_models / "reader", LONG, finder=ladder_models / "other")
    assert (said, again.windows, gpu.loaded) == ([], reading.windows, ["cuda", "cuda"])


def test_a_finder_that_goes_to_make_room_stays_away(gpu: FakeGpu, ladder_models: Path) -> None:
    host = Host()
    reading, said = ask(host, ladder_models / "reader", LONG, finder=ladder_models / "other")
    assert (said, len(gpu.loaded), reading.quick) == ([], 2, True)
    gpu.tokens = {"cuda": 200}
    reading, said = ask(host, ladder_models / "reader", LONG, finder=ladder_models / "other")
    assert said == [LESS, ALONE, LESS, shorter(192)]
    assert (reading.device, reading.quick, len(gpu.loaded)) == ("GPU", False, 2)
    assert [held.name for held in host(GetMemory(), Noted()).held] == ["reader"]
