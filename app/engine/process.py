"""The model process: it loads torch and models, and answers the orders that `client` sends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
import time
from dataclasses import replace
from typing import Any

from app.core.errors import SpanlightError
from app.core.memory_limit import limit_memory, resident, watch_memory
from app.core.message import Message
from app.core.models import Head, LoadedModel, MemoryUse, ModelCard
from app.core.report import Progress, Report, Silent
from app.core.requests import HeadToTeach, Question, TrainingRequest
from app.core.system_libraries import missing_library_error, repair_hint
from app.engine.importing import fast_imports, import_faults, patch_source_lookup, versions
from app.engine.model_pool import ModelPool
from app.engine.orders import (
    GetMemory,
    GetVersions,
    ImportModules,
    ListDevices,
    Load,
    Prepare,
    Run,
    SentText,
    TextAndView,
    TextsGone,
    TryModel,
    Unload,
    with_texts,
)
from app.models.compute import memory
from app.models.compute.faults import (
    OutOfMemory,
    device_lost,
    exhausted_device,
    is_device_lost,
    is_out_of_memory,
    out_of_memory,
)
from app.models.compute.processor import physical_cores
from app.models.disk.card import read_card
from app.tasks.table import task_for
from app.tasks.task import ReadyModel, Task

# GOMP_SPINCOUNT (a count, for libgomp) and KMP_BLOCKTIME (milliseconds, for Intel's and LLVM's): threads wait for each
# other some hundred times while a text is read, and waking a sleeping thread takes longer than its work; Linux also
# tends to wake it on the core of the thread that waits for it. After half a second of rest 48 tokens took 22 ms with
# threads that spin for 0.5 ms before they sleep, and 10 ms with 2.5 ms of spinning. Longer spinning gains nothing, and
# cuts the work done to a third as soon as anything else needs a core. PYTORCH_JIT: some of PyTorch's modules would
# compile functions from their source on import; nothing here runs those, and a bundle has no sources.
ENVIRONMENT = {
    "GOMP_SPINCOUNT": "50000",
    "KMP_BLOCKTIME": "3",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "USE_TF": "0",
    "USE_FLAX": "0",
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    "PYTORCH_JIT": "0",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
}
# glibc's mallopt: M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD, M_ARENA_MAX. Memory that a batch frees stays with the
# process for the next one: page faults took 8% of the time of four windows in float32 without AMX, a third in bfloat16
# with it. With an arena for each thread that ever loaded weights, each would keep some 60 MB when models are unloaded.
MALLOPT = ((-1, 2**31 - 1), (-2, 64 * 2**20), (-3, 2**30), (-8, 1))

# The share of the computer's memory that this process may take; with more, all other programs would come to a halt.
MOST_MEMORY = 0.9

# After this many seconds of work freed memory is returned to the system after all, as it is fragmented and the next
# work would take more: several long texts in a row take 490 MB at most, without this 530 MB.
_LONG_WORK = 1.0

Order = (
    Run | Prepare | Load | TryModel | ListDevices | GetMemory | Unload | ImportModules | GetVersions
)  # fmt: skip


def start() -> Host:
    """Prepare this process for torch, and return its handler of requests."""
    # torch's compiler, unused here, would otherwise create a folder of its own on import.
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", tempfile.gettempdir())
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    patch_source_lookup()
    _keep_freed_memory()
    # The address space is not limited: a GPU's driver reserves more than there is memory.
    if total := memory.computer()[0]:
        watch_memory(int(MOST_MEMORY * total), resident, every=0.2)
    return Host()


class Host:
    """The handler of orders: runs tasks and training, and reports devices and memory."""

    def __init__(self) -> None:
        self._models = ModelPool(lambda: self._report)
        self._texts = ReceivedTexts()
        # The states of teaching runs that were stopped for a question, to resume them.
        self._stopped_teaching: dict[HeadToTeach, Any] = {}
        self._torch_loaded = False
        self._report: Report = Silent()

    def warm_up(self) -> None:
        """Load PyTorch before the first order."""
        with contextlib.suppress(SpanlightError):
            self._set_threads(Silent())

    def __call__(self, order: Order, report: Report) -> Any:
        """Answer an order.

        Raises SpanlightError, DeviceLost if a GPU broke down, Stopped, and TypeError for a request without a task.
        """
        self._report = report
        began = time.perf_counter()
        match order:
            case Unload():
                self._models.clear()
                self._texts.clear()
                self._stopped_teaching.clear()
                return self._memory()
            case GetMemory():
                return self._memory()
            case Run() | Prepare() if order.texts:
                order = replace(order, request=self._texts.unpack(order.request, order.texts), texts=())
        self._set_threads(report)
        try:
            match order:
                case ListDevices():
                    from app.models.compute.device import list_devices

                    return list_devices(order.avoid)
                case Load():
                    entry = self._models[self._models.ready(order.choice, order.head, order.avoid)]
                    return LoadedModel(entry.card, entry.model.device)
                case TryModel():
                    return self._try(order.folder, report)
                case Run():
                    return self._answer(order, report)
                case Prepare():
                    return self._prepare(order, report)
                case ImportModules():
                    return import_faults(order.names, report)
                case GetVersions():
                    return versions()
        except (RuntimeError, MemoryError) as error:
            if is_out_of_memory(error):
                raise out_of_memory(exhausted_device(error)) from error
            if is_device_lost(error):
                raise device_lost(error) from error
            raise
        except BaseException as error:
            # The tokenizers library raises this if a pattern of the model fails on a text.
            if type(error).__name__ != "PanicException":
                raise
            raise SpanlightError(
                Message("The model's tokenizer failed on this text."),
                Message("Fetch a whole copy of the model, or use another one."),
            ) from error
        finally:
            if time.perf_counter() - began > _LONG_WORK:
                memory.trim()

    def _answer(self, order: Run, report: Report) -> Any:
        match order.request:
            case TrainingRequest():
                return self._train(order.request, report)
            case HeadToTeach():
                from app.training.contrastive import teach_head

                return teach_head(order.request, report, self._stopped_teaching)
        task = task_for(order.request)
        if task is None or order.choice is None:
            raise TypeError(f"no task answers {type(order.request).__name__} with {order.choice}")
        opened = task.opened or order.opened
        key = self._models.ready(order.choice, task.head_of(order.request), order.avoid, opened)
        while True:
            answer, fault = self._attempt(
                task, order.request, self._models.reader(key, order.choice, order.avoid), report
            )
            if fault is None:
                return answer
            self._models.step_down(key, fault)

    def _try(self, folder: str, report: Report) -> ModelCard:
        from app.engine.trial import most_memory, try_model

        lift_limit = limit_memory(most_memory(read_card(folder)))
        try:
            return try_model(folder, report)
        finally:
            lift_limit()

    def _prepare(self, order: Prepare, report: Report) -> None:
        from app.tasks.qa.question_answering import prepare

        key = self._models.ready(order.choice, Head.QUESTION_ANSWERING, order.avoid)
        prepare(order.request.documents, self._models.reader(key, order.choice, order.avoid), report)

    def _attempt(
        self, task: Task[Any, Any], request: object, model: ReadyModel, report: Report
    ) -> tuple[Any, OutOfMemory | None]:
        """Return a task's result, or an OutOfMemory without its traceback, which would keep tensors alive."""
        try:
            return task.run(request, model, report), None
        except OutOfMemory as error:
            return None, out_of_memory(error.device, error.length)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            return None, out_of_memory(exhausted_device(error))

    def _train(self, request: TrainingRequest, report: Report) -> Any:
        from app.training.trainer import train

        self._models.clear()  # training needs the memory
        self._texts.clear()
        self._stopped_teaching.clear()
        return train(request, report)

    def _memory(self) -> MemoryUse:
        loaded = self._models.loaded()
        total, free = memory.computer()
        on_gpus = [one.device for one in loaded if one.device != "cpu"]
        return MemoryUse(loaded, memory.resident(), total, free, *memory.gpu(on_gpus[-1] if on_gpus else ""))

    def _set_threads(self, report: Report) -> None:
        if not self._torch_loaded:
            report.progress(Progress(0, 0, Message("Loading PyTorch")))
        try:
            with fast_imports() if "torch" not in sys.modules else contextlib.nullcontext():
                import torch
        except (ImportError, OSError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")
            raise missing_library_error(reason) or SpanlightError(
                Message("PyTorch cannot be loaded: {reason}.", reason=reason), repair_hint()
            ) from error

        torch.set_num_threads(physical_cores())  # training sets another number
        self._torch_loaded = True
        report.check()


class ReceivedTexts:
    """The long texts and views of the last question, which need not be sent again with the next one."""

    def __init__(self) -> None:
        self._texts: dict[int, TextAndView] = {}

    def unpack(self, request: object, texts: tuple[SentText, ...]) -> Any:
        """Return the request with its texts; raises TextsGone if one is missing."""
        if not isinstance(request, Question):
            return request
        if any(sent.text is None and sent.number not in self._texts for sent in texts):
            raise TextsGone
        self._texts = {
            sent.number: self._texts[sent.number] if sent.text is None else (sent.text, sent.view)
            for sent in texts
        }
        return with_texts(request, {sent.document: self._texts[sent.number] for sent in texts})

    def clear(self) -> None:
        """Drop all texts."""
        self._texts = {}


def _keep_freed_memory() -> None:
    """Let glibc keep the memory that batches free, instead of returning it and faulting it in again page by page."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            for option, value in MALLOPT:
                library.mallopt(option, value)
