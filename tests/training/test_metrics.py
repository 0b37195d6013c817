import pytest

from app.training import metrics
from app.training.metrics import name_figures


@pytest.mark.parametrize(
    ("prediction", "references", "em", "f1"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], 1.0, 1.0),
        ("the big dog", ["a dog", "cat"], 0.0, 2 / 3),
        ("an apple a day", ["apple day"], 1.0, 1.0),
        ("Mr. Jones", ["Jones"], 0.0, 2 / 3),
        ("to to be", ["to be be"], 0.0, 2 / 3),
        ("", [], 1.0, 1.0),
        ("something", [], 0.0, 0.0),
        ("", ["something"], 0.0, 0.0),
        ("the", ["a"], 1.0, 1.0),
        ("1,000", ["1000"], 1.0, 1.0),
    ],
)
def test_squad_scores(prediction: str, references: list[str], em: float, f1: float) -> None:
    assert metrics.exact_match(prediction, references) == em
    assert metrics.f1(prediction, references) == pytest.approx(f1)


def test_the_best_threshold_answers_where_that_pays() -> None:
    threshold, best = metrics.best_threshold(
        [3.0, 2.0, 1.0, -1.0], [1.0, 0.5, 0.0, 1.0], [False, False, True, False]
    )
    assert (threshold, best) == (2.0, pytest.approx(2.5 / 4))
    assert metrics.best_threshold([1.0, 5.0], [0.0, 0.0], [True, True]) == (float("inf"), 1.0)
    # Equal margins are answered together.
    assert metrics.best_threshold([1.0, 1.0], [1.0, 0.0], [False, True])[1] == 0.5


def test_class_figures() -> None:
    actual, predicted = ["a", "a", "b", "c"], ["a", "b", "b", "b"]
    assert metrics.accuracy(predicted, actual) == 0.5
    assert metrics.confusion(predicted, actual, "abc") == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]
    assert metrics.macro_f1(predicted, actual, "abc") == pytest.approx((2 / 3 + 0.5 + 0) / 3)


def test_names_are_right_where_place_and_kind_are_exact() -> None:
    # CoNLL's scorer: 3 names there, 4 found, 1 right.
    actual = [[((0, 2), "PER"), ((4, 5), "LOC")], [((1, 2), "ORG")]]
    found = [[((0, 2), "PER"), ((4, 6), "LOC"), ((7, 8), "LOC")], [((1, 2), "PER")]]
    overall, by_kind = name_figures(found, actual)
    assert (overall.names, overall.found) == (3, 4)
    assert overall.precision == 1 / 4 and overall.recall == 1 / 3
    assert overall.f1 == pytest.approx(2 / 7)
    assert {kind: (f.names, f.found, f.precision) for kind, f in by_kind.items()} == {
        "LOC": (1, 2, 0.0),
        "ORG": (1, 0, 0.0),
        "PER": (1, 2, 0.5),
    }
    assert (by_kind["ORG"].precision, by_kind["ORG"].recall, by_kind["ORG"].f1) == (0.0, 0.0, 0.0)
    nothing, none = name_figures([[]], [[]])
    assert (nothing.f1, none) == (0.0, {})
