"""A long text read by two models: a quick reader finds the likeliest passages, a careful one reads them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from app.core.report import Report
from app.core.text import Span
from app.tasks.batches import Runner, group_size
from app.tasks.qa.order import BEST_GROUPS
from app.tasks.qa.question_run import QuestionRun
from app.tasks.task import ReadyModel
from app.tasks.text.windows import PairTemplate

# A text of at most so many windows is read by the careful reader only. Of a longer one the quick reader reads up to
# `BEST_GROUPS` windows, those with most of the question's words, and the careful one reads `READ` of these: for 154
# questions of `docqa` about 250,000 characters each, the windows of the first hold 96.8% of the answers, those of the
# second 96.1%.
READ = 16
# How many windows the quick reader reads in one batch.
_QUICK_BATCH = 4
# How many places come from retrieval whatever the quick reader's scores are.
_RETRIEVED = 4


def finder_of(run: QuestionRun, model: ReadyModel) -> ReadyModel | None:
    """The model's quick reader, loaded, if the question's text is long enough for two passes; else None."""
    if model.finder is None or run.question.every or run.total <= READ:
        return None
    return model.finder()


class TwoPassReader:
    """Reads a question's likeliest windows, one batch through one of the models per iteration.

    `current` is the run to report: the quick reader's, which is provisional, until the careful one has read its first
    windows. The choice of windows does not depend on the device. Where no word of the question ranks any place, the
    quick reader reads all windows.
    """

    def __init__(self, run: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report) -> None:
        self.run, self._model, self._finder = run, model, finder
        question = replace(run.question, in_order=False)
        self._quick = QuestionRun(run.index, question, finder, report, run.ranking)
        self._report = report
        self._quick_seconds = self._careful_seconds = 0.0
        self.current = self._quick

    @property
    def done(self) -> int:
        """How many windows were read by either model."""
        return self._quick.read + self.run.read

    @property
    def total(self) -> int:
        """How many windows both models will have read at the end, an estimate."""
        return self._quick.read + self._ahead + (self.run.total if self.run.chosen else READ)

    @property
    def seconds_left(self) -> float:
        """An estimate of the time left: the careful reader's windows take longer than the quick reader's."""
        if not self._quick_seconds:
            return math.inf
        each = self._quick_seconds / max(1, self._quick.read)
        careful = self._careful_seconds / self.run.read if self.run.read else each * self._slower
        return self._ahead * each + (self.total - self.done - self._ahead) * careful

    @property
    def _ahead(self) -> int:
        """How many windows the quick reader has still to read."""
        if self.run.chosen:
            return 0
        return max(0, min(self._most, self._quick.total) - self._quick.read)

    @property
    def _most(self) -> int:
        return BEST_GROUPS if self.run.ranking.best_score else self._quick.total

    @property
    def _slower(self) -> float:
        return self._model.card.parameters / max(1, self._finder.card.parameters)

    def __iter__(self) -> Iterator[None]:
        ranked: list[tuple[float, int, Span]] = []
        quick_runner = Runner(self._finder, self._report)
        windows = self._quick.groups(PairTemplate.of(self._finder.tokenizer), size=1)
        if self.run.ranking.best_score:
            windows = islice(windows, BEST_GROUPS)
        while batch := [(document, window) for document, (window,) in islice(windows, _QUICK_BATCH)]:
            arrays, seconds = quick_runner([window for _, window in batch])
            self._quick_seconds += seconds
            for (document, window), start, end in zip(
                batch, arrays["start_logits"], arrays["end_logits"], strict=True
            ):
                best = self._quick.add_window(document, window, start, end)
                if best:
                    ranked.append((-best[0].margin, document, best[0].span))
            yield
        found = [(document, span.start) for _, document, span in sorted(ranked)]
        places = islice(self.run.ranking.best(), _RETRIEVED)
        retrieved = [(document, (place.start + place.end) // 2) for document, place in places]
        chosen = self.run.choose(PairTemplate.of(self._model.tokenizer), [*retrieved, *found], READ)
        careful_runner, size = Runner(self._model, self._report), group_size(self._model)
        for at in range(0, len(chosen), size):
            batch = chosen[at : at + size]
            arrays, seconds = careful_runner([window for _, window in batch])
            self._careful_seconds += seconds
            for (document, window), start, end in zip(
                batch, arrays["start_logits"], arrays["end_logits"], strict=True
            ):
                self.run.add_window(document, window, start, end)
            self.current = self.run
            yield
