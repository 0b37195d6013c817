"""Checkpoints that the tests of this folder may spoil: copies of two that are built once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.core.models import Head
from tests.helpers.cards import CLASSIFY, QA
from tests.helpers.small_models import small_checkpoint


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Head, Path]:
    folder = tmp_path_factory.mktemp("models")
    labels = ("bad", "fine", "good")
    return {
        QA: small_checkpoint(folder / "reader", "bert", QA),
        CLASSIFY: small_checkpoint(folder / "judge", "bert", CLASSIFY, labels),
    }


@pytest.fixture
def reader(originals: dict[Head, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals[QA], tmp_path / "reader"))


@pytest.fixture
def judge(originals: dict[Head, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals[CLASSIFY], tmp_path / "judge"))
