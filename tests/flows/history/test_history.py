"""Saving, searching and deleting questions, and asking them again."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.history import Entry
from app.core.layout import Heading, Kind, Opened, PageText
from app.core.report import Silent
from app.core.requests import Question
from app.core.results import Answer, Outcome, Reading
from app.core.text import Document, Span
from app.flows.ask.question import ask
from app.flows.ask.read import read_document
from app.flows.history import history
from app.flows.history.history import compare_entries
from app.flows.workspace import Workspace
from app.library.database import Damaged
from tests.flows.fake_engine import READER, FakeEngine, fake_workspace
from tests.helpers.history_entries import LEASE, entry, unanswered

TEXT = "Part one\n\nThe tide is low. At noon the tide is highest, says Mr. Hu.\n\nPart two\n\nNobody swims."
SILENT = Silent()
PASTED = Opened(Document(TEXT, "Pasted text"))


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def workspace(tmp_path: Path, engine: FakeEngine) -> Workspace:
    return fake_workspace(tmp_path / "home", engine)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tides.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def remembered(
    workspace: Workspace, *opened: Opened, text: str = "What about noon?", threshold: float | None = None
) -> Entry | None:
    """Ask and remember: the entry if one was kept."""
    question = Question(text, tuple(one.document for one in opened), threshold=threshold)
    return history.remember(workspace, opened, question, ask(workspace, question, SILENT), SILENT)


def asked(workspace: Workspace, *opened: Opened, **how: Any) -> Entry:
    """Ask and remember: the entry as it was kept."""
    kept = remembered(workspace, *opened, **how)
    assert kept is not None and workspace.history.get(kept.number) == kept
    return kept


def test_an_entry_says_what_was_asked_and_where_the_answer_stands() -> None:
    start = TEXT.index("noon")
    opened = Opened(
        Document(TEXT, "tides.pdf", "/docs/tides.pdf"),
        Kind.PDF,
        headings=(
            Heading(Span(0, 8), 1),
            Heading(Span(TEXT.index("Part two"), TEXT.index("Part two") + 8), 1),
        ),
        pages=(PageText(1, 1, Span(0, 10)), PageText(1, 1, Span(10, len(TEXT)))),
        sha256="cd" * 32,
    )
    answer = Answer(0, Span(start, start + 4), "noon", 0.8, 6.0, 2.0)
    reading = Reading(
        (answer,), True, 0.2, 0.5, 1, 1, 0.3, model="reader", device="CPU", quick=True, absent=0.15
    )
    asked = Question(" When? ", (opened.document,), quick=True)
    made = history.entry_of(opened, asked, reading, asked=7.0)
    found = history.entry_of(opened, replace(asked, quick=False), replace(reading, finder="quicker"))
    assert not found.quick, "what a quicker reader found passages for was not asked quickly"
    assert (made.question, made.name, made.path) == ("When?", "tides.pdf", "/docs/tides.pdf")
    assert (made.kind, made.sha256, made.asked) == (Kind.PDF, "cd" * 32, 7.0)
    assert (made.answered, made.quick, made.complete, made.model) == (True, True, True, "reader")
    assert (made.outcome, made.absent) == (reading.outcome, 0.15)
    unsure = replace(reading, answers=(replace(answer, probability=0.1),), threshold=0.05, absent=0.9)
    assert history.entry_of(opened, asked, unsure).outcome is unsure.outcome is Outcome.LOW_CONFIDENCE
    assert (made.share_read, made.stopped) == (1.0, "")
    part = replace(reading, complete=False, windows=34, windows_total=100)
    made_in_part = history.entry_of(opened, asked, part)
    assert made_in_part.stopped == "Stopped after 34% of the best passages"
    found_in_part = history.entry_of(opened, replace(asked, quick=False), replace(part, finder="quicker"))
    assert found_in_part.stopped == made_in_part.stopped
    best = made.best
    assert best is not None
    assert (best.span, best.text, best.page, best.heading) == (Span(start, start + 4), "noon", 2, "Part one")
    assert best.sentence == "At noon the tide is highest, says Mr. Hu."
    assert (best.before, best.after) == (TEXT[:start], TEXT[start + 4 : start + 36])


def test_an_entry_says_how_a_misspelt_question_was_read(workspace: Workspace) -> None:
    assert (
        asked(workspace, PASTED, text="Who is the lnadlord at noon?").read_as
        == "Who is the landlord at noon?"
    )
    assert asked(workspace, PASTED).read_as == ""


# Without a table, whose row is kept as it is read.
@given(st.text(st.characters(codec="utf-8", exclude_characters="\t|"), min_size=1, max_size=200), st.data())
def test_what_is_kept_around_an_answer_is_the_text_around_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    answer = Answer(0, Span(start, end), text[start:end], 0.5, 1.0, 0.0)
    reading = Reading((answer,), True, 0.5, 0.4, 1, 1, 0.1)
    best = history.entry_of(Opened(Document(text)), Question("q", (Document(text),)), reading).answers[0]
    assert text[: best.span.start].endswith(best.before) and text[best.span.end :].startswith(best.after)
    assert len(best.before) == min(32, start) and len(best.after) == min(32, len(text) - end)
    assert best.text in best.sentence and best.sentence in text


def test_a_typed_text_is_kept_with_its_entry(workspace: Workspace) -> None:
    kept = asked(workspace, PASTED)
    assert kept.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert history.document_of(workspace, kept, SILENT).document == Document(TEXT, "Pasted text")


def test_nothing_is_kept_where_no_history_is_wanted(workspace: Workspace) -> None:
    workspace.settings.keep_history = False
    assert remembered(workspace, PASTED) is None
    assert not workspace.paths.history_file.exists()


def test_no_refusal_is_kept_of_a_document_some_of_whose_pages_are_not_recognised(
    workspace: Workspace,
) -> None:
    scan = replace(PASTED, kind=Kind.PDF, pictures=(1,))
    assert remembered(workspace, scan, text="What about sharks?") is None
    assert remembered(workspace, PASTED, text="What about sharks?") is not None
    assert asked(workspace, scan).words == "noon", "an answer is"


def test_of_several_documents_that_of_the_best_answer_is_kept_and_that_they_shared_it(
    workspace: Workspace,
) -> None:
    kept = asked(workspace, Opened(Document("Nothing here.", "a")), Opened(Document("At noon.", "b")))
    assert kept.name == "b" and kept.best is not None and kept.best.text == "noon"
    assert kept.shared and not asked(workspace, PASTED).shared


def test_an_answer_is_kept_in_a_new_history_where_the_old_one_is_damaged(workspace: Workspace) -> None:
    file = workspace.paths.history_file
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(Damaged):
        asked(workspace, PASTED)
    assert history.past(workspace, "noon", SILENT).total == 1


def test_a_relative_path_is_kept_as_a_whole_one(
    workspace: Workspace, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    kept = asked(workspace, read_document(workspace, file.name, SILENT))
    assert kept.path == str(file)


def test_the_past_comes_in_pages_and_as_a_whole(workspace: Workspace) -> None:
    for at in range(25):
        workspace.history.add(entry(at, question=f"Question {at}"))
    first = history.past(workspace, "question", SILENT, limit=10)
    assert first.total == 25 and [one.question for one in first.entries][:2] == ["Question 24", "Question 23"]
    second = history.past(workspace, "question", SILENT, limit=10, before=first.entries[-1])
    assert second.entries[0].question == "Question 14"
    assert len(history.all_entries(workspace, "", SILENT)) == 25


def test_what_was_forgotten_can_be_brought_back(workspace: Workspace) -> None:
    kept = asked(workspace, PASTED)
    forgotten = history.forget(workspace, [kept.number], SILENT)
    assert history.past(workspace, "", SILENT).total == 0
    history.bring_back(workspace, forgotten, SILENT)
    assert history.past(workspace, "", SILENT).entries == (kept,)
    assert history.forget_all(workspace, SILENT) == 1


# Asking again


def check(workspace: Workspace, kept: Entry) -> history.Comparison:
    return history.check_again(workspace, kept, SILENT)


def test_the_same_answer_is_said(workspace: Workspace, file: Path, engine: FakeEngine) -> None:
    kept = asked(workspace, read_document(workspace, file, SILENT))
    comparison = check(workspace, kept)
    assert comparison.sentences == ("The same answer, at the same place.",) and comparison.same
    assert comparison.now is not None and comparison.now.best == kept.best and comparison.now.number == 0
    assert history.past(workspace, "", SILENT).total == 1
    again = engine.requests[-1]
    assert isinstance(again, Question)
    assert (again.text, again.threshold, again.quick, again.top_k) == (
        kept.question, kept.threshold, False, 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "every"), [({}, True), ({"finder": "quicker"}, False), ({"quick": True}, False)]
)
def test_what_was_read_whole_is_read_whole_again(
    workspace: Workspace, engine: FakeEngine, changes: dict[str, Any], every: bool
) -> None:
    kept = replace(asked(workspace, PASTED), **changes)
    assert check(workspace, kept).same
    again = engine.requests[-1]
    assert isinstance(again, Question) and again.every == every


def test_a_file_that_has_changed_is_said_with_what_it_answers_now(workspace: Workspace, file: Path) -> None:
    kept = asked(workspace, read_document(workspace, file, SILENT))
    file.write_text("Once more. " + TEXT, encoding="utf-8")
    assert check(workspace, kept).sentences == (
        "The same answer, at another place.", "The file has changed since.",
    )  # fmt: skip
    file.write_text(TEXT + " More.", encoding="utf-8")
    assert check(workspace, kept).sentences[0] == "The same answer, at the same place."
    file.write_text("Nothing of the kind.", encoding="utf-8")
    comparison = check(workspace, kept)
    assert comparison.sentences[0] == "The text does not say any more (was “noon”)."
    assert not comparison.same and comparison.now is not None and comparison.now.best is None


def test_a_file_that_is_gone_is_said(workspace: Workspace, file: Path, engine: FakeEngine) -> None:
    kept = asked(workspace, read_document(workspace, file, SILENT))
    file.unlink()
    comparison = check(workspace, kept)
    assert comparison.sentences == ("The file is not there any more.",)
    assert comparison.now is None and len(engine.requests) == 1
    with pytest.raises(SpanlightError, match="not there any more"):
        history.document_of(workspace, kept, SILENT)


def test_a_typed_text_is_asked_again_as_long_as_it_is_kept(workspace: Workspace) -> None:
    kept = asked(workspace, PASTED)
    assert check(workspace, kept).same
    history.forget(workspace, [kept.number], SILENT)
    assert check(workspace, kept).sentences == ("The text is not kept any more.",)


def test_a_model_that_is_gone_gives_way_and_is_said(workspace: Workspace) -> None:
    kept = replace(asked(workspace, PASTED), model="grand-reader")
    assert check(workspace, kept).sentences == (
        "The same answer, at the same place.",
        "grand-reader is not installed any more; reader has read it.",
    )


@pytest.mark.parametrize(("quick", "asked_again"), [(False, "reader"), (True, "quick")])
def test_a_reading_that_was_stopped_at_the_quick_readers_words_is_asked_of_the_careful_one_again(
    workspace: Workspace, engine: FakeEngine, quick: bool, asked_again: str
) -> None:
    cards = (READER, replace(READER, name="quick", folder="/models/quick"))
    workspace.shelf.cards = lambda: cards  # type: ignore[method-assign]
    kept = asked(workspace, PASTED)
    check(workspace, replace(kept, model="quick", finder="quick", quick=quick, complete=False))
    choice, again = engine.choices[-1], engine.requests[-1]
    assert choice is not None and Path(choice.folder).name == asked_again
    assert isinstance(again, Question) and again.quick == quick


def test_an_answer_that_was_forced_is_forced_again(workspace: Workspace, engine: FakeEngine) -> None:
    kept = asked(workspace, PASTED, text="What about whales?", threshold=0.0)
    assert kept.answered
    assert check(workspace, kept).same
    again = engine.requests[-1]
    assert isinstance(again, Question) and again.threshold == 0


def test_a_reading_that_was_stopped_is_said(workspace: Workspace) -> None:
    kept = replace(asked(workspace, PASTED), complete=False, windows_total=4)
    assert "That time: Stopped after 25% of the text." in check(workspace, kept).sentences
    kept = replace(kept, windows=0, windows_total=0)
    assert "That time: Stopped before the end." in check(workspace, kept).sentences


OTHER = replace(LEASE, text="two months", probability=0.91, span=Span(5, 15))
LOW = unanswered(answers=(replace(LEASE, probability=0.31),), no_answer_probability=0.6)
JOINED = replace(LEASE, text="three months'rent", before="Thedeposit is ", span=Span(19, 35))
MOVED = replace(LEASE, span=Span(99, 116), page=7)


@pytest.mark.parametrize(
    ("before", "now", "same", "said"),
    [
        (entry(), entry(), True, "The same answer, at the same place."),
        (unanswered(), unanswered(), True, "The text still does not say."),
        (unanswered(), LOW, False, "Now there are nearest words: “three months' rent”. Low confidence, 31%."),
        (entry(), LOW, False,
         "Now there are only nearest words: “three months' rent” (was “three months' rent”). Low confidence, 31%."),
        (LOW, entry(), False, "Now there is an answer: “three months' rent”. Very likely, 94%."),
        (LOW, LOW, True, "The same nearest words, at the same place."),
        (LOW, replace(LOW, answers=(OTHER,)), False,
         "Other nearest words now: “two months” (was “three months' rent”). Low confidence, 91%."),
        (LOW, unanswered(), False, "The text does not say any more (was “three months' rent”)."),
        (unanswered(), unanswered(quick=True), True, "Still no answer in the part that was read."),
        (unanswered(), entry(), False, "Now there is an answer: “three months' rent”. Very likely, 94%."),
        (entry(), unanswered(), False, "The text does not say any more (was “three months' rent”)."),
        (
            entry(),
            entry(answers=(OTHER,)),
            False,
            "Another answer now: “two months” (was “three months' rent”). Very likely, 91%.",
        ),
        (entry(), entry(answers=(MOVED,)), False, "The same answer, at another place: page 7."),
        # The same file, read with other blanks than once.
        (entry(answers=(JOINED,)), entry(), True, "The same answer, at the same place."),
        (entry(answers=(JOINED,)), entry(answers=(replace(LEASE, after=" a year"),)), False,
         "The same answer, at another place."),
        (
            entry(),
            entry(sha256="cd" * 32, answers=(replace(MOVED, page=None),)),
            False,
            "The same answer, at another place.",
        ),
        (
            entry(),
            entry(answers=(replace(LEASE, probability=0.6),)),
            True,
            "The same answer, at the same place. Now 60% (was 94%).",
        ),
        (entry(), entry(sha256="cd" * 32, answers=(replace(LEASE, span=Span(30, 47)),)), True,
         "The same answer, at the same place."),
    ],
)  # fmt: skip
def test_what_changed_is_said(before: Entry, now: Entry, same: bool, said: str) -> None:
    assert compare_entries(before, now) == (same, said)
