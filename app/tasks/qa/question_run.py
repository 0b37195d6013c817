"""One question while it is read: which windows come next, the best spans so far, what it brought back."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from app.core.models import SHARED_AMONG, QaCalibration
from app.core.report import Report
from app.core.requests import Question
from app.core.results import HEAT_BINS, Answer, Reading
from app.core.text import Document
from app.tasks.batches import group_size, require_finite
from app.tasks.qa.fast.near_ties import NearTies
from app.tasks.qa.order import BEST_GROUPS, Group, best_first, in_order
from app.tasks.qa.ranking import LEAST_LENGTH, Places, lexical_scores
from app.tasks.qa.spans import Candidate, NBest, window_candidates
from app.tasks.scores import answer_probability, shares
from app.tasks.task import ReadyModel
from app.tasks.text.sections import Section, section_windows, sections
from app.tasks.text.text_cache import TextCache
from app.tasks.text.tokens import Tokens, join, moved, tokenise
from app.tasks.text.windows import PairTemplate, Window, estimate_windows

# What is weaker than that leaves no trace.
LEAST_HEAT = 0.01
_COLD = (0.0,) * HEAT_BINS


def heat(
    documents: Sequence[Document], seen: Iterable[Candidate], says: float, calibration: QaCalibration
) -> tuple[tuple[float, ...], ...]:
    """How strongly each document's `HEAT_BINS` equal parts speak for an answer, 0 to 1.

    A part with the best candidate has `says`, the probability that the text answers; others have as much less as their
    best one is less likely than that by the calibration's answer temperature. Equally good places are equally strong.
    """
    candidates = list(seen)
    best = max((candidate.margin for candidate in candidates), default=0.0)
    parts: dict[int, list[float]] = {}
    for candidate in candidates:
        strength = says * math.exp((candidate.margin - best) / calibration.answer_temperature)
        if strength < LEAST_HEAT:
            continue
        length = len(documents[candidate.document].text)
        own = parts.setdefault(candidate.document, [0.0] * HEAT_BINS)
        first = candidate.span.start * HEAT_BINS // length
        for part in range(first, max(first, (candidate.span.end - 1) * HEAT_BINS // length) + 1):
            own[part] = max(own[part], strength)
    return tuple(tuple(parts[number]) if number in parts else _COLD for number in range(len(documents)))


def question_tokens(question: str, model: ReadyModel) -> Tokens:
    """A question's tokens, as many as any window takes and perhaps more; their places are those in `question`."""
    # No question is read beyond a quarter of the window, so a huge one need not be tokenised whole.
    words = question.strip()[: 64 * model.card.window]
    found = join(tokenise(model.tokenizer, words))
    return moved(found, len(question) - len(question.lstrip()))


class QuestionRun:
    """A question while it is read: its windows one by one, its best spans so far, its share of the time.

    `read` counts its windows that were read; `seconds` is time spent on it.
    """

    def __init__(
        self, index: int, question: Question, model: ReadyModel, report: Report, places: Places | None = None
    ) -> None:
        self.index = index
        self.question = question
        self.nbest = NBest(max(SHARED_AMONG, question.top_k))
        self.read = 0
        self.seconds = 0.0
        self._model = model
        self._report = report
        self._near = NearTies(question, self.nbest, model, report)
        kept = model.kept or TextCache(model.tokenizer, most=0)
        self._kept = [kept.of(document) for document in question.documents]
        self._given_places = places
        self._sections = list(sections(question.documents))
        self._characters = sum(map(len, self._sections))
        self._cut = 0
        self._made = 0
        self._handed_out = 0
        self._exhausted = False
        self.chosen = False

    @property
    def complete(self) -> bool:
        """Whether no window is left to read."""
        return self._exhausted and self.read == self._handed_out

    @property
    def total(self) -> int:
        """How many windows are to be read; an estimate until the last section was cut into windows."""
        if self._exhausted:
            return self._handed_out
        return min(BEST_GROUPS, self._whole) if self.question.quick else self._whole

    @property
    def _whole(self) -> int:
        """How many windows all documents have; an estimate as `total` is."""
        left = self._characters - self._cut
        if not left:
            return self._made
        if self._made:
            return self._made + max(1, round(left * self._made / self._cut))
        card = self._model.card
        return estimate_windows(left, card.window, card.stride)

    def choose(
        self, template: PairTemplate, points: Iterable[tuple[int, int]], most: int
    ) -> list[tuple[int, Window]]:
        """The windows to read instead of all, with their document's number: those that score these code points.

        They come in the order of the points (a document's number and a code point each), `most` at most.
        """
        ids = question_tokens(self.question.text, self._model).ids
        bounds = [(section.document, section.start) for section in self._sections]
        cut: dict[int, list[Window]] = {}
        chosen: dict[tuple[int, int], tuple[int, Window]] = {}
        for document, point in points:
            index = bisect_right(bounds, (document, point)) - 1
            if index not in cut:
                cut[index] = self._windows(self._sections[index], template, ids)
            for window in cut[index]:
                token = int(window.starts.searchsorted(point, side="right")) - 1
                if token >= 0 and window.scored[token]:
                    chosen.setdefault((document, int(window.starts[0])), (document, window))
                    break
            if len(chosen) == most:
                break
        self._handed_out, self._exhausted, self.chosen = len(chosen), True, True
        return list(chosen.values())

    def groups(self, template: PairTemplate, *, size: int = 0) -> Iterator[tuple[int, Group]]:
        """The windows to read, with their document's number, in groups of at most `size` (0: what suits the model).

        They are tokenised as they are asked for: the likeliest first, or in the order of the text. A quick
        reading's groups are single windows.
        """
        ids = question_tokens(self.question.text, self._model).ids
        most = 1 if self.question.quick else size or group_size(self._model)

        def groups_of(section: Section) -> list[Group]:
            windows = self._windows(section, template, ids)
            return [windows[at : at + most] for at in range(0, len(windows), most)]

        order = (
            in_order(self._sections, groups_of)
            if self.question.in_order
            else best_first(self.places.best(), self._sections, groups_of)
        )
        if self.question.quick:
            order = islice(order, BEST_GROUPS)
        # A group is held back while it may be the last: when that goes out, it is known to be the last.
        held: tuple[int, Group] | None = None
        for section, group in order:
            if held is not None:
                yield held
                held = None
            self._handed_out += len(group)
            if self._handed_out < self._made and not self.question.quick:
                yield section.document, group
            else:
                held = section.document, group
        self._exhausted = True
        if held is not None:
            yield held

    @cached_property
    def places(self) -> Places:
        """Where most of the question's words stand: those given, which are the same for every model, or made now."""
        return self._given_places or Places(
            self.question.text, self.question.documents, self._report.check, self._kept
        )

    def _windows(self, section: Section, template: PairTemplate, ids: np.ndarray) -> list[Window]:
        """A section's windows, counted; each section is asked for once."""
        self._report.check()
        card, kept = self._model.card, self._kept[section.document]
        found = section_windows(
            template, ids, self._model.tokenizer, section, kept, length=card.window, stride=card.stride
        )
        self._cut += len(section)
        self._made += len(found)
        if self._characters < LEAST_LENGTH:
            return found
        places, number = self.places, section.document
        return [replace(window, lexical=lexical_scores(places, number, window.starts)) for window in found]

    def take(
        self, document: int, window: Window, start_logits: np.ndarray, end_logits: np.ndarray
    ) -> tuple[Candidate, ...]:
        """Takes the logits of a read window of document number `document` in: its row of the batch, float[L or more].

        Gives the window's candidates that may count, best first. Raises SpanlightError where they are not numbers.
        """
        start_logits, end_logits = start_logits[: len(window)], end_logits[: len(window)]
        require_finite(bool(np.isfinite(start_logits).all() and np.isfinite(end_logits).all()), self._model)
        candidates = tuple(
            window_candidates(
                window,
                start_logits,
                end_logits,
                text=self.question.documents[document].text,
                document=document,
                count=self.nbest.count,
                floor=self.nbest.floor,
            )
        )
        self.nbest.add(candidates)
        self._near.take(document, window, start_logits, end_logits, candidates)
        self.read += 1
        return candidates

    def settle(self) -> None:
        """Has near decisions taken in float32, once every window was read; raises Stopped when the work is to stop."""
        self._near.decide(lambda margin: self._answered(self._says(self.nbest.best()[0], margin)))

    def reading(self) -> Reading:
        """What the question brought back so far; complete once every window was read."""
        # Of a quick reading too: those few windows were chosen from all.
        windows = self._whole
        calibration = self._model.card.calibration.for_windows(windows)
        best = self.nbest.best()
        says = self._says(best[0], best[0].margin) if best else 0.0
        chances = says * shares(calibration, [c.margin for c in best]) if best else ()
        answers = tuple(self._answer(c, float(p)) for c, p in zip(best, chances, strict=True))
        return Reading(
            answers=answers[: max(1, self.question.top_k)],
            answered=bool(best) and self._answered(says),
            no_answer_probability=1.0 - says,
            threshold=self._threshold,
            windows=self.read,
            windows_total=self.total,
            seconds=self.seconds,
            complete=self.complete,
            model=self._model.card.name,
            device=self._model.device.title,
            quick=(self.question.quick or self.chosen) and self.total < self._whole,
            heat=heat(self.question.documents, self._seen(best), says, calibration),
            windows_whole=windows,
            absent=calibration.absent_below,
        )

    @property
    def _threshold(self) -> float:
        given = self.question.threshold
        return self._model.card.calibration.threshold if given is None else given

    def _answered(self, says: float) -> bool:
        """Whether the best span is given as the answer of a text that answers with this probability."""
        return says >= self._threshold

    def _says(self, best: Candidate, margin: float) -> float:
        """The probability that the text answers, were this the margin of its best span."""
        in_table = self.question.documents[best.document].in_table(best.span)
        return answer_probability(self._model.card.calibration, margin, self._whole, in_table)

    def _seen(self, best: list[Candidate]) -> list[Candidate]:
        """The candidates that are as good as the last of the best: these are known whichever windows were read."""
        least = best[-1].margin if len(best) == self.nbest.count else float("-inf")
        return [candidate for candidate in self.nbest.all() if candidate.margin >= least]

    def _answer(self, found: Candidate, probability: float) -> Answer:
        text = found.span.of(self.question.documents[found.document].text)
        logits = found.score - found.lexical
        return Answer(found.document, found.span, text, probability, logits, found.null_score, found.lexical)
