"""Asks documents a question."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.models import SHARED_AMONG, TOKENS_PER_CHARACTER, Head, LoadedModel
from app.core.report import Relay
from app.core.stop_words import ENGLISH
from app.flows.workspace import Workspace

if TYPE_CHECKING:
    from app.core.report import Progress, Report
    from app.core.requests import Question
    from app.core.results import Answer, Reading
    from app.core.text import Document, Span

# A speed measured over fewer tokens is too inexact.
_LEAST_TIMED = 150
# Less likely answers are not shown among the other places.
LEAST_PROBABILITY = 0.05
# Words that answer nothing by themselves: stop words but numbers, "no", "all", names ("Will"); and what only relates.
_NO_ANSWERS = (ENGLISH - frozenset("all any can done many might much no one some will".split())) | frozenset(
    """
    above after again against among because before below between during further off once only other own per same until
    within without
    """.split()
)
_WORD = re.compile(r"\w[\w'’]*")


def ask(
    workspace: Workspace, question: Question, report: Report, *, model: str = "", device: str = ""
) -> Reading:
    """Read the documents for the question; partial results are Readings that get better and better.

    Their answers are those that `select_answers` keeps, but all of them for passages of a library (`passages_of`),
    whose caller selects. Where a quicker reader finds the passages that the model reads, its own Readings come first,
    and each Reading names it. `model` and `device` override the settings. Raises SpanlightError for a question without
    words, a missing model or device, and EngineLost when the model process died; Stopped when cancelled.
    """
    question.require_words()
    question = replace(question, documents=tuple(map(with_view, question.documents)))
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report)
    from app.models.disk.names import model_name

    selecting = _SelectingReport(report, question, model_name(Path(choice.finder)) if choice.finder else "")
    reading = selecting.adapt(workspace.engine.run(widen_top_k(question), choice, selecting))
    if speed := _speed(workspace, reading, question, model, selecting.read - reading.windows):
        # What else the computer does makes a reading slower, never faster: a slower one counts for a fifth.
        before = workspace.settings.reading_speed
        workspace.settings.reading_speed = max(speed, 0.8 * before + 0.2 * speed)
    return reading


def prepare(
    workspace: Workspace, documents: Sequence[Document], report: Report, *, model: str = "", device: str = ""
) -> None:
    """Have the model process load the reader, and cache these documents' texts and tokens.

    This is optional: a question that comes earlier, or whose documents have changed, is only answered later. Raises
    as `ask` does; Stopped, within milliseconds, when cancelled.
    """
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report, use=False)
    workspace.engine.prepare(tuple(map(with_view, documents)), choice, report)


def _speed(
    workspace: Workspace, reading: Reading, question: Question, model: str, finder_windows: int
) -> float:
    """The reading speed in tokens times weights per second; 0 where too little was read, or only by the quick reader.

    `finder_windows` counts the windows that the quick reader read.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING, model)
    read = reading.windows * card.window
    if not reading.quick:  # the last windows are shorter
        characters = sum(len(document.text) for document in question.documents)
        read = min(read, round(characters * TOKENS_PER_CHARACTER * card.window / (card.window - card.stride)))
    if read < _LEAST_TIMED or not reading.seconds or (reading.finder and reading.finder == reading.model):
        return 0.0
    done = read * card.parameters
    if reading.finder:
        finder = next((each for each in workspace.shelf.cards() if each.name == reading.finder), None)
        if finder is None:
            return 0.0
        done += finder_windows * finder.window * finder.parameters
    return done / reading.seconds


def with_view(document: Document) -> Document:
    """The document with its view; one that was read from no file, or was edited since, is a plain text."""
    if document.view is not None:
        return document
    from app.documents.chapters import find_chapters, view_with_chapters

    text, name = document.text, document.name
    return replace(document, view=view_with_chapters(text, find_chapters(text), name))


def widen_top_k(question: Question) -> Question:
    """Ask the model for more answers than are shown, as `select_answers` leaves some out."""
    return question if question.top_k <= 1 else replace(question, top_k=max(SHARED_AMONG, question.top_k))


def select_answers(answers: Iterable[Answer], documents: Sequence[Document], most: int) -> tuple[Answer, ...]:
    """Select the best answer and the others that are worth showing, at most `most` in all.

    The others have a probability of at least `LEAST_PROBABILITY`, lie in no sentence of a better answer, and say more
    than punctuation and words such as "of the".
    """
    from app.core.sentences import sentence_around

    shown: list[Answer] = []
    sentences: list[tuple[int, Span]] = []
    for answer in answers:
        if len(shown) == max(1, most):
            break
        if shown and (
            answer.probability < LEAST_PROBABILITY
            or not _has_content(answer.text)
            or any(at == answer.document and sentence.overlaps(answer.span) for at, sentence in sentences)
        ):
            continue
        shown.append(answer)
        document = documents[answer.document]
        sentence = sentence_around(document.text, answer.span)
        if document.view is not None:  # a list item may have no full stop
            sentence = document.view.within_block(sentence, answer.span)
        sentences.append((answer.document, sentence))
    return tuple(shown)


def nearest_values(reading: Reading) -> dict[str, object] | None:
    """The answer that is shown with low confidence, as JSON values; None where there is none."""
    near = None if reading.best is not None else reading.shown
    if near is None:
        return None
    return {
        "text": near.text,
        "start": near.span.start,
        "end": near.span.end,
        "probability": near.probability,
    }


def load_reader(workspace: Workspace, report: Report, *, model: str = "", device: str = "") -> LoadedModel:
    """Have the model process load the reader, so that the first question does not wait."""
    choice = workspace.choose(Head.QUESTION_ANSWERING, model, device, report, use=False)
    return workspace.engine.load(choice, Head.QUESTION_ANSWERING, report)


def own_threshold(workspace: Workspace, report: Report) -> float:
    """The least probability of an answer that the reader gives, adjusted to the person's verdicts.

    Raises SpanlightError where there is no reader.
    """
    card = workspace.find_model(Head.QUESTION_ANSWERING)
    return card.calibration.adjusted(workspace.adjustment(card.folder)).threshold


class _SelectingReport(Relay):
    """A Report that selects the answers of partial Readings, and names the `finder` in those that it made.

    `read` counts the windows read so far, by both readers.
    """

    def __init__(self, report: Report, question: Question, finder: str) -> None:
        super().__init__(report)
        self._question, self._finder = question, finder
        self.read = 0

    def adapt(self, reading: Reading) -> Reading:
        """Return the reading with its finder and the selected answers."""
        by_finder = reading.model == self._finder or (reading.quick and not self._question.quick)
        if self._finder and by_finder:
            reading = replace(reading, quick=True, finder=self._finder)
        if self._question.passages_of:
            return reading
        question = self._question
        return replace(reading, answers=select_answers(reading.answers, question.documents, question.top_k))

    def progress(self, progress: Progress) -> None:
        self.read = progress.done
        super().progress(progress)

    def partial(self, result: object) -> None:
        from app.core.results import Reading

        super().partial(self.adapt(result) if isinstance(result, Reading) else result)


def _has_content(text: str) -> bool:
    """Whether a text is more than punctuation and words such as "of the"."""
    words = _WORD.findall(text)
    if not words:
        return any(unicodedata.category(character) == "So" for character in text)  # a tick in a table, say
    # US, IT and WHO are names.
    return any(word.isupper() or word.lower() not in _NO_ANSWERS for word in words)
