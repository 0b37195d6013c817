"""The handler of the model process, called without a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from app.core.errors import SpanlightError
from app.core.inspection import LookAtPooling, Subject
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.core.requests import ModelChoice, Question, TrainingRequest
from app.core.results import Reading
from app.core.text import Document
from app.engine import model_pool, process
from app.engine.model_pool import Key, shorter
from app.engine.orders import GetMemory, ListDevices, Load, Run, TryModel, Unload
from app.engine.process import Host, start
from app.models.compute.processor import physical_cores
from app.models.disk.card import read_card
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING
QUESTION = Question("Who stole the tarts?", (Document("The knave of hearts stole the tarts."),))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Leave the number of torch's threads in the tests' own process unchanged."""
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    return asked


@pytest.fixture
def host(threads: list[int]) -> Host:
    return Host()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> ModelChoice:
    return ModelChoice(str(small_checkpoint(tmp_path_factory.mktemp("models") / "reader")), "cpu")


def test_a_trial_may_take_what_the_model_needs_and_no_more(
    host: Host, reader: ModelChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def limit(more: int) -> Callable[[], None]:
        limits.append(more)
        return lambda: limits.append(0)

    monkeypatch.setattr(process, "limit_memory", limit)
    assert host(TryModel(reader.folder), Silent()).heads == (QA,)
    card = read_card(reader.folder)
    assert 2e9 + 12 * card.parameters <= limits[0] < 2.1e9
    assert limits[1:] == [0]


def names_held(host: Host) -> list[str]:
    return [held.name for held in host(GetMemory(), Silent()).held]


@pytest.mark.parametrize(
    ("error", "whose"),
    [
        (MemoryError(), "This computer"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "This computer"),
        (RuntimeError("MPS backend out of memory"), "The GPU"),
        (torch.OutOfMemoryError("Tried to allocate 20.00 MiB"), "The GPU"),
    ],
)
def test_too_little_memory_in_a_task_is_a_fault_of_the_world(
    host: Host, monkeypatch: pytest.MonkeyPatch, error: Exception, whose: str
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr("app.training.trainer.train", fail)
    request = TrainingRequest("qa", "base", (), (), "out")
    with pytest.raises(SpanlightError, match=f"{whose} has too little free memory") as caught:
        host(Run(request, None), Silent())
    assert caught.value.hint


def test_training_is_handed_to_the_trainer_and_models_make_room(
    host: Host, reader: ModelChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    host(Load(reader, QA), Silent())
    assert names_held(host) == ["reader"]
    request = TrainingRequest("qa", "base", ("a.jsonl",), ("b.jsonl",), "out")
    monkeypatch.setattr("app.training.trainer.train", lambda *given: given)
    report = Silent()
    assert host(Run(request, None), report) == (request, report)
    assert not names_held(host)


def test_a_stop_is_seen_within_a_batch(host: Host, reader: ModelChoice) -> None:
    class StopsInTheMiddle(Silent):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks == 2:
                raise Stopped

    host(Load(reader, QA), Silent())
    forward = host._models[Key(reader.folder, QA, "cpu", "auto", False)].model.forward
    report = StopsInTheMiddle()
    host._report = report
    arrays = {name: np.ones((1, 8), np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
    with pytest.raises(Stopped):
        forward(arrays)
    assert report.checks == 2, "once a layer"
    assert isinstance(host(Run(QUESTION, reader), Silent()), Reading)


def test_only_the_last_few_models_are_held(host: Host, tmp_path: Path) -> None:
    folders = [str(small_checkpoint(tmp_path / f"m{i}")) for i in range(model_pool.MOST_MODELS + 2)]
    for folder in (*folders, folders[2]):
        host(Load(ModelChoice(folder, "cpu"), QA), Silent())
    assert names_held(host) == [Path(folder).name for folder in (*folders[3:], folders[2])]


@pytest.mark.parametrize(("most", "left"), [(2.5, 2), (1.0, 1), (0.5, 1)])
def test_of_large_models_fewer_are_held_and_always_the_last(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: float, left: int
) -> None:
    folders = [str(small_checkpoint(tmp_path / f"m{i}")) for i in range(4)]
    weights = read_card(folders[0]).parameters
    monkeypatch.setattr(model_pool, "MOST_WEIGHTS", int(most * weights))
    for folder in folders:
        host(Load(ModelChoice(folder, "cpu"), QA), Silent())
    assert names_held(host) == [Path(folder).name for folder in folders[-left:]]


def test_torch_gets_the_physical_cores_for_every_order(
    host: Host, reader: ModelChoice, threads: list[int]
) -> None:
    for _ in range(2):
        host(Load(reader, QA), Silent())
    assert threads == [physical_cores()] * 2


def test_a_missing_torch_is_said(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SpanlightError, match="PyTorch cannot be loaded") as caught:
        host(Load(ModelChoice(str(tmp_path), "cpu"), QA), Silent())
    assert caught.value.hint


def test_the_process_stays_off_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"USE_TF": "1"})
    assert isinstance(start(), Host)
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"
    assert os.environ["TOKENIZERS_PARALLELISM"] == "false"
    assert os.environ["USE_TF"] == "1"


def test_what_is_held_is_told_in_bytes_and_unloaded(host: Host, reader: ModelChoice) -> None:
    before = host(GetMemory(), Silent())
    assert before.held == ()
    assert 0 < before.process < before.computer
    assert 0 < before.free < before.computer
    host(Load(replace(reader, precision="float32"), QA), Silent())
    host(Run(LookAtPooling(Subject(QA, "The tarts.", pair="Who?")), reader), Silent())
    use = host(GetMemory(), Silent())
    assert [(one.name, one.head, one.device, one.opened) for one in use.held] == [
        ("reader", QA, "cpu", False), ("reader", QA, "cpu", True),
    ]  # fmt: skip
    size = sum(tensor.nbytes for tensor in load_file(f"{reader.folder}/model.safetensors").values())
    assert all(size <= one.size < 1.2 * size for one in use.held if one.dtype == "float32")
    assert host(Unload(), Silent()).held == ()
    assert isinstance(host(Run(QUESTION, reader), Silent()), Reading)


def test_a_model_of_another_precision_is_another_one(
    host: Host, reader: ModelChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.compute.processor.bfloat16", lambda: "a test")
    monkeypatch.setattr("app.models.compute.processor.fast_bfloat16", lambda: "")
    for precision, dtype in (("bfloat16", "bfloat16"), ("float32", "float32"), ("auto", "float32")):
        assert host(Load(replace(reader, precision=precision), QA), Silent()).device.dtype == dtype
    assert [one.dtype for one in host(GetMemory(), Silent()).held] == ["bfloat16", "float32"]


def test_what_was_asked_for_otherwise_and_is_the_same_is_held_once(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.compute.device.gpus", lambda: ())
    monkeypatch.setattr("app.models.compute.processor.fast_bfloat16", lambda: "")
    folder = str(small_checkpoint(tmp_path / "reader"))
    reasons = []
    for device, precision in (("auto", "auto"), ("cpu", "auto"), ("cpu", "float32"), ("auto", "auto")):
        reasons.append(host(Load(ModelChoice(folder, device, precision), QA), Silent()).device.reason)
        assert len(host(GetMemory(), Silent()).held) == 1
    assert reasons[0] == reasons[3] and len(set(reasons)) == 3  # each says why it is there
    small_checkpoint(tmp_path / "reader", seed=5)
    host(Load(ModelChoice(folder, "cpu"), QA), Silent())
    assert isinstance(host(Run(QUESTION, ModelChoice(folder, "cpu")), Silent()), Reading)


def test_devices_are_told(host: Host) -> None:
    found = host(ListDevices(), Silent())
    assert found.options[0].key == "cpu"
    assert found.options[0].usable
    assert host(ListDevices("the GPU broke down"), Silent()).auto.reason.startswith("the GPU broke down")


def test_memory_is_told_and_given_back_without_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "torch")
    assert Host()(GetMemory(), Silent()).held == ()
    assert "torch" not in sys.modules
    assert Host()(Unload(), Silent()).gpu == 0
    assert "torch" not in sys.modules


@given(st.integers(16, 2048), st.integers(0, 2048))
def test_windows_get_shorter_until_one_is_left_that_could_not_help(window: int, length: int) -> None:
    steps = []
    while found := shorter(window, length):
        assert model_pool.LEAST_WINDOW <= found < window
        assert not length or found < length
        steps.append(found)
        window = found
    assert len(steps) <= 5
    assert window <= model_pool.LEAST_WINDOW or (length and length <= model_pool.LEAST_WINDOW)


def test_what_long_work_has_freed_is_handed_back(
    host: Host, reader: ModelChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    trimmed: list[bool] = []
    monkeypatch.setattr(process.memory, "trim", lambda: trimmed.append(True))
    host(Run(QUESTION, reader), Silent())
    trimmed.clear()
    host(Run(QUESTION, reader), Silent())
    assert not trimmed, "short work goes without"
    monkeypatch.setattr(process, "_LONG_WORK", 0.0)
    host(Run(QUESTION, reader), Silent())
    assert trimmed


def test_a_request_can_be_answered_by_transformers_own_class(host: Host, reader: ModelChoice) -> None:
    quick = host(Run(QUESTION, reader), Silent())
    exact = host(Run(QUESTION, reader, opened=True), Silent())
    assert quick.answers[0].span == exact.answers[0].span
    assert quick.answers[0].score == pytest.approx(exact.answers[0].score, abs=1e-3)
    assert [held.opened for held in host(GetMemory(), Silent()).held] == [False, True]
