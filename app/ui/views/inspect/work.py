"""What the Look inside page has done in a lane: what there is to look into, and the visit kept for the next start."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.core.blanks import blanks_in
from app.core.inspection import Subject, Visit
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.text import Span
from app.flows.samples import ASK, CLASSIFY, FILL, FOLLOW, NAMES, Sample, samples
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts

DRAFT = "inspect"
MOST_KEPT = 20_000  # characters of a visit that comes back at the next start
_OF_EACH = 2
_SAID = {
    ASK: "A question: {0}", CLASSIFY: "A text to classify: {0}", FILL: "A sentence with a blank: {0}",
    FOLLOW: "What follows: {0}", NAMES: "Names in a text: {0}",
}  # fmt: skip

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Offer:
    """A sample to look into with one click: what is said on its button, and the visit."""

    title: str
    visit: Visit


@dataclass(frozen=True, slots=True)
class Found:
    """The models that a visit can be looked into with: the one that is to be used first, then all others."""

    visit: Visit
    models: tuple[ModelCard, ...]


def first_things(workspace: Workspace, drafts: Drafts, report: Report) -> tuple[str, tuple[Offer, ...]]:
    """The visit kept last time, as text, and the samples to offer."""
    return drafts.load(DRAFT), offers(workspace, report)


def offers(workspace: Workspace, report: Report) -> tuple[Offer, ...]:
    """Samples of every head that an installed model has, the first few of each kind."""
    heads = {head for card in workspace.shelf.cards() for head in card.heads}
    found: dict[str, list[Offer]] = {}
    for sample in samples(workspace.paths):
        visit = visit_of(sample)
        if visit is not None and visit.subject.head in heads and len(found.get(sample.kind, ())) < _OF_EACH:
            title = _SAID[sample.kind].format(visit.title)
            found.setdefault(sample.kind, []).append(Offer(title, visit))
    return tuple(offer for kind in _SAID for offer in found.get(kind, ()))


def visit_of(sample: Sample) -> Visit | None:
    """A sample as something to look into; None for one that lacks its question, its blank or its second passage."""
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


def find_models(workspace: Workspace, visit: Visit, report: Report) -> Found:
    """The installed models with the visit's head, the one that it names, or the chosen one, first.

    Raises SpanlightError where there is none, or not the one that the visit names.
    """
    head = visit.subject.head
    chosen = workspace.find_model(head, visit.model)
    others = (card for card in workspace.shelf.cards() if head in card.heads and card.folder != chosen.folder)
    return Found(visit, (chosen, *others))


# A visit as text


def kept(visit: Visit | None) -> str:
    """The visit as JSON; nothing for none, and for one too large to be kept."""
    if visit is None:
        return ""
    subject = visit.subject
    values = {
        "head": subject.head, "text": subject.text, "pair": subject.pair, "focus": _pairs([subject.focus]),
        "blanks": _pairs(subject.blanks), "model": visit.model, "title": visit.title,
    }  # fmt: skip
    text = json.dumps(values, ensure_ascii=True)
    return text if len(text) <= MOST_KEPT else ""


def from_kept(text: str) -> Visit | None:
    """The visit that was kept; None where there is none or it cannot be read."""
    if not text:
        return None
    try:
        values = json.loads(text)
        focus = _spans(values["focus"])
        subject = Subject(
            Head(values["head"]), _string(values["text"]), _string(values["pair"]), focus[0] if focus else None,
            _spans(values["blanks"]),
        )  # fmt: skip
        return Visit(subject, _string(values["model"]), _string(values["title"]))
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        _log.warning("what was looked into last time is not shown: %r", fault)
        return None


def _pairs(spans: Iterable[Span | None]) -> list[list[int]]:
    return [[span.start, span.end] for span in spans if span is not None]


def _spans(values: Any) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in values)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r:.40}")
    return value
