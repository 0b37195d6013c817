"""What a text's classes look like: in words, in rows, and by readable names."""

from __future__ import annotations

import pytest

from app.core.models import ProblemType
from app.core.results import Classification, ClassScore
from app.ui.widgets.class_card import headline, score_rows, sureness
from app.ui.widgets.score_bars import nice_label


def classification(problem: ProblemType, winner: str = "", **scores: float) -> Classification:
    listed = tuple(ClassScore(label, value) for label, value in scores.items())
    return Classification(listed, winner, 1, 5, problem)


def test_many_labels_stand_in_order_of_probability() -> None:
    scores = {f"label_{at}": (at + 1) / 5050 for at in range(100)}
    item = classification(ProblemType.SINGLE_LABEL, "label_99", **scores)
    rows = score_rows(item)
    assert len(rows) == 100
    assert rows[0].name == "Label 99"
    assert [row.best for row in rows].count(True) == 1
    assert sureness(item) == "Unsure: the likeliest of 100, 2 %"


def test_multi_label_names_all_that_apply() -> None:
    item = classification(ProblemType.MULTI_LABEL, "rude", rude=0.9, loud=0.6, kind=0.1)
    assert headline(item) == "Rude, Loud"
    assert [row.best for row in score_rows(item)] == [True, True, False]
    nothing = classification(ProblemType.MULTI_LABEL, "", rude=0.3, kind=0.1)
    assert headline(nothing) == "None of them"
    assert "30 %" in sureness(nothing)


def test_regression_shows_values_without_bars() -> None:
    item = classification(ProblemType.REGRESSION, stars=-1.25)
    assert headline(item) == "-1.25"
    assert sureness(item) == ""
    assert [(row.name, row.fraction, row.number) for row in score_rows(item)] == [("Stars", None, "-1.25")]


@pytest.mark.parametrize(
    ("label", "nice"),
    [
        ("negative", "Negative"), ("very_positive", "Very positive"), ("LABEL_3", "Label 3"),
        ("NEGATIVE", "Negative"), ("NSW", "NSW"), ("5 stars", "5 stars"), ("", ""), ("__", "__"),
    ],
)  # fmt: skip
def test_labels_are_made_readable(label: str, nice: str) -> None:
    assert nice_label(label) == nice
