"""Whether a model reads the language of what it is asked about, and which one does."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.errors import SpanlightError
from app.core.languages import LanguageSubject, language, languages, reads
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.workspace import Workspace

# Fewer documents of many are not worth a word.
_LEAST_SHARE = 0.02
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OtherLanguage:
    """What a model is asked about is in a language that it does not read.

    `language` is its code, the commonest one's of several documents; `able` is an installed model that reads it.
    """

    sentence: str
    language: str
    head: Head
    able: ModelCard | None = None


def other_language(
    workspace: Workspace, head: Head, subjects: Sequence[LanguageSubject], report: Report, *, model: str = ""
) -> OtherLanguage | None:
    """The first of the subjects that is surely not in a language of the head's model; None where all may be read.

    A model whose languages are not stated, or are many, reads any. Raises SpanlightError where there is no such model,
    Stopped when cancelled.
    """
    card = workspace.find_model(head, model)
    for subject in subjects if card.languages else ():
        found = dict(subject.languages)
        if subject.text:
            found[detected(workspace, subject.text, report)] = 1
        others = {code: n for code, n in found.items() if code and not reads(card.languages, code)}
        if sum(others.values()) > _LEAST_SHARE * sum(found.values()):
            code = max(others, key=others.__getitem__)
            able = (
                each
                for each in workspace.shelf.cards()
                if head in each.heads and each.languages and reads(each.languages, code)
            )
            sentence = Message(
                "{told}; {model} reads {languages}.",
                told=_in_languages(subject.name, others, sum(found.values())),
                model=card.title,
                languages=languages(card.languages),
            )
            return OtherLanguage(sentence, code, head, next(able, None))
    return None


def detected(workspace: Workspace, text: str, report: Report) -> str:
    """The code of a text's language, empty where it is unsure or cannot be detected. Raises Stopped."""
    try:
        return workspace.documents.language(text, report)
    except SpanlightError as fault:  # nothing else waits for it
        _log.warning("%s", fault)
        return ""


def _in_languages(name: str, others: Mapping[str, int], total: int) -> str:
    """The languages of documents: "This document is in German", "12 of 200 documents are in German, French"."""
    if total == 1:
        return Message("{name} is in {language}", name=name, language=language(next(iter(others))))
    codes = sorted(others, key=others.__getitem__, reverse=True)
    return Message(
        "{n:,} of {total:,} documents is in {languages}",
        "{n:,} of {total:,} documents are in {languages}",
        n=sum(others.values()),
        total=total,
        languages=languages(codes),
    )
