"""Values of cells are read in words that depend on no country."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.documents.sheets.values import in_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("Tea, 2 kg", "Tea, 2 kg"),
        (1234.5, "1234.5"),
        (3.0, "3"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1e-7, "0.0000001"),
        (1e-300, "1e-300"),
        (123456789012345680.0, "123456789012346000"),
        (1e30, "1e+30"),
        (17, "17"),
        (True, "TRUE"),
        (False, "FALSE"),
        (date(2026, 11, 26), "2026-11-26"),
        (datetime(2026, 11, 26), "2026-11-26"),
        (datetime(2026, 11, 26, 14, 30), "2026-11-26 14:30"),
        (datetime(2026, 11, 26, 0, 0, 7), "2026-11-26 00:00:07"),
        (time(8, 30), "08:30"),
        (timedelta(hours=36, minutes=15), "36:15"),
        (timedelta(seconds=-5), "-0:00:05"),
        (None, ""),
    ],
)
def test_a_value_in_words(value: object, words: str) -> None:
    assert in_words(value) == words


@given(some.floats(-1e300, 1e300))
def test_a_number_keeps_its_fifteen_digits(number: float) -> None:
    assert float(in_words(number)) == pytest.approx(number, rel=1e-14)
