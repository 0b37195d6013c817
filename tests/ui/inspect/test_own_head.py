"""The answers below the picture, and the code of a head of one's own, run on every family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.core.inside import ModelPicture
from app.core.inspection import LookAtModel, Subject
from app.core.models import DeviceChoice, Head
from app.core.report import Silent
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.inspect.model import look_at_model
from app.ui.inspect.own_head import SPAN, TEXT, TOKENS, own_head
from app.ui.inspect.picture import questions_and_answers
from tests.helpers import insides
from tests.helpers.small_models import small_checkpoint

# A pooler and none are guarded by two; the others are of the same two kinds.
OTHERS = ("roberta", "mpnet", "electra", "albert")
FAMILIES = ("bert", "distilbert", *(pytest.param(other, marks=pytest.mark.long) for other in OTHERS))
CPU = DeviceChoice("cpu", "float32", "a test")


def seen(folder: Path) -> ModelPicture:
    """The picture of a small classifier."""
    model = load(read_card(folder), Head.CLASSIFICATION, CPU, opened=True)
    return look_at_model(LookAtModel(Subject(Head.CLASSIFICATION, "A good film")), model, Silent())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_code_runs_unchanged_and_the_answers_fit_the_family(family: str, tmp_path: Path) -> None:
    import torch

    folder = small_checkpoint(tmp_path / "m", family, Head.CLASSIFICATION)
    picture = seen(folder)
    ids = torch.tensor([[5, 6, 7, 8], [5, 9, 10, 6]])
    shapes = {TEXT: (2, 3), TOKENS: (2, 4, 3), SPAN: (2, 4)}
    for kind, shape in shapes.items():
        found = own_head(picture, kind)
        made: dict[str, Any] = {}
        exec(found.code, made)
        head = made["MyHead"](str(folder)).eval()
        given = head(input_ids=ids, attention_mask=torch.ones_like(ids))
        assert tuple((given[0] if kind == SPAN else given).shape) == shape
        own = [each for name, each in head.named_parameters() if not name.startswith("base.")]
        assert sum(each.numel() for each in own) == found.weights
        assert f"{found.weights:,} weights of its own" in found.explanation
    (question, _), (_, pooled) = questions_and_answers(picture)
    pooler = family in ("bert", "albert")
    assert (f"only the pooled {picture.window.tokens[0].piece}?" in question) == pooler
    assert ("proves it in numbers" in pooled) == pooler
    assert ("has no such layer" in pooled) == (not pooler)


def test_a_span_head_is_trained_with_two_cross_entropies() -> None:
    found = own_head(insides.picture(insides.ASKED, "reader-quick"), SPAN)
    assert found.weights == 385 * 2
    assert "two cross-entropies" in found.explanation and "app train qa" in found.explanation
