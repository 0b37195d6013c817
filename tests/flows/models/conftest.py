"""A small reader, and a home with a small starter classifier; models are tried out in the test's own process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.models import Head
from app.flows.models import installing
from app.flows.workspace import Workspace
from tests.helpers.cards import CLASSIFY, QA
from tests.helpers.installing import TrialHere, a_workspace
from tests.helpers.small_models import small_checkpoint


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[Head, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {
        QA: small_checkpoint(folder / "reader", "bert", QA),
        CLASSIFY: small_checkpoint(folder / "judge", "bert", CLASSIFY, ("bad", "fine", "good")),
    }


@pytest.fixture
def reader(originals: dict[Head, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals[QA], tmp_path / "reader"))


@pytest.fixture
def workspace(
    originals: dict[Head, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    monkeypatch.setattr(installing, "Engine", TrialHere)
    with a_workspace(tmp_path / "home", originals[CLASSIFY]) as opened:
        opened.settings.hub_cache = str(tmp_path / "hub")
        yield opened
