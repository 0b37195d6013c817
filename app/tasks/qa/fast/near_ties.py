"""Near decisions of a reading in bfloat16 or float16, taken in float32: the few windows concerned, read once more."""

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
    span_scores,
    told,
    whole_span,
    window_candidates,
)
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window


@dataclass(frozen=True, slots=True)
class Distances:
    """In logits, how near margins are when they are near: those of spans `apart`, and of spans that share words."""

    apart: float
    overlapping: float


# Three standard deviations of the error of such a difference, as beside float32 on 1000 SQuAD questions (MiniLM with
# six layers, own encoder, CPU). In bfloat16 those are 0.033 for the best margin (0.11 at most), 0.036 for two answers'
# scores (0.14), 0.018 for spans that share words, and mostly a boundary (0.08); in float16 0.0037 (0.015), 0.0039
# (0.020) and 0.002 (0.011). Of decisions that fall otherwise than in float32 that leaves one in 1000: most are much
# nearer. In bfloat16 500 of the questions lost 0.36 of F1, and lose nothing now; 30 of their 500 windows are read once
# more, 130 where five answers are listed.
DISTANCES = {"bfloat16": Distances(0.1, 0.055), "float16": Distances(0.012, 0.006)}
# The order is decided of so many answers: more, and a long list would be read again as a whole.
DECIDED = 5
# The best windows are held. The answers that are decided stand in six of them, and each round may bring up others.
_HELD, _ROUNDS = 32, 3


@dataclass(frozen=True, slots=True, eq=False)
class ReadWindow:
    """A window of document number `document`, its logits (float[L] each), and the candidates they made, best first."""

    document: int
    window: Window
    start_logits: np.ndarray
    end_logits: np.ndarray
    candidates: tuple[Candidate, ...]
    exact: bool = False

    @property
    def margin(self) -> float:
        """The best candidate's."""
        return self.candidates[0].margin


class NearTies:
    """What is near in one question's reading: whether the text answers, which span is best, in which order others come.

    Holds the question's best windows; `nbest` is where their candidates went.
    """

    def __init__(self, question: Question, nbest: NBest, model: ReadyModel, report: Report) -> None:
        self._question, self._nbest, self._model, self._report = question, nbest, model, report
        self._run = Runner(model, report)
        self._near = DISTANCES.get(model.device.dtype)
        self._reads: list[ReadWindow] = []

    def take(
        self,
        document: int,
        window: Window,
        start_logits: np.ndarray,
        end_logits: np.ndarray,
        candidates: tuple[Candidate, ...],
    ) -> None:
        """Takes a window in that was read, with its logits (float[L] each) and what they added to the best."""
        if not candidates or self._near is None or self._model.precise is None:
            return
        # Copies: a row would keep the arrays of its whole batch.
        read = ReadWindow(document, window, start_logits.copy(), end_logits.copy(), candidates)
        self._reads.append(read)
        if len(self._reads) >= 2 * _HELD:
            self._reads = sorted(self._reads, key=lambda one: -one.margin)[:_HELD]

    def decide(self, answered: Callable[[float], bool]) -> None:
        """Reads the windows of near decisions once more, in float32, and has their candidates replaced.

        `answered` tells whether a best span of this margin is given as the answer. Where there is no memory for it all
        stays as it is. Raises Stopped when the work is to stop.
        """
        if self._near is None or self._model.precise is None:
            return
        for _ in range(_ROUNDS):
            doubtful = sorted(
                set(self._doubtful(self._near, answered)), key=lambda read: (read.document, read.window.first)
            )
            if not doubtful:
                return
            self._report.check()
            arrays = self._model.precise(self._run.inputs([read.window for read in doubtful]))
            if arrays is None:
                return
            for read, start, end in zip(doubtful, arrays["start_logits"], arrays["end_logits"], strict=True):
                self._replace(read, start[: len(read.window)], end[: len(read.window)])

    def _replace(self, read: ReadWindow, start_logits: np.ndarray, end_logits: np.ndarray) -> None:
        require_finite(bool(np.isfinite(start_logits).all() and np.isfinite(end_logits).all()), self._model)
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
        self._nbest.take_back(read.candidates)
        self._nbest.add(candidates)
        self._reads.remove(read)
        self._reads.append(
            ReadWindow(read.document, read.window, start_logits, end_logits, candidates, exact=True)
        )

    def _doubtful(self, near: Distances, answered: Callable[[float], bool]) -> Iterator[ReadWindow]:
        """The windows of near decisions that were not read in float32 yet; some of them several times."""
        reads = {candidate: read for read in self._reads for candidate in read.candidates}
        for candidate in self._near_candidates(near, answered):
            read = reads.get(candidate)
            if read is not None and not read.exact:
                yield read
        best = next(iter(self._nbest.best()), None)
        read = reads.get(best) if best is not None else None
        if best is not None and read is not None and not read.exact and self._has_rival(read, best, near):
            yield read

    def _near_candidates(self, near: Distances, answered: Callable[[float], bool]) -> Iterator[Candidate]:
        best = self._nbest.best()
        if not best:
            return
        first = best[0]
        if answered(first.margin - near.apart) != answered(first.margin + near.apart):
            yield first
        for one, other in pairwise(best[: min(max(1, self._question.top_k), DECIDED) + 1]):
            if one.margin - other.margin < near.apart:
                yield from (one, other)
        # What shares words with the best one is not listed; of another window, it may be as good.
        for other in self._nbest.all():
            if first.margin - other.margin >= near.apart:
                return
            if other != first and other.document == first.document and other.span.overlaps(first.span):
                yield from (first, other)

    def _has_rival(self, read: ReadWindow, best: Candidate, near: Distances) -> bool:
        """Whether another span of the window shares words with the best one, and is nearly as good.

        Such a one is no candidate, and no margin tells of it.
        """
        window, text = read.window, self._question.documents[read.document].text
        start, end = context_logits(window, read.start_logits, read.end_logits)
        scores = span_scores(start, end, window.scored, told=told(window, text))
        firsts, more = np.nonzero(scores >= best.score - near.overlapping)
        starts, ends = window.starts[firsts], window.ends[firsts + more]
        shares = (starts < best.span.end) & (ends > best.span.start)
        spans = (whole_span(text, int(a), int(b)) for a, b in zip(starts[shares], ends[shares], strict=True))
        return any(span is not None and span != best.span for span in spans)
