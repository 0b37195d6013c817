"""The state of one question while it is read: which windows come next, the best spans so far, the Reading."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise

import numpy as np

from app.core.models import SHARED_AMONG, QaCalibration
from app.core.report import Report
from app.core.requests import Question
from app.core.results import HEAT_BINS, Answer, Reading
from app.core.text import Document, Span
from app.tasks.batches import Runner, group_size, in_groups, require_finite
from app.tasks.qa.near_ties import NearTies
from app.tasks.qa.ranking import LEAST_LENGTH, GivenPlaces, PlaceRanking, lexical_scores
from app.tasks.qa.spans import Candidate, NBest, window_candidates
from app.tasks.scores import answer_probability, shares
from app.tasks.task import ReadyModel
from app.tasks.text.sections import Section, TextCache, section_windows, sections
from app.tasks.text.tokens import Tokens, join, moved, tokenise
from app.tasks.text.windows import PairTemplate, Window, estimate_windows

# Weaker candidates are not drawn.
LEAST_HEAT = 0.01
_COLD = (0.0,) * HEAT_BINS

# How many groups are chosen one by one before whole sections follow; `Question.quick` reads only these.
BEST_GROUPS = 48

# A group, or a section, belongs to a place if it holds at least this share of what the one with most of it holds.
_LEAST_SHARE = 1 / 3

# A section's windows in groups of neighbours. In bfloat16 a window's logits depend, in the second decimal, on the shape
# of the batch: so a group is one batch, and the order of the groups does not change the result.
Group = list[Window]
GroupsOf = Callable[[Section], list[Group]]


def heat(
    documents: Sequence[Document],
    candidates: Iterable[Candidate],
    probability: float,
    calibration: QaCalibration,
) -> tuple[tuple[float, ...], ...]:
    """How likely an answer is in each of a document's `HEAT_BINS` equal parts, 0 to 1.

    The part with the best candidate has `probability`, that of the text answering; the others have it times
    exp((their best margin - the best margin) / the calibration's answer temperature).
    """
    found = list(candidates)
    best = max((candidate.margin for candidate in found), default=0.0)
    parts: dict[int, list[float]] = {}
    for candidate in found:
        strength = probability * math.exp((candidate.margin - best) / calibration.answer_temperature)
        if strength < LEAST_HEAT:
            continue
        length = len(documents[candidate.document].text)
        own = parts.setdefault(candidate.document, [0.0] * HEAT_BINS)
        first = candidate.span.start * HEAT_BINS // length
        for part in range(first, max(first, (candidate.span.end - 1) * HEAT_BINS // length) + 1):
            own[part] = max(own[part], strength)
    return tuple(tuple(parts[number]) if number in parts else _COLD for number in range(len(documents)))


def question_tokens(question: str, model: ReadyModel) -> Tokens:
    """A question's tokens, at least as many as any window takes; their places count in `question`."""
    # A question is cut to a quarter of the window, so a huge one need not be tokenised whole.
    words = question.strip()[: 64 * model.card.window]
    found = join(tokenise(model.tokenizer, words))
    return moved(found, len(question) - len(question.lstrip()))


@dataclass(frozen=True, slots=True)
class Step:
    """How far reading has come: the run to report, how many windows were read and are to be read, and the time left.

    `document` is the number of the one that was read from. `seconds_left` is None where the pace so far tells it.
    """

    run: QuestionRun
    done: int
    total: int
    document: int
    seconds_left: float | None = None


class QuestionRun:
    """The state of a question while a model reads it: windows to come, best spans so far, time spent.

    `read` is the number of windows read so far; `seconds` the time spent on the question. A `ranking` of the documents'
    places is given where another model's run has made it already: it is the same for every model.
    """

    def __init__(
        self,
        index: int,
        question: Question,
        model: ReadyModel,
        report: Report,
        ranking: PlaceRanking | GivenPlaces | None = None,
    ) -> None:
        self.index = index
        self.question = question
        self.nbest = NBest(max(SHARED_AMONG, question.top_k))
        self.read = 0
        self.seconds = 0.0
        self._model = model
        self._report = report
        self._template = PairTemplate.of(model.tokenizer)
        self._ids = question_tokens(question.text, model).ids
        self._near_ties = NearTies(question, self.nbest, model, report)
        cache = model.text_cache or TextCache(model.tokenizer, most=0)
        self._cached_texts = [cache.of(document) for document in question.documents]
        self._given_ranking = ranking
        self._sections = list(sections(question.documents))
        self._characters = sum(map(len, self._sections))
        self._characters_cut = 0
        self._windows_cut = 0
        self._handed_out = 0
        self._exhausted = False
        self.chosen = False

    @property
    def complete(self) -> bool:
        """Whether no window is left to read."""
        return self._exhausted and self.read == self._handed_out

    @property
    def total(self) -> int:
        """How many windows are to be read; an estimate until the last section is cut into windows."""
        if self._exhausted:
            return self._handed_out
        return min(BEST_GROUPS, self._windows_given) if self.question.quick else self._windows_given

    @property
    def _windows_whole(self) -> int:
        """How many windows the whole text has, of passages the one that they were taken from; an estimate."""
        card, whole = self._model.card, self.question.passages_of
        given = self._windows_given
        return max(given, estimate_windows(whole, card.window, card.stride)) if whole else given

    @property
    def _windows_given(self) -> int:
        """How many windows all documents have; an estimate like `total`."""
        left = self._characters - self._characters_cut
        if not left:
            return self._windows_cut
        if self._windows_cut:
            return self._windows_cut + max(1, round(left * self._windows_cut / self._characters_cut))
        card = self._model.card
        return estimate_windows(left, card.window, card.stride)

    def choose(self, points: Iterable[tuple[int, int]], most: int) -> list[tuple[int, Window]]:
        """Restricts reading to the windows that score these points; returns them with their document's number.

        A point is a document's number and a code point; windows come in the order of the points, `most` at most.
        """
        bounds = [(section.document, section.start) for section in self._sections]
        cut: dict[int, list[Window]] = {}
        chosen: dict[tuple[int, int], tuple[int, Window]] = {}
        for document, point in points:
            index = bisect_right(bounds, (document, point)) - 1
            if index not in cut:
                cut[index] = self._windows(self._sections[index])
            for window in cut[index]:
                token = int(window.starts.searchsorted(point, side="right")) - 1
                if token >= 0 and window.scored[token]:
                    chosen.setdefault((document, int(window.starts[0])), (document, window))
                    break
            if len(chosen) == most:
                break
        self._handed_out, self._exhausted, self.chosen = len(chosen), True, True
        return list(chosen.values())

    def groups(self, *, size: int = 0) -> Iterator[tuple[int, Group]]:
        """The windows to read, with their document's number, in groups of at most `size` (0: what suits the model).

        They are tokenised lazily, the likeliest first or in the order of the text. A quick reading's groups are
        single windows.
        """
        most = 1 if self.question.quick else size or group_size(self._model)

        def groups_of(section: Section) -> list[Group]:
            windows = self._windows(section)
            return list(in_groups(windows, most))

        order = (
            in_order(self._sections, groups_of)
            if self.question.in_order
            else best_first(self.ranking.best(), self._sections, groups_of)
        )
        if self.question.quick:
            order = islice(order, BEST_GROUPS)
        # A group that may be the last waits until that is known, so that `complete` is right once it is read.
        pending: tuple[int, Group] | None = None
        for section, group in order:
            if pending is not None:
                yield pending
                pending = None
            self._handed_out += len(group)
            if self._handed_out < self._windows_cut and not self.question.quick:
                yield section.document, group
            else:
                pending = section.document, group
        self._exhausted = True
        if pending is not None:
            yield pending

    @cached_property
    def ranking(self) -> PlaceRanking | GivenPlaces:
        """The ranking of the documents' places: by BM25, or that of passages in which they were given."""
        if self._given_ranking is not None:
            return self._given_ranking
        documents = self.question.documents
        if self.question.passages_of:
            return GivenPlaces(documents)
        return PlaceRanking(self.question.text, documents, self._report.check, self._cached_texts)

    def _windows(self, section: Section) -> list[Window]:
        """Cuts a section into windows and counts them; called once for each section."""
        self._report.check()
        card, cached = self._model.card, self._cached_texts[section.document]
        found = section_windows(
            self._template,
            self._ids,
            self._model.tokenizer,
            section,
            cached,
            length=card.window,
            stride=card.stride,
        )
        self._characters_cut += len(section)
        self._windows_cut += len(found)
        if self._characters < LEAST_LENGTH:
            return found
        ranking, number = self.ranking, section.document
        return [replace(window, lexical=lexical_scores(ranking, number, window.starts)) for window in found]

    def add_window(
        self, document: int, window: Window, start_logits: np.ndarray, end_logits: np.ndarray
    ) -> tuple[Candidate, ...]:
        """Adds the logits of a window of document number `document`: its row of the batch, float[L or more].

        Returns the window's candidates, best first. Raises SpanlightError where logits are not finite.
        """
        start_logits, end_logits = start_logits[: len(window)], end_logits[: len(window)]
        require_finite(self._model, start_logits, end_logits)
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
        self._near_ties.add_window(document, window, start_logits, end_logits, candidates)
        self.read += 1
        return candidates

    def steps(self) -> Iterator[Step]:
        """Reads every window with the run's own model, a group at a time; raises Stopped when the work is to stop."""
        runner = Runner(self._model, self._report)
        for document, group in self.groups():
            arrays, _ = runner(group)
            for window, start, end in zip(group, arrays["start_logits"], arrays["end_logits"], strict=True):
                self.add_window(document, window, start, end)
            yield Step(self, self.read, self.total, document)

    def resolve_near_ties(self) -> None:
        """Decides near ties in float32, once every window was read; raises Stopped when the work is to stop."""

        def is_answered(margin: float) -> bool:
            best = self.nbest.best()[0]
            return self._answer_probability(best, margin) >= self._threshold(best)

        self._near_ties.resolve(is_answered)

    def reading(self) -> Reading:
        """The result so far; complete once every window was read."""
        # For a quick reading too: its few windows were chosen from all.
        windows = self._windows_whole
        calibration = self._model.card.calibration.for_windows(windows)
        best = self.nbest.best()
        probability = self._answer_probability(best[0], best[0].margin) if best else 0.0
        chances = probability * shares(calibration, [c.margin for c in best]) if best else ()
        answers = tuple(self._answer(c, float(p)) for c, p in zip(best, chances, strict=True))
        return Reading(
            answers=answers[: max(1, self.question.top_k)],
            answered=bool(best) and probability >= self._threshold(best[0]),
            no_answer_probability=1.0 - probability,
            threshold=self._threshold(best[0] if best else None),
            windows=self.read,
            windows_total=self.total,
            seconds=self.seconds,
            complete=self.complete,
            model=self._model.card.name,
            device=self._model.device.title,
            quick=(self.question.quick or self.chosen) and self.total < self._windows_whole,
            heat=heat(self.question.documents, self._comparable(best), probability, calibration),
            windows_whole=windows,
            absent=calibration.absent_below,
        )

    def _threshold(self, best: Candidate | None) -> float:
        """The probability that the text answers from which on its best span is given as the answer."""
        if self.question.threshold is not None:
            return self.question.threshold
        in_table = best is not None and self._in_table(best)
        return self._model.card.calibration.threshold_for(self._windows_whole, in_table)

    def _answer_probability(self, best: Candidate, margin: float) -> float:
        """The probability that the text answers if its best span had this margin."""
        calibration = self._model.card.calibration
        return answer_probability(calibration, margin, self._windows_whole, self._in_table(best))

    def _in_table(self, found: Candidate) -> bool:
        return self.question.documents[found.document].in_table(found.span)

    def _comparable(self, best: list[Candidate]) -> list[Candidate]:
        """The candidates at least as good as the last of the best: the same in every order of reading."""
        least = best[-1].margin if len(best) == self.nbest.count else float("-inf")
        return [candidate for candidate in self.nbest.all() if candidate.margin >= least]

    def _answer(self, found: Candidate, probability: float) -> Answer:
        text = found.span.of(self.question.documents[found.document].text)
        logits = found.score - found.lexical
        return Answer(found.document, found.span, text, probability, logits, found.null_score, found.lexical)


def in_order(sections: Sequence[Section], groups_of: GroupsOf) -> Iterator[tuple[Section, Group]]:
    """All groups from the first to the last."""
    for section in sections:
        for group in groups_of(section):
            yield section, group


def best_first(
    places: Iterator[tuple[int, Span]], sections: Sequence[Section], groups_of: GroupsOf
) -> Iterator[tuple[Section, Group]]:
    """All groups, each once, first those that score `places`: where the question's words occur, best first.

    After `BEST_GROUPS` groups, the rest of their sections follow, then the other sections by their best place, and last
    those without any, in the order of the text. A section is cut into windows when its first group is due.
    """
    bounds = [(section.document, section.start) for section in sections]
    opened: dict[int, list[Group]] = {}
    given = 0
    for number, place in places:
        for index in _sections_at(bounds, number, place):
            if index not in opened:
                opened[index] = groups_of(sections[index])
            for group in _that_score(opened[index], place):
                opened[index] = [each for each in opened[index] if each is not group]
                yield sections[index], group
                given += 1
        if given >= BEST_GROUPS:
            break
    for index in list(opened):
        for group in opened[index]:
            yield sections[index], group
        opened[index] = []
    ranked = (index for number, place in places for index in _sections_at(bounds, number, place))
    for rest in (ranked, range(len(sections))):
        for index in rest:
            if index not in opened:
                opened[index] = []
                for group in groups_of(sections[index]):
                    yield sections[index], group


def _sections_at(bounds: Sequence[tuple[int, int]], number: int, place: Span) -> list[int]:
    """The sections that hold a large part of a place, as indices of `bounds` (their documents and starts)."""
    first = bisect_right(bounds, (number, place.start)) - 1
    last = bisect_right(bounds, (number, place.end - 1)) - 1
    if first == last:
        return [first]
    edges = [place.start, *(start for _, start in bounds[first + 1 : last + 1]), place.end]
    parts = [after - before for before, after in pairwise(edges)]
    return [first + at for at, part in enumerate(parts) if part >= _LEAST_SHARE * max(parts)]


def _that_score(groups: Sequence[Group], place: Span) -> list[Group]:
    """The groups that score a large part of a place's tokens, the largest part first."""
    parts = [sum(_scored_in(window, place) for window in group) for group in groups]
    least = max(1, _LEAST_SHARE * max(parts, default=0))
    order = sorted(range(len(groups)), key=lambda at: -parts[at])
    return [groups[at] for at in order if parts[at] >= least]


def _scored_in(window: Window, place: Span) -> int:
    inside = (window.starts >= place.start) & (window.starts < place.end)
    return int(np.count_nonzero(window.scored & inside))
