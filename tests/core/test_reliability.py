"""Bins of probabilities, and the calibration error over them in words."""

from __future__ import annotations

import random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.reliability import (
    BINS,
    ReliabilityBin,
    TextKind,
    bins_of,
    calibration_error,
    calibration_error_in_words,
    error_by_chance,
    expected_calibration_error,
    reliability_of,
    text_kind,
)


def test_each_tenth_has_its_questions_their_mean_and_the_share_that_was_right() -> None:
    bins = bins_of([(0.0, False), (0.09, True), (0.7, True), (0.74, True), (0.76, False), (1.0, True)])
    assert len(bins) == BINS
    assert bins[0] == ReliabilityBin(2, pytest.approx(0.045), 0.5)
    assert bins[7] == ReliabilityBin(3, pytest.approx(2.2 / 3), pytest.approx(2 / 3))
    assert bins[9] == ReliabilityBin(1, 1.0, 1.0)
    assert [at for at, each in enumerate(bins) if each.questions] == [0, 7, 9]
    assert expected_calibration_error(bins) == pytest.approx((2 * 0.455 + abs(2.2 - 2)) / 6)


def test_each_kind_of_text_has_its_own_bins() -> None:
    table, long, short = (text_kind(n, is_table=n > 2) for n in (3, 2, 1))
    assert [table, long, short] == [TextKind.TABLES, TextKind.LONG_DOCUMENTS, TextKind.PARAGRAPHS]
    found = reliability_of(
        [(long, 0.2, True), (table, 0.7, False), (long, 2 / 9, False), (long, 0.25, False)]
    )
    assert set(found) == {TextKind.LONG_DOCUMENTS, TextKind.TABLES}
    assert found[TextKind.LONG_DOCUMENTS][2] == ReliabilityBin(3, 0.2241, 0.3333)
    assert found[TextKind.TABLES] == bins_of([(0.7, False)])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_calibration_error_is_a_share(outcomes: list[tuple[float, bool]]) -> None:
    assert 0 <= calibration_error(outcomes) <= 1


def test_what_comes_true_as_often_as_said_has_no_calibration_error() -> None:
    assert calibration_error([(0.75, True)] * 3 + [(0.75, False)] + [(1.0, True)]) == pytest.approx(0)
    assert calibration_error([(1.0, False)]) == calibration_error([(0.0, True)]) == 1.0


def test_the_error_is_said_in_points() -> None:
    sure = bins_of([(0.95, True)] * 1200)
    assert (
        calibration_error_in_words(TextKind.PARAGRAPHS, sure)
        == "Paragraphs: off by 5 points on average (1,200 questions)"
    )
    one = bins_of([(0.99, True)])
    assert (
        calibration_error_in_words(TextKind.TABLES, one) == "Tables: off by 1 point on average (1 question)"
    )
    none = bins_of([(1.0, True)] * 2)
    assert "documents: off by less than 1 point" in calibration_error_in_words(TextKind.LONG_DOCUMENTS, none)


def test_few_questions_deviate_by_chance() -> None:
    dice = random.Random(7)
    draws = [calibration_error([(0.75, dice.random() < 0.75) for _ in range(40)]) for _ in range(2000)]
    assert error_by_chance(bins_of([(0.75, True)] * 40)) == pytest.approx(mean(draws), abs=0.004)
