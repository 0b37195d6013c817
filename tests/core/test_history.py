"""What is said of a question that was kept."""

from __future__ import annotations

from dataclasses import replace

from tests.helpers.history_entries import LEASE, entry


def test_of_a_stopped_reading_nothing_is_said_of_the_rest_of_the_text() -> None:
    none = replace(entry(), answered=False, no_answer_probability=0.97)
    assert none.best is None
    assert none.without_answer == "The text does not say."
    assert none.likely == "Very likely not in the text, 97 %"
    for part in (replace(none, complete=False), replace(none, quick=True)):
        assert part.without_answer == "No answer in the part that was read."


def test_where_an_answer_stands_is_said() -> None:
    assert LEASE.where == "page 2"
    assert replace(LEASE, page_label="ii").where == "page ii (2 in the file)"
    assert replace(LEASE, page=None, line=1204).where == "line 1,204"
    assert replace(LEASE, page=None).where == ""


def test_an_answer_that_was_not_sure_enough_is_not_called_silence() -> None:
    none = replace(entry(), answered=False, no_answer_probability=0.37)
    assert none.without_answer == "No answer that is sure enough."
    assert none.likely == "63 % sure that the text answers"


def test_which_part_was_read_is_said() -> None:
    assert entry().in_part == ""
    assert entry(quick=True).in_part == "Only the best passages were read"
    stopped = entry(quick=True, complete=False, windows=8, windows_total=32)
    assert stopped.in_part == "Stopped after 25 % of the best passages"
