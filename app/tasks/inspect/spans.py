"""Start and end logits of a window and their spans' scores (BERT, Devlin et al. 2019, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.errors import SpanlightError
from app.core.inside import SpanScore, SpanScores
from app.core.inspection import LookAtSpans
from app.core.message import Message
from app.core.models import SHARED_AMONG, Head
from app.core.report import Report
from app.core.text import Span
from app.tasks.batches import require_finite
from app.tasks.inspect.inputs import ModelInput, ScoredInput, scored_input
from app.tasks.qa.spans import context_logits, properties_of, span_scores, window_spans
from app.tasks.scores import logsumexp, softmax
from app.tasks.task import ReadyModel


def look_at_spans(request: LookAtSpans, model: ReadyModel, report: Report) -> SpanScores:
    """Start and end scores over the window of a question's focus, the span there first, then the best others.

    They are reading's own scores, except that an opened model computes in float32, and without the lexical scores of
    a long text. Raises SpanlightError for another head's subject, Stopped when the work is to stop.
    """
    if request.subject.head is not Head.QUESTION_ANSWERING:
        raise SpanlightError(
            Message("Only an answer to a question has a start and an end."),
            Message("Look into a question's answer."),
        )
    scores = WindowScores.of(scored_input(request.subject, model, report))
    start, end = scores.start, scores.end
    return SpanScores(
        window=scores.model_input.window,
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
    def of(cls, scored: ScoredInput) -> WindowScores:
        """The scores by the head's outputs. Raises SpanlightError where they are not numbers."""
        window, text = scored.model_input.task_window, scored.subject.text
        start, end = (scored.outputs[name][: len(window)] for name in ("start_logits", "end_logits"))
        require_finite(scored.model, start, end)
        context = context_logits(window, start, end)
        band = span_scores(*context, window.scored, properties_of(window, text))
        log_sum = float(logsumexp(np.append(band.ravel(), start[0] + end[0])))
        return cls(scored.model_input, text, start, end, log_sum)

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
        chosen = next((scored for scored in best if scored.span == focus), None)
        if chosen is None and focus is not None and (tokens := self.model_input.tokens_at(focus)):
            chosen = self._scored(tokens[0], tokens[-1], focus)
        if chosen is None:
            return tuple(best[:count])
        others = [scored for scored in best if not scored.span.overlaps(chosen.span)]
        return (chosen, *others)[:count]

    def _scored(self, first: int, last: int, span: Span) -> SpanScore:
        score = float(self.start[first] + self.end[last])
        return SpanScore(first, last, span, span.of(self.text), score, self.probability(score))
