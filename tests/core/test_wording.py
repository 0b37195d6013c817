from __future__ import annotations

import pytest

from app.core import wording


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "Very likely"),
        (0.9, "Very likely"),
        (0.89, "Likely"),
        (0.7, "Likely"),
        (0.4, "Possibly"),
        (0.15, "Unlikely"),
        (0.149, "Very unlikely"),
        (0.0, "Very unlikely"),
    ],
)
def test_likelihood(probability: float, words: str) -> None:
    assert wording.likelihood(probability) == words


@pytest.mark.parametrize(
    ("probability", "words"),
    [(0.0, "< 1%"), (0.0049, "< 1%"), (0.006, "1%"), (0.94, "94%"), (0.9949, "99%"), (1.0, "> 99%")],
)
def test_percent(probability: float, words: str) -> None:
    assert wording.percent(probability) == words


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.94, "94%"),
        (0.1, "10%"),
        (0.0994, "9.9%"),
        (0.034, "3.4%"),
        (0.00021, "0.021%"),
        (0.02, "2.0%"),
        (0.00002071, "1 in 48,000"),
        (1 / 3_456_789, "1 in 3,400,000"),
        (1e-12, "< 1 in a billion"),
    ],
)
def test_small_probabilities_too(probability: float, words: str) -> None:
    assert wording.finely(probability) == words


def test_first_words() -> None:
    assert wording.first_words("  a cup\n of tea ") == "a cup of tea"
    assert wording.first_words("a cup of hot tea", 11) == "a cup of…"
    assert wording.first_words("x" * 5000) == "x" * 60 + "…"


def test_percent_never_says_none_or_all() -> None:
    said = {wording.percent(step / 2000) for step in range(2001)}
    assert "0%" not in said
    assert "100%" not in said
    assert {f"{number}%" for number in range(1, 100)} <= said


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "less than 0.1 seconds"),
        (0.4, "0.4 seconds"),
        (1.0, "1 second"),
        (9.96, "10 seconds"),
        (89, "89 seconds"),
        (90, "2 minutes"),
        (3600, "1 hour"),
        (7800, "2 hours 10 minutes"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert wording.duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "a few seconds left"),
        (19, "about 20 seconds left"),
        (58, "about a minute left"),
        (200, "about 3 minutes left"),
    ],
)
def test_time_left(seconds: float, words: str) -> None:
    assert wording.time_left(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (46_000_000, "46 MB"),
        (999_600, "1.0 MB"),
        (1_200_000_000, "1.2 GB"),
    ],
)
def test_size(number: int, words: str) -> None:
    assert wording.size(number) == words


def test_count() -> None:
    assert wording.count(1, "window") == "1 window"
    assert wording.count(1204, "window") == "1,204 windows"
    assert wording.count(2, "class", "classes") == "2 classes"


def test_the_best_of_several_is_not_called_unlikely_where_the_text_answers() -> None:
    assert wording.best_of(0.94, 0.03) == "Very likely, 94%"
    assert wording.best_of(0.4, 0.08) == "Possibly, 40%"
    assert wording.best_of(0.23, 0.08) == "Best of several, 23%"
    assert wording.best_of(0.23, 0.6) == "Unlikely, 23%"


def test_no_answer_is_said_by_how_likely_there_is_none() -> None:
    assert wording.without_answer(0.94) == ("The text does not say.", "Very likely not in the text, 94%")
    assert wording.without_answer(0.7) == ("The text does not say.", "Likely not in the text, 70%")
    assert wording.without_answer(0.75, whole=False) == (
        "No answer in the part that was read.",
        "Likely not in the part that was read, 75%",
    )


def test_how_far_a_reading_came_that_was_stopped() -> None:
    assert wording.stopped_after(0.34) == "Stopped after 34% of the text"
    assert wording.stopped_after(0.5, quick=True) == "Stopped after 50% of the best passages"
    assert wording.stopped_after(0.5, quick=None) == "Stopped after 50% of the reading"
    assert wording.best_passages(0.08) == "Only the best passages were read, 8% of the text"
    assert wording.page_in_words(1204) == wording.page_in_words(1204, "1204") == "page 1,204"
    assert wording.page_in_words(4, "iv") == "page iv (4 in the file)"
    assert wording.best_passages() == "Only the best passages were read"
    assert wording.stopped_after(0.0, how="Broke off") == "Broke off at the start"
    assert wording.stopped_after(None) == "Stopped before the end"


def test_two_probabilities_are_each_said_to_be_of_what() -> None:
    assert wording.sure_of_both(0.41, 0.1) == "90% sure that the text answers, 41% that these words do"
    assert wording.sure_of_both(0.9, 0.1) == wording.sure_of_both(0.94, 0.05) == "", "one number is enough"
