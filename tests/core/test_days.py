from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from app.core import days

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (date(2026, 11, 21), "Today"),
        (date(2026, 11, 20), "Yesterday"),
        (date(2026, 11, 19), "Thursday, 19 November"),
        (date(2026, 1, 1), "Thursday, 1 January"),
        (date(2025, 12, 31), "Wednesday, 31 December 2025"),
        (date(2026, 11, 22), "Sunday, 22 November"),  # a clock that was put back
    ],
)
def test_day(moment: date, words: str) -> None:
    assert days.day(moment, TODAY) == words


def test_date_and_time() -> None:
    assert days.date_and_time(datetime(2026, 3, 9, 8, 5, tzinfo=UTC)) == "9 March 2026, 08:05"


def test_iso_is_utc_whatever_the_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert days.iso(1_700_000_000.7) == "2023-11-14T22:13:20Z"


@pytest.mark.parametrize("seconds", [-1e18, 1e18])
def test_a_moment_that_no_calendar_holds_is_shown_all_the_same(seconds: float) -> None:
    assert days.iso(seconds)[4] == "-"
