"""A long text read by two models: a quick reader finds its likeliest passages, the careful one reads them."""

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

# A text of so many windows is read by the careful reader alone. Of a longer one the quick reader looks at
# `BEST_GROUPS` windows at most, those with most of the question's words, and the careful one reads so many of these: of
# 154 questions of `docqa` about 250,000 characters each, the answer stands in 96.8 of 100 looked at and 96.1 read.
READ = 16
# Windows that the quick reader looks at in one batch.
_TOGETHER = 4
# So many places come from retrieval whatever the quick reader says of them.
_RETRIEVED = 4


def finder_of(asked: QuestionRun, model: ReadyModel) -> ReadyModel | None:
    """The quick reader beside a model, loaded, where a question's text is long enough for two; else None."""
    if model.finder is None or asked.question.every or asked.total <= READ:
        return None
    return model.finder()


class TwoPassReader:
    """Reads a question's likeliest windows; iterating goes on by one batch through one of the models at a time.

    `teller` is the reading to tell of: the quick reader's, which is provisional, until the careful one has read its
    first windows. Which these are depends on no device. Where no word of the question tells a place, the quick reader
    looks at all windows.
    """

    def __init__(self, asked: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report) -> None:
        self.asked, self._model, self._finder = asked, model, finder
        question = replace(asked.question, in_order=False)
        self._quick = QuestionRun(asked.index, question, finder, report, asked.places)
        self._report = report
        self._looking = self._reading = 0.0
        self.teller = self._quick

    @property
    def done(self) -> int:
        """How many windows were read by either."""
        return self._quick.read + self.asked.read

    @property
    def total(self) -> int:
        """How many windows either will have read at the end, an estimate."""
        return self._quick.read + self._ahead + (self.asked.total if self.asked.chosen else READ)

    @property
    def seconds_left(self) -> float:
        """About how long the rest will take: the careful reader's windows take longer than those looked at."""
        if not self._looking:
            return math.inf
        each = self._looking / max(1, self._quick.read)
        careful = self._reading / self.asked.read if self.asked.read else each * self._slower
        return self._ahead * each + (self.total - self.done - self._ahead) * careful

    @property
    def _ahead(self) -> int:
        """How many windows the quick reader has still to look at."""
        if self.asked.chosen:
            return 0
        return max(0, min(self._most, self._quick.total) - self._quick.read)

    @property
    def _most(self) -> int:
        return BEST_GROUPS if self.asked.places.most else self._quick.total

    @property
    def _slower(self) -> float:
        return self._model.card.parameters / max(1, self._finder.card.parameters)

    def __iter__(self) -> Iterator[None]:
        ranked: list[tuple[float, int, Span]] = []
        looked_at = Runner(self._finder, self._report)
        windows = self._quick.groups(PairTemplate.of(self._finder.tokenizer), size=1)
        if self.asked.places.most:
            windows = islice(windows, BEST_GROUPS)
        while batch := [(document, window) for document, (window,) in islice(windows, _TOGETHER)]:
            arrays, seconds = looked_at([window for _, window in batch])
            self._looking += seconds
            for (document, window), start, end in zip(
                batch, arrays["start_logits"], arrays["end_logits"], strict=True
            ):
                best = self._quick.take(document, window, start, end)
                if best:
                    ranked.append((-best[0].margin, document, best[0].span))
            yield
        found = [(document, span.start) for _, document, span in sorted(ranked)]
        places = islice(self.asked.places.best(), _RETRIEVED)
        retrieved = [(document, (place.start + place.end) // 2) for document, place in places]
        chosen = self.asked.choose(PairTemplate.of(self._model.tokenizer), [*retrieved, *found], READ)
        run, size = Runner(self._model, self._report), group_size(self._model)
        for at in range(0, len(chosen), size):
            batch = chosen[at : at + size]
            arrays, seconds = run([window for _, window in batch])
            self._reading += seconds
            for (document, window), start, end in zip(
                batch, arrays["start_logits"], arrays["end_logits"], strict=True
            ):
                self.asked.take(document, window, start, end)
            self.teller = self.asked
            yield
