"""Pretraining on masked words and next sentences (BERT, Devlin et al. 2019, section 3.1): inputs, loss and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers.models.bert.modeling_bert import BertForPreTraining, BertForPreTrainingOutput

from app.core.report import Report
from app.core.requests import TrainingRequest
from app.core.sentences import sentences
from app.core.text import RunningText
from app.tasks.heads.masking import RATE, Masker, ranked
from app.tasks.text.tokens import join, tokenise
from app.tasks.text.windows import PairTemplate, pad, padding_id
from app.training.examples import parse_source
from app.training.features import longest_first, padded_length
from app.training.folder import load_tokenizer, weight_names
from app.training.losses import IGNORED, mean_loss
from app.training.running_text import exclude_shared, read_running_text
from app.training.tasks import Predict, TrainingTask, draw, drawn_size, refuse_empty


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive sentences (int64[n] of tokens each, none empty), and the document they are from."""

    sentences: tuple[np.ndarray, ...]
    document: str

    def __len__(self) -> int:
        return sum(map(len, self.sentences))


def passage(tokenizer: Tokenizer, text: RunningText) -> Passage:
    """The text's sentences as tokens, without special ones."""
    found = []
    for paragraph in text.paragraphs:
        for sentence in sentences(paragraph):
            ids = join(tokenise(tokenizer, sentence.of(paragraph))).ids.astype(np.int64)
            if len(ids):
                found.append(ids)
    return Passage(tuple(found), text.document)


FOLLOWS, RANDOM = 0, 1


@dataclass(frozen=True, slots=True)
class MaskedPair:
    """One input with some of its tokens masked.

    `input_ids` and `token_type_ids` are int64[L], `masked` (int64[m]) the positions whose tokens are to be predicted,
    `words` (int64[m]) those tokens. `relation` is FOLLOWS, RANDOM or, for a single segment, IGNORED.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    masked: np.ndarray
    words: np.ndarray
    relation: int

    def __len__(self) -> int:
        return len(self.input_ids)


class Pairs:
    """Makes inputs of at most `length` tokens from passages: a segment, and the next one or an unrelated one.

    In half of the pairs the second segment is an unrelated one: a share `near` of these is from another passage of the
    same document, if it has one, the rest from another document. `short` is the share of inputs of a random smaller
    length.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        passages: Sequence[Passage],
        length: int,
        rate: float,
        near: float = 0.0,
        short: float = 0.0,
    ) -> None:
        self._template = PairTemplate.of(tokenizer)
        self._masker = Masker(tokenizer, rate)
        self._passages = passages
        self._room = length - self._template.pair_overhead
        self._near, self._short = near, short
        self._homes: dict[str, list[int]] = defaultdict(list)
        for i, passage in enumerate(passages):
            self._homes[passage.document].append(i)

    def draws(self, index: int) -> int:
        """How many inputs an epoch draws from a passage."""
        return max(1, round(len(self._passages[index]) / self._room))

    def draw(self, index: int, rng: np.random.Generator) -> MaskedPair:
        """Draw an input from passage `index`."""
        passage = self._passages[index]
        room = self._room
        if self._short and rng.random() < self._short:
            room = int(rng.integers(min(8, room), room + 1))
        start, end = _segment(passage, room, int(rng.integers(len(passage.sentences))))
        if end - start < 2:
            ids = np.concatenate(passage.sentences[start:end])[:room]
            return self._masked(*self._template.single(ids), IGNORED, rng)
        middle = int(rng.integers(start + 1, end))
        first = np.concatenate(passage.sentences[start:middle])
        second = np.concatenate(passage.sentences[middle:end])
        relation = FOLLOWS
        if rng.random() < 0.5:
            other = self._draw_unrelated(index, rng)
            if other is not None:
                relation = RANDOM
                second = _draw_segment(self._passages[other], max(1, room - len(first)), rng)
        return self._masked(*self._template.pair(*_truncated(first, second, room)), relation, rng)

    def _draw_unrelated(self, index: int, rng: np.random.Generator) -> int | None:
        """Draw another passage, of the same document with the probability `near`; None where there is none."""
        home = self._homes[self._passages[index].document]
        if len(home) > 1 and self._near and rng.random() < self._near:
            found = home[int(rng.integers(len(home) - 1))]
            return found if found != index else home[-1]
        if len(home) == len(self._passages):
            return None
        while True:
            found = int(rng.integers(len(self._passages)))
            if self._passages[found].document != self._passages[index].document:
                return found

    def _masked(
        self, ids: np.ndarray, types: np.ndarray, relation: int, rng: np.random.Generator
    ) -> MaskedPair:
        masked_ids, positions, words = self._masker.mask(ids, self._ordinary(ids), rng)
        return MaskedPair(masked_ids, types, positions, words, relation)

    def _ordinary(self, ids: np.ndarray) -> np.ndarray:
        """The positions of the tokens that are not the template's special ones."""
        special = np.concatenate([np.asarray(part, dtype=np.int64) for part in self._template.pair_parts])
        return np.flatnonzero(~np.isin(ids, special))


def collate_masked(features: Sequence[MaskedPair], pad_id: int) -> dict[str, np.ndarray]:
    """Arrays of batch × `padded_length`, `masked` of batch × most masked (-1 where none), and `targets`, int64.

    A row of targets holds the relation, then the words at the masked positions; IGNORED where there is none.
    """
    longest = padded_length(features)
    most = max(len(f.masked) for f in features)
    masked = np.full((len(features), most), -1, dtype=np.int64)
    targets = np.full((len(features), 1 + most), IGNORED, dtype=np.int64)
    for row, feature in enumerate(features):
        masked[row, : len(feature.masked)] = feature.masked
        targets[row, 0] = feature.relation
        targets[row, 1 : 1 + len(feature.words)] = feature.words
    return {**pad(features, pad_id, longest), "masked": masked, "targets": targets}


def _segment(passage: Passage, room: int, start: int) -> tuple[int, int]:
    """The range of sentences around `start` that fills `room` tokens, grown forwards first, then backwards."""
    lengths = [len(s) for s in passage.sentences]
    end, size = start + 1, lengths[start]
    while end < len(lengths) and size < room:
        size += lengths[end]
        end += 1
    while start > 0 and size + lengths[start - 1] <= room:
        start -= 1
        size += lengths[start]
    return start, end


def _draw_segment(passage: Passage, room: int, rng: np.random.Generator) -> np.ndarray:
    start, end = _segment(passage, room, int(rng.integers(len(passage.sentences))))
    return np.concatenate(passage.sentences[start:end])


def _truncated(first: np.ndarray, second: np.ndarray, room: int) -> tuple[np.ndarray, np.ndarray]:
    """Both cut to `room` tokens together, neither to less than half: the first at its start, the second at its end."""
    size = min(len(second), max(room - len(first), room // 2))
    return first[max(0, len(first) - (room - size)) :], second[:size]


_HEAD = "cls.predictions.transform.dense.weight"
_DEV_SEED = 20
_DEV_LIMIT = 400


def pretraining_task(request: TrainingRequest, base: Path) -> TrainingTask:
    """Pretraining. Raises SpanlightError where texts cannot be used.

    Texts that share a paragraph with dev are left out of training. `options` may hold `mask_rate` (of the tokens),
    `near` and `short` (see Pairs).
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
    dev_examples = dev_pairs(tokenizer, dev_passages, request.max_length)

    def epoch(rng: np.random.Generator) -> list[Any]:
        return [pairs.draw(i, rng) for i in draw(drawn, rng)]

    def measure(predict: Predict, report: Report) -> dict[str, float]:
        return pretraining_figures(dev_examples, padding_id(tokenizer), predict, report)

    counts = np.bincount(
        np.concatenate([s for p in passages for s in p.sentences]), minlength=tokenizer.get_vocab_size()
    )
    return TrainingTask(
        tokenizer,
        (),
        drawn_size(drawn),
        epoch,
        measure,
        figure="masked_top1",
        loss=pretraining_loss,
        forward=forward,
        collate=collate_masked,
        begin=lambda model: initialise_head(model, base, counts),
    )


def dev_pairs(tokenizer: Tokenizer, passages: Sequence[Passage], length: int) -> list[MaskedPair]:
    """Dev inputs, the same each time: at most `_DEV_LIMIT`, spread over all passages."""
    pairs = Pairs(tokenizer, passages, length, RATE)
    rng = np.random.default_rng(_DEV_SEED)
    drawn = [i for i in range(len(passages)) for _ in range(pairs.draws(i))]
    if len(drawn) > _DEV_LIMIT:
        drawn = [drawn[i] for i in np.linspace(0, len(drawn) - 1, _DEV_LIMIT).astype(int).tolist()]
    return [pairs.draw(i, rng) for i in drawn]


def pretraining_figures(
    examples: Sequence[MaskedPair], pad_id: int, predict: Predict, report: Report
) -> dict[str, float]:
    """The shares of masked words ranked first and in the first five, their mean loss, and the share of right relations.

    Shares are 0 to 1.
    """
    first = five = words = right = related = 0
    surprisal = 0.0
    for some in longest_first(examples, 32):
        report.check()
        batch = collate_masked([examples[i] for i in some], pad_id)
        parts = predict(batch)
        logits = np.concatenate([part["prediction_logits"] for part in parts])
        relations = np.concatenate([part["seq_relationship_logits"] for part in parts]).argmax(axis=1)
        targets = batch["targets"]
        true = targets[:, 1:][batch["masked"] >= 0]
        own = ranked(logits, true)
        first, five, surprisal, words = first + own[0], five + own[1], surprisal + own[2], words + len(true)
        pairs = targets[:, 0] != IGNORED
        right += int((relations == targets[:, 0])[pairs].sum())
        related += int(pairs.sum())
    return {
        "masked_top1": first / max(1, words),
        "masked_top5": five / max(1, words),
        "masked_loss": surprisal / max(1, words),
        "next_sentence": right / max(1, related),
    }


def forward(model: nn.Module, inputs: dict[str, Tensor]) -> BertForPreTrainingOutput:
    """Both heads' logits, those over words for the masked positions only: one row each, batch row by batch row."""
    assert isinstance(model, BertForPreTraining)
    masked = inputs["masked"]
    output = model.bert(
        inputs["input_ids"],
        attention_mask=inputs["attention_mask"],
        token_type_ids=inputs["token_type_ids"],
        return_dict=True,
    )
    rows, columns = (masked >= 0).nonzero(as_tuple=True)
    hidden = output.last_hidden_state[rows, masked[rows, columns]]
    words, relation = model.cls(hidden, output.pooler_output)
    return BertForPreTrainingOutput(prediction_logits=words, seq_relationship_logits=relation)


def pretraining_loss(output: BertForPreTrainingOutput, targets: Tensor) -> Tensor:
    """Mean cross-entropy of the masked words plus that of the relations; 0 where there is none (section 3.1)."""
    words = targets[:, 1:]
    return mean_loss(output.prediction_logits, words[words != IGNORED]) + mean_loss(
        output.seq_relationship_logits, targets[:, 0]
    )


def initialise_head(model: nn.Module, base: Path, counts: np.ndarray) -> None:
    """Initialise the masked-words head where the base has none.

    The transform begins as the identity, so that words whose embeddings are near the state score high; the bias as the
    words' log frequencies (`counts`, one added to each).
    """
    if _HEAD in weight_names(base):
        return
    assert isinstance(model, BertForPreTraining)
    predictions = model.cls.predictions
    share = (counts + 1.0) / (counts.sum() + len(counts))
    with torch.no_grad():
        nn.init.eye_(predictions.transform.dense.weight)
        nn.init.zeros_(predictions.transform.dense.bias)
        predictions.bias[: len(share)] = torch.from_numpy(np.log(share)).to(predictions.bias)
