"""Masked words and next sentences: the lesson, the model's part of it, and a fresh head to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers.models.bert.modeling_bert import BertForPreTraining, BertForPreTrainingOutput

from app.core.report import Report
from app.core.requests import TrainingRequest
from app.tasks.heads.masking import RATE
from app.tasks.text.windows import padding_id
from app.training.dev import Read
from app.training.examples import parse_source
from app.training.folder import load_tokenizer
from app.training.lessons import Lesson, draw, drawn_size, refuse_empty
from app.training.pairs import IGNORED, MaskedPair, Pairs, collate_masked
from app.training.passages import Passage, passage
from app.training.running_text import read_running_text, without

_HEAD = "cls.predictions.transform.dense.weight"
_DEV_SEED = 20
_DEV_LIMIT = 400


def pretraining_lesson(request: TrainingRequest, base: Path) -> Lesson:
    """The lesson of pretraining. Raises SpanlightError where texts cannot be used.

    Text that stands in dev is left out of what is learnt. `options` may hold `mask_rate` (of the tokens), `near` and
    `short` (see Pairs) and `dev_limit` (inputs measured on while learning).
    """
    tokenizer = load_tokenizer(base)
    options = request.options
    apart = [t for name in request.dev for t in read_running_text(parse_source(name).path)]
    passages: list[Passage] = []
    groups: list[tuple[list[int], float]] = []
    for source in map(parse_source, request.examples):
        found = [passage(tokenizer, text) for text in without(read_running_text(source.path), apart)]
        found = [p for p in found if p.sentences]
        groups.append((list(range(len(passages), len(passages) + len(found))), source.weight))
        passages += found
    held = [p for p in (passage(tokenizer, text) for text in apart) if p.sentences]
    refuse_empty(groups, held)
    rate = options.get("mask_rate", RATE)
    pairs = Pairs(
        tokenizer, passages, request.max_length, rate, options.get("near", 0.0), options.get("short", 0.0)
    )
    drawn = [([i for i in group for _ in range(pairs.draws(i))], weight) for group, weight in groups]
    pad_id = padding_id(tokenizer)
    wanted = dev_pairs(tokenizer, held, request.max_length, int(options.get("dev_limit", _DEV_LIMIT)))

    def epoch(rng: np.random.Generator) -> list[Any]:
        return [pairs.draw(i, rng) for i in draw(drawn, rng)]

    def measure(read: Read, report: Report) -> dict[str, float]:
        return pretraining_figures(wanted, pad_id, read, report)

    counts = np.bincount(
        np.concatenate([s for p in passages for s in p.sentences]), minlength=tokenizer.get_vocab_size()
    )
    return Lesson(
        tokenizer, pad_id, (), drawn_size(drawn), epoch, measure, "masked_top1", collate_masked,
        lambda model: start_head(model, base, counts),
    )  # fmt: skip


def dev_pairs(tokenizer: Any, passages: Sequence[Passage], length: int, limit: int = 0) -> list[MaskedPair]:
    """The same inputs each time: of every passage, or of `limit` draws spread over them all."""
    pairs = Pairs(tokenizer, passages, length, RATE)
    rng = np.random.default_rng(_DEV_SEED)
    places = [i for i in range(len(passages)) for _ in range(pairs.draws(i))]
    if 0 < limit < len(places):
        places = [places[i] for i in np.linspace(0, len(places) - 1, limit).astype(int).tolist()]
    return [pairs.draw(i, rng) for i in places]


def pretraining_figures(
    wanted: Sequence[MaskedPair], pad_id: int, read: Read, report: Report, size: int = 32
) -> dict[str, float]:
    """Shares, 0 to 1: masked words named first and among the first five, and relations told right."""
    first = five = words = right = told = 0
    loss = 0.0
    order = sorted(range(len(wanted)), key=lambda i: -len(wanted[i]))
    for start in range(0, len(order), size):
        report.check()
        batch = collate_masked([wanted[i] for i in order[start : start + size]], pad_id)
        parts = read(batch)
        logits = np.concatenate([part["prediction_logits"] for part in parts])
        relations = np.concatenate([part["seq_relationship_logits"] for part in parts]).argmax(axis=1)
        targets = batch["targets"]
        true = targets[:, 1:][batch["masked"] >= 0]
        own = logits[np.arange(len(true)), true]
        rank = (logits >= own[:, None]).sum(axis=1) - 1
        top = logits.max(axis=1)
        loss += float((np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top - own).sum())
        first, five, words = first + int((rank < 1).sum()), five + int((rank < 5).sum()), words + len(true)
        pairs = targets[:, 0] != IGNORED
        right, told = right + int((relations == targets[:, 0])[pairs].sum()), told + int(pairs.sum())
    return {
        "masked_top1": first / max(1, words),
        "masked_top5": five / max(1, words),
        "masked_loss": loss / max(1, words),
        "next_sentence": right / max(1, told),
    }


def forward(model: nn.Module, inputs: dict[str, Tensor]) -> BertForPreTrainingOutput:
    """Both heads' logits, those over words at the masked places only: one row each, batch row by batch row."""
    assert isinstance(model, BertForPreTraining)
    masked = inputs["masked"]
    read = model.bert(
        inputs["input_ids"],
        attention_mask=inputs["attention_mask"],
        token_type_ids=inputs["token_type_ids"],
        return_dict=True,
    )
    rows, columns = (masked >= 0).nonzero(as_tuple=True)
    hidden = read.last_hidden_state[rows, masked[rows, columns]]
    words, relation = model.cls(hidden, read.pooler_output)
    return BertForPreTrainingOutput(prediction_logits=words, seq_relationship_logits=relation)


def pretraining_loss(output: BertForPreTrainingOutput, targets: Tensor) -> Tensor:
    """Mean cross-entropy of the masked words plus that of the relations; 0 where there is none (section 3.1)."""
    words = targets[:, 1:]
    return _mean(output.prediction_logits, words[words != IGNORED]) + _mean(
        output.seq_relationship_logits, targets[:, 0]
    )


def _mean(logits: Tensor, targets: Tensor) -> Tensor:
    counted = (targets != IGNORED).sum().clamp(min=1)
    return cross_entropy(logits.float(), targets, ignore_index=IGNORED, reduction="sum") / counted


def start_head(model: nn.Module, base: Path, counts: np.ndarray) -> None:
    """Gives a head over words that the base does not have a start: what is near an embedding, and how often it stands.

    The transform begins as the identity, the bias as the words' log frequencies (`counts`, one added to each).
    """
    with safe_open(base / "model.safetensors", "pt") as held:
        if _HEAD in held.keys():  # noqa: SIM118 (safe_open is no mapping)
            return
    assert isinstance(model, BertForPreTraining)
    predictions = model.cls.predictions
    share = (counts + 1.0) / (counts.sum() + len(counts))
    with torch.no_grad():
        nn.init.eye_(predictions.transform.dense.weight)
        nn.init.zeros_(predictions.transform.dense.bias)
        predictions.bias[: len(share)] = torch.from_numpy(np.log(share)).to(predictions.bias)
