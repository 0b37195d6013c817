"""What a process that holds models keeps of the texts they read, and when it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.core.text import Document
from app.engine.holding import ModelPool
from app.models.compute.faults import out_of_memory
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING


@pytest.mark.parametrize(("device", "left"), [("cpu", 0), ("cuda:0", 1)])
def test_where_the_computers_memory_runs_out_what_was_kept_of_texts_goes(
    tmp_path: Path, device: str, left: int
) -> None:
    holding = ModelPool(Silent)
    keys = [
        holding.ready(ModelChoice(str(small_checkpoint(tmp_path / family, family)), "cpu"), QA, "")
        for family in ("albert", "bert")
    ]
    models = [holding[key].model for key in keys]
    for model in models:
        assert model.text_cache is not None
        model.text_cache.of(Document("a" * 30_000))
        assert model.text_cache.nbytes >= 30_000
    holding.step_down(keys[-1], out_of_memory(device, 384))
    for model in models:
        assert model.text_cache is not None
        assert bool(model.text_cache.nbytes) == bool(left)
