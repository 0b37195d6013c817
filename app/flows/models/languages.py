"""Checks whether a model reads the language of its texts, and finds one that does."""

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

# A smaller share of many documents is not worth a warning.
_LEAST_SHARE = 0.02
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OtherLanguage:
    """A warning that texts are in a language that the model does not read.

    `language` is its code, the most frequent one of several; `able` is an installed model that reads it.
    """

    sentence: str
    language: str
    head: Head
    able: ModelCard | None = None


def other_language(
    workspace: Workspace, head: Head, subjects: Sequence[LanguageSubject], report: Report, *, model: str = ""
) -> OtherLanguage | None:
    """Warn of the first subject that is surely not in a language of the head's model; None if there is none.

    A model that states no languages, or many, reads any. Raises SpanlightError where there is no such model, Stopped
    when cancelled.
    """
    card = workspace.find_model(head, model)
    for subject in subjects if card.languages else ():
        found = dict(subject.languages)
        if subject.text:
            found[detect_language(workspace, subject.text, report)] = 1
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
                told=_languages_sentence(subject.name, others, sum(found.values())),
                model=card.title,
                languages=languages(card.languages),
            )
            return OtherLanguage(sentence, code, head, next(able, None))
    return None


def detect_language(workspace: Workspace, text: str, report: Report) -> str:
    """Detect the code of a text's language, empty if it is unsure or cannot be detected. Raises Stopped."""
    try:
        return workspace.documents.language(text, report)
    except SpanlightError as fault:  # a missing warning is no failure
        _log.warning("%s", fault)
        return ""


def _languages_sentence(name: str, others: Mapping[str, int], total: int) -> str:
    """Name the languages of documents: "This document is in German", "12 of 200 documents are in German, French"."""
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
