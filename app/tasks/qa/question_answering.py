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

    Reports progress in windows, and the best Reading so far as a partial result: the first at once, then whenever
    it has changed, at most ten times a second. The order of reading does not change the last Reading. Raises
    SpanlightError when the question is empty or there is no document, Stopped when the work is to stop.
    """
    _refuse_unreadable(question)
    run = QuestionRun(0, question, model, report)
    finder = finder_of(run, model)
    pace = Pace(report, "windows")
    reader = (
        _OnePassReader(run, model, report) if finder is None else _with_finder(run, model, finder, report)
    )
    run = reader.run
    reported: list[Candidate] = []
    for _ in reader:
        if run.complete or not (pace.due() or not reported):
            continue
        current = reader.current
        current.seconds = pace.seconds
        best = current.nbest.best()[: question.top_k]
        # The answer before the progress: of two reports in quick succession the second one is shown later.
        if best and best != reported:
            reported = best
            report.partial(current.reading())
        pace.report(reader.done, reader.total, reader.seconds_left)
    run.resolve_near_ties()
    pace.report(reader.done, reader.done)
    run.seconds = pace.seconds
    return run.reading()


def read_batch(batch: QuestionBatch, model: ReadyModel, report: Report) -> tuple[Reading, ...]:
    """Reads many questions in mixed batches of windows; a text that a quick reader reads is read separately.

    Returns the Readings in the questions' order.
    Reports progress in questions; each finished one is a partial result (index, Reading).
    Raises SpanlightError when a question is empty or has no document, Stopped when the work is to stop.
    """
    questions = batch.questions
    for number, question in enumerate(questions, start=1):
        _refuse_unreadable(question, f" number {number}")
    pace = Pace(report, "questions")
    readings: list[Reading | None] = [None] * len(questions)
    runs = (
        QuestionRun(index, replace(question, in_order=not question.quick), model, report)
        for index, question in enumerate(questions)
    )
    done = 0
    for run in _read_all(runs, model, report):
        if run.complete:
            started = perf_counter()
            run.resolve_near_ties()
            run.seconds += perf_counter() - started
            readings[run.index] = reading = run.reading()
            done += 1
            report.partial((run.index, reading))
        if pace.due() or done == len(questions):
            pace.report(done, len(questions))
    return tuple(reading for reading in readings if reading is not None)


@dataclass(frozen=True, slots=True)
class _QueuedWindow:
    """A window to be read, with its question and its document's number."""

    run: QuestionRun
    document: int
    window: Window


class _OnePassReader:
    """Reads a question's windows with one model, one group per iteration; same interface as `TwoPassReader`."""

    seconds_left = None

    def __init__(self, run: QuestionRun, model: ReadyModel, report: Report) -> None:
        self.run = self.current = run
        self._groups = run.groups(PairTemplate.of(model.tokenizer))
        self._runner = Runner(model, report)

    @property
    def done(self) -> int:
        """How many windows were read."""
        return self.current.read

    @property
    def total(self) -> int:
        """How many windows are to be read."""
        return self.current.total

    def __iter__(self) -> Iterator[None]:
        for document, group in self._groups:
            arrays, _ = self._runner(group)
            for window, start, end in zip(group, arrays["start_logits"], arrays["end_logits"], strict=True):
                self.current.add_window(document, window, start, end)
            yield


def _with_finder(
    run: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report
) -> TwoPassReader | _OnePassReader:
    """A reader of a long text with both models; for a `quick` question with the quick one only."""
    if run.question.quick:
        return _OnePassReader(QuestionRun(run.index, run.question, finder, report), finder, report)
    return TwoPassReader(run, model, finder, report)


def _read_all(questions: Iterable[QuestionRun], model: ReadyModel, report: Report) -> Iterator[QuestionRun]:
    """Reads the windows of questions; yields after each batch the questions it read from."""
    source = iter(questions)
    while True:
        long: list[TwoPassReader | _OnePassReader] = []
        yield from _read_mixed(_until_long(source, long, model, report), model, report)
        if not long:
            return
        run, started = long[0].run, perf_counter()
        for _ in long[0]:
            run.seconds = perf_counter() - started
            yield run
        if not run.total:
            yield run


def _until_long(
    questions: Iterator[QuestionRun],
    long: list[TwoPassReader | _OnePassReader],
    model: ReadyModel,
    report: Report,
) -> Iterator[QuestionRun]:
    """The next questions up to one that a quick reader is to read, whose reader is appended to `long` instead."""
    for run in questions:
        finder = finder_of(run, model)
        if finder is not None:
            long.append(_with_finder(run, model, finder, report))
            return
        yield run


def _read_mixed(questions: Iterable[QuestionRun], model: ReadyModel, report: Report) -> Iterator[QuestionRun]:
    """Reads the windows of questions in mixed batches; yields after each batch the questions it read from."""
    template = PairTemplate.of(model.tokenizer)
    runner = Runner(model, report)
    empty: list[QuestionRun] = []

    def queue() -> Iterator[_QueuedWindow]:
        for run in questions:
            for document, (window,) in run.groups(template, size=1):
                yield _QueuedWindow(run, document, window)
            if not run.total:
                empty.append(run)

    for batch in by_length(queue(), lambda queued: queued.window, batch_size(model)):
        yield from _drain(empty)
        arrays, seconds = runner([queued.window for queued in batch])
        for row, queued in enumerate(batch):
            queued.run.add_window(
                queued.document, queued.window, arrays["start_logits"][row], arrays["end_logits"][row]
            )
            queued.run.seconds += seconds / len(batch)
        yield from dict.fromkeys(queued.run for queued in batch)
    yield from _drain(empty)


def _drain(questions: list[QuestionRun]) -> Iterator[QuestionRun]:
    while questions:
        yield questions.pop(0)


def _refuse_unreadable(question: Question, which: str = "") -> None:
    if not question.text.strip():
        raise SpanlightError(f"The question{which} is empty.", "Type what you want to know, then ask again.")
    if not question.documents:
        raise SpanlightError(f"There is no text to ask{which}.", "Open or paste a document first.")
