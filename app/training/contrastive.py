"""Text classification from few examples: contrastive training of a sentence encoder, then a linear classifier.

SetFit (Tunstall et al. 2022): the encoder learns from pairs of texts that those of one label are alike and those of
different ones are not; a classifier over its vectors then needs few examples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, cast

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import ProblemType
from app.core.report import Progress, Report, Silent, Stopped
from app.core.requests import HeadToTeach
from app.core.results import TaughtHead
from app.models.compute.mean import mean_of
from app.models.disk.heads import MEAN_KEY, MEAN_LAYER
from app.tasks.text.windows import PairTemplate, pad, padding_id
from app.training import folder, linear
from app.training.features import Feature, longest_first
from app.training.linear import Array, LinearHead
from app.training.trainer import device_of, freeze, rate_share

# Texts of a batch, and the tokens that are read of each.
_TEXTS, _LONGEST = 32, 128
_RATE, _WARM_UP = 7e-5, 0.1
# Steps with the fewest examples, and with the most: measured by `bench teach`.
_FEWEST_STEPS, _MOST_STEPS = 30, 120


def teach_head(
    request: HeadToTeach, report: Report, stopped: dict[HeadToTeach, ContrastiveTrainer] | None = None
) -> TaughtHead:
    """Train an encoder on labelled texts, and write it with a classifier over the mean of its token states.

    The request's `held` texts are not learnt from: their probabilities are in the result. Reports progress in steps. A
    run that is stopped is put into `stopped`, and goes on from its last step when the same request comes next. Raises
    SpanlightError where the base cannot be used or the weights become infinite, Stopped when the work is to stop.
    """
    began = monotonic()
    key, stopped = replace(request, output=""), {} if stopped is None else stopped
    report.progress(
        Progress(
            0, 0, Message("Going on with learning") if key in stopped else Message("Getting ready to learn")
        )
    )
    base = Path(request.base)
    folder.require_checkpoint(base)
    tokenizer = folder.load_tokenizer(base)
    features = _features(tokenizer, request.texts)
    held = set(request.held)
    rows = [row for row in range(len(request.texts)) if row not in held]
    targets = linear.targets_of([request.targets[row] for row in rows], len(request.labels))
    examples = [features[row] for row in rows]
    steps = request.steps or steps_for(len(rows))
    trainer = stopped.pop(key, None)
    stopped.clear()  # another run's weights only take memory
    if trainer is None:
        model: Any = folder.load_base(base, "encoder", (), 0.0, request.seed)
        freeze(model, 0)
        model.to(device_of(request.device))
        trainer = ContrastiveTrainer(model, padding_id(tokenizer), request.seed)
    trainer.report = report
    try:
        trainer.learn(examples, targets, steps)
        head = linear.fit(trainer.vectors(examples), targets, multi=request.multi)
        found = head.probabilities(trainer.vectors([features[row] for row in request.held]))
    except Stopped:
        trainer.report = Silent()
        stopped[key] = trainer
        raise
    if request.output:
        _write(request, base, trainer.model, tokenizer, head)
    return TaughtHead(request.output, tuple(map(tuple, found.tolist())), steps, monotonic() - began)


def steps_for(examples: int) -> int:
    """The number of training steps for a number of examples."""
    return min(_MOST_STEPS, max(_FEWEST_STEPS, round(3 * math.sqrt(examples))))


class ContrastiveTrainer:
    """Trains an encoder so that texts with a label in common get similar vectors; a stop costs one step at most.

    Each layer asks whether to stop, in the forward and in the backward pass: on a slow computer a step takes many
    seconds.
    """

    def __init__(self, model: Any, padding: int, seed: int) -> None:
        self.model, self._padding, self.report = model, padding, cast(Report, Silent())
        self._seed, self._steps, self._seconds = seed, 0, 0.0
        self._weights = [weight for weight in model.parameters() if weight.requires_grad]
        self._optimizer = torch.optim.AdamW(self._weights, lr=_RATE, weight_decay=0.01, fused=True)
        for layer in model.modules():
            if isinstance(layer, nn.Linear):
                layer.register_forward_hook(self._watch)

    def _watch(self, layer: nn.Module, inputs: object, states: Tensor) -> None:
        self._check()
        if states.requires_grad:
            states.register_hook(self._check)

    def _check(self, *_: object) -> None:
        self.report.check()

    def learn(self, examples: Sequence[Feature], targets: Array, steps: int) -> None:
        """Train until `steps` steps are taken in all, each on a batch with equally many texts of every label."""
        self._optimizer.zero_grad(set_to_none=True)  # of a step that was stopped
        while self._steps < steps:
            began = monotonic()
            self.report.check()
            for group in self._optimizer.param_groups:
                group["lr"] = _RATE * rate_share(self._steps, steps, _WARM_UP)
            rows = self._draw_rows(targets)
            vectors = self._vectors([examples[row] for row in rows])
            loss = pair_loss(vectors, torch.from_numpy(targets[rows]).to(vectors.device))
            loss.backward()
            norm = nn.utils.clip_grad_norm_(self._weights, 1.0)
            if not math.isfinite(float(norm)):
                raise SpanlightError(Message("The loss is not a number any more."), Message("Teach again."))
            self._optimizer.step()
            self._optimizer.zero_grad(set_to_none=True)
            self._steps += 1
            self._seconds += monotonic() - began
            left = self._seconds / self._steps * (steps - self._steps) if self._steps > 2 else None
            self.report.progress(Progress(self._steps, steps, Message("Learning"), left))

    def vectors(self, features: Sequence[Feature]) -> Array:
        """The texts' unit vectors, float32[texts, width]."""
        found = np.zeros((len(features), self.model.config.hidden_size), dtype=np.float32)
        with torch.inference_mode():
            for part in longest_first(features, 64):
                self.report.check()
                found[part] = self._read([features[at] for at in part]).cpu().numpy()
        return found

    def _draw_rows(self, targets: Array) -> list[int]:
        """The rows of a step's batch: equally many of each label, and of so few labels that each has two."""
        rng = np.random.default_rng((self._seed, self._steps))  # the same after a stop
        labels = rng.permutation(targets.shape[1])[: _TEXTS // 2]
        each = max(2, _TEXTS // len(labels))
        rows = [rng.permutation(np.flatnonzero(targets[:, label] > 0))[:each].tolist() for label in labels]
        return sorted({row for some in rows for row in some})

    def _vectors(self, features: Sequence[Feature]) -> Tensor:
        """The texts' unit vectors with gradients; texts of similar length are read together, with little padding."""
        parts = longest_first(features, 8)
        vectors = torch.cat([self._read([features[at] for at in part]) for part in parts])
        order = torch.tensor([at for part in parts for at in part], device=vectors.device)
        return vectors[order.argsort()]

    def _read(self, features: Sequence[Feature]) -> Tensor:
        arrays = {name: torch.from_numpy(array) for name, array in pad(features, self._padding).items()}
        taken = {name: arrays[name].to(self.model.device) for name in ("input_ids", "attention_mask")}
        return mean_of(self.model(**taken).last_hidden_state, taken["attention_mask"])


def pair_loss(vectors: Tensor, targets: Tensor) -> Tensor:
    """Mean squared distance of all pairs' cosines from the share of labels that the two texts have in common.

    `vectors` are unit vectors [texts, width], `targets` [texts, labels]. Pairs with and without common labels count
    half each (SetFit's loss over every pair of a batch).
    """
    common = targets @ targets.T
    counts = targets.sum(1)
    shares = common / (counts[:, None] + counts[None, :] - common).clamp(min=1e-9)
    distances = (vectors @ vectors.T - shares) ** 2
    others = ~torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    alike, unlike = others & (common > 0), others & (common == 0)
    parts = [distances[pairs].mean() for pairs in (alike, unlike) if pairs.any()]
    return torch.stack(parts).mean() if parts else vectors.sum() * 0.0


def _features(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Feature]:
    template = PairTemplate.of(tokenizer)
    room = _LONGEST - template.single_overhead
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [Feature(*template.single(np.array(each.ids[:room], dtype=np.int64)), ()) for each in encoded]


def _write(request: HeadToTeach, base: Path, model: Any, tokenizer: Tokenizer, head: LinearHead) -> None:
    """Write a checkpoint folder: the encoder as transformers saves it, and the classifier with it."""
    problem = ProblemType.MULTI_LABEL if request.multi else ProblemType.SINGLE_LABEL
    settings = {
        MEAN_KEY: "mean",
        "id2label": dict(enumerate(request.labels)),
        "label2id": {label: at for at, label in enumerate(request.labels)},
        "problem_type": problem.value,
    }
    classifier = {
        f"{MEAN_LAYER}.weight": torch.from_numpy(np.ascontiguousarray(head.weights.T)),
        f"{MEAN_LAYER}.bias": torch.from_numpy(head.bias),
    }
    folder.write_folder(
        Path(request.output), base, model, tokenizer, half=True, settings=settings, head=classifier
    )
