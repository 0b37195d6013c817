"""What belongs to a loaded model: its finder, float32 weights and text cache, and when each is dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.models import Adjustment
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.core.text import Document
from app.engine.model_pool import Key, ModelPool
from app.engine.orders import GetMemory
from app.engine.process import Host
from app.models.compute.device import cpu_precisions
from app.models.compute.faults import out_of_memory
from tests.engine.ladder import LESS, QA, QUESTION, TEXT, ask, shorter
from tests.helpers.fake_gpu import FakeGpu
from tests.helpers.fake_models import Noted
from tests.helpers.small_models import small_checkpoint

LONG = replace(QUESTION, documents=(Document(TEXT * 10),), in_order=False)
ALONE = "The GPU's memory ran out: long texts are read by reader alone."
BFLOAT16 = pytest.mark.skipif("bfloat16" not in cpu_precisions(), reason="no bfloat16 on this CPU")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in ("plain", "quick", "other"):
        small_checkpoint(folder / name)
    small_checkpoint(folder / "naming", notes={"finder": "quick"})
    small_checkpoint(folder / "albert", "albert")
    return folder


@pytest.fixture
def pool() -> ModelPool:
    return ModelPool(Silent)


def ready(pool: ModelPool, folder: Path, precision: str = "auto") -> Key:
    return pool.ready(ModelChoice(str(folder), "cpu", precision), QA, "")


# A finder: a quicker reader, which finds passages of a long text


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
    pool: ModelPool, models: Path, name: str, asked: str, expected: str | None
) -> None:
    choice = ModelChoice(str(models / name), "cpu", finder=str(models / asked) if asked else "")
    key = pool.ready(choice, QA, "")
    load = pool.reader(key, choice, "").finder
    assert len(pool.loaded()) == 1, "it is loaded when it is wanted"
    finder = load() if load else None
    assert (finder.card.name if finder else None) == expected
    assert finder is None or finder.finder is None
    opened = pool.ready(choice, QA, "", opened=True)
    assert pool.reader(opened, choice, "").finder is None


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


# A calibration that is adjusted to a person's verdicts


def test_an_adjustment_is_of_one_request_and_loads_nothing_again(pool: ModelPool, models: Path) -> None:
    own, quick = Adjustment(0.5, 0.2, 2.0, 0.7), Adjustment(threshold=0.8)
    plain = ModelChoice(str(models / "naming"), "cpu")
    key = pool.ready(plain, QA, "")
    shipped = pool[key].model
    choice = replace(plain, adjustment=own, finder_adjustment=quick)
    assert pool.ready(choice, QA, "") == key and pool[key].model is shipped
    model = pool.reader(key, choice, "")
    assert model.card.calibration == shipped.card.calibration.adjusted(own) != shipped.card.calibration
    assert model.forward is shipped.forward
    finder = model.finder() if model.finder else None
    assert finder is not None and finder.card.calibration.threshold == 0.8
    assert pool.reader(key, plain, "").card == shipped.card


# The forward pass in float32 of a model in less


def compute(pool: ModelPool, key: Key) -> None:
    ids = np.random.default_rng(3).integers(5, 150, (1, 24))
    arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    precise = pool[key].model.precise
    assert precise is not None
    assert precise(arrays) is not None


def test_a_model_in_float32_needs_no_second_one(pool: ModelPool, models: Path) -> None:
    assert pool[ready(pool, models / "plain", "float32")].model.precise is None


@BFLOAT16
def test_weights_in_float32_count_once_they_are_there(pool: ModelPool, models: Path) -> None:
    key = ready(pool, models / "plain", "bfloat16")
    held = pool[key]
    assert held.precise is not None
    assert pool.loaded()[0].size == held.size
    compute(pool, key)
    assert pool.loaded()[0].size == held.size + held.precise.size > held.size


@BFLOAT16
@pytest.mark.parametrize("was_needed", [True, False])
def test_where_memory_runs_out_they_go_for_good_and_before_windows_are_halved(
    pool: ModelPool, models: Path, was_needed: bool
) -> None:
    key = ready(pool, models / "plain", "bfloat16")
    window = pool[key].model.card.window
    if was_needed:
        compute(pool, key)
        pool.step_down(key, out_of_memory("cpu", window))
        assert pool[key].model.precise is None
        assert pool[key].bytes == pool[key].size
        assert pool[key].model.card.window == window
    pool.step_down(key, out_of_memory("cpu", window))
    assert pool[key].model.card.window < window
    assert (pool[ready(pool, models / "plain", "bfloat16")].model.precise is None) == was_needed


# What is kept of texts


@pytest.mark.parametrize(("device", "left"), [("cpu", False), ("cuda:0", True)])
def test_where_the_computers_memory_runs_out_what_was_kept_of_texts_goes(
    pool: ModelPool, models: Path, device: str, left: bool
) -> None:
    keys = [ready(pool, models / name) for name in ("albert", "plain")]
    caches = [pool[key].model.text_cache for key in keys]
    for cache in caches:
        assert cache is not None
        cache.of(Document("a" * 30_000))
        assert cache.nbytes >= 30_000
    pool.step_down(keys[-1], out_of_memory(device, 384))
    assert [bool(cache.nbytes) for cache in caches if cache is not None] == [left, left]
