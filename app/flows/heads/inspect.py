"""Looks inside a model that works on a text, and compares models on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.core.inspection import Look, Subject, Visit
from app.core.message import Message
from app.core.models import Head
from app.core.report import Report
from app.core.requests import PassagePairs, Question, TextsToClassify, TextsToTag, TextToFill
from app.core.text import Document, blanks_in
from app.flows.ask.question import with_view
from app.flows.batches import GroupReport
from app.flows.samples import ASK, CLASSIFY, FILL, FOLLOW, KINDS, NAMES, Sample, samples
from app.flows.workspace import Workspace

_MOST_OF_A_KIND = 2

Request = Question | TextsToClassify | TextToFill | PassagePairs | TextsToTag


def look(workspace: Workspace, request: Look, report: Report, *, model: str = "", device: str = "") -> Any:
    """Carry out a look; each kind's docstring describes the result. `model` and `device` override the settings.

    Raises SpanlightError for a missing model or device and for a missing part of the subject, EngineLost when the model
    process died; Stopped when cancelled.
    """
    choice = workspace.choose(request.subject.head, model, device, report)
    return workspace.engine.run(replace(request, subject=_with_view(request.subject)), choice, report)


def compare(
    workspace: Workspace, subject: Subject, models: tuple[str, ...], report: Report
) -> tuple[Any, ...]:
    """Run several models, given by name or folder, on the subject, and return their results in the models' order.

    The results are those of the subject's head: Reading, Classifications, FilledText, FollowOns or TaggedTexts.
    Partial results are those computed so far. Raises as `look` does, for a missing model before any has run.
    """
    request = request_of(_with_view(subject))
    choices = [workspace.choose(subject.head, model, "", report) for model in models]
    each = GroupReport(report, len(choices), Message("models"))
    results: tuple[Any, ...] = ()
    for choice in choices:
        results = (*results, workspace.engine.run(request, choice, each))
        each.count_done(1)
        if len(results) < len(choices):
            report.partial(results)
    return results


def _with_view(subject: Subject) -> Subject:
    """Add the view with which a question's text is read."""
    if subject.head is not Head.QUESTION_ANSWERING:
        return subject
    return replace(subject, view=with_view(Document(subject.text, view=subject.view)).view)


def request_of(subject: Subject) -> Request:
    """The request to the subject's head. Raises SpanlightError if a part of the subject is missing."""
    request: TextsToClassify | PassagePairs | TextsToTag
    match subject.head:
        case Head.QUESTION_ANSWERING:
            return Question(subject.pair, (Document(subject.text, view=subject.view),))
        case Head.MASKED_WORDS:
            blanks = TextToFill(subject.text, subject.blanks)
            blanks.require_blanks()
            return blanks
        case Head.CLASSIFICATION:
            request = TextsToClassify((subject.text,))
        case Head.NEXT_SENTENCE:
            request = PassagePairs(((subject.text, subject.pair),))
        case Head.TOKEN_CLASSIFICATION:
            request = TextsToTag((subject.text,))
        case Head.EMBEDDINGS:
            raise ValueError("vectors are not looked into")
    request.require_words()
    return request


@dataclass(frozen=True, slots=True)
class Offer:
    """A sample that can be opened with one click: the text of its button, and the visit."""

    title: str
    visit: Visit


def offers(workspace: Workspace, report: Report) -> tuple[Offer, ...]:
    """The first few samples of each kind for which an installed model has the head."""
    heads = {head for card in workspace.shelf.cards() for head in card.heads}
    found: dict[str, list[Offer]] = {}
    for sample in samples(workspace.paths):
        visit = visit_of(sample)
        if (
            visit is not None
            and visit.subject.head in heads
            and len(found.get(sample.kind, ())) < _MOST_OF_A_KIND
        ):
            found.setdefault(sample.kind, []).append(Offer(_title(sample.kind, visit.title), visit))
    return tuple(offer for kind in KINDS for offer in found.get(kind, ()))


def _title(kind: str, title: str) -> str:
    return {
        ASK: Message("A question: {title}", title=title),
        CLASSIFY: Message("A text to classify: {title}", title=title),
        FILL: Message("A sentence with a blank: {title}", title=title),
        FOLLOW: Message("What follows: {title}", title=title),
        NAMES: Message("Names in a text: {title}", title=title),
    }[kind]


def visit_of(sample: Sample) -> Visit | None:
    """The visit for a sample; None if its question, its blank or its second passage is missing."""
    match sample.kind:
        case "ask" if sample.questions:
            question = sample.questions[0]
            return Visit(Subject(Head.QUESTION_ANSWERING, sample.text, question), title=question)
        case "classify":
            return Visit(Subject(Head.CLASSIFICATION, sample.text), title=sample.title)
        case "fill" if blanks_in(sample.text):
            subject = Subject(Head.MASKED_WORDS, sample.text, blanks=blanks_in(sample.text))
            return Visit(subject, title=sample.title)
        case "follow" if sample.second:
            return Visit(Subject(Head.NEXT_SENTENCE, sample.text, sample.second), title=sample.title)
        case "names":
            return Visit(Subject(Head.TOKEN_CLASSIFICATION, sample.text), title=sample.title)
    return None
