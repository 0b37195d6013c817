"""Ask a library: find the likeliest passages of all its files, and have the readers read these."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.core.errors import SpanlightError
from app.core.library import FoundAnswer, Library, LibraryReading, LibraryStatus
from app.core.models import SHARED_AMONG
from app.core.report import Relay, Report
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document, Span
from app.flows.ask.question import LEAST_LISTED, ask, has_content
from app.flows.history.history import kept_answer, remember
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    from app.core.history import Entry
    from app.core.layout import Opened
    from app.library.index import Index, Passage

# Passages from each way of searching, and from both together, which are then read.
_SEARCHED = 100
READ = 48
# A rank's weight is 1 / (this + rank): reciprocal rank fusion (Cormack et al. 2009).
_FUSION = 60
# Code points read on either side of a passage: half a passage.
AROUND = 300


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a text of the index that is read for a question, and the document that the reader gets."""

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
) -> LibraryReading:
    """Answer a question from all of a library's files; better and better LibraryReadings come as partial results.

    The passages are found by BM25 and, as far as there are vectors, by meaning. Raises as `ask` does, and
    SpanlightError where nothing of the library was read yet; Stopped when cancelled.
    """
    began = time.perf_counter()
    if not question.strip():
        raise SpanlightError("The question is empty.", "Type what you want to know.")
    index = workspace.library
    status = index.status(library)
    if not status.passages:
        raise SpanlightError(
            f"Nothing of “{library.name}” has been read yet.",
            "Update it, or add a folder with documents to it.",
        )
    excerpts = find(index, question, library)
    listing = _Listing(report, index, library, status, excerpts, top_k, began)
    if not excerpts:
        return listing.reading(Reading((), False, 1.0, 1.0, 0, 0, 0.0))
    request = Question(
        question,
        tuple(excerpt.document for excerpt in excerpts),
        max(SHARED_AMONG, top_k),
        threshold,
        quick=quick,
        passages_of=index.characters(library),
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
    """Save a question to a library in the history with the file of its best answer, as `remember` does.

    None also where nothing was found.
    """
    if not found.found:
        return None
    file = found.found[0].file
    opened = replace(workspace.library.opened(file), sha256=file.sha256)
    answers = tuple(
        replace(answer, document=0, span=place.answer.span)
        for answer, place in zip(found.reading.answers, found.found, strict=True)
        if place.file.number == file.number
    )
    return remember(
        workspace, (opened,), question, replace(found.reading, answers=answers), report, asked=asked
    )


def find(index: Index, question: str, library: Library, *, most: int = READ) -> list[Excerpt]:
    """The excerpts of a library to read for a question, the likeliest first: its best passages and what is around."""
    ranked = index.search(question, library, _SEARCHED)
    return excerpts_of(index, index.passages(ranked[:most], library))


def fuse(*rankings: Sequence[int]) -> list[int]:
    """One ranking of several, by reciprocal rank fusion; equal ones in the order of the first."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking):
            scores[number] = scores.get(number, 0.0) + 1 / (_FUSION + rank)
    return sorted(scores, key=lambda number: -scores[number])


def excerpts_of(index: Index, passages: Sequence[Passage]) -> list[Excerpt]:
    """Each passage with `AROUND` code points on either side; those that touch are one excerpt, at the better's rank."""
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
    return [_excerpt(index, text, span) for text, span in spans]


def _excerpt(index: Index, text: int, span: Span) -> Excerpt:
    words, view = index.body(text)
    # Not within a word.
    start, end = span.start, span.end
    while start > 0 and start < end and not words[start - 1].isspace():
        start += 1
    while end < len(words) and end > start and not words[end - 1].isspace():
        end -= 1
    span = Span(start, end) if start < end else span
    return Excerpt(text, span, Document(span.of(words), view=view.of_parts([span])))


def _with_equal_words(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers worth showing, each with the probability that its words are right, wherever they stand.

    Files of a library often say the same: each place alone has only a share of that probability.
    """
    words = ["".join(filter(str.isalnum, answer.text)).casefold() for answer in answers]
    chances: dict[str, float] = {}
    for word, answer in zip(words, answers, strict=True):
        chances[word] = chances.get(word, 0.0) + answer.probability
    return tuple(
        replace(answer, probability=chances[word])
        for at, (word, answer) in enumerate(zip(words, answers, strict=True))
        if not at or (chances[word] >= LEAST_LISTED and has_content(answer.text))
    )


class _Listing(Relay):
    """A Report whose partial Readings over excerpts are passed on as LibraryReadings."""

    def __init__(
        self,
        report: Report,
        index: Index,
        library: Library,
        status: LibraryStatus,
        excerpts: Sequence[Excerpt],
        top_k: int,
        began: float,
    ) -> None:
        super().__init__(report)
        self._index, self._library, self._status = index, library, status
        self._excerpts, self._top_k, self._began = excerpts, top_k, began
        self._opened: dict[int, Opened] = {}

    def partial(self, result: object) -> None:
        super().partial(self.reading(result) if isinstance(result, Reading) else result)

    def reading(self, reading: Reading) -> LibraryReading:
        """The reading with its answers at their places in the files."""
        reading = replace(reading, answers=_with_equal_words(reading.answers)[: self._top_k])
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
        file = self._index.file_of(excerpt.text, self._library)
        if excerpt.text not in self._opened:
            self._opened[excerpt.text] = self._index.opened(file)
        at = excerpt.span.start
        span = Span(at + answer.span.start, at + answer.span.end)
        return FoundAnswer(file, kept_answer(self._opened[excerpt.text], replace(answer, span=span)))
