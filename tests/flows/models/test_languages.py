"""Warnings of texts in a language that the model does not read, with a model that does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.languages import LanguageSubject
from app.core.models import Head, ModelCard
from app.core.report import Report, Silent
from app.flows.models.languages import other_language
from app.flows.workspace import Workspace
from tests.documents.test_language import LEASE
from tests.flows.fake_engine import CLASSIFIER, READER, fake_workspace

QA = Head.QUESTION_ANSWERING
ENGLISH = replace(READER, languages=("en",))
GERMAN = replace(READER, name="leser", folder="/models/leser", languages=("de",))
MANY = replace(READER, name="many", folder="/models/many", languages=("multi",))
DOCUMENT = LanguageSubject("This document", {"de": 1})


def sentence(home: Path, *subjects: LanguageSubject, cards: tuple[ModelCard, ...] = (ENGLISH,)) -> str:
    other = other_language(fake_workspace(home, None, None, *cards), QA, subjects, Silent())
    return other.sentence if other is not None else ""


def test_a_document_in_another_language_is_said(tmp_path: Path) -> None:
    assert sentence(tmp_path, DOCUMENT) == "This document is in German; reader reads English."
    assert sentence(tmp_path, LanguageSubject("This text", text=LEASE["fr"])) == (
        "This text is in French; reader reads English."
    )


@pytest.mark.parametrize(
    "subject",
    [
        LanguageSubject("This document", {"en": 1}),
        LanguageSubject("This document", {"": 1}),
        LanguageSubject("This document"),
        LanguageSubject("This text", text=LEASE["en"]),
        LanguageSubject("This text", text="Guten Tag"),
    ],
)
def test_nothing_is_said_where_it_is_read_or_unsure(tmp_path: Path, subject: LanguageSubject) -> None:
    assert sentence(tmp_path, subject) == ""


@pytest.mark.parametrize("card", [READER, MANY, GERMAN])
def test_a_model_of_that_or_of_many_or_of_unknown_languages_is_not_doubted(
    tmp_path: Path, card: ModelCard
) -> None:
    assert sentence(tmp_path, DOCUMENT, cards=(card,)) == ""


def test_the_document_is_said_before_the_question(tmp_path: Path) -> None:
    question = LanguageSubject("The question", text="Wie lange gilt die Garantie für das Gerät?")
    assert sentence(tmp_path, DOCUMENT, question).startswith("This document is in German")
    english = LanguageSubject("This document", {"en": 1})
    assert sentence(tmp_path, english, question) == "The question is in German; reader reads English."


def test_of_many_documents_there_is_one_count(tmp_path: Path) -> None:
    counted = {"en": 180, "": 8, "de": 9, "fr": 3}
    said = sentence(tmp_path, LanguageSubject("The document", counted))
    assert said == "12 of 200 documents are in German, French; reader reads English."
    assert sentence(tmp_path, LanguageSubject("The document", {"en": 199, "de": 1})) == "", "hardly any"
    assert sentence(tmp_path, LanguageSubject("The document", {"en": 1, "de": 1})).startswith(
        "1 of 2 documents is in German"
    )


def test_an_installed_model_that_reads_it_is_named(tmp_path: Path) -> None:
    wrong_head = replace(CLASSIFIER, languages=("de",))
    unknown = replace(READER, name="unknown", folder="/models/unknown")
    cards = (ENGLISH, wrong_head, unknown, GERMAN)
    other = other_language(fake_workspace(tmp_path, None, None, *cards), QA, (DOCUMENT,), Silent())
    assert other is not None and (other.able, other.language, other.head) == (GERMAN, "de", QA)
    other = other_language(fake_workspace(tmp_path, None, None, ENGLISH, MANY), QA, (DOCUMENT,), Silent())
    assert other is not None and other.able == MANY
    named = other_language(
        fake_workspace(tmp_path, None, None, *cards), QA, (DOCUMENT,), Silent(), model="leser"
    )
    assert named is None


def test_a_process_that_cannot_tell_leaves_it_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace: Workspace = fake_workspace(tmp_path, None, None, ENGLISH)

    def broken(text: str, report: Report) -> str:
        raise SpanlightError("The process could not be started.", "Try again.")

    monkeypatch.setattr(workspace.documents, "language", broken)
    assert other_language(workspace, QA, (LanguageSubject("This text", text=LEASE["de"]),), Silent()) is None
