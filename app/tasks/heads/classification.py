"""Classification of texts of any length by a head over [CLS] (BERT, Devlin et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.core.message import Message
from app.core.models import ModelCard, ProblemType
from app.core.report import Report
from app.core.requests import TextBatch, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.tasks.batches import Pace
from app.tasks.heads.texts import OrderedResults, read_texts
from app.tasks.scores import sigmoid, softmax
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window


def classify(request: TextsToClassify, model: ReadyModel, report: Report) -> Classifications:
    """Give every text its class probabilities; a text longer than the model's window is read in several windows.

    Reports progress in texts, or in windows where there is one text; partial results are the texts done so far,
    from the first one on. Raises SpanlightError when there is no text or one is empty, naming its number; Stopped
    when the work is to stop.
    """
    request.require_words()
    single = len(request.texts) == 1
    pace = Pace(report, Message("windows") if single else Message("texts"))
    items: OrderedResults[Classification] = OrderedResults(len(request.texts))
    for read, run in enumerate(read_texts(request.texts, model, report, _result_of), start=1):
        if run.complete:
            items.put(run.index, _classification(run.prefix(), model.card))
        if pace.due() or items.complete:
            pace.report(
                read if single else items.done, run.total(model.card) if single else len(request.texts)
            )
            if items.worth_reporting(items.ready):
                report.partial(_result(items.prefix(), pace.seconds, model))
    return _result(items.prefix(), pace.seconds, model)


def classify_batch(batch: TextBatch, model: ReadyModel, report: Report) -> tuple[Classification, ...]:
    """Give every text of a batch its class probabilities, as `classify` does; windows share the model's batches.

    Each text's partial result is `(index, Classification)`, as soon as the text was read. Reports progress in texts.
    Raises Stopped when the work is to stop.
    """
    pace = Pace(report, Message("texts"))
    items: dict[int, Classification] = {}
    for run in read_texts(batch.texts, model, report, _result_of):
        if not run.complete:
            continue
        item = items[run.index] = _classification(run.prefix(), model.card)
        report.partial((run.index, item))
        if pace.due() or len(items) == len(batch.texts):
            pace.report(len(items), len(batch.texts))
    return tuple(items[index] for index in range(len(batch.texts)))


def class_scores(logits: np.ndarray, card: ModelCard) -> Classification:
    """The classes of one row of logits, float[labels], by the head's problem type.

    Softmax over several labels; sigmoids for a multi-label head and for a single label; a regression head's values
    as they are. Logits are first divided by the card's `class_temperature`.
    """
    if card.problem is ProblemType.REGRESSION:
        values, problem = logits.astype(np.float64), ProblemType.REGRESSION
    elif card.problem is ProblemType.MULTI_LABEL or len(card.labels) == 1:
        values, problem = sigmoid(logits, card.class_temperature), ProblemType.MULTI_LABEL
    else:
        values, problem = softmax(logits, card.class_temperature), ProblemType.SINGLE_LABEL
    best = int(np.argmax(values))
    wins = problem is ProblemType.SINGLE_LABEL or (problem is ProblemType.MULTI_LABEL and values[best] >= 0.5)
    scores = tuple(ClassScore(label, float(v)) for label, v in zip(card.labels, values, strict=True))
    return Classification(scores, card.labels[best] if wins else "", 0, 0, problem.value)


# How many tokens a window scores, and its logits.
_WindowResult = tuple[int, np.ndarray]


def _result_of(window: Window, logits: np.ndarray) -> _WindowResult:
    return int(window.scored.sum()), logits.astype(np.float64)


def _classification(windows: Sequence[_WindowResult], card: ModelCard) -> Classification:
    """The classes of a whole text: the mean of its windows' logits, weighted by the number of tokens they score."""
    weights = np.array([max(1, tokens) for tokens, _ in windows], dtype=np.float64)
    mean = weights @ np.stack([logits for _, logits in windows]) / weights.sum()
    tokens = sum(tokens for tokens, _ in windows)
    return replace(class_scores(mean, card), windows=len(windows), tokens=tokens)


def _result(items: Sequence[Classification], seconds: float, model: ReadyModel) -> Classifications:
    return Classifications(tuple(items), seconds, model.card.name, model.device.title)
