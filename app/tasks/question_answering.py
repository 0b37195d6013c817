"""Extractive question answering over documents of any length (BERT, Devlin et al. 2019, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from app.core.errors import SpanlightError
from app.core.models import SHARED_AMONG
from app.core.report import Report
from app.core.requests import Question, QuestionBatch
from app.core.results import Answer, Reading
from app.tasks.batches import Pace, Runner, batch_size, by_length, require_finite
from app.tasks.scores import answer_probability, shares
from app.tasks.spans import Candidate, NBest, window_candidates
from app.tasks.task import ReadyModel
from app.tasks.tokens import Tokens, join, tokenise
from app.tasks.windows import TOKENS_PER_CHARACTER, PairTemplate, Window, estimate_windows, windows

_ENOUGH_TO_ESTIMATE = 8


def read(question: Question, model: ReadyModel, report: Report) -> Reading:
    """Reads one question's documents to the end.

    Tells progress in windows and hands over the best Reading so far as a partial result whenever it has
    changed, at most ten times a second. Raises SpanlightError when the question is empty or there is
    no document, Stopped when the work is to stop.
    """
    _refuse_unreadable(question)
    asked = _Asked(0, question, model, report)
    pace = Pace(report, "windows")
    told: list[Candidate] = []
    for _ in _read_all([asked], model, report):
        asked.seconds = pace.seconds
        if pace.due() and not asked.complete:
            pace.tell(asked.read, asked.total)
            best = asked.nbest.best()
            if best and best[: question.top_k] != told:
                told = best[: question.top_k]
                report.partial(asked.reading())
    pace.tell(asked.read, asked.read)
    asked.seconds = pace.seconds
    return asked.reading()


def read_batch(batch: QuestionBatch, model: ReadyModel, report: Report) -> tuple[Reading, ...]:
    """Reads many questions, their windows mixed in the batches; results in the questions' order.

    Tells progress in questions; each finished one is handed over as a partial result (index, Reading).
    Raises SpanlightError when a question is empty or has no document, Stopped when the work is to stop.
    """
    questions = batch.questions
    for number, question in enumerate(questions, start=1):
        _refuse_unreadable(question, f" number {number}")
    pace = Pace(report, "questions")
    readings: list[Reading | None] = [None] * len(questions)
    opened = (_Asked(index, question, model, report) for index, question in enumerate(questions))
    done = 0
    for asked in _read_all(opened, model, report):
        if asked.complete:
            readings[asked.index] = reading = asked.reading()
            done += 1
            report.partial((asked.index, reading))
        if pace.due() or done == len(questions):
            pace.tell(done, len(questions))
    return tuple(reading for reading in readings if reading is not None)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A window on its way to the model."""

    asked: _Asked
    document: int
    window: Window


class _Asked:
    """A question while it is read: its windows one by one, its best spans so far, its share of the time."""

    def __init__(self, index: int, question: Question, model: ReadyModel, report: Report) -> None:
        self.index = index
        self.question = question
        self.nbest = NBest(max(SHARED_AMONG, question.top_k))
        self.read = 0
        self.seconds = 0.0
        self._model = model
        self._report = report
        self._length = model.card.window
        self._made = 0
        self._exhausted = False
        self._tokens = 0
        self._tokenised = 0
        self._characters = sum(len(d.text) for d in question.documents)
        self._cut = 0

    @property
    def complete(self) -> bool:
        """Whether every window of every document was read."""
        return self._exhausted and self.read == self._made

    @property
    def total(self) -> int:
        """How many windows there are; an estimate until the last document's end was reached."""
        if self._exhausted:
            return self._made
        left = self._characters - self._cut
        if self._made >= _ENOUGH_TO_ESTIMATE and self._cut:
            return self._made + max(1, round(left * self._made / self._cut))
        density = self._tokens / self._tokenised if self._tokenised else TOKENS_PER_CHARACTER
        return self._made + estimate_windows(left, self._length, self._model.card.stride, density)

    def pieces(self, template: PairTemplate) -> Iterator[_Piece]:
        """The windows of all documents in their order, tokenised as they are asked for."""
        # No question is read beyond a quarter of the window, so a huge one need not be tokenised whole.
        words = self.question.text.strip()[: 64 * self._length]
        question = join(tokenise(self._model.tokenizer, words)).ids
        # One window is held back: when the last one goes out, it is known to be the last.
        held: _Piece | None = None
        before = 0
        for number, document in enumerate(self.question.documents):
            chunks = self._counted(tokenise(self._model.tokenizer, document.text))
            for window in self._windows(template, question, chunks, document.text):
                self._cut = before + int(window.ends[-1])
                self._made += 1
                if held is not None:
                    yield held
                held = _Piece(self, number, window)
            before += len(document.text)
        self._exhausted = True
        if held is not None:
            yield held

    def _windows(
        self, template: PairTemplate, question: np.ndarray, chunks: Iterable[Tokens], text: str
    ) -> Iterator[Window]:
        stride = self._model.card.stride
        return windows(template, question.tolist(), chunks, text, length=self._length, stride=stride)

    def _counted(self, chunks: Iterable[Tokens]) -> Iterator[Tokens]:
        for chunk in chunks:
            self._report.check()
            self._tokens += len(chunk)
            self._tokenised += int(chunk.ends[-1] - chunk.starts[0])
            yield chunk

    def take(self, piece: _Piece, start_logits: np.ndarray, end_logits: np.ndarray) -> None:
        """Takes a read window's logits in."""
        self.nbest.add(
            window_candidates(
                piece.window,
                start_logits,
                end_logits,
                text=self.question.documents[piece.document].text,
                document=piece.document,
                count=self.nbest.count,
                floor=self.nbest.floor,
            )
        )
        self.read += 1

    def reading(self) -> Reading:
        """What the question brought back so far; complete once every window was read."""
        calibration, total = self._model.card.calibration, self.total
        threshold = calibration.threshold if self.question.threshold is None else self.question.threshold
        best = self.nbest.best()
        says = answer_probability(calibration, best[0].margin, total) if best else 0.0
        chances = says * shares(calibration, [c.score for c in best]) if best else ()
        answers = tuple(self._answer(c, float(p)) for c, p in zip(best, chances, strict=True))
        return Reading(
            answers=answers[: max(1, self.question.top_k)],
            answered=bool(best) and (self.question.always_answer or says >= threshold),
            no_answer_probability=1.0 - says,
            threshold=threshold,
            windows=self.read,
            windows_total=total,
            seconds=self.seconds,
            complete=self.complete,
            model=self._model.card.name,
            device=self._model.device.title,
        )

    def _answer(self, found: Candidate, probability: float) -> Answer:
        text = found.span.of(self.question.documents[found.document].text)
        return Answer(found.document, found.span, text, probability, found.score, found.null_score)


def _read_all(questions: Iterable[_Asked], model: ReadyModel, report: Report) -> Iterator[_Asked]:
    """Reads the windows of questions in mixed batches; yields after each batch the questions it read from."""
    template = PairTemplate.of(model.tokenizer)
    run = Runner(model, report)
    empty: list[_Asked] = []

    def pieces() -> Iterator[_Piece]:
        for asked in questions:
            yield from asked.pieces(template)
            if not asked.total:
                empty.append(asked)

    for batch in by_length(pieces(), lambda piece: piece.window, batch_size(model)):
        yield from _drain(empty)
        arrays, seconds = run([piece.window for piece in batch])
        start_logits, end_logits = arrays["start_logits"], arrays["end_logits"]
        for row, piece in enumerate(batch):
            row_start, row_end = start_logits[row, : len(piece.window)], end_logits[row, : len(piece.window)]
            require_finite(bool(np.isfinite(row_start).all() and np.isfinite(row_end).all()), model)
            piece.asked.take(piece, row_start, row_end)
            piece.asked.seconds += seconds / len(batch)
        yield from dict.fromkeys(piece.asked for piece in batch)
    yield from _drain(empty)


def _drain(questions: list[_Asked]) -> Iterator[_Asked]:
    while questions:
        yield questions.pop(0)


def _refuse_unreadable(question: Question, which: str = "") -> None:
    if not question.text.strip():
        raise SpanlightError(f"The question{which} is empty.", "Type what you want to know, then ask again.")
    if not question.documents:
        raise SpanlightError(f"There is no text to ask{which}.", "Open or paste a document first.")
