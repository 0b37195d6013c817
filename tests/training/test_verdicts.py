"""The calibration fitted to verdicts: its error after 100 of them, and what changes it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bench.verdicts import WORLDS, errors
from app.core.corrections import Judgement
from app.core.models import Adjustment, QaCalibration
from app.core.requests import DevReading
from app.training.verdicts import fit_adjustment

SHIPPED = QaCalibration(temperature=3.0, answer_temperature=2.0, threshold=0.75, absent=0.5)
RIGHT = Judgement(0.72, chance=0.9, share=0.8, answers=True, right=True)
WRONG = replace(RIGHT, right=False)
SHARES = st.floats(0, 1)


@cache
def readings() -> list[DevReading]:
    """600 readings with margins and gaps between scores as a reader gives them."""
    dice = np.random.default_rng(11)
    found = []
    for _ in range(600):
        margin = dice.normal(3.0, 5.0)
        gaps = np.cumsum(dice.exponential(1.2, 19))
        found.append(DevReading(1, True, (margin, *(margin - gaps).tolist()), (margin,), True))
    return found


@pytest.mark.parametrize("name", WORLDS)
def test_the_error_is_below_six_points_after_100_verdicts(name: str) -> None:
    found = [errors(readings(), SHIPPED, WORLDS[name], seed) for seed in range(4)]
    before, after = (mean(each) for each in zip(*found, strict=True))
    assert after < 0.06
    assert after < before or WORLDS[name] == Adjustment()


def test_more_verdicts_make_it_better() -> None:
    world = WORLDS["half as sure as it should be"]
    means = [
        mean(errors(readings(), SHIPPED, world, seed, number)[1] for seed in range(3)) for number in (50, 800)
    ]
    assert means[1] < 0.03 < means[0]


def test_verdicts_that_agree_with_the_calibration_leave_it() -> None:
    # Of 100 such answers nine in ten texts answer, and eight of ten of those answers are right.
    absent = replace(WRONG, answers=False)
    found = fit_adjustment([RIGHT] * 72 + [WRONG] * 18 + [absent] * 10, SHIPPED)
    assert found.slope == pytest.approx(1.0, abs=0.05)
    assert found.bias == pytest.approx(0.0, abs=0.1)
    assert found.sharing == pytest.approx(1.0, abs=0.05)


def test_wrong_answers_make_it_less_sure_and_raise_the_threshold() -> None:
    sure = [replace(RIGHT, chance=0.9 + 0.001 * at, right=at > 60) for at in range(90)]
    found = fit_adjustment(sure, SHIPPED)
    assert found.sharing > 1.2
    assert found.threshold > fit_adjustment([RIGHT] * 90, SHIPPED).threshold


@given(
    st.lists(
        st.builds(Judgement, st.none() | SHARES, SHARES, SHARES, st.booleans(), st.booleans()), min_size=1
    )
)
def test_any_verdicts_give_sound_numbers(judgements: list[Judgement]) -> None:
    found = fit_adjustment(judgements, SHIPPED)
    assert 0.25 <= found.slope <= 4 and 0.25 <= found.sharing <= 4
    assert -4 <= found.bias <= 4
    assert 0.05 <= found.threshold <= 0.95


def test_there_must_be_a_verdict() -> None:
    with pytest.raises(ValueError, match="no verdicts"):
        fit_adjustment([], SHIPPED)
