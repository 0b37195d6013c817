"""Classification of texts of any length by a head over [CLS] (BERT, Devlin et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.core.models import ModelCard, ProblemType
from app.core.report import Report
from app.core.requests import TextBatch, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.tasks.batches import Pace, Runner, batch_size, by_length, require_finite
from app.tasks.scores import sigmoid, softmax
from app.tasks.task import ReadyModel
from app.tasks.texts import text_windows
from app.tasks.windows import PairTemplate, Window, estimate_windows

# Partial results repeat what was handed over before, so they wait until there is a quarter more of it.
_GROWTH = 1.25


def classify(request: TextsToClassify, model: ReadyModel, report: Report) -> Classifications:
    """Gives every text its class probabilities, reading what is longer than the model's window whole in windows.

    Tells progress in texts, or in windows where there is one text; hands over the texts done so far, from
    the first one on, as partial results. Raises SpanlightError when there is no text or one is empty, naming
    its number; Stopped when the work is to stop.
    """
    request.require_words()
    lone = len(request.texts) == 1
    pace = Pace(report, "windows" if lone else "texts")
    items: list[Classification | None] = [None] * len(request.texts)
    done = ready = told = 0
    for read, reads in enumerate(_read_all(request.texts, model, report), start=1):
        if reads.complete:
            items[reads.index] = reads.classification(model.card)
            done += 1
            while ready < len(items) and items[ready] is not None:
                ready += 1
        if pace.due() or done == len(items):
            pace.tell(read if lone else done, reads.total(model.card) if lone else len(items))
            if ready > told * _GROWTH and ready < len(items):
                told = ready
                report.partial(_result(items[:ready], pace.seconds, model, complete=False))
    return _result(items, pace.seconds, model, complete=True)


def classify_batch(batch: TextBatch, model: ReadyModel, report: Report) -> tuple[Classification, ...]:
    """Gives every text of a batch its class probabilities, whole as `classify` does; windows share model batches.

    Every text's classes are handed over as a partial result `(index, Classification)` as soon as it has been read
    through. Tells progress in texts. Raises Stopped when the work is to stop.
    """
    pace = Pace(report, "texts")
    items: dict[int, Classification] = {}
    for reads in _read_all(batch.texts, model, report):
        if not reads.complete:
            continue
        item = items[reads.index] = reads.classification(model.card)
        report.partial((reads.index, item))
        if pace.due() or len(items) == len(batch.texts):
            pace.tell(len(items), len(batch.texts))
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


@dataclass(slots=True, eq=False)
class _Text:
    """A text while it is read: its windows' logits so far, each with the number of tokens it scores."""

    index: int
    text: str
    made: int = 0
    read: int = 0
    tokens: int = 0
    cut: int = 0
    exhausted: bool = False
    parts: list[tuple[int, int, np.ndarray]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return self.exhausted and self.read == self.made

    def total(self, card: ModelCard) -> int:
        """How many windows there are, an estimate until the text's end was reached."""
        if self.exhausted:
            return self.made
        return self.made + estimate_windows(len(self.text) - self.cut, card.window, card.stride)

    def windows(
        self, template: PairTemplate, model: ReadyModel, report: Report
    ) -> Iterator[tuple[_Text, Window]]:
        """Its windows, tokenised as they are asked for; one of no tokens where the tokenizer knows none."""
        held: Window | None = None
        for window in text_windows(self.text, template, model, report):
            self.made += 1
            self.cut = int(window.ends[-1]) if len(window.ends) else self.cut
            if held is not None:
                yield self, held
            held = window
        assert held is not None  # a text has at least one
        self.exhausted = True
        yield self, held

    def take(self, window: Window, logits: np.ndarray) -> None:
        """Takes a read window's logits in."""
        own = int(window.scored.sum())
        self.parts.append((window.first, own, logits.astype(np.float64)))
        self.tokens += own
        self.read += 1

    def classification(self, card: ModelCard) -> Classification:
        """The classes of the whole text: the mean of its windows' logits, weighted by their own tokens."""
        # In the order of the text, so that the sum does not depend on the order of reading.
        parts = sorted(self.parts, key=lambda part: part[0])
        weights = np.array([max(1, own) for _, own, _ in parts], dtype=np.float64)
        pooled = weights @ np.stack([logits for _, _, logits in parts]) / weights.sum()
        one = class_scores(pooled, card)
        return Classification(one.scores, one.winner, len(parts), self.tokens, one.problem)


def _read_all(texts: tuple[str, ...], model: ReadyModel, report: Report) -> Iterator[_Text]:
    """Reads the windows of texts in mixed batches; yields each window's text after it was read."""
    template = PairTemplate.of(model.tokenizer)
    run = Runner(model, report)

    def pieces() -> Iterator[tuple[_Text, Window]]:
        for index, text in enumerate(texts):
            yield from _Text(index, text).windows(template, model, report)

    for batch in by_length(pieces(), lambda piece: piece[1], batch_size(model)):
        arrays, _ = run([window for _, window in batch])
        logits = arrays["logits"]
        require_finite(bool(np.isfinite(logits).all()), model)
        for row, (text, window) in enumerate(batch):
            text.take(window, logits[row])
            yield text


def _result(
    items: Sequence[Classification | None], seconds: float, model: ReadyModel, *, complete: bool
) -> Classifications:
    done = tuple(item for item in items if item is not None)
    return Classifications(done, seconds, complete, model.card.name, model.device.title)
