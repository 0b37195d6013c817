"""Classification of texts of any length by a head over [CLS] (BERT, Devlin et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.models import ModelCard, ProblemType
from app.core.report import Report
from app.core.requests import TextBatch, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.tasks.batches import Pace
from app.tasks.heads.in_place import InPlace
from app.tasks.heads.whole_texts import read_whole
from app.tasks.scores import sigmoid, softmax
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window


def classify(request: TextsToClassify, model: ReadyModel, report: Report) -> Classifications:
    """Gives every text its class probabilities, reading what is longer than the model's window whole in windows.

    Tells progress in texts, or in windows where there is one text; hands over the texts done so far, from
    the first one on, as partial results. Raises SpanlightError when there is no text or one is empty, naming
    its number; Stopped when the work is to stop.
    """
    request.require_words()
    lone = len(request.texts) == 1
    pace = Pace(report, "windows" if lone else "texts")
    items: InPlace[Classification] = InPlace(len(request.texts))
    for read, reads in enumerate(read_whole(request.texts, model, report, _keep), start=1):
        if reads.complete:
            items.put(reads.index, _classification(reads.beginning(), model.card))
        if pace.due() or items.complete:
            pace.report(read if lone else items.done, reads.total(model.card) if lone else len(request.texts))
            if items.grown(items.ready):
                report.partial(_result(items.beginning(), pace.seconds, model, complete=False))
    return _result(items.beginning(), pace.seconds, model, complete=True)


def classify_batch(batch: TextBatch, model: ReadyModel, report: Report) -> tuple[Classification, ...]:
    """Gives every text of a batch its class probabilities, whole as `classify` does; windows share model batches.

    Every text's classes are handed over as a partial result `(index, Classification)` as soon as it has been read
    through. Tells progress in texts. Raises Stopped when the work is to stop.
    """
    pace = Pace(report, "texts")
    items: dict[int, Classification] = {}
    for reads in read_whole(batch.texts, model, report, _keep):
        if not reads.complete:
            continue
        item = items[reads.index] = _classification(reads.beginning(), model.card)
        report.partial((reads.index, item))
        if pace.due() or len(items) == len(batch.texts):
            pace.report(len(items), len(batch.texts))
    return tuple(items[index] for index in range(len(batch.texts)))


def class_scores(logits: np.ndarray, card: ModelCard) -> Classification:
    """The classes of one row of logits, float[labels], as the head's problem type says.

    Softmax over several labels; sigmoids for a multi-label head and for a single label; a regression
    head's values as they are. Logits are divided by the card's `class_temperature` before.
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


# A window's number of tokens that it scores, and its logits.
_Part = tuple[int, np.ndarray]


def _keep(window: Window, logits: np.ndarray) -> _Part:
    return int(window.scored.sum()), logits.astype(np.float64)


def _classification(parts: Sequence[_Part], card: ModelCard) -> Classification:
    """The classes of a whole text: the mean of its windows' logits in their order, weighted by their own tokens."""
    weights = np.array([max(1, own) for own, _ in parts], dtype=np.float64)
    pooled = weights @ np.stack([logits for _, logits in parts]) / weights.sum()
    one = class_scores(pooled, card)
    return Classification(one.scores, one.winner, len(parts), sum(own for own, _ in parts), one.problem)


def _result(
    items: Sequence[Classification], seconds: float, model: ReadyModel, *, complete: bool
) -> Classifications:
    return Classifications(tuple(items), seconds, complete, model.card.name, model.device.title)
