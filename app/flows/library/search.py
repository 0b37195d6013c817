"""Asks a library: finds the best passages of all its files, and has the readers read them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.library import FoundAnswer, Library, LibraryReading, LibraryStatus, is_sure
from app.core.message import Message
from app.core.models import SHARED_AMONG
from app.core.recognition import recognition_of
from app.core.report import Progress, Relay, Report
from app.core.requests import Question
from app.core.results import UNREAD, Answer, Reading
from app.core.sentences import sentence_around
from app.core.text import Document, Span, words_key
from app.flows.ask.question import ask, select_answers
from app.flows.history.history import kept_answer, remember
from app.flows.library.embed import Meaning, meaning_of
from app.flows.library.update import renew
from app.flows.workspace import Workspace
from app.library.passages import SIZE

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.core.library import LibraryFile
    from app.library.index import Index, Passage

_log = logging.getLogger(__name__)
# Passages from each kind of search.
_SEARCHED = 500
# The weight of the search by meaning relative to that by words. Among 100,000 passages, the first 8 then hold the
# answer of 90% of SQuAD's questions, 89% of others, 96% of spoken ones and 68% of docqa's; with reciprocal ranks
# instead of scores and without the documents' evidence 85, 87, 92 and 63%, by words alone 90, 85, 94 and 60% (`bench
# library`).
_MEANING = 0.7
# A document's evidence adds this share of the mean score of the document's best passages, of which it counts 8.
_EVIDENCE, _BEST = 0.3, 8
# How many passages are read. For 43 questions to 100,000 passages, 16, 24, 32 and 48 gave equally good best answers.
# The first 20 hold the answer of 66% of docqa's 80 questions in people's own words, the first 48 that of 75%.
READ = 32
# Code points read on either side of a passage: half a passage.
AROUND = 300
# Code points by which an excerpt may shrink at either end so that no word is cut.
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of an indexed text that is read for a question, and that part as a document."""

    text: int
    span: Span
    document: Document


def ask_library(
    workspace: Workspace,
    question: str,
    library: Library,
    report: Report,
    *,
    top_k: int = 5,
    threshold: float | None = None,
    quick: bool = False,
    model: str = "",
    device: str = "",
    status: LibraryStatus | None = None,
) -> LibraryReading:
    """Answer a question from all of a library's files; partial results are LibraryReadings that get better and better.

    Passages are found by BM25 and, as far as they have vectors, by meaning. An index of an older version is renewed
    first, unless the library's `status` is given, which the caller counts after renewing it. Raises as `ask` does, and
    SpanlightError where no file of the library was read yet; Stopped when cancelled.
    """
    began = time.perf_counter()
    if not question.strip():
        raise SpanlightError(Message("The question is empty."), Message("Type what you want to know."))
    index = workspace.library
    if status is None:
        renew(workspace, report)
        status = index.status(library)
    if not status.passages:
        raise SpanlightError(
            Message("Nothing of “{library}” has been read yet.", library=library.name),
            Message("Update it, or add a folder with documents to it."),
        )
    excerpts = find_excerpts(index, question, library, _meaning_of(workspace, question, library, report))
    listing = _LibraryReport(
        report, index, library, status, excerpts, top_k, began, given_threshold=threshold is not None
    )
    if not excerpts:
        return listing.reading(UNREAD)
    request = Question(
        question,
        tuple(excerpt.document for excerpt in excerpts),
        max(SHARED_AMONG, top_k),
        threshold,
        quick=quick,
        passages_of=SIZE * status.passages,
    )
    return listing.reading(ask(workspace, request, listing, model=model, device=device))


def remember_found(
    workspace: Workspace,
    question: Question,
    found: LibraryReading,
    report: Report,
    *,
    asked: float | None = None,
) -> Entry | None:
    """Save a question to a library in the history, with the file of its best answer, as `remember` does.

    Returns None also if no file answers: an entry belongs to one document.
    """
    if found.reading.shown is None:
        return None
    file = found.found[0].file
    opened = workspace.library.opened(file)
    answers = tuple(
        replace(answer, document=0, span=place.answer.span)
        for answer, place in zip(found.reading.answers, found.found, strict=True)
        if place.file.number == file.number
    )
    return remember(
        workspace, (opened,), question, replace(found.reading, answers=answers), report, asked=asked
    )


def _meaning_of(workspace: Workspace, question: str, library: Library, report: Report) -> Meaning | None:
    """`meaning_of`, or none where its model fails: a question is answered without it."""
    try:
        return meaning_of(workspace, question, library, report)
    except SpanlightError as fault:
        _log.warning("passages are found by their words alone: %s", fault)
        return None


def find_excerpts(
    index: Index, question: str, library: Library, meaning: Meaning | None = None
) -> list[Excerpt]:
    """Find the excerpts of a library to read for a question, best first: its best passages with their context.

    With the question's `meaning`, passages are searched by it as well as by their words.
    """
    ranked = rank(index, question, library, meaning)
    return cut_excerpts(index, index.passages(ranked[:READ], library))


def rank(index: Index, question: str, library: Library, meaning: Meaning | None = None) -> list[int]:
    """Rank the numbers of the passages for a question, best first, with the arguments of `find_excerpts`."""
    scores = index.search(question, library, _SEARCHED)
    if meaning is not None:
        # If few passages have vectors, the nearest of them may not be near.
        most = round(meaning.share * _SEARCHED)
        near = index.nearest(meaning.vector, meaning.vectors, library, most)
        scores = combine_scores(scores, near, meaning.share * _MEANING)
    else:
        scores = normalise_scores(scores)
    return rank_with_evidence(scores, index.texts_of(scores, library))


def combine_scores(
    scores: Mapping[int, float], others: Mapping[int, float], weight: float
) -> dict[int, float]:
    """Add the normalised scores of two searches, the others weighted; a passage that one has missed scores 0 there."""
    one, other = normalise_scores(scores), normalise_scores(others)
    return {number: one.get(number, 0.0) + weight * other.get(number, 0.0) for number in one | other}


def normalise_scores(scores: Mapping[int, float]) -> dict[int, float]:
    """Scale scores linearly so that the least is 0 and the largest 1; all are 1 if they are equal."""
    least, largest = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    if least == largest:
        return dict.fromkeys(scores, 1.0)
    return {number: (score - least) / (largest - least) for number, score in scores.items()}


def rank_with_evidence(scores: Mapping[int, float], texts: Mapping[int, int]) -> list[int]:
    """Rank passages, best first, by their scores and the evidence of the best passages in the same text."""
    ordered = sorted((number for number in scores if number in texts), key=lambda number: -scores[number])
    best: dict[int, list[float]] = {}
    for number in ordered:
        best.setdefault(texts[number], []).append(scores[number])
    evidence = {text: _EVIDENCE * sum(some[:_BEST]) / _BEST for text, some in best.items()}
    return sorted(ordered, key=lambda number: -scores[number] - evidence[texts[number]])


def cut_excerpts(index: Index, passages: Sequence[Passage]) -> list[Excerpt]:
    """Cut out passages with `AROUND` code points on either side; those that touch become one, at the better rank."""
    spans: list[tuple[int, Span]] = []
    for passage in passages:
        words = index.body(passage.text)[0]
        start, end = max(0, passage.span.start - AROUND), min(len(words), passage.span.end + AROUND)
        touching = [
            at
            for at, (text, span) in enumerate(spans)
            if text == passage.text and span.start <= end and start <= span.end
        ]
        for at in touching:
            start, end = min(start, spans[at][1].start), max(end, spans[at][1].end)
        place = touching[0] if touching else len(spans)
        spans = [each for at, each in enumerate(spans) if at not in touching]
        spans.insert(place, (passage.text, Span(start, end)))
    return [_cut_excerpt(index, text, span) for text, span in spans]


def _cut_excerpt(index: Index, text: int, span: Span) -> Excerpt:
    words, view = index.body(text)
    # Do not cut words, as far as white space separates them.
    starts = range(span.start, min(span.start + _LONGEST_WORD, span.end))
    start = next((at for at in starts if not at or words[at - 1].isspace()), span.start)
    ends = range(span.end, max(span.end - _LONGEST_WORD, start), -1)
    end = next((at for at in ends if at == len(words) or words[at - 1].isspace()), span.end)
    span = Span(start, end)
    return Excerpt(text, span, Document(span.of(words), view=view.of_parts([span])))


def _alike(answers: Sequence[Answer]) -> Iterator[Answer]:
    """Give each answer the probability of the best one with the same words: files of a library often say the same."""
    best: dict[str, float] = {}
    for answer in answers:
        yield replace(answer, probability=best.setdefault(words_key(answer.text), answer.probability))


def _add_copies(answers: Sequence[Answer], excerpts: Sequence[Excerpt], most: int) -> tuple[Answer, ...]:
    """Add the other places with the sentences of the answers, up to `most` places in all.

    Only one copy of a sentence is read by the careful reader. Answers of equal probability stay in sequence.
    """
    found = list(answers)
    for answer in answers:
        own = excerpts[answer.document].document.text
        sentence = sentence_around(own, answer.span)
        words = sentence.of(own)
        if len(words.split()) <= len(answer.text.split()):  # the words of a cell may occur anywhere
            continue
        for number, excerpt in enumerate(excerpts):
            text = excerpt.document.text
            at = text.find(words)
            if at < 0 or text[:at][-1:].isalnum() or text[at + len(words) :][:1].isalnum():
                continue
            start = at + answer.span.start - sentence.start
            span = Span(start, start + len(answer.span))
            if not any(each.document == number and each.span.overlaps(span) for each in found):
                found.append(replace(answer, document=number, span=span))
    return tuple(sorted(found[:most], key=lambda answer: -answer.probability))


class _LibraryReport(Relay):
    """A Report that turns partial Readings of excerpts into LibraryReadings, and names the files in the progress."""

    def __init__(
        self,
        report: Report,
        index: Index,
        library: Library,
        status: LibraryStatus,
        excerpts: Sequence[Excerpt],
        top_k: int,
        began: float,
        *,
        given_threshold: bool,
    ) -> None:
        super().__init__(report)
        self._index, self._library, self._status = index, library, status
        self._excerpts, self._top_k, self._began = excerpts, top_k, began
        self._given_threshold = given_threshold
        self._files: dict[int, LibraryFile] = {}  # by the number of their text
        self._opened: dict[int, Opened] = {}

    def progress(self, progress: Progress) -> None:
        if progress.document >= 0:
            name = Path(self._file(self._excerpts[progress.document].text).path).name
            progress = replace(progress, what=Message("Reading {document}", document=name))
        super().progress(progress)

    def partial(self, result: object) -> None:
        super().partial(self.reading(result) if isinstance(result, Reading) else result)

    def reading(self, reading: Reading) -> LibraryReading:
        """Convert a reading of excerpts to one with answers at their places in the files."""
        documents = [excerpt.document for excerpt in self._excerpts]
        answers = select_answers(_alike(reading.answers), documents, self._top_k)
        reading = replace(
            reading,
            answers=_add_copies(answers, self._excerpts, self._top_k),
            answered=reading.answered and (self._given_threshold or is_sure(answers)),
        )
        return LibraryReading(
            self._library,
            self._status,
            reading,
            tuple(self._found(answer) for answer in reading.answers),
            len(self._excerpts),
            time.perf_counter() - self._began,
        )

    def _found(self, answer: Answer) -> FoundAnswer:
        excerpt = self._excerpts[answer.document]
        file = self._file(excerpt.text)
        if excerpt.text not in self._opened:
            self._opened[excerpt.text] = self._index.opened(file)
        at = excerpt.span.start
        span = Span(at + answer.span.start, at + answer.span.end)
        opened = self._opened[excerpt.text]
        recognised = recognition_of(opened, span)
        return FoundAnswer(
            file,
            kept_answer(opened, replace(answer, span=span)),
            recognised.in_words if recognised is not None else "",
        )

    def _file(self, text: int) -> LibraryFile:
        if text not in self._files:
            self._files[text] = self._index.file_of(text, self._library)
        return self._files[text]
