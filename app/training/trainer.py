"""The training loop: fine-tunes a base model with a head; a killed run continues exactly where it was."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from app.core.atomic import replacing
from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Progress, Report
from app.core.requests import TrainingRequest
from app.core.results import Training, TrainingStep
from app.models.compute import processor
from app.models.compute.peak import measure_peak
from app.tasks.text.windows import padding_id
from app.training import checkpoint, folder
from app.training.examples import documents_beside, parse_source
from app.training.features import batches
from app.training.names import names_task
from app.training.parallel import Workers
from app.training.pretraining import pretraining_task
from app.training.tasks import TrainingTask, class_task, qa_task
from app.training.teacher import Teacher

CHECKPOINT_EVERY = 200
# By the task's name in a request.
TASKS = {
    "qa": qa_task,
    "classification": class_task,
    "tokens": names_task,
    "pretraining": pretraining_task,
}


def train(request: TrainingRequest, report: Report) -> Training:
    """Train a model and write the best weights as a checkpoint folder.

    Progress counts steps, a partial result is a TrainingStep. A run that was stopped or killed continues from its last
    checkpoint when the same request comes again and its files are the same. `options` may hold:

    - `workers` (threads that each take a part of a batch; 0: by the processor), `bfloat16` (1 or 0; default by the
      processor's speed), `checkpoint_every` (steps), `checkpoint_seconds` (the most between two checkpoints, too),
      `half` (1: write float16), `shard` (the most megabytes of a file of weights);
    - `stop_after` (steps; the learning rate falls as if all were taken), `frozen` (how many of the lowest encoder
      layers keep their weights, with the embeddings below them);
    - `of_base` (the share of the base in each weight that is measured and written; WiSE-FT, Wortsman et al. 2022),
      `last` (1: write the weights of the last step, not those that did best on dev);
    - `elsewhere`, `beside`, `titled`, `crop`, `crop_length`, `remove`, `neighbour`, `swap` (see Features and
      Augmenter);
    - with a teacher `imitate` and `temperature` (see Teacher) and `unlabelled` (the share of the inputs that are
      questions on texts without a label, learnt from the teacher alone).

    Raises SpanlightError where the base or the examples cannot be used, the weights become infinite, or the disk
    refuses.
    """
    base, output = Path(request.base), Path(request.output)
    if request.task not in TASKS:
        raise SpanlightError(
            Message("There is no task “{task}” to train.", task=request.task),
            Message("Choose one of {tasks}.", tasks=", ".join(TASKS)),
        )
    if request.teacher and request.task != "qa":
        raise SpanlightError(
            Message("Only question answering is learnt from a teacher."), Message("Leave the teacher out.")
        )
    folder.require_checkpoint(base)
    task = TASKS[request.task](request, base)
    model = folder.load_base(base, request.task, task.labels, request.dropout, request.seed)
    task.begin(model)
    if "frozen" in request.options:
        freeze(model, int(request.options["frozen"]))
    device = device_of(request.device)
    try:
        model.to(device)
    except (RuntimeError, AssertionError) as fault:
        hint = Message("Choose auto or cpu.")
        raise SpanlightError(
            Message("There is no device “{device}” to train on.", device=request.device), hint
        ) from fault
    count = _worker_count(request, device)
    with (
        _one_core_each(count),
        Workers(
            model,
            device,
            task.loss,
            count,
            _in_bfloat16(request, device, model, task.teacher),
            task.forward,
            task.teacher,
        ) as workers,
    ):
        run = _Run(request, task, model, workers, output, report)
        try:
            return run.complete(base)
        except (OSError, SafetensorError) as fault:
            raise SpanlightError(
                Message("{name} could not be written: {reason}.", name=output.name, reason=reason_of(fault)),
                Message("Free some space."),
            ) from fault


class _Run:
    """One training run: its steps and its state."""

    def __init__(
        self,
        request: TrainingRequest,
        task: TrainingTask,
        model: nn.Module,
        workers: Workers,
        output: Path,
        report: Report,
    ) -> None:
        self._request, self._task, self._model = request, task, model
        self._workers, self._output, self._report = workers, output, report
        self._run_folder = output.with_name(output.name + ".run")
        self._optimizer = torch.optim.AdamW(
            _parameter_groups(model, request.weight_decay), lr=request.learning_rate, fused=True
        )
        self._per_epoch = math.ceil(task.epoch_size / request.batch_size)
        self._steps = max(1, math.ceil(self._per_epoch * request.epochs))
        self._last = min(self._steps, int(request.options.get("stop_after", 0)) or self._steps)
        self._of_base = request.options.get("of_base", 0.0)
        self._base = checkpoint.trained_weights(model) if self._of_base else {}
        self._state = checkpoint.resume(self._run_folder, model, self._optimizer, _fingerprint(request))
        self._began, self._resumed = monotonic() - self._state.seconds, monotonic()
        self._first = self._state.step
        self._saved = self._resumed

    def complete(self, base: Path) -> Training:
        request, state = self._request, self._state
        epoch = -1
        plan: list[list[int]] = []
        features: list[Any] = []
        while state.step < self._last:
            self._report.check()
            if state.step // self._per_epoch != epoch:
                epoch = state.step // self._per_epoch
                rng = np.random.default_rng([request.seed, epoch])
                features = self._task.epoch(rng)
                plan = batches([len(f) for f in features], request.batch_size, rng)
            loss = self._step([features[i] for i in plan[state.step % self._per_epoch]])
            state.step += 1
            self._report_progress(loss)
            if state.step % request.evaluate_every == 0 or state.step == self._last:
                self._measure(loss)
            if self._checkpoint_is_due() and state.step < self._last:
                state.seconds = monotonic() - self._began
                checkpoint.save(self._run_folder, self._model, self._optimizer, state)
                self._saved = monotonic()
        checkpoint.restore_weights(self._model, load_file(self._run_folder / "best.safetensors"))
        half, shard = bool(request.options.get("half", 0)), request.options.get("shard", 0.0)
        folder.write_folder(self._output, base, self._model, self._task.tokenizer, half, shard)
        shutil.rmtree(self._run_folder, ignore_errors=True)
        seconds = monotonic() - self._began
        return Training(str(self._output), state.best_step, self._last, state.best, seconds)

    def _checkpoint_is_due(self) -> bool:
        options = self._request.options
        every = int(options.get("checkpoint_every", CHECKPOINT_EVERY))
        seconds = options.get("checkpoint_seconds", math.inf)
        return self._state.step % every == 0 or monotonic() - self._saved >= seconds

    def _step(self, features: Sequence[Any]) -> float:
        # Dropout is seeded for each step, so that a resumed run draws the same.
        seed = self._request.seed, self._state.step
        torch.manual_seed(seed[0] * 1_000_003 + seed[1])
        rate = self._rate(self._state.step)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss = self._workers.learn(self._task.collate(features, padding_id(self._task.tokenizer)), *seed)
        norm = nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        if not math.isfinite(float(norm)):
            raise SpanlightError(
                Message("The loss is not a number any more at step {step}.", step=self._state.step + 1),
                Message("Use a lower learning rate."),
            )
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return loss

    def _rate(self, step: int) -> float:
        return self._request.learning_rate * rate_share(step, self._steps, self._request.warm_up)

    def _report_progress(self, loss: float, dev: dict[str, float] | None = None) -> None:
        step = self._state.step
        spent = (monotonic() - self._resumed) / max(1, step - self._first)
        left = spent * (self._last - step) if step - self._first >= 3 else None
        self._report.progress(Progress(step, self._last, Message("Training"), left))
        epoch = step / self._per_epoch
        self._report.partial(TrainingStep(step, self._last, epoch, loss, self._rate(step - 1), dev or {}))

    def _measure(self, loss: float) -> None:
        with self._mixed_with_base():
            figures = self._task.measure(self._workers.outputs, self._report)
            self._report_progress(loss, figures)
            state, figure = self._state, self._task.figure
            better = not state.best or figures[figure] > state.best[figure]
            if state.step == self._last if self._request.options.get("last") else better:
                state.best, state.best_step = figures, state.step
                self._run_folder.mkdir(parents=True, exist_ok=True)
                trained = checkpoint.trained_parameters(self._model)
                with replacing(self._run_folder / "best.safetensors") as part:
                    save_file({name: p.detach().cpu().contiguous() for name, p in trained}, part)

    @contextmanager
    def _mixed_with_base(self) -> Iterator[None]:
        """Mix the base's share into the model's weights inside the context."""
        if not self._of_base:
            yield
            return
        trained, share = checkpoint.trained_weights(self._model), self._of_base
        mixed = {name: weight.lerp(self._base[name], share) for name, weight in trained.items()}
        checkpoint.restore_weights(self._model, mixed)
        self._workers.note_change()
        try:
            yield
        finally:
            checkpoint.restore_weights(self._model, trained)
            self._workers.note_change()


def rate_share(step: int, steps: int, warm_up: float) -> float:
    """The share of the peak learning rate at a step, counted from 0: linear warm-up, then linear decay to 0."""
    warm = max(1, round(steps * warm_up))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def _parameter_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """The trained parameters in two groups: with weight decay, and without it (biases and layer norms)."""
    trained = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in trained if p.ndim >= 2], "weight_decay": decay},
        {"params": [p for p in trained if p.ndim < 2], "weight_decay": 0.0},
    ]


def freeze(model: nn.Module, layers: int) -> None:
    """Freeze the embeddings, what all layers share, and the lowest encoder layers."""
    body = getattr(model, "base_model", model)
    for name, parameter in body.named_parameters():
        layer = re.search(r"\blayer\.(\d+)\.", name)
        if int(layer[1]) < layers if layer else "pooler" not in name:
            parameter.requires_grad_(False)


def _fingerprint(request: TrainingRequest) -> str:
    """The request with size and time of each file that it reads, so that a run never continues with other data."""
    sources = [parse_source(text).path for text in (*request.examples, *request.dev)]
    sources += sorted({beside for beside in map(documents_beside, sources) if beside.is_file()})
    teacher = folder.checkpoint_files(Path(request.teacher)) if request.teacher else []
    files = [path.stat() for path in (*folder.weight_files(Path(request.base)), *sources, *teacher)]
    values = {name: value for name, value in asdict(request).items() if value or name != "teacher"}
    return json_of([values, [[f.st_size, f.st_mtime_ns] for f in files]], sort_keys=True)


def device_of(wanted: str) -> str:
    """The device to train on: the one wanted, or for `auto` a GPU if there is one, else the CPU."""
    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _worker_count(request: TrainingRequest, device: str) -> int:
    """How many threads train: as many as torch has, which the model process sets to the physical cores."""
    if device != "cpu":
        return 1
    return int(request.options.get("workers", 0)) or min(8, torch.get_num_threads(), request.batch_size)


def _in_bfloat16(request: TrainingRequest, device: str, model: nn.Module, teacher: Teacher | None) -> bool:
    """Whether to train in bfloat16: as the request says, else where the device is faster in it."""
    if "bfloat16" in request.options:
        return bool(request.options["bfloat16"])
    if "deberta" in (each.config.model_type for each in (model, *([teacher.model] if teacher else ()))):
        return False  # its attention masks with float32's least number, which bf16 does not hold
    if device != "cpu":
        return device.startswith("cuda")
    if processor.fast_bfloat16():
        return True
    if not processor.bfloat16():
        return False  # its products are emulated
    peaks = {peak.dtype: peak.flops for peak in measure_peak("cpu", lambda: None)}
    return peaks.get("bfloat16", 0.0) > 1.5 * peaks.get("float32", 0.0)


@contextmanager
def _one_core_each(workers: int) -> Iterator[None]:
    """Have torch use one core for each worker's operations inside the context, and all of them again afterwards."""
    before = torch.get_num_threads()
    torch.set_flush_denormal(True)
    if workers > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)
