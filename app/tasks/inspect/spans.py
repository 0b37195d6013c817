"""Start and end logits of a window and their spans' scores (BERT, Devlin et al. 2019, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.errors import SpanlightError
from app.core.inside import SpanScore, SpanScores
from app.core.inspection import LookAtSpans, Subject
from app.core.message import Message
from app.core.models import SHARED_AMONG, Head
from app.core.report import Report
from app.core.text import Span
from app.tasks.batches import require_finite
from app.tasks.inspect.inputs import ModelInput, input_of
from app.tasks.qa.spans import context_logits, properties_of, span_scores, window_spans
from app.tasks.scores import logsumexp, softmax
from app.tasks.task import Arrays, ReadyModel


def look_at_spans(request: LookAtSpans, model: ReadyModel, report: Report) -> SpanScores:
    """Start and end scores over the window of a question's focus, the span there first, then the best others.

    They are reading's own scores, except that an opened model computes in float32, and without the lexical scores of
    a long text. Raises SpanlightError for another head's subject, Stopped when the work is to stop.
    """
    require_question(request.subject.head)
    model_input = input_of(request.subject, model, report)
    report.check()
    outputs = row_of(model.forward(model_input.arrays))
    scores = WindowScores.of(model_input, request.subject, model, outputs)
    start, end = scores.start, scores.end
    return SpanScores(
        window=model_input.window,
        start_logits=tuple(start.tolist()),
        end_logits=tuple(end.tolist()),
        start_probabilities=tuple(softmax(start).tolist()),
        end_probabilities=tuple(softmax(end).tolist()),
        candidates=scores.candidates,
        spans=scores.spans(request.subject.focus, SHARED_AMONG),
        null_score=scores.null_score,
        null_probability=scores.probability(scores.null_score),
        model=model.card.name,
    )


def row_of(outputs: Arrays, row: int = 0) -> Arrays:
    """One row of a head's outputs, without the batch's dimension."""
    return {name: values[row] for name, values in outputs.items()}


def require_question(head: Head) -> None:
    """Raise SpanlightError for any head but question answering."""
    if head is not Head.QUESTION_ANSWERING:
        raise SpanlightError(
            Message("Only an answer to a question has a start and an end."),
            Message("Look into a question's answer."),
        )


@dataclass(frozen=True, slots=True)
class WindowScores:
    """The logits of one window's row (float32[L]) and the normaliser of its spans' probabilities.

    `log_sum` is ln of the sum of exp(score) over all spans that reading considers (of 1 to spans.MAX_TOKENS tokens)
    and the null score.
    """

    model_input: ModelInput
    text: str
    start: np.ndarray
    end: np.ndarray
    log_sum: float

    @classmethod
    def of(
        cls, model_input: ModelInput, subject: Subject, model: ReadyModel, outputs: Arrays
    ) -> WindowScores:
        """The scores of the row's outputs (see `row_of`). Raises SpanlightError where they are not numbers."""
        window = model_input.task_window
        start, end = (outputs[name][: len(window)] for name in ("start_logits", "end_logits"))
        require_finite(model, start, end)
        context = context_logits(window, start, end)
        band = span_scores(*context, window.scored, properties_of(window, subject.text))
        log_sum = float(logsumexp(np.append(band.ravel(), start[0] + end[0])))
        return cls(model_input, subject.text, start, end, log_sum)

    @property
    def null_score(self) -> float:
        """[CLS]'s start + end logits."""
        return float(self.start[0] + self.end[0])

    @property
    def candidates(self) -> tuple[bool, ...]:
        """For each token of the row whether it is one of the text's, with which a span may begin or end."""
        window = self.model_input.task_window
        first = window.context_at
        return tuple(first <= at < first + len(window.starts) for at in range(len(window)))

    def probability(self, score: float) -> float:
        """The softmax of a score among those of the window's spans and its null score."""
        return float(np.exp(score - self.log_sum))

    def spans(self, focus: Span | None, count: int) -> tuple[SpanScore, ...]:
        """The focus's span, where there is a focus, then the best others: `count` in all, at most SHARED_AMONG.

        The focus's tokens are those from which reading scored it, else all that share a code point with it; a
        focus outside the window has none and is left out.
        """
        window = self.model_input.task_window
        best = [
            self._scored(first, last, candidate.span)
            for candidate, first, last in window_spans(
                window, self.start, self.end, text=self.text, document=0, count=SHARED_AMONG
            )
        ]
        if focus is None:
            return tuple(best[:count])
        chosen = next((scored for scored in best if scored.span == focus), None) or self._at(focus)
        if chosen is None:
            return tuple(best[:count])
        others = [scored for scored in best if not scored.span.overlaps(chosen.span)]
        return (chosen, *others)[:count]

    def _at(self, span: Span) -> SpanScore | None:
        """The score of a span of the text by its tokens; None where the window has none of them."""
        tokens = self.model_input.tokens_at(span)
        return self._scored(tokens[0], tokens[-1], span) if tokens else None

    def _scored(self, first: int, last: int, span: Span) -> SpanScore:
        score = float(self.start[first] + self.end[last])
        return SpanScore(first, last, span, span.of(self.text), score, self.probability(score))
