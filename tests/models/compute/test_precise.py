"""The forward pass in float32 beside one in a narrower dtype: loaded at its first call, closed where that fails."""

from __future__ import annotations

import shutil
from math import prod
from pathlib import Path

import numpy as np
import pytest

from app.core.models import DeviceChoice, Head
from app.core.report import Stopped
from app.models.compute import forward as module
from app.models.compute.faults import out_of_memory
from app.models.compute.forward import Arrays, Forward, PreciseForward
from app.models.compute.loader import Loaded, load
from app.models.disk.card import read_card
from app.models.disk.checkpoint import read_checkpoint
from tests.helpers.small_models import LAYERS, small_checkpoint

QA = Head.QUESTION_ANSWERING


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("precise") / "reader")


def loaded(folder: Path, dtype: str = "bfloat16", head: Head = QA, check: object = None) -> Loaded:
    called = check if callable(check) else (lambda: None)
    return load(read_card(folder), head, DeviceChoice("cpu", dtype, "a test"), called)


def rows() -> Arrays:
    ids = np.random.default_rng(3).integers(5, 150, (2, 24))
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


def weights(folder: Path, named: str, each: int) -> int:
    """The bytes of a checkpoint's weights whose names match, at `each` bytes a weight."""
    tensors = read_checkpoint(folder).weights.tensors
    return sum(each * prod(tensor.shape) for name, tensor in tensors.items() if named in name)


def test_only_a_reader_in_less_than_float32_has_one(reader: Path, tmp_path: Path) -> None:
    assert loaded(reader).precise is not None
    assert loaded(reader, "float32").precise is None
    judge = small_checkpoint(tmp_path / "judge", head=Head.CLASSIFICATION)
    assert loaded(judge, head=Head.CLASSIFICATION).precise is None
    assert loaded(small_checkpoint(tmp_path / "albert", "albert")).precise is None


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_its_logits_are_those_of_the_model_in_float32(reader: Path, dtype: str) -> None:
    less, exact = loaded(reader, dtype), loaded(reader, "float32")
    assert less.precise.size == 0, "nothing is loaded before it is called"
    found, right, plain = less.precise(rows()), exact.forward(rows()), less.forward(rows())
    assert less.precise.size == exact.forward.size - weights(reader, "layer.", 4)
    for name, values in right.items():
        np.testing.assert_allclose(found[name], values, atol=1e-5)
        assert not np.allclose(plain[name], values, atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "mpnet"])
def test_word_embeddings_stored_in_a_narrow_dtype_are_shared(family: str, tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "narrow", family, dtype="float16")
    less, exact = loaded(folder), loaded(folder, "float32")
    found, right = less.precise(rows()), exact.forward(rows())
    assert found is not None and isinstance(exact.forward, Forward)
    for name, values in right.items():
        np.testing.assert_allclose(found[name], values, atol=1e-5)
    there = weights(folder, "layer.", 4) + weights(folder, "word_embeddings", 2)
    assert less.precise.size == exact.forward.size - there


@pytest.mark.parametrize(("stored", "own"), [("float32", 4), ("float16", 0)])
def test_it_is_not_loaded_where_memory_is_short(
    stored: str, own: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = small_checkpoint(tmp_path / "reader", dtype=stored)
    needed = 4 * (read_card(reader).parameters // LAYERS) + weights(reader, "word_embeddings", own)
    for free, has in ((2 * needed - 1, False), (2 * needed, True)):
        monkeypatch.setattr(module, "computer", lambda free=free: (64 * needed, free))
        precise = loaded(reader).precise
        assert (precise(rows()) is not None) == has
    monkeypatch.setattr(module, "computer", lambda: (0, 0))  # not known
    precise = loaded(reader).precise
    assert precise(rows()) is not None


class Failing:
    """Loads a forward pass that raises an error, or raises it while loading."""

    size = 8

    def __init__(self, error: BaseException, *, loads: bool) -> None:
        self.error, self.loads, self.calls = error, loads, 0

    def load(self) -> Failing:
        if self.loads:
            return self
        self.calls += 1
        raise self.error

    def __call__(self, arrays: Arrays) -> Arrays:
        self.calls += 1
        raise self.error


@pytest.mark.parametrize("loads", [True, False])
@pytest.mark.parametrize(
    "error", [out_of_memory("cpu", 24), MemoryError(), RuntimeError("CUDA out of memory"), OSError("gone")]
)
def test_after_running_out_of_memory_it_stays_closed(error: Exception, loads: bool) -> None:
    failing = Failing(error, loads=loads)
    precise = PreciseForward(failing.load, 1, "cpu")  # type: ignore[arg-type]  # a fake
    assert precise(rows()) is None
    assert precise(rows()) is None
    assert (failing.calls, precise.size) == (1, 0)


@pytest.mark.parametrize("loads", [True, False])
@pytest.mark.parametrize("error", [Stopped(), RuntimeError("device-side assert triggered")])
def test_other_errors_and_stops_propagate(error: BaseException, loads: bool) -> None:
    failing = Failing(error, loads=loads)
    precise = PreciseForward(failing.load, 1, "cpu")  # type: ignore[arg-type]  # a fake
    for _ in range(2):
        with pytest.raises(type(error)):
            precise(rows())
    assert failing.calls == 2


def test_each_layer_checks_for_a_stop(reader: Path) -> None:
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise Stopped

    precise = loaded(reader, check=check).precise
    with pytest.raises(Stopped):
        precise(rows())
    assert precise(rows()) is not None
    assert len(calls) == 4


def test_without_its_files_there_are_no_precise_logits(reader: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(reader, tmp_path / "copy"))
    precise = loaded(folder).precise
    shutil.rmtree(folder)
    assert precise(rows()) is None
