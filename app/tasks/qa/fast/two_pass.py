"""A long text read by two models: a quick reader finds the likeliest passages, a careful one reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from app.core.message import Message
from app.core.report import Progress, Report
from app.core.requests import Question
from app.core.sentences import sentence_around
from app.core.text import Document, Span
from app.tasks.batches import Runner, group_size, in_groups
from app.tasks.qa.order import BEST_GROUPS
from app.tasks.qa.question_run import QuestionRun, Step
from app.tasks.qa.ranking import WordStarts
from app.tasks.task import ReadyModel
from app.tasks.text.sections import section_tokens, sections

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
