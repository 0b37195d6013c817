"""Extractive question answering over documents of any length (BERT, Devlin et al. 2019, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from time import perf_counter

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Report
from app.core.requests import Question, QuestionBatch
from app.core.results import Reading
from app.tasks.batches import Pace, Runner, batch_size, by_length
from app.tasks.qa.fast.two_pass import finder_of, with_finder
from app.tasks.qa.question_run import QuestionRun
from app.tasks.qa.spans import Candidate
from app.tasks.task import ReadyModel
from app.tasks.text.windows import Window


def read(question: Question, model: ReadyModel, report: Report) -> Reading:
    """Reads one question's documents to the end, the likeliest passages first.

    Reports progress in windows, and the best Reading so far as a partial result: the first at once, then whenever
    it has changed, at most ten times a second. The order of reading does not change the last Reading. Raises
    SpanlightError when the question is empty or there is no document, Stopped when the work is to stop.
    """
    _refuse_unreadable(question)
    run = QuestionRun(0, question, model, report)
    finder = finder_of(run, model)
    pace = Pace(report, Message("windows"))  # from here on, as loading the finder is no reading
    run, steps = (run, run.steps()) if finder is None else with_finder(run, model, finder, report)
    done = 0
    reported: list[Candidate] = []
    for step in steps:
        done, current = step.done, step.run
        if run.complete or not (pace.due() or not reported):
            continue
        current.seconds = pace.seconds
        best = current.nbest.best()[: question.top_k]
        # The answer before the progress: of two reports in quick succession the second one is shown later.
        if best and best != reported:
            reported = best
            report.partial(current.reading())
        pace.report(done, step.total, step.seconds_left, step.document)
    run.resolve_near_ties()
    pace.report(done, done)
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
        _refuse_unreadable(question, number)
    pace = Pace(report, Message("questions"))
    readings: dict[int, Reading] = {}
    runs = (
        QuestionRun(index, replace(question, in_order=not question.quick), model, report)
        for index, question in enumerate(questions)
    )
    for finder, some in groupby(runs, lambda run: finder_of(run, model)):
        if finder is None:
            reading = _read_mixed(some, model, report)
        else:
            reading = _read_each(some, model, finder, report)
        for run in reading:
            if run.complete:
                started = perf_counter()
                run.resolve_near_ties()
                run.seconds += perf_counter() - started
                readings[run.index] = run.reading()
                report.partial((run.index, readings[run.index]))
            if pace.due() or len(readings) == len(questions):
                pace.report(len(readings), len(questions))
    return tuple(readings[index] for index in range(len(questions)))


@dataclass(frozen=True, slots=True)
class _QueuedWindow:
    """A window to be read, with its question and its document's number."""

    run: QuestionRun
    document: int
    window: Window


def _read_mixed(runs: Iterable[QuestionRun], model: ReadyModel, report: Report) -> Iterator[QuestionRun]:
    """Reads the windows of questions in mixed batches; yields after each batch the questions it read from.

    Questions without a window come last.
    """
    runner = Runner(model, report)
    empty: list[QuestionRun] = []

    def queue() -> Iterator[_QueuedWindow]:
        for run in runs:
            for document, (window,) in run.groups(size=1):
                yield _QueuedWindow(run, document, window)
            if not run.total:
                empty.append(run)

    for batch in by_length(queue(), lambda queued: queued.window, batch_size(model)):
        arrays, seconds = runner([queued.window for queued in batch])
        for row, queued in enumerate(batch):
            queued.run.add_window(
                queued.document, queued.window, arrays["start_logits"][row], arrays["end_logits"][row]
            )
            queued.run.seconds += seconds / len(batch)
        yield from dict.fromkeys(queued.run for queued in batch)
    yield from empty


def _read_each(
    runs: Iterable[QuestionRun], model: ReadyModel, finder: ReadyModel, report: Report
) -> Iterator[QuestionRun]:
    """Reads questions on long texts one by one; yields a question after each step, or once where it has none."""
    for given in runs:
        started = perf_counter()
        run, steps = with_finder(given, model, finder, report)
        for _ in steps:
            run.seconds = perf_counter() - started
            yield run
        if not run.total:
            yield run


def _refuse_unreadable(question: Question, number: int = 0) -> None:
    if not question.text.strip():
        message = (
            Message("The question number {number} is empty.", number=number)
            if number
            else Message("The question is empty.")
        )
        raise SpanlightError(message, Message("Type what you want to know, then ask again."))
    if not question.documents:
        message = (
            Message("There is no text to ask number {number}.", number=number)
            if number
            else Message("There is no text to ask.")
        )
        raise SpanlightError(message, Message("Open or paste a document first."))
