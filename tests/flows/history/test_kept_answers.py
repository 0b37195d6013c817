"""Locating answers of the history in the document as it is now."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind, Opened
from app.core.text import Document, Span
from app.flows.history.history import digest
from app.flows.history.kept_answers import locate_answers, restore_reading
from tests.helpers.history_entries import ENTRY

TEXT = "The tide is high at noon. The tide is low at six."


def kept(text: str, start: int, end: int) -> KeptAnswer:
    return KeptAnswer(
        Span(start, end), text[start:end], 0.9, "", text[max(0, start - 8) : start], text[end : end + 8]
    )


def plain(text: str) -> Opened:
    return Opened(Document(text))


def entry(*answers: KeptAnswer) -> Entry:
    return replace(ENTRY, question="When?", path="", sha256="", kind=Kind.TEXT, answers=answers)


def test_an_answer_in_its_place_is_taken_as_it_is() -> None:
    found = locate_answers(plain(TEXT), entry(kept(TEXT, 20, 24)))
    assert found.in_place
    assert [(one.span, one.text) for one in found.answers] == [(Span(20, 24), "noon")]
    reading = restore_reading(entry(kept(TEXT, 20, 24)), found.answers)
    assert reading.best is not None and reading.best.text == "noon"
    assert not reading.quick
    by_two = restore_reading(replace(entry(kept(TEXT, 20, 24)), finder="quicker"), found.answers)
    assert by_two.quick and by_two.judged_whole, "not all of it was read"


def test_what_a_person_judged_by_another_threshold_is_restored_with_the_readers_own() -> None:
    strict = replace(entry(kept(TEXT, 20, 24)), answered=False, no_answer_probability=0.2, threshold=0.9)
    answers = locate_answers(plain(TEXT), strict).answers
    for own, restored in ((0.7, (True, 0.7)), (0.0, (False, 0.9))):
        reading = restore_reading(replace(strict, own_threshold=own), answers)
        assert (reading.answered, reading.threshold) == restored, own


def test_how_a_misspelt_question_was_read_is_restored() -> None:
    respelt = replace(entry(kept(TEXT, 20, 24)), read_as="When is the tide high?")
    assert restore_reading(respelt, ()).read_as == "When is the tide high?"


def test_an_answer_that_moved_is_found_by_what_stands_around_it() -> None:
    now = "A new line.\n" + TEXT + " The tide is high at noon. " + TEXT
    found = locate_answers(plain(now), entry(kept(TEXT, 42, 45)))
    assert not found.in_place
    assert [one.text for one in found.answers] == [TEXT[42:45]] == [found.answers[0].span.of(now)]


def test_an_answer_that_is_gone_or_stands_in_many_places_is_not_guessed() -> None:
    words = KeptAnswer(Span(0, 8), "The tide", 0.9, "", "before ", " after")
    gone = entry(KeptAnswer(Span(3, 9), "absent", 0.9))
    assert locate_answers(plain(TEXT + " " + TEXT.lower()), gone).answers == ()
    found = locate_answers(plain("x" + TEXT), entry(words))
    assert not found.in_place and found.answers == ()
    assert not restore_reading(entry(words), found.answers).answered


def test_no_answer_holds_of_the_same_document_alone() -> None:
    none = replace(entry(), sha256=digest(TEXT))
    assert locate_answers(plain(TEXT), none).in_place
    assert not locate_answers(plain(TEXT + " More."), none).in_place
    assert locate_answers(Opened(Document("Read from a file."), sha256=none.sha256), none).in_place


OLDER = "Of all texts three annotators5 marked each at noon, and two annotators5 marked none at noon."
NEWER = OLDER.replace("annotators5", "annotators 5")


@pytest.mark.parametrize("words", ["annotators5", "noon", "5 marked", "all texts", "noon."])
def test_in_the_same_file_other_blanks_change_nothing(words: str) -> None:
    start = OLDER.rindex(words)
    one = replace(entry(kept(OLDER, start, start + len(words))), sha256="ab" * 32)
    found = locate_answers(replace(plain(NEWER), sha256=one.sha256), one)
    assert found.in_place and not found.changed
    now = words.replace("annotators5", "annotators 5")
    assert [(each.span.start, each.text) for each in found.answers] == [(NEWER.rindex(now), now)]
    assert not locate_answers(replace(plain(NEWER), sha256="cd" * 32), one).in_place or words == "all texts"


def test_of_a_file_that_is_read_otherwise_it_is_not_said_that_it_has_changed() -> None:
    one = replace(entry(kept(OLDER, 3, 20)), sha256="ab" * 32)
    found = locate_answers(replace(plain("Nothing of it."), sha256=one.sha256), one)
    assert (found.answers, found.in_place, found.changed) == ((), False, False)


@given(st.text("ab \n", min_size=1, max_size=80), st.data())
def test_blanks_between_letters_move_no_answer_of_the_same_file(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    blanks = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
    now = "".join(" " * blank + letter for blank, letter in zip(blanks, text, strict=True))
    one = replace(entry(kept(text, start, end)), sha256="ab" * 32)
    for each in locate_answers(replace(plain(now), sha256=one.sha256), one).answers:
        assert each.text == each.span.of(now)
        assert "".join(each.text.split()) == "".join(text[start:end].split())


@given(st.text(max_size=20), st.text(min_size=3, max_size=60), st.data())
def test_what_is_found_says_the_words(before: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    now = before + text
    for one in locate_answers(plain(now), entry(kept(text, start, end))).answers:
        assert one.span.of(now) == one.text == text[start:end]
