from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import ProblemType
from app.core.results import Classification, ClassScore
from app.core.tables import class_columns, class_values, csv_lines, harmless

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


def item(problem: ProblemType, winner: str, **scores: float) -> Classification:
    return Classification(tuple(ClassScore(k, v) for k, v in scores.items()), winner, 1, 5, problem.value)


@pytest.mark.parametrize(
    "cell", ["=1", "=SUM(A1)", "+cmd|'x'!A1", "-1+2", "-A1", "@a", "\tx", "\rx", "\nx", "＝1", "-inf", "+nan"]
)
def test_formulas_are_made_harmless(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"
    assert harmless(harmless(cell)) == harmless(cell)


@pytest.mark.parametrize(
    "cell",
    ["-1", "+1", "-1.5", "-0.000001", "-1,5", "-1.234,56", "+49 171 2345", "-3e-05", "-12 %", "-12%", ".5", "a=1", ""],
)  # fmt: skip
def test_numbers_and_other_texts_stay(cell: str) -> None:
    assert harmless(cell) == cell


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_number_is_touched(value: float) -> None:
    for cell in (repr(value), f"{value:.6f}", f"{value:+g}"):
        assert harmless(cell) == cell


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5), st.sampled_from(",;\t"))
def test_cells_come_back_harmless_and_else_as_they_were(rows: list[list[str]], delimiter: str) -> None:
    lines = csv_lines(rows, delimiter)
    found = list(csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter))
    assert found == [[harmless(cell) for cell in row] for row in rows]


def test_rows_end_in_a_line_feed() -> None:
    assert csv_lines([["a", 'say "x",\ny'], ["b", "-1.5"]]) == 'a,"say ""x"",\ny"\nb,-1.5\n'


@pytest.mark.parametrize(
    ("problem", "winner", "fitting"),
    [
        (ProblemType.SINGLE_LABEL, "b", ["b"]),
        (ProblemType.MULTI_LABEL, "b", ["a", "b"]),
        (ProblemType.MULTI_LABEL, "", []),
        (ProblemType.REGRESSION, "", []),
    ],
)
def test_which_classes_apply(problem: ProblemType, winner: str, fitting: list[str]) -> None:
    low = not winner
    found = item(problem, winner, a=0.2 if low else 0.5, b=0.4 if low else 0.9, c=0.1)
    assert [score.label for score in found.fitting] == fitting


def test_names_of_columns_in_use_get_a_number_and_a_regression_has_values_only() -> None:
    names = class_columns(("label", "text"), ("bad", "good"))
    assert names == ["label", "text", "label 2", "probability", "probability bad", "probability good"]
    assert class_columns(("text",), ("stars",), ProblemType.REGRESSION) == ["text", "value stars"]


@pytest.mark.parametrize(
    ("problem", "winner", "scores", "values"),
    [
        (ProblemType.SINGLE_LABEL, "b", {"a": 0.1, "b": 0.9}, ["b", "0.900000", "0.100000", "0.900000"]),
        (ProblemType.MULTI_LABEL, "b", {"b": 0.9, "c": 0.6}, ["b; c", "0.900000", "0.900000", "0.600000"]),
        (ProblemType.MULTI_LABEL, "", {"b": 0.3, "c": 0.1}, ["", "", "0.300000", "0.100000"]),
        (ProblemType.REGRESSION, "", {"stars": -1.25}, ["-1.250000"]),
    ],
)
def test_values(problem: ProblemType, winner: str, scores: dict[str, float], values: list[str]) -> None:
    assert class_values(item(problem, winner, **scores)) == values
