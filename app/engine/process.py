"""The model process: where torch lives. It holds the loaded models and answers what `client` sends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head, LoadedModel, ModelCard
from app.core.report import Progress, Report, Silent
from app.core.requests import ModelChoice, TrainingRequest
from app.engine.orders import Load, Run
from app.models import device as devices
from app.models.card import read_card
from app.models.forward import OutOfMemory, exhausted_device, is_out_of_memory, out_of_memory
from app.models.installed import Signature, signature
from app.models.loader import load
from app.tasks.table import TASKS
from app.tasks.task import ReadyModel

# A page each and some opened ones, while they are small: three of BERT base's size (110 million weights).
MOST_HELD, MOST_WEIGHTS = 8, 400_000_000
# Threads that spin while they wait do a third of the work as soon as anything else wants a core.
ENVIRONMENT = {
    "OMP_WAIT_POLICY": "PASSIVE",
    "KMP_BLOCKTIME": "0",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "USE_TF": "0",
    "USE_FLAX": "0",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
}
# glibc's mallopt: M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD
MALLOPT = ((-1, 2**31 - 1), (-2, 64 * 2**20), (-3, 2**30))

Key = tuple[str, Head, str, bool]


def start() -> Host:
    """Make this process ready for torch, and give the handler of its requests."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    _keep_freed_memory()
    return Host()


class Host:
    """Loads models, keeps the last few, and runs tasks and training with them."""

    def __init__(self) -> None:
        self._held: OrderedDict[Key, tuple[Signature, ReadyModel]] = OrderedDict()
        self._torch_loaded = False
        self._report: Report = Silent()

    def __call__(self, order: Run | Load, report: Report) -> Any:
        """Answer one order. Raises SpanlightError, Stopped, and TypeError for a request that no task answers."""
        self._report = report
        began = time.perf_counter()
        self._set_threads(report)
        try:
            if isinstance(order, Load):
                model = self._ready(order.choice, order.head, report)
                return LoadedModel(model.card, model.device, time.perf_counter() - began)
            return self._answer(order, report)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            raise out_of_memory(exhausted_device(error)) from error

    def _answer(self, order: Run, report: Report) -> Any:
        if isinstance(order.request, TrainingRequest):
            return self._train(order.request, report)
        task = next((task for task in TASKS if isinstance(order.request, task.request)), None)
        if task is None or order.choice is None:
            raise TypeError(f"no task answers {type(order.request).__name__} with {order.choice}")
        head = task.head_of(order.request)
        model = self._ready(order.choice, head, report, task.opened)
        try:
            return task.run(order.request, model, report)
        except OutOfMemory as fault:
            if order.choice.device != "auto" or model.device.device == "cpu":
                raise
            key = (order.choice.folder, head, order.choice.device, task.opened)
            model = self._fall_back(key, model.card, fault, report)
            return task.run(order.request, model, report)

    def _train(self, request: TrainingRequest, report: Report) -> Any:
        from app.training.trainer import train

        self._held.clear()  # training needs the memory
        _free_gpu()
        return train(request, report)

    def _ready(self, choice: ModelChoice, head: Head, report: Report, opened: bool = False) -> ReadyModel:
        """The model asked for, from among those held where its files have not changed since."""
        key = (choice.folder, head, choice.device, opened)
        now = signature(Path(choice.folder))
        held = self._held.get(key)
        if held is not None and held[0] == now:
            self._held.move_to_end(key)
            return held[1]
        self._held.pop(key, None)
        card = read_card(choice.folder)
        report.check()
        device = devices.choose(choice.device)
        report.progress(Progress(0, 0, f"Loading {card.name}"))
        try:
            model = self._load(card, head, device, opened)
        except OutOfMemory as fault:
            if choice.device != "auto" or device.device == "cpu":
                raise
            return self._fall_back(key, card, fault, report)
        report.check()
        return self._hold(key, now, model)

    def _fall_back(self, key: Key, card: ModelCard, fault: OutOfMemory, report: Report) -> ReadyModel:
        """The same model on the CPU, where `auto` chose a GPU whose memory does not suffice."""
        folder, head, _, opened = key
        self._held.clear()
        _free_gpu()
        report.check()
        device = devices.cpu(devices.in_passing(fault))
        return self._hold(key, signature(Path(folder)), self._load(card, head, device, opened))

    def _load(self, card: ModelCard, head: Head, device: DeviceChoice, opened: bool) -> ReadyModel:
        loaded = load(card, head, device, lambda: self._report.check(), opened=opened)
        return ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward, loaded.inside)

    def _hold(self, key: Key, now: Signature, model: ReadyModel) -> ReadyModel:
        self._held[key] = now, model
        while len(self._held) > 1 and (len(self._held) > MOST_HELD or self._weights > MOST_WEIGHTS):
            self._held.popitem(last=False)
        return model

    @property
    def _weights(self) -> int:
        return sum(model.card.parameters for _, model in self._held.values())

    def _set_threads(self, report: Report) -> None:
        if not self._torch_loaded:
            report.progress(Progress(0, 0, "Loading PyTorch"))
        try:
            import torch
        except (ImportError, OSError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")
            raise SpanlightError(
                f"PyTorch cannot be loaded: {said}.", "Start Spanlight again: it installs what is missing."
            ) from error

        torch.set_num_threads(devices.physical_cores())  # training leaves another number behind
        self._torch_loaded = True
        report.check()


def _free_gpu() -> None:
    import torch

    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def _keep_freed_memory() -> None:
    """Have glibc keep what batches free: it would hand it back, and fault every page in again."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            for option, value in MALLOPT:
                library.mallopt(option, value)
