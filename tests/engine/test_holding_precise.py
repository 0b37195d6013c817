"""What a held model's forward pass in float32 counts, and when it goes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.engine.holding import Key, ModelPool
from app.models.compute.device import cpu_precisions
from app.models.compute.faults import out_of_memory
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING

pytestmark = pytest.mark.skipif("bfloat16" not in cpu_precisions(), reason="no bfloat16 on this CPU")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("held") / "reader")


def ready(holding: ModelPool, folder: Path, precision: str = "bfloat16") -> Key:
    return holding.ready(ModelChoice(str(folder), "cpu", precision), QA, "")


def compute(holding: ModelPool, key: Key) -> None:
    ids = np.random.default_rng(3).integers(5, 150, (1, 24))
    arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    precise = holding[key].model.precise
    assert precise is not None
    assert precise(arrays) is not None


def test_float32_has_none(folder: Path) -> None:
    holding = ModelPool(Silent)
    assert holding[ready(holding, folder, "float32")].model.precise is None


def test_its_weights_count_once_they_are_there(folder: Path) -> None:
    holding = ModelPool(Silent)
    key = ready(holding, folder)
    held = holding[key]
    assert held.precise is not None
    assert holding.loaded()[0].size == held.size
    compute(holding, key)
    assert holding.loaded()[0].size == held.size + held.precise.size > held.size


def test_where_memory_runs_out_it_goes_for_good_and_before_windows_are_halved(folder: Path) -> None:
    holding = ModelPool(Silent)
    key = ready(holding, folder)
    compute(holding, key)
    window = holding[key].model.card.window
    holding.step_down(key, out_of_memory("cpu", window))
    assert holding[key].model.precise is None
    assert holding[key].bytes == holding[key].size
    assert holding[key].model.card.window == window
    holding.step_down(key, out_of_memory("cpu", window))
    assert holding[key].model.card.window < window
    assert holding[ready(holding, folder)].model.precise is None


def test_where_it_was_not_needed_it_is_no_step(folder: Path) -> None:
    holding = ModelPool(Silent)
    key = ready(holding, folder)
    window = holding[key].model.card.window
    holding.step_down(key, out_of_memory("cpu", window))
    assert holding[key].model.card.window < window
