"""What an entry of the history says about its question."""

from __future__ import annotations

from dataclasses import replace

from app.core.results import LEAST_GIVEN, Outcome
from tests.helpers.history_entries import LEASE, entry, unanswered


def test_of_a_stopped_reading_nothing_is_said_of_the_rest_of_the_text() -> None:
    none = unanswered()
    assert none.shown is None
    assert none.words == "The text does not say."
    assert none.likely == "97% sure"
    for part in (replace(none, complete=False), replace(none, quick=True)):
        assert part.words == "No answer in the part that was read."


def test_where_an_answer_stands_is_said() -> None:
    assert LEASE.where == "page 2"
    assert replace(LEASE, page_label="ii").where == "page ii (2 in the file)"
    assert replace(LEASE, page=None, line=1204).where == "line 1,204"
    assert replace(LEASE, page=None).where == ""
    cell = replace(LEASE, page=None, heading="Budget", cell="B1204")
    assert cell.where == "sheet Budget, cell B1204"
    assert replace(cell, heading="", column_name="Price").where == "row 1,204, column Price"


def test_words_with_low_confidence_are_shown_and_are_no_answer() -> None:
    low = replace(entry(), answered=False, no_answer_probability=0.37, absent=0.2)
    assert low.outcome is Outcome.LOW_CONFIDENCE
    assert low.best is None and low.shown == LEASE
    assert low.words == LEASE.text and low.likely == "Low confidence, 94%"
    assert replace(low, absent=0.64).outcome is replace(low, answers=()).outcome is Outcome.ABSENT
    assert entry(absent=0.99).outcome is Outcome.ANSWER


def test_words_that_are_next_to_never_right_are_no_answer_unless_one_must_be_given() -> None:
    for probability, outcome in ((0.149, Outcome.LOW_CONFIDENCE), (LEAST_GIVEN, Outcome.ANSWER)):
        found = entry(answers=(replace(LEASE, probability=probability),), no_answer_probability=0.1)
        assert found.outcome is outcome
        assert (found.best is None) == (outcome is not Outcome.ANSWER)
        assert replace(found, threshold=0.0).outcome is Outcome.ANSWER
    found = entry(answers=(replace(LEASE, probability=0.1),), no_answer_probability=0.7, absent=0.5)
    assert found.outcome is Outcome.LOW_CONFIDENCE, (
        "by a threshold below `absent` the text counts as answering"
    )
    assert replace(found, answered=False).outcome is Outcome.ABSENT


def test_which_part_was_read_is_said() -> None:
    assert entry().in_part == ""
    assert entry(quick=True).in_part == "Only the best passages were read"
    stopped = entry(quick=True, complete=False, windows=8, windows_total=32)
    assert stopped.in_part == "Stopped after 25% of the best passages"
