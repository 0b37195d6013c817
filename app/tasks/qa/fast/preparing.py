"""Fills the text caches for documents before a question is asked, without running the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from app.core.report import Progress, Report
from app.core.requests import Question
from app.core.text import Document
from app.tasks.qa.fast.two_pass import finder_of
from app.tasks.qa.question_run import QuestionRun
from app.tasks.qa.ranking import WordStarts
from app.tasks.task import ReadyModel
from app.tasks.text.sections import section_tokens, sections


def prepare(documents: Sequence[Document], model: ReadyModel, report: Report) -> None:
    """Caches where the documents' words begin, and their tokens, as far as the model's text cache has room.

    For texts that its finder reads too, the finder is loaded and its cache filled as well. A first question is then
    answered 60 ms sooner, as fast as a second one. Reports progress in sections. Raises Stopped when the work is to
    stop, within some milliseconds; what was cached until then stays.
    """
    run = QuestionRun(0, Question("", tuple(documents)), model, report)
    for one in filter(None, (finder_of(run, model), model)):
        _prepare(documents, one, report)


def _prepare(documents: Sequence[Document], model: ReadyModel, report: Report) -> None:
    if model.text_cache is None:
        return
    texts = [model.text_cache.of(document) for document in documents]
    for text in texts:
        report.check()
        text.get(WordStarts, partial(WordStarts, text.text))
    every = list(sections(documents))
    for done, section in enumerate(every):
        report.check()
        report.progress(Progress(done, len(every), "sections"))
        text = texts[section.document]
        if text.has(WordStarts):
            section_tokens(model.tokenizer, section, model.card.stride, text)
