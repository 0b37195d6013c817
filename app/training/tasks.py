"""What a model is trained for: the inputs of an epoch and the figures on dev, of question answering and classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor, nn

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.core.requests import TrainingRequest
from app.tasks.qa.spans import Candidate, window_candidates
from app.tasks.text.characters import token_properties
from app.tasks.text.tokens import join, tokenise, tokenise_view
from app.tasks.text.windows import PairTemplate, Window, pad, padding_id, single_windows, windows
from app.training import losses, metrics
from app.training.augment import Augmenter
from app.training.examples import (
    QaExample,
    Source,
    TextExample,
    parse_source,
    read_qa,
    read_qa_strictly,
    read_texts,
)
from app.training.features import Feature, Features, collate, longest_first
from app.training.folder import load_tokenizer
from app.training.parallel import Forward, Loss
from app.training.teacher import Teacher

T = TypeVar("T")
Arrays = dict[str, np.ndarray]
# Runs a model on a batch: its outputs, in one or more parts of the batch's rows.
Predict = Callable[[Arrays], Sequence[Arrays]]


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """What the training loop needs of a task.

    `epoch` makes an epoch's inputs (`epoch_size` of them), `collate` a batch's arrays; `loss` and `forward` are those
    of `Workers`. `begin` changes the model before the first step. `measure` gives the figures on dev, of which `figure`
    picks the best weights. A `teacher`'s outputs are learnt too.
    """

    tokenizer: Tokenizer
    labels: tuple[str, ...]
    epoch_size: int
    epoch: Callable[[np.random.Generator], list[Any]]
    measure: Callable[[Predict, Report], dict[str, float]]
    figure: str
    loss: Loss
    forward: Forward | None = None
    collate: Callable[[Sequence[Any], int], dict[str, np.ndarray]] = collate
    begin: Callable[[nn.Module], None] = lambda model: None
    teacher: Teacher | None = None


def qa_task(request: TrainingRequest, base: Path) -> TrainingTask:
    """Question answering. Raises SpanlightError where examples or a teacher cannot be used."""
    tokenizer = load_tokenizer(base)
    groups, dev_examples = examples_of(
        request, lambda source: read_qa_strictly(source.path), lambda source: read_qa(source.path)
    )
    options = request.options
    teacher = None
    if request.teacher:
        weighting = options.get("imitate", 0.7), options.get("temperature", 2.0)
        teacher = Teacher(Path(request.teacher), tokenizer, request.max_length, *weighting)
    unlabelled = options.get("unlabelled", 0.0) if teacher else 0.0
    augmenter = Augmenter(
        [e for group, _ in groups for e in group],
        options.get("remove", 0.0),
        options.get("neighbour", 0.0),
        options.get("swap", 0.0),
        neighbours=unlabelled > 0,
    )
    shares: dict[str, Any] = {name: options.get(name, 0.0) for name in ("elsewhere", "beside", "titled")}
    features = Features(tokenizer, request.max_length, **_crop(options), **shares)

    def feature(example: QaExample, file: Sequence[QaExample], rng: np.random.Generator) -> Feature:
        if unlabelled and rng.random() < unlabelled:
            other = augmenter.neighbour(example, rng) or file[int(rng.integers(len(file)))]
            return features.of_unlabelled(example, other, rng)
        return features.of_question(augmenter.vary(example, rng), rng)

    def epoch(rng: np.random.Generator) -> list[Any]:
        files = [draw([group], rng) for group in groups]
        return [feature(e, file, rng) for file in files for e in file]

    def measure(predict: Predict, report: Report) -> dict[str, float]:
        return qa_figures(dev_examples, tokenizer, request.max_length, predict, report)

    return TrainingTask(
        tokenizer,
        (),
        drawn_size(groups),
        epoch,
        measure,
        figure="f1",
        loss=answer_loss,
        collate=teacher.collate if teacher else collate,
        teacher=teacher,
    )


def answer_loss(output: Any, targets: Tensor) -> Tensor:
    """The loss of start and end logits, and of windows paired in the batch the loss that they share."""
    logits = output.start_logits, output.end_logits
    loss = losses.span_loss(*logits, targets[:, 0], targets[:, 1])
    return loss + losses.shared_loss(*logits, *targets.unbind(1)) if targets.size(1) > 2 else loss


def class_task(request: TrainingRequest, base: Path) -> TrainingTask:
    """Classification of texts; labels are in the order of the sources' `labels`, or sorted where these have none.

    Raises SpanlightError where examples cannot be used.
    """
    tokenizer = load_tokenizer(base)
    groups, dev_examples = examples_of(request, lambda source: read_texts(source.path, source.labels))
    seen = {e.label for group, _ in groups for e in group}
    named = dict.fromkeys(label for text in request.examples for label in parse_source(text).labels.values())
    labels = tuple(label for label in named if label in seen) or tuple(sorted(seen))
    if len(labels) < 2:
        raise SpanlightError(
            Message("The examples have one label only."), Message("Give examples of at least two.")
        )
    if unknown := {e.label for e in dev_examples} - set(labels):
        raise SpanlightError(
            Message("Dev has the label “{label}” that the examples lack.", label=min(unknown)),
            Message("Name the labels alike."),
        )
    features = Features(tokenizer, request.max_length, **_crop(request.options))

    def epoch(rng: np.random.Generator) -> list[Any]:
        return [features.of_text(e, labels, rng) for e in draw(groups, rng)]

    def measure(predict: Predict, report: Report) -> dict[str, float]:
        return class_figures(dev_examples, labels, tokenizer, request.max_length, predict, report)

    return TrainingTask(
        tokenizer,
        labels,
        drawn_size(groups),
        epoch,
        measure,
        figure="accuracy",
        loss=lambda output, targets: losses.mean_loss(output.logits, targets[:, 0]),
    )


def examples_of(
    request: TrainingRequest,
    read: Callable[[Source], list[T]],
    read_dev: Callable[[Source], list[T]] | None = None,
) -> tuple[list[tuple[list[T], float]], list[T]]:
    """The examples of each of a request's sources with the source's weight, and the dev examples.

    Raises SpanlightError where there are none to learn from or to measure with.
    """
    sources = [parse_source(text) for text in request.examples]
    groups = [(read(source), source.weight) for source in sources]
    dev_examples = [e for text in request.dev for e in (read_dev or read)(parse_source(text))]
    refuse_empty(groups, dev_examples)
    return groups, dev_examples


def draw(groups: Sequence[tuple[Sequence[T], float]], rng: np.random.Generator) -> list[T]:
    """An epoch's examples: each group repeated by its weight, whose fraction draws a random part of the group."""
    drawn: list[T] = []
    for group, weight in groups:
        drawn += list(group) * int(weight)
        some = round(len(group) * (weight - int(weight)))
        drawn += [group[i] for i in rng.permutation(len(group))[:some].tolist()]
    return drawn


def drawn_size(groups: Sequence[tuple[Sequence[T], float]]) -> int:
    """The number of examples that `draw` gives."""
    return sum(
        len(group) * int(weight) + round(len(group) * (weight - int(weight))) for group, weight in groups
    )


def _crop(options: dict[str, float]) -> dict[str, Any]:
    return {"crop": options.get("crop", 0.0), "crop_length": int(options.get("crop_length", 128))}


def refuse_empty(groups: Sequence[tuple[Sequence[Any], float]], dev_examples: Sequence[Any]) -> None:
    """Raise SpanlightError where there are no examples to learn from or to measure with."""
    if not any(group and weight for group, weight in groups):
        raise SpanlightError(
            Message("There are no examples to learn from."), Message("Give files with at least one row.")
        )
    if not dev_examples:
        raise SpanlightError(
            Message("There are no dev examples to measure with."),
            Message("Give a dev file with at least one row."),
        )


def qa_figures(
    examples: Sequence[QaExample], tokenizer: Tokenizer, length: int, predict: Predict, report: Report
) -> dict[str, float]:
    """EM and F1 (0 to 100) of all questions at the best threshold, and of answerable ones where each is answered."""
    template = PairTemplate.of(tokenizer)
    cut_windows: list[Window] = []
    owners: list[int] = []
    for i, example in enumerate(examples):
        question = tokenizer.encode(example.question, add_special_tokens=False).ids
        view = example.view
        tokens, _ = tokenise_view(tokenizer, example.context, view.replacements if view else ())
        properties = token_properties(example.context, tokens.starts, tokens.ends, view)
        for window in windows(template, question, [tokens], example.context, length=length):
            own = properties.part(window.first, window.first + len(window.starts))
            window = replace(window, properties=own)
            cut_windows.append(window)
            owners.append(i)
    best: dict[int, Candidate] = {}
    for i, logits in _window_logits(cut_windows, padding_id(tokenizer), predict, report):
        owner = owners[i]
        text, start, end = examples[owner].context, logits["start_logits"], logits["end_logits"]
        for candidate in window_candidates(cut_windows[i], start, end, text=text, document=owner, count=1):
            if owner not in best or candidate.rank > best[owner].rank:
                best[owner] = candidate
    found = [best[i].span.of(e.context) if i in best else "" for i, e in enumerate(examples)]
    references = [[text for text, _ in example.answers] for example in examples]
    no_answer = [not r for r in references]
    f1s = [metrics.f1(text, r) for text, r in zip(found, references, strict=True)]
    exacts = [metrics.exact_match(text, r) for text, r in zip(found, references, strict=True)]
    margins = [best[i].margin if i in best else float("-inf") for i in range(len(examples))]
    threshold, overall = metrics.best_threshold(margins, f1s, no_answer)
    overall_exact = metrics.best_threshold(margins, exacts, no_answer)[1]
    answerable = [i for i, none in enumerate(no_answer) if not none]
    return {
        "f1": 100 * overall,
        "em": 100 * overall_exact,
        "f1_answerable": 100 * sum(f1s[i] for i in answerable) / max(1, len(answerable)),
        "em_answerable": 100 * sum(exacts[i] for i in answerable) / max(1, len(answerable)),
        # No threshold is finite where it is best never to answer.
        **({"threshold": threshold} if isfinite(threshold) else {}),
    }


def class_figures(
    examples: Sequence[TextExample],
    labels: Sequence[str],
    tokenizer: Tokenizer,
    length: int,
    predict: Predict,
    report: Report,
) -> dict[str, float]:
    """Accuracy and macro F1 (0 to 1), and accuracy by source (`accuracy SOURCE`).

    A text's logits are the sum of its windows', each weighted by its tokens.
    """
    template = PairTemplate.of(tokenizer)
    cut_windows: list[Window] = []
    owners: list[int] = []
    for i, example in enumerate(examples):
        for window in single_windows(
            template, [join(tokenise(tokenizer, example.text))], example.text, length=length
        ):
            cut_windows.append(window)
            owners.append(i)
    sums = np.zeros((len(examples), len(labels)))
    for i, logits in _window_logits(cut_windows, padding_id(tokenizer), predict, report):
        sums[owners[i]] += logits["logits"] * int(cut_windows[i].scored.sum())
    predicted = [labels[int(best)] for best in sums.argmax(axis=1)]
    actual = [example.label for example in examples]
    figures = {
        "accuracy": metrics.accuracy(predicted, actual),
        "macro_f1": metrics.macro_f1(predicted, actual, labels),
    }
    by_source: dict[str, list[int]] = defaultdict(list)
    for i, example in enumerate(examples):
        by_source[example.source].append(i)
    for source, rows in by_source.items():
        figures[f"accuracy {source}"] = metrics.accuracy(
            [predicted[i] for i in rows], [actual[i] for i in rows]
        )
    return figures


def _window_logits(
    cut_windows: Sequence[Window], pad_id: int, predict: Predict, report: Report
) -> Iterator[tuple[int, Arrays]]:
    """Each window's index and logits (without the batch axis); windows of similar length share a batch."""
    for part in longest_first(cut_windows, 16):
        report.check()
        rows = (
            {name: array[row] for name, array in arrays.items()}
            for arrays in predict(pad([cut_windows[i] for i in part], pad_id))
            for row in range(len(next(iter(arrays.values()))))
        )
        yield from zip(part, rows, strict=True)
