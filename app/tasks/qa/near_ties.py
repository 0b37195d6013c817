"""Decides near ties of a reading in bfloat16 or float16 in float32, by reading the few windows concerned again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.core.report import Report
from app.core.requests import Question
from app.tasks.batches import Runner, require_finite
from app.tasks.qa.spans import (
    Candidate,
    NBest,
    context_logits,
    properties_of,
    span_scores,
    whole_span,
    window_candidates,
)
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The difference in logits below which two scores count as tied: of spans apart, and of overlapping spans."""

    apart: float
    overlapping: float


# Three standard deviations of the error of such a difference against float32 on 1000 SQuAD questions (MiniLM with
# six layers, own encoder, CPU). In bfloat16 those are 0.033 for the best margin (0.11 at most), 0.036 for two answers'
# scores (0.14), 0.018 for spans that share words, and mostly a boundary (0.08); in float16 0.0037 (0.015), 0.0039
# (0.020) and 0.002 (0.011). That leaves 1 in 1000 decisions different from float32, as most are much nearer. In
# bfloat16 500 of the questions lost 0.36 of F1, and lose nothing now; 30 of their 500 windows are read again, 130
# where five answers are listed. MPNet's twelve layers err less: 0.027, 0.031 and 0.015 on 250 questions.
TOLERANCES = {"bfloat16": Tolerance(0.1, 0.055), "float16": Tolerance(0.012, 0.006)}
# How many answers' order is decided: with more, a long list would be read again as a whole.
DECIDED = 5
# How many of the best windows are stored. The answers to decide are in six of them; each round may bring up others.
_STORED, _ROUNDS = 32, 3


@dataclass(frozen=True, slots=True, eq=False)
class ReadWindow:
    """A window of document number `document`, its logits (float[L] each) and its candidates, best first."""

    document: int
    window: Window
    start_logits: np.ndarray
    end_logits: np.ndarray
    candidates: tuple[Candidate, ...]
    exact: bool = False

    @property
    def margin(self) -> float:
        """The best candidate's margin."""
        return self.candidates[0].margin


class NearTies:
    """The near ties of one question's reading: its outcome, which span is best, how the others rank.

    Stores the question's best windows; `nbest` holds their candidates.
    """

    def __init__(
        self, question: Question, nbest: NBest, model: ReadyModel, runner: Runner, report: Report
    ) -> None:
        self._question, self._nbest, self._report = question, nbest, report
        self._model, self._runner = model, runner
        self._tolerance = TOLERANCES.get(model.device.dtype)
        self._reads: list[ReadWindow] = []

    def add_window(
        self,
        document: int,
        window: Window,
        start_logits: np.ndarray,
        end_logits: np.ndarray,
        candidates: tuple[Candidate, ...],
    ) -> None:
        """Add a window that was read, with its logits (float[L] each) and the candidates added to `nbest`."""
        if not candidates or self._tolerance is None or self._model.precise is None:
            return
        # Copies, as a row would keep its whole batch's arrays in memory.
        read = ReadWindow(document, window, start_logits.copy(), end_logits.copy(), candidates)
        self._reads.append(read)
        if len(self._reads) >= 2 * _STORED:
            self._reads = sorted(self._reads, key=lambda one: -one.margin)[:_STORED]

    def resolve(self, reached: Callable[[float], list[bool]]) -> None:
        """Read the windows of near ties again in float32, and replace their candidates.

        `reached` says which limits a best span of this margin reaches: those of an answer and of low confidence.
        Without enough memory nothing changes. Raises Stopped when the work is to stop.
        """
        if self._tolerance is None or self._model.precise is None:
            return
        for _ in range(_ROUNDS):
            doubtful = sorted(
                set(self._doubtful(self._tolerance, reached)),
                key=lambda read: (read.document, read.window.first),
            )
            if not doubtful:
                return
            self._report.check()
            arrays = self._model.precise(self._runner.inputs([read.window for read in doubtful]))
            if arrays is None:
                return
            for read, start, end in zip(doubtful, arrays["start_logits"], arrays["end_logits"], strict=True):
                self._replace(read, start[: len(read.window)], end[: len(read.window)])

    def _replace(self, read: ReadWindow, start_logits: np.ndarray, end_logits: np.ndarray) -> None:
        require_finite(self._model, start_logits, end_logits)
        text = self._question.documents[read.document].text
        candidates = tuple(
            window_candidates(
                read.window,
                start_logits,
                end_logits,
                text=text,
                document=read.document,
                count=self._nbest.count,
            )
        )
        self._nbest.remove(read.candidates)
        self._nbest.add(candidates)
        self._reads.remove(read)
        self._reads.append(
            ReadWindow(read.document, read.window, start_logits, end_logits, candidates, exact=True)
        )

    def _doubtful(self, tolerance: Tolerance, reached: Callable[[float], list[bool]]) -> Iterator[ReadWindow]:
        """The windows of near ties that were not yet read in float32, some of them several times."""
        reads = {candidate: read for read in self._reads for candidate in read.candidates}
        for candidate in self._near_candidates(tolerance, reached):
            if (read := reads.get(candidate)) and not read.exact:
                yield read
        for best in self._nbest.best()[:1]:
            if (read := reads.get(best)) and not read.exact and self._has_rival(read, best, tolerance):
                yield read

    def _near_candidates(
        self, tolerance: Tolerance, reached: Callable[[float], list[bool]]
    ) -> Iterator[Candidate]:
        """The candidates whose order, or outcome, float32 may decide otherwise."""
        best = self._nbest.best()
        if not best:
            return
        first = best[0]
        if reached(first.margin - tolerance.apart) != reached(first.margin + tolerance.apart):
            yield first
        for one, other in pairwise(best[: min(max(1, self._question.top_k), DECIDED) + 1]):
            if one.margin - other.margin < tolerance.apart:
                yield from (one, other)
        # A span that shares words with the best one is not listed; one from another window may be as good.
        for other in self._nbest.all():
            if first.margin - other.margin >= tolerance.apart:
                return
            if other != first and other.document == first.document and other.span.overlaps(first.span):
                yield from (first, other)

    def _has_rival(self, read: ReadWindow, best: Candidate, tolerance: Tolerance) -> bool:
        """Whether another span of the window shares words with the best one and is nearly as good.

        Such a span is never a candidate, so no candidate's margin shows it.
        """
        window, text = read.window, self._question.documents[read.document].text
        start, end = context_logits(window, read.start_logits, read.end_logits)
        scores = span_scores(start, end, window.scored, properties_of(window, text))
        firsts, more = np.nonzero(scores >= best.score - tolerance.overlapping)
        starts, ends = window.starts[firsts], window.ends[firsts + more]
        shares = (starts < best.span.end) & (ends > best.span.start)
        spans = (whole_span(text, int(a), int(b)) for a, b in zip(starts[shares], ends[shares], strict=True))
        return any(span is not None and span != best.span for span in spans)
