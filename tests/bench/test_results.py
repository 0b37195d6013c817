from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bench.results import in_turn, row

TIMES = st.lists(st.floats(0.001, 1000), min_size=1, max_size=9)


def test_each_begins_every_second_time() -> None:
    called: list[str] = []

    def timed(name: str, number: int) -> float:
        called.append(f"{name}{number}")
        return float(number)

    found = in_turn(lambda number: timed("a", number), lambda number: timed("b", number), 3)
    assert called == ["a0", "b0", "b1", "a1", "a2", "b2"]
    assert found == ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])


def test_without_a_reference() -> None:
    assert in_turn(lambda number: number + 0.5, None, 2) == ([0.5, 1.5], [])


@given(TIMES, TIMES)
def test_a_row_of_medians(ours: list[float], theirs: list[float]) -> None:
    slower, faster = (row("it", ours, "s", theirs, more_is_better=more) for more in (False, True))
    assert slower.value == median(ours)
    assert slower.against == median(theirs)
    assert slower.ratio == pytest.approx(median(theirs) / median(ours))
    assert faster.ratio == pytest.approx(1 / slower.ratio)
    assert slower.spread * slower.value == pytest.approx(max(ours) - min(ours))
    assert row("it", ours, "s", worst=True).worst == max(ours)
    assert row("it", ours, "/s", more_is_better=True, worst=True).worst == min(ours)


def test_a_row_without_a_reference_has_no_ratio() -> None:
    assert row("it", [1.0], "s").ratio is None
