"""Teaches a sentence encoder labels from a few texts of each: pairs of texts first, then a linear over their vectors.

SetFit (Tunstall et al. 2022): the encoder learns that texts of one label are alike and those of different ones are not;
its vectors then need few examples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from app.core.errors import SpanlightError
from app.core.models import ProblemType
from app.core.report import Progress, Report
from app.core.requests import HeadToTeach
from app.core.results import TaughtHead
from app.models.compute.mean import mean_of
from app.models.disk.heads import MEAN_KEY, MEAN_LAYER
from app.tasks.text.windows import PairTemplate, pad, padding_id
from app.training import folder, linear
from app.training.features import Feature, longest_first
from app.training.linear import Array, LinearHead
from app.training.trainer import device_of, freeze, rate_share

# Texts of a step, and the tokens that are read of each.
_TEXTS, _LONGEST = 32, 128
_RATE, _WARM_UP = 7e-5, 0.1
# Steps for the fewest examples, and for the most: measured by `bench teach`.
_FEWEST_STEPS, _MOST_STEPS = 30, 120


def teach_head(request: HeadToTeach, report: Report) -> TaughtHead:
    """Teaches an encoder labels, and writes it with a classifier over the mean of its states.

    Texts in `held` are not learnt from: their probabilities are in the result. Reports progress in steps. Raises
    SpanlightError where the base cannot be used or the weights become infinite, Stopped when the work is to stop.
    """
    began = monotonic()
    report.progress(Progress(0, 0, "Getting ready to learn"))
    base = Path(request.base)
    folder.require_checkpoint(base)
    tokenizer = folder.load_tokenizer(base)
    model: Any = folder.load_base(base, "encoder", (), 0.0, request.seed)
    freeze(model, 0)
    model.to(device_of(request.device))
    features = _features(tokenizer, request.texts)
    held = set(request.held)
    rows = [row for row in range(len(request.texts)) if row not in held]
    targets = linear.targets_of([request.targets[row] for row in rows], len(request.labels))
    examples = [features[row] for row in rows]
    teacher = _Teacher(model, padding_id(tokenizer), request.seed, report)
    steps = request.steps or steps_for(len(rows))
    teacher.learn(examples, targets, steps)
    head = linear.fit(teacher.vectors(examples), targets, multi=request.multi)
    found = head.probabilities(teacher.vectors([features[row] for row in request.held]))
    if request.output:
        _write(request, base, model, tokenizer, head)
    return TaughtHead(request.output, tuple(map(tuple, found.tolist())), steps, monotonic() - began)


def steps_for(examples: int) -> int:
    """How many steps so many examples are learnt in."""
    return min(_MOST_STEPS, max(_FEWEST_STEPS, round(3 * math.sqrt(examples))))


class _Teacher:
    """Trains an encoder's layers on texts of which some have labels in common."""

    def __init__(self, model: Any, padding: int, seed: int, report: Report) -> None:
        self._model, self._padding, self._report = model, padding, report
        self._rng = np.random.default_rng(seed)

    def learn(self, examples: Sequence[Feature], targets: Array, steps: int) -> None:
        """Takes so many steps, each with as many texts of every label."""
        weights = [weight for weight in self._model.parameters() if weight.requires_grad]
        optimizer = torch.optim.AdamW(weights, lr=_RATE, weight_decay=0.01, fused=True)
        began = monotonic()
        for step in range(steps):
            self._report.check()
            for group in optimizer.param_groups:
                group["lr"] = _RATE * rate_share(step, steps, _WARM_UP)
            rows = self._drawn(targets)
            vectors = self._vectors([examples[row] for row in rows])
            loss = pair_loss(vectors, torch.from_numpy(targets[rows]).to(vectors.device))
            loss.backward()
            norm = nn.utils.clip_grad_norm_(weights, 1.0)
            if not math.isfinite(float(norm)):
                raise SpanlightError("The loss is not a number any more.", "Teach again.")
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            left = (monotonic() - began) / (step + 1) * (steps - step - 1) if step >= 2 else None
            self._report.progress(Progress(step + 1, steps, "Learning", left))

    def vectors(self, features: Sequence[Feature]) -> Array:
        """The texts' unit vectors, float32[texts, width]."""
        found = np.zeros((len(features), self._model.config.hidden_size), dtype=np.float32)
        with torch.inference_mode():
            for part in longest_first(features, 64):
                self._report.check()
                found[part] = self._read([features[at] for at in part]).cpu().numpy()
        return found

    def _drawn(self, targets: Array) -> list[int]:
        """Rows for a step: of each label as many, of so many labels that each has two."""
        labels = self._rng.permutation(targets.shape[1])[: _TEXTS // 2]
        each = max(2, _TEXTS // len(labels))
        rows = [
            self._rng.permutation(np.flatnonzero(targets[:, label] > 0))[:each].tolist() for label in labels
        ]
        return sorted({row for some in rows for row in some})

    def _vectors(self, features: Sequence[Feature]) -> Tensor:
        """The vectors with gradients; texts of similar length are read together, so that little padding is."""
        parts = longest_first(features, 8)
        vectors = torch.cat([self._read([features[at] for at in part]) for part in parts])
        order = torch.tensor([at for part in parts for at in part], device=vectors.device)
        return vectors[order.argsort()]

    def _read(self, features: Sequence[Feature]) -> Tensor:
        arrays = {name: torch.from_numpy(array) for name, array in pad(features, self._padding).items()}
        taken = {name: arrays[name].to(self._model.device) for name in ("input_ids", "attention_mask")}
        return mean_of(self._model(**taken).last_hidden_state, taken["attention_mask"])


def pair_loss(vectors: Tensor, targets: Tensor) -> Tensor:
    """Mean squared distance of all pairs' cosines from the share of their labels that they have in common.

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
    """Writes a checkpoint folder: the encoder as transformers saves it, and the classifier with it."""
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
