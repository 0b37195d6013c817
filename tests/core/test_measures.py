from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.measures import Comparison, Measure, examples, figure, latest_of, share, speed, verdict
from app.core.models import Head, ModelCard

QA = Head.QUESTION_ANSWERING
CARD = ModelCard("reader", "/models/reader", "bert", (QA,))
FIRST = Measure(
    "reader", "/models/reader", QA, "Questions", "d1", 2, {"f1": 50.0}, 1.0, "CPU", "10", "2026-11-20"
)


def test_of_each_set_the_latest_measure_counts() -> None:
    other = replace(FIRST, digest="d2", data="Others")
    again = replace(FIRST, when="2026-11-21", figures={"f1": 60.0})
    strange = replace(FIRST, folder="/elsewhere/reader")
    assert latest_of(CARD, (again, other, strange, FIRST)) == (again, other)
    assert latest_of(CARD, ()) == ()


def test_a_starter_keeps_its_measures_where_it_is_installed_anew() -> None:
    starter = replace(
        CARD, name="reader-quick", folder="/new/resources/models/reader-quick", source="starter"
    )
    old = replace(FIRST, model="reader-quick", folder="/old/resources/models/reader-quick")
    assert latest_of(starter, (old, FIRST)) == (old,)


def one(model: str = "small", examples: int = 100, seconds: float = 2.0) -> Measure:
    return Measure(
        model,
        f"/{model}",
        Head.QUESTION_ANSWERING,
        "mine",
        "d",
        examples,
        {},
        seconds,
        "CPU",
        "",
        "2025-01-01",
    )


def test_numbers_in_words() -> None:
    assert (speed(one()), speed(one(examples=1)), speed(one(seconds=0))) == (
        "50 a second",
        "0.5 a second",
        "0.0 a second",
    )
    assert speed(one(examples=20_000)) == "10,000 a second"
    assert examples(1, Head.QUESTION_ANSWERING) == "1 question"
    assert examples(1200, Head.CLASSIFICATION) == "1,200 texts"
    assert examples(2, Head.MASKED_WORDS) == "2 examples"
    assert share(61.54) == "61.5%"


def test_every_figure_has_plain_words_and_its_term() -> None:
    for name in (
        "exact",
        "f1",
        "forced f1",
        "no answer right",
        "accuracy",
        "macro f1",
        "precision",
        "recall",
    ):
        found = figure(name)
        assert found.title and found.words.endswith(".") and found.term and not found.lower_is_better
    assert figure("calibration error").lower_is_better
    assert figure("f1", Head.TOKEN_CLASSIFICATION).term != figure("f1", Head.QUESTION_ANSWERING).term
    assert figure("of tomorrow").title == "Of tomorrow"


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((50, 0, 0, 50), "Both got 50 of 100 questions right, the very same ones."),
        ((40, 7, 7, 46), "Both got 47 of 100 questions right, not all the same ones."),
        (
            (40, 8, 14, 38),
            "large got 54 of 100 questions right, small 48. That may be chance: two equally good models would differ"
            " so much about 29 times in a hundred such tests.",
        ),
        (
            (40, 30, 2, 28),
            "small got 70 of 100 questions right, large 42. That is hardly chance: two equally good models would"
            " differ so much less than once in a thousand such tests.",
        ),
        (
            (40, 9, 0, 51),
            "small got 49 of 100 questions right, large 40. That is hardly chance: two equally good models would"
            " differ so much about 4 times in a thousand such tests.",
        ),
    ],
)
def test_the_verdict(counts: tuple[int, int, int, int], said: str) -> None:
    assert verdict(Comparison(one(), one("large"), *counts)) == said


def test_one_model_against_itself() -> None:
    said = verdict(Comparison(one(), one(), 1, 1, 0, 0))
    assert said.startswith("small (first) got 2 of 2 questions right, small (second) 1.")
