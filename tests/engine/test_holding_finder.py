"""Which readers come with a quicker one that finds passages of a long text for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import ModelChoice
from app.engine.holding import Holding
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
    holding = Holding(Silent)
    choice = ModelChoice(str(models / name), "cpu", finder=str(models / asked) if asked else "")
    key = holding.ready(choice, QA, "")
    finder = holding.reader(key, "").finder
    assert (finder.card.name if finder else None) == expected
    assert finder is None or finder.finder is None
    opened = holding.ready(choice, QA, "", opened=True)
    assert holding.reader(opened, "").finder is None
