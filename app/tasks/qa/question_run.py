"""The state of one question while it is read: which windows come next, the best spans so far, the Reading."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise

import numpy as np

from app.core.models import SHARED_AMONG, QaCalibration
from app.core.report import Report
from app.core.requests import Question
from app.core.results import HEAT_BINS, Answer, Reading
from app.core.text import Document, Span
from app.tasks.batches import Runner, group_size, in_groups, require_finite
from app.tasks.qa.near_ties import NearTies
from app.tasks.qa.ranking import LEAST_LENGTH, GivenPassages, PassageRanking, lexical_scores
from app.tasks.qa.rows import RowScores
from app.tasks.qa.spans import Candidate, NBest, window_candidates
from app.tasks.scores import answer_probability, calibrated_shares
from app.tasks.task import ReadyModel
from app.tasks.text.sections import Section, TextCache, section_windows, sections
from app.tasks.text.tokens import Tokens, join, moved, tokenise
from app.tasks.text.windows import PairTemplate, Window, estimate_windows

# Weaker candidates are not drawn.
LEAST_HEAT = 0.01
_COLD = (0.0,) * HEAT_BINS

# How many groups are chosen one by one before whole sections follow; `Question.quick` reads only these.
BEST_GROUPS = 48

# A group, or a section, belongs to a passage if it holds at least this share of what the one with most of it holds.
_LEAST_SHARE = 1 / 3

# Neighbouring windows of a section that are read as one batch. In bfloat16 a window's logits depend, in the second
# decimal, on the shape of the batch: with fixed groups the order in which they are read does not change the result.
Group = list[Window]
GroupsOf = Callable[[Section], list[Group]]

# A window and its document's number.
DocumentWindow = tuple[int, Window]


def heat(
    documents: Sequence[Document],
    candidates: Iterable[Candidate],
    probability: float,
    calibration: QaCalibration,
) -> tuple[tuple[float, ...], ...]:
    """The probability of an answer in each of `HEAT_BINS` equal stretches of each document.

    The stretch with the best candidate has `probability`, that of the text answering; the others have it times
    exp((their best margin - the best margin) / the calibration's answer temperature).
    """
    found = list(candidates)
    best = max((candidate.margin for candidate in found), default=0.0)
    bins_of: dict[int, list[float]] = {}
    for candidate in found:
        strength = probability * math.exp((candidate.margin - best) / calibration.answer_temperature)
        if strength < LEAST_HEAT:
            continue
        length = len(documents[candidate.document].text)
        bins = bins_of.setdefault(candidate.document, [0.0] * HEAT_BINS)
        first = candidate.span.start * HEAT_BINS // length
        for at in range(first, max(first, (candidate.span.end - 1) * HEAT_BINS // length) + 1):
            bins[at] = max(bins[at], strength)
    return tuple(tuple(bins_of[number]) if number in bins_of else _COLD for number in range(len(documents)))


def question_tokens(question: str, model: ReadyModel) -> Tokens:
    """A question's tokens, at least as many as any window takes; their code points count in `question`."""
    # A question is cut to a quarter of the window, so a huge one need not be tokenised whole.
    words = question.strip()[: 64 * model.card.window]
    found = join(tokenise(model.tokenizer, words))
    return moved(found, len(question) - len(question.lstrip()))


@dataclass(frozen=True, slots=True)
class Step:
    """How far reading has come: the run to report, and how many windows were read and are to be read.

    `document` is the number of the document just read from. `seconds_left` is None where the pace so far is the best
    estimate.
    """

    run: QuestionRun
    done: int
    total: int
    document: int
    seconds_left: float | None = None


class QuestionRun:
    """The state of a question while a model reads it: windows to come, best spans so far, time spent.

    `read` is the number of windows read so far, `seconds` the time spent on the question. `other` is another model's
    run of the same question, with which it shares what is the same for every model: the ranking of the documents'
    passages, and the scores of their tables' rows.
    """

    def __init__(
        self,
        index: int,
        question: Question,
        model: ReadyModel,
        report: Report,
        other: QuestionRun | None = None,
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
        self._runner = Runner(model, report)
        self._model_seconds = 0.0
        self._near_ties = NearTies(question, self.nbest, model, self._runner, report)
        cache = model.text_cache or TextCache(model.tokenizer, most=0)
        self._cached_texts = [cache.of(document) for document in question.documents]
        self._other = other
        self._sections = list(sections(question.documents))
        self._characters = sum(map(len, self._sections))
        self._characters_cut = 0
        self._windows_cut = 0
        self._handed_out = 0
        self._exhausted = False
        self._is_selection = False

    @property
    def complete(self) -> bool:
        """Whether no window is left to read."""
        return self._exhausted and self.read == self._handed_out

    @property
    def total(self) -> int:
        """The number of windows to read; an estimate until the last section is cut into windows."""
        if self._exhausted:
            return self._handed_out
        windows = self._windows_of_documents
        return min(BEST_GROUPS, windows) if self.question.quick else windows

    @property
    def seconds_per_window(self) -> float:
        """The mean time that the model took for a window so far; 0 before the first."""
        return self._model_seconds / max(1, self.read)

    @property
    def _windows_whole(self) -> int:
        """The number of windows of the whole text, or of the one that passages were taken from; an estimate."""
        card, characters = self._model.card, self.question.passages_of
        found = self._windows_of_documents
        return max(found, estimate_windows(characters, card.window, card.stride)) if characters else found

    @property
    def _windows_of_documents(self) -> int:
        """The number of windows of the documents; an estimate until the last section is cut into windows."""
        left = self._characters - self._characters_cut
        if not left:
            return self._windows_cut
        if self._windows_cut:
            return self._windows_cut + max(1, round(left * self._windows_cut / self._characters_cut))
        card = self._model.card
        return estimate_windows(left, card.window, card.stride)

    def choose(self, points: Iterable[tuple[int, int]], most: int) -> list[DocumentWindow]:
        """Restrict reading to at most `most` windows, those that score the first of `points`, and return them.

        A point is a document's number and a code point; the windows come in the order of the points.
        """
        bounds = [(section.document, section.start) for section in self._sections]
        windows: dict[int, list[Window]] = {}
        chosen: dict[tuple[int, int], DocumentWindow] = {}
        for document, point in points:
            index = bisect_right(bounds, (document, point)) - 1
            if index not in windows:
                windows[index] = self._cut(self._sections[index])
            for window in windows[index]:
                token = int(window.starts.searchsorted(point, side="right")) - 1
                if token >= 0 and window.scored[token]:
                    chosen.setdefault((document, int(window.starts[0])), (document, window))
                    break
            if len(chosen) == most:
                break
        self._handed_out, self._exhausted, self._is_selection = len(chosen), True, True
        return list(chosen.values())

    def groups(self, *, size: int = 0) -> Iterator[list[DocumentWindow]]:
        """The windows to read, in groups of neighbours, at most `size` of them (0: what suits the model).

        They are tokenised lazily, the likeliest first or in the order of the text. A quick reading's groups are
        single windows.
        """
        most = 1 if self.question.quick else size or group_size(self._model)

        def groups_of(section: Section) -> list[Group]:
            return list(in_groups(self._cut(section), most))

        ordered = (
            in_order(self._sections, groups_of)
            if self.question.in_order
            else best_first(self.ranking.best(), self._sections, groups_of)
        )
        if self.question.quick:
            ordered = islice(ordered, BEST_GROUPS)
        # A group that may be the last waits until that is known, so that `complete` is right once it is read.
        pending: list[DocumentWindow] = []
        for section, group in ordered:
            if pending:
                yield pending
                pending = []
            self._handed_out += len(group)
            handed_out = [(section.document, window) for window in group]
            if self._handed_out < self._windows_cut and not self.question.quick:
                yield handed_out
            else:
                pending = handed_out
        self._exhausted = True
        if pending:
            yield pending

    @cached_property
    def ranking(self) -> PassageRanking | GivenPassages:
        """The ranking of the documents' passages: by BM25, or where the documents are passages in the order given."""
        if self._other is not None:
            return self._other.ranking
        documents = self.question.documents
        if self.question.passages_of:
            return GivenPassages(documents)
        return PassageRanking(self.question.text, documents, self._report.check, self._cached_texts)

    def _cut(self, section: Section) -> list[Window]:
        """Cut a section into windows and count them; called once for each section."""
        self._report.check()
        card = self._model.card
        found = section_windows(
            self._template,
            self._ids,
            self._model.tokenizer,
            section,
            self._cached_texts[section.document],
            length=card.window,
            stride=card.stride,
        )
        self._characters_cut += len(section)
        self._windows_cut += len(found)
        return [replace(window, lexical=self._lexical(section.document, window.starts)) for window in found]

    def _lexical(self, document: int, starts: np.ndarray) -> np.ndarray | None:
        """What the question's words near these code points add to the start logits there, float32[n]; None for nothing.

        In a long text they tell the passage, in a table the row.
        """
        rows = self.row_scores.at(document, starts)
        if self._characters < LEAST_LENGTH:
            return rows
        passages = lexical_scores(self.ranking, document, starts)
        return passages if rows is None else passages + rows

    @cached_property
    def row_scores(self) -> RowScores:
        """The scores of the rows of the documents' tables."""
        if self._other is not None:
            return self._other.row_scores
        return RowScores(self.question.text, self._cached_texts, are_whole=not self.question.passages_of)

    def steps(self) -> Iterator[Step]:
        """Read every window, a group in each step; raise Stopped when the work is to stop."""
        for group in self.groups():
            self.read_windows(group)
            yield Step(self, self.read, self.total, group[0][0])

    def read_windows(self, windows: Sequence[DocumentWindow]) -> list[tuple[Candidate, ...]]:
        """Read windows in one batch, and return each one's candidates, best first.

        Raises SpanlightError where logits are not finite, Stopped when the work is to stop.
        """
        arrays, seconds = self._runner([window for _, window in windows])
        self._model_seconds += seconds
        logits = zip(arrays["start_logits"], arrays["end_logits"], strict=True)
        return [
            self.add_window(document, window, start, end)
            for (document, window), (start, end) in zip(windows, logits, strict=True)
        ]

    def add_window(
        self, document: int, window: Window, start_logits: np.ndarray, end_logits: np.ndarray
    ) -> tuple[Candidate, ...]:
        """Add the logits of a window of document number `document`: its row of the batch, float[L or more].

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

    def resolve_near_ties(self) -> None:
        """Decide near ties in float32, once every window was read; raise Stopped when the work is to stop."""

        def reached(margin: float) -> list[bool]:
            best = self.nbest.best()[0]
            limits = self._threshold(best), self._model.card.calibration.absent_below
            return [self._answer_probability(best, margin) >= limit for limit in limits]

        self._near_ties.resolve(reached)

    def reading(self) -> Reading:
        """The result so far; complete once every window was read."""
        # For a quick reading too: its few windows were chosen from all.
        windows = self._windows_whole
        calibration = self._model.card.calibration
        best = self.nbest.best()
        probability, probabilities = 0.0, np.empty(0)
        if best:
            words = [one.span.of(self.question.documents[one.document].text) for one in best]
            margins, in_table = [one.margin for one in best], self._in_table(best[0])
            probability = self._answer_probability(best[0], best[0].margin)
            probabilities = probability * calibrated_shares(calibration, words, margins, windows, in_table)
        answers = tuple(self._answer(c, float(p)) for c, p in zip(best, probabilities, strict=True))
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
            quick=(self.question.quick or self._is_selection) and self.total < self._windows_whole,
            heat=heat(self.question.documents, self._comparable(best), probability, calibration),
            windows_whole=windows,
            absent=calibration.absent_below,
        )

    def _threshold(self, best: Candidate | None) -> float:
        """The least probability that the text answers with which its best span is given as the answer."""
        if self.question.threshold is not None:
            return self.question.threshold
        in_table = best is not None and self._in_table(best)
        return self._model.card.calibration.threshold_for(self._windows_whole, in_table)

    def _answer_probability(self, best: Candidate, margin: float) -> float:
        """The probability that the text answers if its best span had this margin."""
        calibration = self._model.card.calibration
        return answer_probability(calibration, margin, self._windows_whole, self._in_table(best))

    def _in_table(self, candidate: Candidate) -> bool:
        return self.question.documents[candidate.document].in_table(candidate.span)

    def _comparable(self, best: list[Candidate]) -> list[Candidate]:
        """The candidates at least as good as the last of `best`: the same in every order of reading."""
        least = best[-1].margin if len(best) == self.nbest.count else float("-inf")
        return [candidate for candidate in self.nbest.all() if candidate.margin >= least]

    def _answer(self, candidate: Candidate, probability: float) -> Answer:
        return Answer(
            candidate.document,
            candidate.span,
            candidate.span.of(self.question.documents[candidate.document].text),
            probability,
            candidate.score - candidate.lexical,
            candidate.null_score,
            candidate.lexical,
        )


def in_order(sections: Sequence[Section], groups_of: GroupsOf) -> Iterator[tuple[Section, Group]]:
    """All groups in the order of the text."""
    for section in sections:
        for group in groups_of(section):
            yield section, group


def best_first(
    passages: Iterator[tuple[int, Span]], sections: Sequence[Section], groups_of: GroupsOf
) -> Iterator[tuple[Section, Group]]:
    """All groups, each once: first those that score `passages`, which come best first, each with its document's number.

    After `BEST_GROUPS` groups the rest of their sections follow, then the other sections by their best passage, and
    last those without any, in the order of the text. A section is cut into windows when its first group is due.
    """
    bounds = [(section.document, section.start) for section in sections]
    unread: dict[int, list[Group]] = {}
    count = 0
    for document, passage in passages:
        for index in _sections_with(bounds, document, passage):
            if index not in unread:
                unread[index] = groups_of(sections[index])
            for group in _groups_scoring(unread[index], passage):
                unread[index] = [each for each in unread[index] if each is not group]
                yield sections[index], group
                count += 1
        if count >= BEST_GROUPS:
            break
    for index in list(unread):
        for group in unread[index]:
            yield sections[index], group
        unread[index] = []
    ranked = (index for document, passage in passages for index in _sections_with(bounds, document, passage))
    for index in chain(ranked, range(len(sections))):
        if index not in unread:
            unread[index] = []
            for group in groups_of(sections[index]):
                yield sections[index], group


def _sections_with(bounds: Sequence[tuple[int, int]], document: int, passage: Span) -> list[int]:
    """The sections that hold a large share of a passage, as indices of `bounds`, the sections' documents and starts."""
    first = bisect_right(bounds, (document, passage.start)) - 1
    last = bisect_right(bounds, (document, passage.end - 1)) - 1
    if first == last:
        return [first]
    edges = [passage.start, *(start for _, start in bounds[first + 1 : last + 1]), passage.end]
    sizes = [end - start for start, end in pairwise(edges)]
    return [index for index, size in enumerate(sizes, start=first) if size >= _LEAST_SHARE * max(sizes)]


def _groups_scoring(groups: Sequence[Group], passage: Span) -> list[Group]:
    """The groups whose windows score a large share of a passage's tokens, the largest share first."""
    counts = [sum(_count_scored(window, passage) for window in group) for group in groups]
    least = max(1, _LEAST_SHARE * max(counts, default=0))
    order = sorted(range(len(groups)), key=lambda number: -counts[number])
    return [groups[number] for number in order if counts[number] >= least]


def _count_scored(window: Window, passage: Span) -> int:
    inside = (window.starts >= passage.start) & (window.starts < passage.end)
    return int(np.count_nonzero(window.scored & inside))
