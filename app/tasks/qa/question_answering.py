"""Extractive question answering over documents of any length (BERT, Devlin et al. 2019, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.requests import Question, QuestionBatch
from app.core.results import Reading
from app.tasks.batches import Pace, Runner, batch_size, by_length
from app.tasks.qa.fast.two_pass import TwoPassReader, finder_of
from app.tasks.qa.question_run import QuestionRun
from app.tasks.qa.spans import Candidate
from app.tasks.task import ReadyModel
from app.tasks.text.windows import PairTemplate, Window


def read(question: Question, model: ReadyModel, report: Report) -> Reading:
    """Reads one question's documents to the end, the likeliest passages first.

    Tells progress in windows and hands over the best Reading so far as a partial result: the first at once, then
    whenever it has changed, at most ten times a second. The order of reading does not change the last Reading. Raises
    SpanlightError when the question is empty or there is no document, Stopped when the work is to stop.
    """
    _refuse_unreadable(question)
    asked = QuestionRun(0, question, model, report)
    finder = finder_of(asked, model)
    pace = Pace(report, "windows")
    way = (
        _OnePassReader(asked, model, report) if finder is None else _with_finder(asked, model, finder, report)
    )
    asked = way.asked
    told: list[Candidate] = []
    for _ in way:
        if asked.complete or not (pace.due() or not told):
            continue
        teller = way.teller
        teller.seconds = pace.seconds
        best = teller.nbest.best()[: question.top_k]
        # First of all the answer: what comes just behind something else, a window shows a moment later.
        if best and best != told:
            told = best
            report.partial(teller.reading())
        pace.tell(way.done, way.total, way.seconds_left)
    asked.settle()
    pace.tell(way.done, way.done)
    asked.seconds = pace.seconds
    return asked.reading()


def read_batch(batch: QuestionBatch, model: ReadyModel, report: Report) -> tuple[Reading, ...]:
    """Reads many questions: windows are mixed in the batches, but a text that a quick reader reads goes by itself.

    Gives the Readings in the questions' order.
    Tells progress in questions; each finished one is handed over as a partial result (index, Reading).
    Raises SpanlightError when a question is empty or has no document, Stopped when the work is to stop.
    """
    questions = batch.questions
    for number, question in enumerate(questions, start=1):
        _refuse_unreadable(question, f" number {number}")
    pace = Pace(report, "questions")
    readings: list[Reading | None] = [None] * len(questions)
    opened = (
        QuestionRun(index, replace(question, in_order=not question.quick), model, report)
        for index, question in enumerate(questions)
    )
    done = 0
    for asked in _read_all(opened, model, report):
        if asked.complete:
            started = perf_counter()
            asked.settle()
            asked.seconds += perf_counter() - started
            readings[asked.index] = reading = asked.reading()
            done += 1
            report.partial((asked.index, reading))
        if pace.due() or done == len(questions):
            pace.tell(done, len(questions))
    return tuple(reading for reading in readings if reading is not None)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A window on its way to the model."""

    asked: QuestionRun
    document: int
    window: Window


class _OnePassReader:
    """Reads a question's windows by one model; iterating goes on by one group. Told of as `TwoPassReader` is."""

    seconds_left = None

    def __init__(self, asked: QuestionRun, model: ReadyModel, report: Report) -> None:
        self.asked = self.teller = asked
        self._groups = asked.groups(PairTemplate.of(model.tokenizer))
        self._run = Runner(model, report)

    @property
    def done(self) -> int:
        """How many windows were read."""
        return self.teller.read

    @property
    def total(self) -> int:
        """How many windows are to be read."""
        return self.teller.total

    def __iter__(self) -> Iterator[None]:
        for document, group in self._groups:
            arrays, _ = self._run(group)
            for window, start, end in zip(group, arrays["start_logits"], arrays["end_logits"], strict=True):
                self.teller.take(document, window, start, end)
            yield


def _with_finder(
    asked: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report
) -> TwoPassReader | _OnePassReader:
    """How a long text is read where there is a quick reader: by both, for a `quick` question by that one alone."""
    if asked.question.quick:
        return _OnePassReader(QuestionRun(asked.index, asked.question, finder, report), finder, report)
    return TwoPassReader(asked, model, finder, report)


def _read_all(questions: Iterable[QuestionRun], model: ReadyModel, report: Report) -> Iterator[QuestionRun]:
    """Reads the windows of questions; yields after each batch the questions it read from."""
    source = iter(questions)
    while True:
        long: list[TwoPassReader | _OnePassReader] = []
        yield from _read_mixed(_until_long(source, long, model, report), model, report)
        if not long:
            return
        asked, started = long[0].asked, perf_counter()
        for _ in long[0]:
            asked.seconds = perf_counter() - started
            yield asked
        if not asked.total:
            yield asked


def _until_long(
    questions: Iterator[QuestionRun],
    long: list[TwoPassReader | _OnePassReader],
    model: ReadyModel,
    report: Report,
) -> Iterator[QuestionRun]:
    """The next questions, up to one whose text a quick reader reads, whose way to be read is put into `long`."""
    for asked in questions:
        finder = finder_of(asked, model)
        if finder is not None:
            long.append(_with_finder(asked, model, finder, report))
            return
        yield asked


def _read_mixed(questions: Iterable[QuestionRun], model: ReadyModel, report: Report) -> Iterator[QuestionRun]:
    """Reads the windows of questions in mixed batches; yields after each batch the questions it read from."""
    template = PairTemplate.of(model.tokenizer)
    run = Runner(model, report)
    empty: list[QuestionRun] = []

    def pieces() -> Iterator[_Piece]:
        for asked in questions:
            for document, (window,) in asked.groups(template, size=1):
                yield _Piece(asked, document, window)
            if not asked.total:
                empty.append(asked)

    for batch in by_length(pieces(), lambda piece: piece.window, batch_size(model)):
        yield from _drain(empty)
        arrays, seconds = run([piece.window for piece in batch])
        for row, piece in enumerate(batch):
            piece.asked.take(
                piece.document, piece.window, arrays["start_logits"][row], arrays["end_logits"][row]
            )
            piece.asked.seconds += seconds / len(batch)
        yield from dict.fromkeys(piece.asked for piece in batch)
    yield from _drain(empty)


def _drain(questions: list[QuestionRun]) -> Iterator[QuestionRun]:
    while questions:
        yield questions.pop(0)


def _refuse_unreadable(question: Question, which: str = "") -> None:
    if not question.text.strip():
        raise SpanlightError(f"The question{which} is empty.", "Type what you want to know, then ask again.")
    if not question.documents:
        raise SpanlightError(f"There is no text to ask{which}.", "Open or paste a document first.")
