"""Extractive question answering over documents of any length (BERT, Devlin et al. 2019, section 4.3).

A careful reader reads a short text whole. In a long one a quick reader first finds the likeliest windows, and the
careful one reads these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from time import perf_counter

from app.core.message import Message
from app.core.report import Progress, Report
from app.core.requests import Question, QuestionBatch
from app.core.results import Reading
from app.core.sentences import sentence_around
from app.core.text import Document, Span
from app.tasks.batches import Pace, Runner, batch_size, by_length, group_size, in_groups
from app.tasks.qa.question_run import BEST_GROUPS, QuestionRun, Step
from app.tasks.qa.ranking import WordStarts, word_starts_of
from app.tasks.qa.rows import table_rows
from app.tasks.qa.spans import Candidate
from app.tasks.qa.spelling import respelt
from app.tasks.task import ReadyModel
from app.tasks.text.sections import TextCache, section_tokens, sections
from app.tasks.text.windows import Window

# A text of at most `READ` windows is read by the careful reader alone. Of a longer one the quick reader reads up to
# `BEST_GROUPS` windows, those that share most words with the question, and the careful one reads `READ` of these: for
# 154 questions of `docqa` about 250,000 characters each, the first hold 96.8% of the answers, the second 96.1%.
READ = 16
# Of passages that were found in a library the careful reader reads fewer: for 43 questions to 100,000 passages these
# hold as many of the answers as 11 (93%), and 4 hold two points less. The best answer's F1 is the same as well.
READ_FOUND = 8
# How many windows the quick reader reads in one batch, on every device: the choice of windows must not depend on it.
_QUICK_BATCH = 4
# How many passages are read with care for their BM25 scores alone, whatever the quick reader's scores are.
_RETRIEVED = 4


def read(question: Question, model: ReadyModel, report: Report) -> Reading:
    """Read one question's documents to the end, the likeliest passages first.

    Reports progress in windows, and the best Reading so far as a partial result: the first at once, then whenever
    it has changed, at most ten times a second. The order of reading does not change the final Reading. Raises
    SpanlightError when the question is empty or there is no document, Stopped when the work is to stop.
    """
    question.require_words()
    run = QuestionRun(0, _respelt(question, model), model, report)
    finder = _finder_for(run, model)
    pace = Pace(report, Message("windows"))  # started here: loading the finder is not reading
    run, steps = _plan(run, model, finder, report)
    done = 0
    reported: list[Candidate] = []
    for step in steps:
        done, current = step.done, step.run
        if run.complete or (reported and not pace.due()):
            continue
        current.seconds = pace.seconds
        best = current.nbest.best()[: question.top_k]
        # The answer before the progress: of two reports in quick succession the second one is shown later.
        if best and best != reported:
            reported = best
            report.partial(_reading(current, question))
        pace.report(done, step.total, step.seconds_left, step.document)
    run.resolve_near_ties()
    pace.report(done, done)
    run.seconds = pace.seconds
    return _reading(run, question)


def read_batch(batch: QuestionBatch, model: ReadyModel, report: Report) -> tuple[Reading, ...]:
    """Read many questions; return their Readings in the same order.

    Windows of different questions share the model's batches; a text that a quick reader reads too is read by itself.
    Reports progress in questions; each finished one is a partial result (index, Reading). Raises SpanlightError when a
    question is empty or has no document, Stopped when the work is to stop.
    """
    questions = batch.questions
    for number, question in enumerate(questions, start=1):
        question.require_words(number)
    pace = Pace(report, Message("questions"))
    readings: dict[int, Reading] = {}
    runs = (
        QuestionRun(index, replace(_respelt(question, model), in_order=not question.quick), model, report)
        for index, question in enumerate(questions)
    )
    for finder, group in groupby(runs, lambda run: _finder_for(run, model)):
        if finder is None:
            progressed = _read_mixed(group, model, report)
        else:
            progressed = _read_each(group, model, finder, report)
        for run in progressed:
            if run.complete:
                started = perf_counter()
                run.resolve_near_ties()
                run.seconds += perf_counter() - started
                readings[run.index] = _reading(run, questions[run.index])
                report.partial((run.index, readings[run.index]))
            if pace.due() or len(readings) == len(questions):
                pace.report(len(readings), len(questions))
    return tuple(readings[index] for index in range(len(questions)))


def _read_mixed(runs: Iterable[QuestionRun], model: ReadyModel, report: Report) -> Iterator[QuestionRun]:
    """Read the windows of many questions in mixed batches; yield the questions of each batch after it.

    Questions without a window come last.
    """
    runner = Runner(model, report)
    empty: list[QuestionRun] = []

    def queue() -> Iterator[tuple[QuestionRun, int, Window]]:
        for run in runs:
            for document, window in chain.from_iterable(run.groups(size=1)):
                yield run, document, window
            if not run.total:
                empty.append(run)

    for batch in by_length(queue(), lambda queued: queued[2], batch_size(model)):
        arrays, seconds = runner([window for _, _, window in batch])
        for (run, document, window), start, end in zip(
            batch, arrays["start_logits"], arrays["end_logits"], strict=True
        ):
            run.add_window(document, window, start, end)
            run.seconds += seconds / len(batch)
        yield from dict.fromkeys(run for run, _, _ in batch)
    yield from empty


def _read_each(
    runs: Iterable[QuestionRun], model: ReadyModel, finder: ReadyModel, report: Report
) -> Iterator[QuestionRun]:
    """Read questions on long texts one by one; yield a question after each step, or once where it has none."""
    for queued in runs:
        started = perf_counter()
        run, steps = _plan(queued, model, finder, report)
        for _ in steps:
            run.seconds = perf_counter() - started
            yield run
        if not run.total:
            yield run


def _respelt(question: Question, model: ReadyModel) -> Question:
    """The question as it is read: without the slips that the documents' own words tell."""
    cache = model.text_cache or TextCache(model.tokenizer, most=0)
    text = respelt(question.text, [cache.of(each) for each in question.documents], model.tokenizer)
    return question if text == question.text else replace(question, text=text)


def _reading(run: QuestionRun, asked: Question) -> Reading:
    """The run's Reading, which says how the question was read where that is not as it was asked."""
    text = run.question.text
    return replace(run.reading(), read_as=text if text != asked.text else "")


def _finder_for(run: QuestionRun, model: ReadyModel) -> ReadyModel | None:
    """The model's quick reader, loaded, if the question's text is long enough for two passes; else None."""
    if model.finder is None or run.question.every or run.total <= _windows_to_read(run.question):
        return None
    return model.finder()


def _windows_to_read(question: Question) -> int:
    """The number of windows of a long text that the careful reader reads."""
    return READ_FOUND if question.passages_of else READ


def _plan(
    run: QuestionRun, model: ReadyModel, finder: ReadyModel | None, report: Report
) -> tuple[QuestionRun, Iterator[Step]]:
    """The run that gives the question's final Reading, and the steps that read its windows.

    Without a finder the model reads all windows; with one both models read a long text in two passes, and the finder
    alone answers a `quick` question.
    """
    if finder is None:
        return run, run.steps()
    if run.question.quick:
        quick = QuestionRun(run.index, run.question, finder, report)
        return quick, quick.steps()
    return run, _two_passes(run, model, finder, report)


def _two_passes(run: QuestionRun, model: ReadyModel, finder: ReadyModel, report: Report) -> Iterator[Step]:
    """Read a long text's likeliest windows with the finder, then the best of these with the careful model.

    Each step is one batch. The finder's run, which is provisional, is reported until the careful model has read its
    first windows. Where no passage has a word of the question, the finder reads all windows.
    """
    quick = QuestionRun(run.index, replace(run.question, in_order=False), finder, report, run)
    most_careful = _windows_to_read(run.question)
    most_quick = BEST_GROUPS if run.ranking.best_score else None
    slowdown = model.card.parameters / max(1, finder.card.parameters)

    best_of_windows: list[Candidate] = []
    for batch in in_groups(islice(chain.from_iterable(quick.groups(size=1)), most_quick), _QUICK_BATCH):
        best_of_windows += [candidates[0] for candidates in quick.read_windows(batch) if candidates]
        left = max(0, min(most_quick or quick.total, quick.total) - quick.read)
        seconds_left = (left + most_careful * slowdown) * quick.seconds_per_window
        yield Step(quick, quick.read, quick.read + left + most_careful, batch[0][0], seconds_left)

    chosen = run.choose(_points_to_read(run, best_of_windows), most_careful)
    for batch in in_groups(chosen, group_size(model)):
        run.read_windows(batch)
        seconds_left = (run.total - run.read) * run.seconds_per_window
        yield Step(run, quick.read + run.read, quick.read + run.total, batch[0][0], seconds_left)


def _points_to_read(run: QuestionRun, candidates: Iterable[Candidate]) -> list[tuple[int, int]]:
    """The points to read with care, best first, each a document's number and a code point.

    The passages that BM25 ranks highest come first, then the finder's `candidates` by margin.
    """
    ranked = sorted(candidates, key=lambda candidate: candidate.rank, reverse=True)
    found = [(candidate.document, candidate.span) for candidate in ranked]
    retrieved = list(islice(run.ranking.best(), _RETRIEVED))
    if run.question.passages_of:
        best_span = dict(reversed(found))  # of each passage
        retrieved = [(document, best_span.get(document, passage)) for document, passage in retrieved]
        return list(_starts_without_copies([*retrieved, *found], run.question.documents))
    middles = [(document, (passage.start + passage.end) // 2) for document, passage in retrieved]
    return middles + [(document, span.start) for document, span in found]


def _starts_without_copies(
    spans: Iterable[tuple[int, Span]], passages: Sequence[Document]
) -> Iterator[tuple[int, int]]:
    """The starts of the spans, except those whose sentence stands word for word in an earlier span's passage.

    Copies of one document would otherwise be all that is read with care.
    """
    first_passage: dict[str, int] = {}
    for number, span in spans:
        text = passages[number].text
        sentence = " ".join(sentence_around(text, span).of(text).split()).casefold()
        if first_passage.setdefault(sentence, number) == number:
            yield number, span.start


def prepare(documents: Sequence[Document], model: ReadyModel, report: Report) -> None:
    """Cache the documents' tokens, and where their words begin, as far as the model's text cache has room.

    For a text long enough for two passes the finder is loaded and its cache filled as well. The first question is then
    answered 60 ms sooner, as fast as the second. Reports progress in sections. Raises Stopped when the work is to
    stop, within some milliseconds; what was cached until then stays.
    """
    run = QuestionRun(0, Question("", tuple(documents)), model, report)
    every = list(sections(documents))
    for reader in filter(None, (_finder_for(run, model), model)):
        if reader.text_cache is None:
            continue
        texts = [reader.text_cache.of(document) for document in documents]
        for text in texts:
            report.check()
            word_starts_of(text)
            table_rows(text)
        for done, section in enumerate(every):
            report.check()
            report.progress(Progress(done, len(every), Message("sections")))
            text = texts[section.document]
            if text.has(WordStarts):
                section_tokens(reader.tokenizer, section, reader.card.stride, text)
