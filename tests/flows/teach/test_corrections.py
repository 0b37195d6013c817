"""Keeping verdicts on answers by question and document."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.corrections import Correction, Verdict
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Opened
from app.core.report import Silent
from app.core.requests import Question
from app.core.results import Answer, Reading
from app.core.text import Document, Span
from app.flows.ask.read import read_document
from app.flows.history.history import entry_of
from app.flows.teach.corrections import (
    bring_back,
    correct,
    correction_of,
    corrections_of,
    delete_corrections,
    export_corrections,
)
from app.flows.workspace import Workspace
from tests.flows.fake_engine import fake_workspace
from tests.helpers.corrections import OWN, PASSAGE, SHOWN, absent, correction, right

TEXT = "👩\u200d👩 The pool opens at nine.\n\nIt closes at eight, and on Sundays at six."
SILENT = Silent()
NINE, EIGHT, SIX = (Span(TEXT.index(word), TEXT.index(word) + len(word)) for word in ("nine", "eight", "six"))
PASTED = Opened(Document(TEXT, "Pasted text"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return fake_workspace(tmp_path / "home")


def asked(opened: Opened, *spans: Span, answered: bool = True, no_answer: float = 0.1) -> Entry:
    shares = (0.7, 0.2, 0.1)
    found = tuple(
        Answer(0, span, span.of(opened.document.text), share, 5.0, 1.0)
        for span, share in zip(spans, shares, strict=False)
    )
    reading = Reading(found, answered, no_answer, 0.5, 2, 3, 0.1, model="reader", absent=0.2)
    return entry_of(opened, Question(" When does it close? ", (opened.document,)), reading)


def kept(workspace: Workspace) -> Correction:
    (correction,) = workspace.corrections.all()
    return correction


def test_an_answer_is_right_with_the_words_and_the_numbers_that_were_shown(workspace: Workspace) -> None:
    entry = asked(PASTED, EIGHT, NINE)
    made = correct(workspace, PASTED, entry, Verdict.RIGHT, SILENT)
    assert made == kept(workspace) and made is not None
    assert (made.verdict, made.words, made.span) == (Verdict.RIGHT, "eight", EIGHT)
    assert (made.shown, made.shown_span, made.probability, made.no_answer) == ("eight", EIGHT, 0.7, 0.1)
    assert (made.question, made.name, made.path) == ("When does it close?", "Pasted text", "")
    assert made.answered and made.in_parts and made.is_agreed and made.model == "reader"
    assert made.place is not None and made.place.of(made.passage) == "eight"


def test_the_right_words_are_kept_with_those_that_were_shown(workspace: Workspace) -> None:
    made = correct(workspace, PASTED, asked(PASTED, NINE), Verdict.OTHER_WORDS, SILENT, span=EIGHT)
    assert made is not None and not made.is_agreed
    assert (made.words, made.span, made.shown, made.shown_span) == ("eight", EIGHT, "nine", NINE)


def test_the_words_that_were_shown_are_right_also_where_they_are_selected(workspace: Workspace) -> None:
    made = correct(workspace, PASTED, asked(PASTED, EIGHT), Verdict.OTHER_WORDS, SILENT, span=EIGHT)
    assert made is not None and made.verdict is Verdict.RIGHT and made.is_agreed


@pytest.mark.parametrize("verdict", [Verdict.RIGHT, Verdict.NOT_THERE])
@pytest.mark.parametrize("spans", [(NINE,), ()])
def test_to_agree_that_the_text_does_not_say_takes_no_words(
    workspace: Workspace, verdict: Verdict, spans: tuple[Span, ...]
) -> None:
    entry = asked(PASTED, *spans, answered=False, no_answer=0.95)
    assert entry.shown is None
    made = correct(workspace, PASTED, entry, verdict, SILENT)
    assert made is not None and made.is_agreed
    assert (made.verdict, made.words, made.span, made.place) == (Verdict.NOT_THERE, "", None, None)
    assert made.shown == ("nine" if spans else ""), "the nearest words, though they were not given"


def test_the_nearest_words_are_right_where_that_is_said(workspace: Workspace) -> None:
    entry = asked(PASTED, NINE, answered=False, no_answer=0.6)
    assert entry.best is None and entry.shown is not None
    made = correct(workspace, PASTED, entry, Verdict.RIGHT, SILENT)
    assert made is not None and (made.words, made.answered, made.low_confidence) == ("nine", False, True)
    denied = correct(workspace, PASTED, entry, Verdict.NOT_THERE, SILENT)
    assert denied is not None and made.is_agreed and not denied.is_agreed
    assert workspace.corrections.all() == [denied]
    entry = asked(PASTED, NINE, answered=False, no_answer=0.95)
    made = correct(workspace, PASTED, entry, Verdict.OTHER_WORDS, SILENT, span=NINE)
    assert made is not None and (made.verdict, made.words) == (Verdict.OTHER_WORDS, "nine"), "none were shown"


@pytest.mark.parametrize("span", [None, Span(5, 5), Span(len(TEXT) - 2, len(TEXT) + 1)])
def test_other_words_have_to_be_taken_from_the_text(workspace: Workspace, span: Span | None) -> None:
    with pytest.raises(SpanlightError, match="No words"):
        correct(workspace, PASTED, asked(PASTED, NINE), Verdict.OTHER_WORDS, SILENT, span=span)
    assert workspace.corrections.count() == 0


def test_another_verdict_takes_the_place_of_the_first_and_can_be_taken_back(workspace: Workspace) -> None:
    entry = asked(PASTED, NINE)
    correct(workspace, PASTED, entry, Verdict.RIGHT, SILENT)
    correct(workspace, PASTED, entry, Verdict.NOT_THERE, SILENT)
    assert kept(workspace).verdict is Verdict.NOT_THERE
    assert correct(workspace, PASTED, entry, Verdict.NONE, SILENT) is None
    assert workspace.corrections.count() == 0
    assert correct(workspace, PASTED, entry, Verdict.NONE, SILENT) is None


def test_one_that_is_brought_back_takes_no_newer_verdict_away(workspace: Workspace) -> None:
    first = correct(workspace, PASTED, asked(PASTED, NINE), Verdict.RIGHT, SILENT)
    assert first is not None
    delete_corrections(workspace, [first], SILENT)
    bring_back(workspace, [first], SILENT)
    assert kept(workspace) == first
    delete_corrections(workspace, [first], SILENT)
    newer = correct(workspace, PASTED, asked(PASTED, NINE), Verdict.NOT_THERE, SILENT)
    bring_back(workspace, [first], SILENT)
    assert kept(workspace) == newer


def test_a_document_that_has_changed_is_to_be_asked_again(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    path.write_text(TEXT, "utf-8")
    opened = read_document(workspace, path, SILENT)
    entry = asked(opened, EIGHT)
    path.write_text(f"{TEXT} Closed in winter.", "utf-8")
    for now in (read_document(workspace, path, SILENT), Opened(Document(f"The {TEXT}"))):
        with pytest.raises(SpanlightError, match="has changed since"):
            correct(workspace, now, entry, Verdict.RIGHT, SILENT)
    with pytest.raises(SpanlightError, match="has changed"):
        correct(workspace, Opened(Document(f"{TEXT}!")), asked(PASTED, EIGHT), Verdict.RIGHT, SILENT)
    assert workspace.corrections.count() == 0
    # As a library's index keeps it: without the digest of the file.
    made = correct(workspace, replace(opened, sha256=""), entry, Verdict.RIGHT, SILENT)
    assert made is not None and made.sha256 == opened.sha256


def test_a_verdict_is_found_by_document_and_question(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    path.write_text(f"{TEXT}\n", "utf-8")
    file = read_document(workspace, path, SILENT)
    for opened in (PASTED, file):
        assert correction_of(workspace, opened, "When does it close?", SILENT) is None
        made = correct(workspace, opened, asked(opened, NINE), Verdict.NOT_THERE, SILENT)
        assert correction_of(workspace, opened, " When does it close? ", SILENT) == made
        assert correction_of(workspace, opened, "Why?", SILENT) is None
    entries = [asked(file, NINE), replace(asked(PASTED), question="Why?")]
    assert list(corrections_of(workspace, entries)) == [(file.sha256, "When does it close?")]


def test_a_verdict_is_told_of_what_another_reading_shows(workspace: Workspace) -> None:
    made = correct(workspace, PASTED, asked(PASTED, NINE), Verdict.OTHER_WORDS, SILENT, span=EIGHT)
    assert made is not None
    assert made.verdict_on(NINE) is made.verdict_on(None) is made.verdict_on(SIX) is Verdict.OTHER_WORDS
    assert made.verdict_on(EIGHT) is Verdict.RIGHT, "by now the reader shows the right words"
    assert (made.verdict_in_words(NINE), made.verdict_in_words(EIGHT)) == ("Yours: eight", "You said: right")
    made = correct(workspace, PASTED, asked(PASTED, NINE), Verdict.NOT_THERE, SILENT)
    assert made is not None and made.verdict_on(NINE) is made.verdict_on(None) is Verdict.NOT_THERE
    assert made.verdict_in_words(NINE) == "You said: not in the text"


def test_corrections_are_written_as_squad(workspace: Workspace, tmp_path: Path) -> None:
    kept = [
        correction("How long?"),
        right("How many days?"),
        absent("Who is the tenant?", sha256="b" * 64, name="other 🦉.txt"),
        absent("Is there a garden?", shown="", shown_span=None, answered=False),
    ]
    path = tmp_path / "corrections.json"
    assert export_corrections(workspace, kept, path, Silent()) == 4
    whole = json.loads(path.read_text("utf-8"))
    assert whole["version"] == "v2.0"
    assert [one["title"] for one in whole["data"]] == ["lease.pdf", "other 🦉.txt"]
    ((first,), (second,)) = (one["paragraphs"] for one in whole["data"])
    assert first["context"] == second["context"] == PASSAGE
    told = {qa["question"]: qa for paragraph in (first, second) for qa in paragraph["qas"]}
    assert len({qa["id"] for qa in told.values()}) == 4
    for question, words in (("How long?", OWN), ("How many days?", SHOWN)):
        (answer,) = told[question]["answers"]
        assert not told[question]["is_impossible"] and answer["text"] == words
        assert PASSAGE[answer["answer_start"] :].startswith(words)
    tenant, garden = told["Who is the tenant?"], told["Is there a garden?"]
    assert tenant["is_impossible"] and tenant["answers"] == garden["answers"] == []
    assert tenant["plausible_answers"] == [{"text": SHOWN, "answer_start": PASSAGE.index(SHOWN)}]
    assert "plausible_answers" not in garden


def test_nothing_is_not_exported(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="no corrections"):
        export_corrections(workspace, [], tmp_path / "none.json", Silent())
    assert not (tmp_path / "none.json").exists()
