"""Child processes with the handlers of tests.engine.handlers, and a fake GPU."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.core.models import Head
from app.engine.child import Child
from tests.engine import handlers

if TYPE_CHECKING:  # PyTorch comes only where it is needed
    from tests.helpers.fake_gpu import FakeGpu


@pytest.fixture(scope="module")
def shared() -> Iterator[Child]:
    child = Child(handlers.make, title="helper process")
    yield child
    child.close()


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child(handlers.make, title="helper process")
    yield child
    child.close()


@pytest.fixture(scope="module")
def quick_collection(ladder_models: Path) -> None:
    """Keep PyTorch's objects, all imported by now, out of garbage collections, each of which would take 0.3 s."""
    gc.freeze()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, quick_collection: None) -> FakeGpu:
    """A fake GPU, which `auto` and `cuda` choose; torch's number of threads stays unchanged."""
    from tests.helpers.fake_gpu import FakeGpu

    monkeypatch.setattr("torch.set_num_threads", lambda _: None)
    return FakeGpu().install(monkeypatch.setattr)


@pytest.fixture(scope="module")
def ladder_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.helpers.small_models import small_checkpoint

    folder = tmp_path_factory.mktemp("models")
    small_checkpoint(folder / "reader")
    small_checkpoint(folder / "reader-192", notes={"window": 192, "stride": 64})
    small_checkpoint(folder / "other", seed=8)
    small_checkpoint(folder / "judge", "distilbert", Head.CLASSIFICATION)
    small_checkpoint(folder / "filler", "bert", (Head.MASKED_WORDS, Head.NEXT_SENTENCE))
    small_checkpoint(folder / "tagger", "bert", Head.TOKEN_CLASSIFICATION, ("O", "B-PER", "I-PER"))
    return folder
