"""Which held models may be screened, what a screen counts, and when it goes."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.core.text import Document
from app.engine.holding import Holding
from app.models.encoder import screen as screens
from app.models.encoder.screen_probe import highest_level
from app.models.faults import out_of_memory
from app.tasks.task import ReadyModel
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING

pytestmark = pytest.mark.skipif(not highest_level(32, 64, "gelu"), reason="no int8 linears on this CPU")


@pytest.fixture(autouse=True)
def at_any_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "LEAST_GAIN", 0.0)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    base = tmp_path_factory.mktemp("screened")
    return {
        "reader": str(small_checkpoint(base / "reader")),
        "judge": str(small_checkpoint(base / "judge", head=Head.CLASSIFICATION)),
        "other": str(small_checkpoint(base / "other", "albert")),
    }


def ready(
    holding: Holding, folder: str, precision: str = "auto", head: Head = QA, *, opened: bool = False
) -> ReadyModel:
    return holding[holding.ready(ModelChoice(folder, "cpu", precision), head, "", opened)].model


def begin(model: ReadyModel) -> bool:
    ids = np.random.default_rng(3).integers(5, model.tokenizer.get_vocab_size(), (2, 48))
    assert model.screen is not None
    return model.screen.begin(
        {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    )


def test_only_a_reader_whose_precision_was_left_open_has_one(folders: dict[str, str]) -> None:
    assert ready(Holding(Silent), folders["reader"]).screen is not None
    assert ready(Holding(Silent), folders["reader"], "float32").screen is None
    assert ready(Holding(Silent), folders["reader"], opened=True).screen is None
    assert ready(Holding(Silent), folders["judge"], head=Head.CLASSIFICATION).screen is None
    assert ready(Holding(Silent), folders["other"]).screen is None


def test_one_copy_does_for_both_and_only_one_of_them_is_screened(folders: dict[str, str]) -> None:
    holding = Holding(Silent)
    auto = ready(holding, folders["reader"])
    dtype = auto.device.dtype
    chosen = ready(holding, folders["reader"], dtype)
    assert len(holding) == 1
    assert (chosen.forward, chosen.screen) == (auto.forward, None)
    again = ready(holding, folders["reader"])
    assert (again.forward, again.screen) == (auto.forward, auto.screen)
    other = Holding(Silent)
    ready(other, folders["reader"], dtype)
    assert ready(other, folders["reader"]).screen is not None
    assert len(other) == 1


def test_its_weights_count_once_they_are_there(folders: dict[str, str]) -> None:
    holding = Holding(Silent)
    model = ready(holding, folders["reader"])
    before = holding.held()[0].size
    assert begin(model)
    assert model.screen is not None
    assert holding.held()[0].size == before + model.screen.size  # type: ignore[attr-defined]
    assert model.screen.size > 0  # type: ignore[attr-defined]


def test_it_goes_with_its_model(folders: dict[str, str]) -> None:
    holding = Holding(Silent)
    model = ready(holding, folders["reader"])
    assert begin(model)
    gone = weakref.ref(model.screen)
    del model
    holding.clear()
    gc.collect()
    assert gone() is None


def test_where_memory_runs_out_it_goes_first_and_for_good(folders: dict[str, str]) -> None:
    holding = Holding(Silent)
    model = ready(holding, folders["reader"])
    assert begin(model)
    ready(holding, folders["judge"], head=Head.CLASSIFICATION)
    key = holding.ready(ModelChoice(folders["reader"], "cpu"), QA, "")
    holding.step_down(key, out_of_memory("cpu", 384))
    assert (len(holding), holding[key].model.screen) == (2, None)
    assert holding[key].bytes == holding[key].size
    holding.step_down(key, out_of_memory("cpu", 384))
    assert len(holding) == 1, "then the other models make room"
    assert ready(holding, folders["reader"]).screen is None


@pytest.mark.parametrize(("device", "left"), [("cpu", 0), ("cuda:0", 1)])
def test_where_the_computers_memory_runs_out_what_was_kept_of_texts_goes(
    folders: dict[str, str], device: str, left: int
) -> None:
    holding = Holding(Silent)
    models = [ready(holding, folders[name]) for name in ("other", "reader")]
    for model in models:
        assert model.kept is not None
        model.kept.of(Document("a" * 30_000))
        assert model.kept.nbytes >= 30_000
    key = holding.ready(ModelChoice(folders["reader"], "cpu"), QA, "")
    holding.step_down(key, out_of_memory(device, 384))
    for model in models:
        assert model.kept is not None
        assert bool(model.kept.nbytes) == bool(left)
