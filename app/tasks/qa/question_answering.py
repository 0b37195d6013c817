"""Extractive question answering over documents of any length (BERT, Devlin et al. 2019, section 4.3).

A long text is read by two models: a quick reader finds the likeliest passages, a careful one reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from time import perf_counter

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.requests import Question, QuestionBatch
from app.core.results import Reading
from app.core.sentences import sentence_around
from app.core.text import Document, Span
from app.tasks.batches import Pace, Runner, batch_size, by_length, group_size, in_groups
from app.tasks.qa.question_run import BEST_GROUPS, QuestionRun, Step
from app.tasks.qa.ranking import WordStarts
from app.tasks.qa.spans import Candidate
from app.tasks.task import ReadyModel
from app.tasks.text.sections import section_tokens, sections
from app.tasks.text.windows import Window

# A text of at most so many windows is read by the careful reader only. Of a longer one the quick reader reads up to
# `BEST_GROUPS` windows, those with most of the question's words, and the careful one reads `READ` of these: for 154
# questions of `docqa` about 250,000 characters each, the windows of the first hold 96.8% of the answers, those of the
# second 96.1%.
READ = 16
# Of passages that were found in a library the careful reader reads fewer: for 43 questions to 100,000 passages these
# hold as many of the answers as 11 (93%), and 4 hold two points less. The best answer's F1 is the same as well.
READ_FOUND = 8
# How many windows the quick reader reads in one batch.
_QUICK_BATCH = 4
# How many places come from retrieval whatever the quick reader's scores are.
_RETRIEVED = 4


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


def finder_of(run: QuestionRun, model: ReadyModel) -> ReadyModel | None:
    """The model's quick reader, loaded, if the question's text is long enough for two passes; else None."""
    few = READ_FOUND if run.question.passages_of else READ
    if model.finder is None or run.question.every or run.total <= few:
        return None
    return model.finder()


def with_finder(
    run: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report
) -> tuple[QuestionRun, Iterator[Step]]:
    """The run that answers a question on a long text, and the steps of its reading.

    Both models read it in two passes; a `quick` question is read by the quick reader alone.
    """
    if run.question.quick:
        run = QuestionRun(run.index, run.question, finder, report)
        return run, run.steps()
    return run, _two_passes(run, model, finder, report)


def _two_passes(run: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report) -> Iterator[Step]:
    """Reads a question's likeliest windows, one batch through one of the models per step.

    The quick reader's run, which is provisional, is reported until the careful one has read its first windows. The
    choice of windows does not depend on the device. Where no word of the question ranks any place, the quick reader
    reads all windows.
    """
    quick = QuestionRun(run.index, replace(run.question, in_order=False), finder, report, run.ranking)
    has_places = bool(run.ranking.best_score)
    most = READ_FOUND if run.question.passages_of else READ
    # The careful reader's windows take longer.
    slower = model.card.parameters / max(1, finder.card.parameters)
    ranked: list[tuple[float, int, Span]] = []
    runner, seconds = Runner(finder, report), 0.0
    windows = islice(quick.groups(size=1), BEST_GROUPS if has_places else None)
    for group in in_groups(windows, _QUICK_BATCH):
        batch = [(document, window) for document, (window,) in group]
        arrays, took = runner([window for _, window in batch])
        seconds += took
        for (document, window), start, end in zip(
            batch, arrays["start_logits"], arrays["end_logits"], strict=True
        ):
            if best := quick.add_window(document, window, start, end):
                ranked.append((-best[0].margin, document, best[0].span))
        ahead = max(0, (min(BEST_GROUPS, quick.total) if has_places else quick.total) - quick.read)
        seconds_left = (ahead + most * slower) * seconds / quick.read
        yield Step(quick, quick.read, quick.read + ahead + most, batch[0][0], seconds_left)
    found = [(document, span) for _, document, span in sorted(ranked)]
    places = list(islice(run.ranking.best(), _RETRIEVED))
    if run.question.passages_of:
        own = dict(reversed(found))  # each passage's best span
        retrieved = [(document, own.get(document, place)) for document, place in places]
        points = list(_unlike([*retrieved, *found], run.question.documents))
    else:
        points = [(document, (place.start + place.end) // 2) for document, place in places]
        points += [(document, span.start) for document, span in found]
    chosen = run.choose(points, most)
    runner, seconds = Runner(model, report), 0.0
    for batch in in_groups(chosen, group_size(model)):
        arrays, took = runner([window for _, window in batch])
        seconds += took
        for (document, window), start, end in zip(
            batch, arrays["start_logits"], arrays["end_logits"], strict=True
        ):
            run.add_window(document, window, start, end)
        seconds_left = (run.total - run.read) * seconds / run.read
        yield Step(run, quick.read + run.read, quick.read + run.total, batch[0][0], seconds_left)


def _unlike(spans: Sequence[tuple[int, Span]], passages: Sequence[Document]) -> Iterator[tuple[int, int]]:
    """Where these spans begin, without those in a sentence that an earlier one's passage says in the same words.

    Copies of a document would otherwise be all that is read with care.
    """
    firsts: dict[str, int] = {}
    for document, span in spans:
        text = passages[document].text
        words = " ".join(sentence_around(text, span).of(text).split()).casefold()
        if firsts.setdefault(words, document) == document:
            yield document, span.start


def prepare(documents: Sequence[Document], model: ReadyModel, report: Report) -> None:
    """Caches where the documents' words begin, and their tokens, as far as the model's text cache has room.

    For texts that its finder reads too, the finder is loaded and its cache filled as well. A first question is then
    answered 60 ms sooner, as fast as a second one. Reports progress in sections. Raises Stopped when the work is to
    stop, within some milliseconds; what was cached until then stays.
    """
    run = QuestionRun(0, Question("", tuple(documents)), model, report)
    every = list(sections(documents))
    for one in filter(None, (finder_of(run, model), model)):
        if one.text_cache is None:
            continue
        texts = [one.text_cache.of(document) for document in documents]
        for text in texts:
            report.check()
            text.get(WordStarts, partial(WordStarts, text.text))
        for done, section in enumerate(every):
            report.check()
            report.progress(Progress(done, len(every), Message("sections")))
            text = texts[section.document]
            if text.has(WordStarts):
                section_tokens(one.tokenizer, section, one.card.stride, text)
