"""Pretraining on masked words and next sentences: the lesson, forward pass, loss, and initial values of a new head."""

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
from app.training.running_text import exclude_shared, read_running_text

_HEAD = "cls.predictions.transform.dense.weight"
_DEV_SEED = 20
_DEV_LIMIT = 400


def pretraining_lesson(request: TrainingRequest, base: Path) -> Lesson:
    """The lesson of pretraining. Raises SpanlightError where texts cannot be used.

    Texts that share a paragraph with dev are left out of training. `options` may hold `mask_rate` (of the tokens),
    `near` and `short` (see Pairs) and `dev_limit` (dev inputs measured during training).
    """
    tokenizer = load_tokenizer(base)
    options = request.options
    dev_texts = [t for name in request.dev for t in read_running_text(parse_source(name).path)]
    passages: list[Passage] = []
    groups: list[tuple[list[int], float]] = []
    for source in map(parse_source, request.examples):
        found = [
            passage(tokenizer, text) for text in exclude_shared(read_running_text(source.path), dev_texts)
        ]
        found = [p for p in found if p.sentences]
        groups.append((list(range(len(passages), len(passages) + len(found))), source.weight))
        passages += found
    dev_passages = [p for p in (passage(tokenizer, text) for text in dev_texts) if p.sentences]
    refuse_empty(groups, dev_passages)
    rate = options.get("mask_rate", RATE)
    pairs = Pairs(
        tokenizer, passages, request.max_length, rate, options.get("near", 0.0), options.get("short", 0.0)
    )
    drawn = [([i for i in group for _ in range(pairs.draws(i))], weight) for group, weight in groups]
    pad_id = padding_id(tokenizer)
    dev_examples = dev_pairs(
        tokenizer, dev_passages, request.max_length, int(options.get("dev_limit", _DEV_LIMIT))
    )

    def epoch(rng: np.random.Generator) -> list[Any]:
        return [pairs.draw(i, rng) for i in draw(drawn, rng)]

    def measure(read: Read, report: Report) -> dict[str, float]:
        return pretraining_figures(dev_examples, pad_id, read, report)

    counts = np.bincount(
        np.concatenate([s for p in passages for s in p.sentences]), minlength=tokenizer.get_vocab_size()
    )
    return Lesson(
        tokenizer, pad_id, (), drawn_size(drawn), epoch, measure, "masked_top1", collate_masked,
        lambda model: start_head(model, base, counts),
    )  # fmt: skip


def dev_pairs(tokenizer: Any, passages: Sequence[Passage], length: int, limit: int = 0) -> list[MaskedPair]:
    """Dev inputs, the same each time: from every passage, or `limit` draws spread over all of them."""
    pairs = Pairs(tokenizer, passages, length, RATE)
    rng = np.random.default_rng(_DEV_SEED)
    places = [i for i in range(len(passages)) for _ in range(pairs.draws(i))]
    if 0 < limit < len(places):
        places = [places[i] for i in np.linspace(0, len(places) - 1, limit).astype(int).tolist()]
    return [pairs.draw(i, rng) for i in places]


def pretraining_figures(
    examples: Sequence[MaskedPair], pad_id: int, read: Read, report: Report, size: int = 32
) -> dict[str, float]:
    """Shares, 0 to 1: masked words ranked first and among the first five, and relations predicted right."""
    first = five = words = right = related = 0
    loss = 0.0
    order = sorted(range(len(examples)), key=lambda i: -len(examples[i]))
    for start in range(0, len(order), size):
        report.check()
        batch = collate_masked([examples[i] for i in order[start : start + size]], pad_id)
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
        right += int((relations == targets[:, 0])[pairs].sum())
        related += int(pairs.sum())
    return {
        "masked_top1": first / max(1, words),
        "masked_top5": five / max(1, words),
        "masked_loss": loss / max(1, words),
        "next_sentence": right / max(1, related),
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
    """Initialises the masked-word head where the base has none.

    The transform begins as the identity, so that words near the state's embedding score high; the bias as the words'
    log frequencies (`counts`, one added to each).
    """
    with safe_open(base / "model.safetensors", "pt") as file:
        if _HEAD in file.keys():  # noqa: SIM118 (safe_open is no mapping)
            return
    assert isinstance(model, BertForPreTraining)
    predictions = model.cls.predictions
    share = (counts + 1.0) / (counts.sum() + len(counts))
    with torch.no_grad():
        nn.init.eye_(predictions.transform.dense.weight)
        nn.init.zeros_(predictions.transform.dense.bias)
        predictions.bias[: len(share)] = torch.from_numpy(np.log(share)).to(predictions.bias)
