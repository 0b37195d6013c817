"""The numbers of charts: tables as CSV, numbers as text, ticks of an axis."""

from __future__ import annotations

import csv
import io
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.tables import harmless
from app.ui.kit.chart import Table, number, signed, summed, tick_label, ticks

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)
WORDS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=12)


@given(st.lists(st.tuples(WORDS, FLOATS, st.integers(-999, 999)), max_size=8), st.sampled_from(",\t"))
def test_a_table_is_read_back_from_its_csv_unchanged(rows: list[tuple[str, float, int]], mark: str) -> None:
    table = Table(("words", "score", "place"), tuple(rows))
    read = list(csv.reader(io.StringIO(table.csv(mark), newline=""), delimiter=mark))
    assert read[0] == ["words", "score", "place"]
    assert len(read) == len(rows) + 1
    for (words, score, place), back in zip(rows, read[1:], strict=True):
        assert back[0] == harmless(words)
        assert struct.pack("f", float(back[1])) == struct.pack("f", score)
        assert int(back[2]) == place


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (6.3149, "6.31"), (-0.052, "−0.052"), (6e-8, "6.0e−8"), (123.4, "123"), (0.0999999, "0.10"),
     (0.00999, "0.010"), (2e7, "2.0e7"), (-11.1, "−11.10")],
)  # fmt: skip
def test_numbers_are_written_with_few_digits(value: float, said: str) -> None:
    assert number(value) == said


def test_signs_and_sums_are_written_out() -> None:
    assert signed(0.31) == "+0.31" and signed(-2.0) == "−2.00" and signed(0.0) == "0"
    assert summed(6.5, -2.25) == "6.50 − 2.25 = 4.25"


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_round_and_lie_inside(low: float, reach: float) -> None:
    found = ticks(low, low + reach)
    assert len(found) <= 5
    assert found == sorted(found)
    for value in found:
        assert low - reach * 1e-6 <= value <= low + reach * (1 + 1e-6)
        assert tick_label(value)


def test_an_axis_across_zero_has_a_tick_at_zero() -> None:
    assert 0.0 in [abs(value) for value in ticks(-7.2, 6.4)]
    assert ticks(1.0, 1.0) == [1.0] and ticks(math.nan, 1.0) == []
