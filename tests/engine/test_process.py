"""What the model process does, called here without a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head, LoadedModel, ModelCard
from app.core.report import Silent, Stopped
from app.core.requests import ModelChoice, Question, TrainingRequest
from app.core.results import Reading
from app.core.text import Document
from app.engine import process
from app.engine.orders import Load, Run
from app.engine.process import Host, start
from app.models.card import read_card
from app.models.forward import out_of_memory
from app.models.loader import Loaded, load
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING
GPU = DeviceChoice("cuda:0", "bfloat16", "a graphics card")
QUESTION = Question("Who stole the tarts?", (Document("The knave of hearts stole the tarts."),))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Torch's threads stay as they are in the tests' own process."""
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    return asked


@pytest.fixture
def host(threads: list[int]) -> Host:
    return Host()


Broken = Callable[[ModelCard, Head, DeviceChoice], Loaded]


def on_a_gpu(monkeypatch: pytest.MonkeyPatch, loads: Broken) -> list[str]:
    """Let `auto` find a GPU, whose models are made by `loads`; what was loaded where is noted."""
    noted: list[str] = []

    def choose(wanted: str) -> DeviceChoice:
        return GPU if wanted in ("auto", "cuda") else process.devices.cpu("chosen")

    def loading(
        card: ModelCard, head: Head, device: DeviceChoice, check: Callable[[], None], *, opened: bool
    ) -> Loaded:
        noted.append(device.device)
        return loads(card, head, device) if device is GPU else load(card, head, device)

    monkeypatch.setattr(process.devices, "choose", choose)
    monkeypatch.setattr(process, "load", loading)
    return noted


def too_large(card: ModelCard, head: Head, device: DeviceChoice) -> Loaded:
    raise out_of_memory(device.device)


def too_large_to_read(card: ModelCard, head: Head, device: DeviceChoice) -> Loaded:
    def forward(_: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        raise out_of_memory(device.device)

    loaded = load(card, head, DeviceChoice("cpu", "float32", ""))
    return Loaded(card, device, loaded.tokenizer, forward)


@pytest.mark.parametrize("loads", [too_large, too_large_to_read])
def test_where_auto_found_a_gpu_that_is_full_the_cpu_reads(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: Broken
) -> None:
    choice = ModelChoice(str(small_checkpoint(tmp_path / "reader")), "auto")
    noted = on_a_gpu(monkeypatch, loads)
    reading = host(Run(QUESTION, choice), Silent())
    assert isinstance(reading, Reading)
    assert noted == ["cuda:0", "cpu"]
    loaded = host(Load(choice, QA), Silent())
    assert isinstance(loaded, LoadedModel)
    assert loaded.device.device == "cpu"
    assert loaded.device.reason.startswith("the GPU has too little free memory")
    assert noted == ["cuda:0", "cpu"], "and stays there"


@pytest.mark.parametrize("loads", [too_large, too_large_to_read])
def test_where_the_gpu_was_asked_for_it_is_said_that_it_is_full(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loads: Broken
) -> None:
    choice = ModelChoice(str(small_checkpoint(tmp_path / "reader")), "cuda")
    noted = on_a_gpu(monkeypatch, loads)
    with pytest.raises(SpanlightError, match="The GPU has too little free memory"):
        host(Run(QUESTION, choice), Silent())
    assert noted == ["cuda:0"]


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
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = ModelChoice(str(small_checkpoint(tmp_path / "reader")), "cpu")
    host(Load(choice, QA), Silent())
    assert len(host._held) == 1
    request = TrainingRequest("qa", "base", ("a.jsonl",), ("b.jsonl",), "out")
    monkeypatch.setattr("app.training.trainer.train", lambda *given: given)
    report = Silent()
    assert host(Run(request, None), report) == (request, report)
    assert not host._held


def test_a_stop_is_seen_within_a_batch(host: Host, tmp_path: Path) -> None:
    class StopsInTheMiddle(Silent):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks == 2:
                raise Stopped

    choice = ModelChoice(str(small_checkpoint(tmp_path / "reader")), "cpu")
    host(Load(choice, QA), Silent())
    forward = next(iter(host._held.values()))[1].forward
    report = StopsInTheMiddle()
    host._report = report
    arrays = {name: np.ones((1, 8), np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
    with pytest.raises(Stopped):
        forward(arrays)
    assert report.checks == 2, "once a layer"
    assert isinstance(host(Run(QUESTION, choice), Silent()), Reading)


def test_only_the_last_few_models_are_held(host: Host, tmp_path: Path) -> None:
    folders = [str(small_checkpoint(tmp_path / f"m{i}")) for i in range(process.MOST_HELD + 2)]
    for folder in (*folders, folders[2]):
        host(Load(ModelChoice(folder, "cpu"), QA), Silent())
    held = [folder for folder, *_ in host._held]
    assert held == [*folders[3:], folders[2]]


@pytest.mark.parametrize(("most", "left"), [(2.5, 2), (1.0, 1), (0.5, 1)])
def test_of_large_models_fewer_are_held_and_always_the_last(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: float, left: int
) -> None:
    folders = [str(small_checkpoint(tmp_path / f"m{i}")) for i in range(4)]
    weights = read_card(folders[0]).parameters
    monkeypatch.setattr(process, "MOST_WEIGHTS", int(most * weights))
    for folder in folders:
        host(Load(ModelChoice(folder, "cpu"), QA), Silent())
    assert [folder for folder, *_ in host._held] == folders[-left:]


def test_torch_gets_the_physical_cores_for_every_order(
    host: Host, tmp_path: Path, threads: list[int]
) -> None:
    choice = ModelChoice(str(small_checkpoint(tmp_path / "reader")), "cpu")
    for _ in range(2):
        host(Load(choice, QA), Silent())
    assert threads == [process.devices.physical_cores()] * 2


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
