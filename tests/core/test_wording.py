from __future__ import annotations

from collections.abc import Callable

import pytest

from app.core import wording
from app.core.wording import duration, likelihood, percent, precise_percent, size, time_left


@pytest.mark.parametrize(
    ("function", "number", "words"),
    [
        (likelihood, 1.0, "Very likely"),
        (likelihood, 0.9, "Very likely"),
        (likelihood, 0.89, "Likely"),
        (likelihood, 0.7, "Likely"),
        (likelihood, 0.4, "Possibly"),
        (likelihood, 0.15, "Unlikely"),
        (likelihood, 0.149, "Very unlikely"),
        (likelihood, 0.0, "Very unlikely"),
        (percent, 0.0, "< 1%"),
        (percent, 0.0049, "< 1%"),
        (percent, 0.006, "1%"),
        (percent, 0.94, "94%"),
        (percent, 0.9949, "99%"),
        (percent, 1.0, "> 99%"),
        (precise_percent, 0.94, "94%"),
        (precise_percent, 0.1, "10%"),
        (precise_percent, 0.0994, "9.9%"),
        (precise_percent, 0.034, "3.4%"),
        (precise_percent, 0.00021, "0.021%"),
        (precise_percent, 0.02, "2.0%"),
        (precise_percent, 0.00002071, "1 in 48,000"),
        (precise_percent, 1 / 3_456_789, "1 in 3,400,000"),
        (precise_percent, 1e-12, "< 1 in a billion"),
        (duration, 0.04, "less than 0.1 seconds"),
        (duration, 0.4, "0.4 seconds"),
        (duration, 1.0, "1 second"),
        (duration, 9.96, "10 seconds"),
        (duration, 89, "89 seconds"),
        (duration, 90, "2 minutes"),
        (duration, 3600, "1 hour"),
        (duration, 7800, "2 hours 10 minutes"),
        (time_left, 1, "a few seconds left"),
        (time_left, 19, "about 20 seconds left"),
        (time_left, 58, "about a minute left"),
        (time_left, 200, "about 3 minutes left"),
        (size, 1, "1 byte"),
        (size, 999, "999 bytes"),
        (size, 1500, "1.5 kB"),
        (size, 46_000_000, "46 MB"),
        (size, 999_600, "1.0 MB"),
        (size, 1_200_000_000, "1.2 GB"),
    ],
)
def test_a_number_in_words(function: Callable[[float], str], number: float, words: str) -> None:
    assert function(number) == words


def test_percent_never_says_none_or_all() -> None:
    said = {percent(step / 2000) for step in range(2001)}
    assert not {"0%", "100%"} & said
    assert {f"{number}%" for number in range(1, 100)} <= said


def test_first_words() -> None:
    assert wording.first_words("  a cup\n of tea ") == "a cup of tea"
    assert wording.first_words("a cup of hot tea", 11) == "a cup of…"
    assert wording.first_words("x" * 5000) == "x" * 60 + "…"


def test_the_best_of_several_is_not_called_unlikely_where_the_text_answers() -> None:
    assert wording.best_of(0.94, 0.03) == "Very likely, 94%"
    assert wording.best_of(0.4, 0.08) == "Possibly, 40%"
    assert wording.best_of(0.23, 0.08) == "Best of several, 23%"
    assert wording.best_of(0.23, 0.6) == "Unlikely, 23%"


def test_no_answer_is_said_by_how_likely_there_is_none() -> None:
    assert wording.without_answer(0.94) == ("The text does not say.", "94% sure")
    assert wording.without_answer(0.75, whole=False) == (
        "No answer in the part that was read.",
        "75% sure",
    )


def test_how_far_a_reading_came() -> None:
    assert wording.stopped_after(0.34) == "Stopped after 34% of the text"
    assert wording.stopped_after(0.5, quick=True) == "Stopped after 50% of the best passages"
    assert wording.stopped_after(0.5, quick=None) == "Stopped after 50% of the reading"
    assert wording.stopped_after(0.0, how="Broke off") == "Broke off at the start"
    assert wording.stopped_after(None) == "Stopped before the end"
    assert wording.best_passages(0.08) == "Only the best passages were read, 8% of the text"
    assert wording.best_passages() == "Only the best passages were read"


def test_a_place_is_its_page_or_its_line() -> None:
    assert wording.place_in_words(1204, "", 7) == wording.place_in_words(1204, "1204", None) == "page 1,204"
    assert wording.place_in_words(4, "iv", None) == "page iv (4 in the file)"
    assert wording.place_in_words(None, "", 1204) == "line 1,204"
    assert wording.place_in_words(None, "", None) == ""


def test_two_probabilities_are_each_said_to_be_of_what() -> None:
    assert wording.sure_of_both(0.41, 0.1) == "90% sure that the text answers, 41% that these words do"
    assert wording.sure_of_both(0.9, 0.1) == wording.sure_of_both(0.94, 0.05) == "", "one number is enough"
