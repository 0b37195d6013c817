from __future__ import annotations

from dataclasses import replace

from app.core.measures import Measure, latest_of
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
