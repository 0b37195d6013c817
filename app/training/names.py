"""Named entity recognition: training inputs, and figures on dev."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.core.requests import TrainingRequest
from app.tasks.heads.token_classification import tokens_by_word
from app.tasks.text.tokens import join, tokenise
from app.tasks.text.windows import PairTemplate, pad, padding_id
from app.tasks.text.words import words
from app.training import metrics
from app.training.features import longest_first, padded_length
from app.training.folder import load_tokenizer
from app.training.losses import IGNORED, mean_loss
from app.training.tagged import OUTSIDE, Exchanger, TaggedText, concatenate, read_tagged, tagged_names
from app.training.tasks import Predict, TrainingTask, draw, drawn_size, examples_of


@dataclass(frozen=True, slots=True)
class TaggedTokens:
    """One input with a tag's index for each token, IGNORED for those without a label.

    All are int64[L] but `first_pieces` (int64[words]): the position of each word's first token, -1 for a word without.
    """

    input_ids: np.ndarray
    token_type_ids: np.ndarray
    tags: np.ndarray
    first_pieces: np.ndarray

    def __len__(self) -> int:
        return len(self.input_ids)


def names_task(request: TrainingRequest, base: Path) -> TrainingTask:
    """Token classification of names. Raises SpanlightError where examples cannot be used.

    The option `join` is the most sentences, consecutive in their file, that are joined into one text; `exchange` the
    probability of exchanging a name for another of its kind.
    """
    tokenizer = load_tokenizer(base)
    groups, dev_examples = examples_of(request, lambda source: read_tagged(source.path, source.labels))
    labels = labels_of([e for group, _ in groups for e in group])
    if unknown := {tag for e in dev_examples for tag in e.tags} - set(labels):
        raise SpanlightError(
            Message("Dev has the tag “{tag}” that the examples lack.", tag=min(unknown)),
            Message("Name the kinds alike."),
        )
    tagging = Tagging(tokenizer, labels, request.max_length)
    most = max(1, int(request.options.get("join", 1)))
    exchanger = Exchanger([e for group, _ in groups for e in group], request.options.get("exchange", 0.0))
    numbered = [([(g, i) for i in range(len(group))], weight) for g, (group, weight) in enumerate(groups)]

    def epoch(rng: np.random.Generator) -> list[Any]:
        inputs = []
        for g, i in draw(numbered, rng):
            some = groups[g][0][i : i + int(rng.integers(1, most + 1))]
            inputs.append(tagging.of_text(exchanger.vary(concatenate(some), rng)))
        return inputs

    def measure(predict: Predict, report: Report) -> dict[str, float]:
        return dev_figures(dev_examples, tagging, padding_id(tokenizer), predict, report)

    return TrainingTask(
        tokenizer,
        labels,
        drawn_size(groups),
        epoch,
        measure,
        figure="f1",
        loss=lambda output, targets: mean_loss(output.logits.flatten(0, 1), targets.flatten()),
        collate=collate_tagged,
    )


def labels_of(examples: Sequence[TaggedText]) -> tuple[str, ...]:
    """O, then B and I of every kind, even where only one of the two occurs; sorted by kind."""
    kinds = sorted({tag[2:] for example in examples for tag in example.tags if tag != OUTSIDE})
    if not kinds:
        raise SpanlightError(
            Message("The examples hold no name."), Message("Give sentences whose words are tagged.")
        )
    return (OUTSIDE, *(f"{mark}-{kind}" for kind in kinds for mark in "BI"))


class Tagging:
    """Makes inputs of at most `length` tokens from tagged texts.

    The first piece of each word is labelled (BERT, section 5.3); the words are those that `token_classification`
    tags. Where a word of the examples covers several of these, those after the first continue its name.
    """

    def __init__(self, tokenizer: Tokenizer, labels: Sequence[str], length: int) -> None:
        self._tokenizer = tokenizer
        self._template = PairTemplate.of(tokenizer)
        self.labels = tuple(labels)
        self._index = {label: i for i, label in enumerate(labels)}
        self._room = length - self._template.single_overhead

    def of_text(self, text: TaggedText) -> TaggedTokens:
        """The text's input, truncated."""
        tokens = join(tokenise(self._tokenizer, text.text))
        found = tokens_by_word(text.text, *words(text.text), tokens.starts, tokens.ends)
        at = len(self._template.single_parts[0])
        ids = tokens.ids[: self._room].astype(np.int64)
        tags = np.full(len(ids) + self._template.single_overhead, IGNORED, dtype=np.int64)
        first_pieces = np.full(len(text.words), -1, dtype=np.int64)
        ends = np.array([word.end for word in text.words])
        of = np.searchsorted(ends, found.starts, side="right").tolist()
        firsts = found.tokens[found.firsts].tolist()
        for token, word, start, end in zip(firsts, of, found.starts, found.ends, strict=True):
            if token >= len(ids) or word == len(ends) or text.words[word].start >= end:
                continue
            tag = text.tags[word]
            if first_pieces[word] < 0:
                first_pieces[word] = at + token
            if start > text.words[word].start and tag != OUTSIDE:
                tag = "I-" + tag[2:]
            tags[at + token] = self._index[tag]
        return TaggedTokens(*self._template.single(ids), tags, first_pieces)


def collate_tagged(features: Sequence[TaggedTokens], pad_id: int) -> dict[str, np.ndarray]:
    """Arrays of batch × `padded_length`, `targets` among them, all int64."""
    longest = padded_length(features)
    targets = np.full((len(features), longest), IGNORED, dtype=np.int64)
    for row, feature in enumerate(features):
        targets[row, : len(feature)] = feature.tags
    return {**pad(features, pad_id, longest), "targets": targets}


def dev_figures(
    examples: Sequence[TaggedText], tagging: Tagging, pad_id: int, predict: Predict, report: Report
) -> dict[str, float]:
    """Precision, recall and F1 (0 to 1) of names, and F1 by source and by kind; a word has its first piece's tag."""
    features = [tagging.of_text(example) for example in examples]
    tags: dict[int, list[str]] = {}
    for some in longest_first(features, 32):
        report.check()
        logits = [
            row
            for part in predict(collate_tagged([features[i] for i in some], pad_id))
            for row in part["logits"]
        ]
        for i, row in zip(some, logits, strict=True):
            best = row.argmax(axis=1)
            tags[i] = [tagging.labels[best[at]] if at >= 0 else OUTSIDE for at in features[i].first_pieces]
    found = [[((a, b), kind) for a, b, kind in tagged_names(tags[i])] for i in range(len(examples))]
    true = [[((a, b), kind) for a, b, kind in tagged_names(example.tags)] for example in examples]
    overall, by_kind = metrics.name_figures(found, true)
    figures = {"precision": overall.precision, "recall": overall.recall, "f1": overall.f1}
    for source in dict.fromkeys(example.source for example in examples):
        own = [i for i, example in enumerate(examples) if example.source == source]
        figures[f"f1 {source}"] = metrics.name_figures([found[i] for i in own], [true[i] for i in own])[0].f1
    return figures | {f"f1 {kind}": kind_figures.f1 for kind, kind_figures in by_kind.items()}
