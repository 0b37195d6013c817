"""What is said of a question that was kept."""

from __future__ import annotations

from dataclasses import replace

from tests.helpers.history_entries import entry


def test_of_a_stopped_reading_nothing_is_said_of_the_rest_of_the_text() -> None:
    none = replace(entry(), answered=False)
    assert none.best is None
    assert none.without_answer == "The text does not say."
    assert replace(none, complete=False).without_answer == "No answer in the part that was read."
