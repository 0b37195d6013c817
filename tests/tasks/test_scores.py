from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import MOST_ABSENT, SHARED_AMONG, Adjustment, QaCalibration, log_odds
from app.core.requests import DevReading
from app.tasks.scores import (
    MOST_TAKEN_FOR_ABSENT,
    add_equal,
    answer_probability,
    balanced_threshold,
    calibrated_shares,
    dev_probabilities,
    fit_calibration,
    fit_temperature,
    logsumexp,
    shares,
    sigmoid,
    softmax,
)

FINITE = st.floats(-1e4, 1e4)


@given(st.lists(FINITE, min_size=1, max_size=8), st.floats(0.1, 10))
def test_softmax_sums_to_one_and_keeps_the_order(values: list[float], temperature: float) -> None:
    p = softmax(np.array(values), temperature)
    assert p.sum() == pytest.approx(1.0)
    assert p[int(np.argmax(values))] == p.max()
    assert np.isfinite(p).all()


def test_known_values() -> None:
    assert softmax(np.log([1.0, 2.0, 5.0])).tolist() == pytest.approx([0.125, 0.25, 0.625])
    assert sigmoid(np.array([0.0, math.log(3)])).tolist() == pytest.approx([0.5, 0.75])
    assert sigmoid(np.array([-1e6, 1e6])).tolist() == [0.0, 1.0]
    assert logsumexp(np.array([[0.0, 0.0], [-np.inf, -np.inf]])).tolist() == [math.log(2), -np.inf]
    assert logsumexp(np.array([1e4, 1e4])) == pytest.approx(1e4 + math.log(2))


def test_the_answer_probability_is_the_formula_of_the_calibration() -> None:
    calibration = QaCalibration(temperature=2.0, offset=1.0, per_log_window=0.5, answer_temperature=4.0)
    expected = 1 / (1 + math.exp(-(3.0 - 1.0 - 0.5 * math.log(10)) / 2.0))
    assert answer_probability(calibration, 3.0, 10) == pytest.approx(expected)
    assert shares(calibration, [4.0, 0.0]).tolist() == pytest.approx(
        [math.e / (1 + math.e), 1 / (1 + math.e)]
    )


@given(
    st.floats(0.3, 3),
    st.floats(-3, 3),
    st.floats(0.3, 3),
    st.floats(-8, 8),
    st.integers(1, 9),
    st.booleans(),
)
def test_an_adjustment_moves_the_log_odds_and_is_undone(
    slope: float, bias: float, sharing: float, margin: float, windows: int, in_table: bool
) -> None:
    shipped = QaCalibration(
        2.0, 1.0, 0.5, 1.5, 0.7, 0.35, long=-1.0, table=0.5, share=0.3, share_long=0.4, share_table=-0.2
    )
    adjustment = Adjustment(slope, bias, sharing, 0.6)
    own = shipped.adjusted(adjustment)
    before = answer_probability(shipped, margin, windows, in_table)
    after = answer_probability(own, margin, windows, in_table)
    assert after == pytest.approx(sigmoid(slope * log_odds(before) + bias), abs=1e-6)
    assert own.threshold == 0.6
    below = slope * (log_odds(0.7) - log_odds(0.35))
    assert log_odds(own.threshold) - log_odds(own.absent) == pytest.approx(below), (
        "the same texts are between"
    )
    assert own.answer_temperature == pytest.approx(sharing * shipped.answer_temperature)
    assert own.share_log_odds(windows, in_table) == pytest.approx(
        shipped.share_log_odds(windows, in_table) / sharing
    )
    assert adjustment.undo(after, 0.5)[0] == pytest.approx(before, abs=1e-3)


@pytest.mark.parametrize(("sharing", "alike"), [(0.5, 3.4), (1.0, 5.8), (2.0, 9.7)])
def test_a_share_is_undone_as_one_among_some_alike(sharing: float, alike: float) -> None:
    def share(temperature: float) -> float:
        return 1 / (1 + alike * math.exp(-3.0 / temperature))

    undone = Adjustment(sharing=sharing).undo(0.9, share(sharing))[1]
    assert undone == pytest.approx(share(1.0), abs=0.01)


def test_no_adjustment_changes_nothing_and_a_limit_that_was_not_fitted_stays_so() -> None:
    assert QaCalibration().adjusted(None) == QaCalibration()
    assert QaCalibration().adjusted(Adjustment()) == QaCalibration()
    assert QaCalibration().adjusted(Adjustment(threshold=0.9)).absent == 0.0


def test_no_adjustment_has_a_text_that_more_likely_answers_count_as_silent() -> None:
    stricter = QaCalibration(threshold=0.6, absent=0.5).adjusted(Adjustment(threshold=0.9))
    assert stricter.absent > MOST_ABSENT == stricter.absent_below


def test_a_share_does_not_depend_on_how_many_are_listed() -> None:
    scores = [5.0 - 0.1 * n for n in range(100)]
    some, many = shares(QaCalibration(), scores[:SHARED_AMONG]), shares(QaCalibration(), scores)
    assert some.sum() == pytest.approx(1.0)
    assert many[:SHARED_AMONG].tolist() == some.tolist()
    assert (np.diff(many) < 0).all()


def synthetic(truth: QaCalibration, count: int, lengths: tuple[int, ...]) -> list[DevReading]:
    """Readings drawn from a calibration: what the fit should find again."""
    random = np.random.default_rng(5)
    observed = []
    for _ in range(count):
        windows = int(random.choice(lengths))
        margin = float(random.normal(truth.offset, 5.0))
        scores = np.sort(random.normal(0.0, 4.0, size=6))[::-1]
        scores += margin - scores[0]
        says = answer_probability(truth, margin, windows)
        answerable = random.random() < says
        own = sigmoid(log_odds(shares(truth, scores.tolist())[0]) + truth.share)
        right = bool(answerable and random.random() < own)
        observed.append(DevReading(windows, bool(answerable), tuple(scores.tolist()), (margin,), right))
    return observed


def test_the_best_of_spans_with_the_same_words_has_their_sum() -> None:
    texts, values = ["The tarts,", "noon", "the  tarts", "…", "Noon"], np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    assert add_equal(texts, values) == pytest.approx([0.6, 0.3, 0.2, 0.1, 0.05])
    assert add_equal(["a", "b", "B", "b"], np.array([0.3, 0.25, 0.25, 0.2])) == pytest.approx(
        [0.3, 0.3, 0.25, 0.2]
    )
    assert add_equal([], np.empty(0)).tolist() == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.25", "125"), ("-5 °C", "5 °C"), ("$40", "€40"), ("10%", "10"), ("C#", "C"), ("की", "का")],
)
def test_other_words_do_not_count_together(one: str, other: str) -> None:
    assert add_equal([one, other], np.array([0.6, 0.4])).tolist() == [0.6, 0.4]


FOUND = st.lists(st.tuples(st.text("ab .", max_size=3), st.floats(-20, 20)), min_size=1, max_size=60)


@given(FOUND, st.floats(-3, 3))
def test_shares_of_words_are_shares_in_order(found: list[tuple[str, float]], share: float) -> None:
    texts, scores = zip(*sorted(found, key=lambda each: -each[1]), strict=True)
    own = shares(QaCalibration(), scores)
    summed = add_equal(texts, own)
    assert (summed >= own - 1e-12).all() and summed[0] <= 1 and (np.diff(summed) <= 0).all()
    assert calibrated_shares(QaCalibration(), texts, scores, 1, False).tolist() == summed.tolist()
    moved = calibrated_shares(QaCalibration(share_long=share), texts, scores, 2, False)
    assert moved[0] == pytest.approx(sigmoid(log_odds(summed[0]) + share), abs=1e-6)
    assert (moved >= 0).all() and (np.diff(moved) <= 0).all()


def test_words_that_stand_in_several_places_count_together_in_the_fit() -> None:
    truth = QaCalibration(temperature=2.0, answer_temperature=3.0)
    readings = [
        replace(one, scores=(*one.scores, one.scores[0]), own=one.own * 2)
        for one in synthetic(truth, 4000, (1,))
    ]
    alone = fit_calibration([replace(one, own=one.own[:1]) for one in readings])
    assert fit_calibration(readings).answer_temperature > alone.answer_temperature
    own = dev_probabilities(truth, readings[0])[1]
    assert own > dev_probabilities(truth, replace(readings[0], own=readings[0].own[:1]))[1]


def test_the_fit_finds_the_calibration_that_readings_were_drawn_from() -> None:
    truth = QaCalibration(temperature=2.5, offset=1.5, per_log_window=0.8, answer_temperature=3.0)
    fitted = fit_calibration(synthetic(truth, 6000, (1, 10, 50)))
    assert fitted.temperature == pytest.approx(truth.temperature, rel=0.1)
    assert fitted.offset == pytest.approx(truth.offset, abs=0.35)
    assert fitted.per_log_window == pytest.approx(truth.per_log_window, abs=0.12)
    assert fitted.answer_temperature == pytest.approx(truth.answer_temperature, rel=0.12)


def test_readings_of_one_length_say_nothing_of_length() -> None:
    truth = QaCalibration(temperature=1.5, offset=-1.0)
    fitted = fit_calibration(synthetic(truth, 3000, (4,)))
    assert fitted.per_log_window == 0.0
    assert fitted.temperature == pytest.approx(1.5, rel=0.15)
    assert fitted.offset == pytest.approx(-1.0, abs=0.35)


def test_more_windows_never_make_an_answer_likelier() -> None:
    truth = QaCalibration(temperature=2.0, offset=0.5, per_log_window=-1.0, answer_temperature=3.0)
    fitted = fit_calibration(synthetic(truth, 1500, (1, 10, 50)))
    assert fitted.per_log_window == 0.0
    assert answer_probability(fitted, 2.0, 500) == answer_probability(fitted, 2.0, 2)


def test_several_windows_and_tables_have_an_offset_of_their_own() -> None:
    truth = QaCalibration(temperature=2.0, offset=0.5, answer_temperature=3.0, long=-2.0, table=1.0)
    readings = synthetic(truth, 2000, (1,)) + synthetic(truth, 2000, (20,))
    readings += [replace(one, in_table=True) for one in synthetic(replace(truth, offset=1.5), 2000, (1,))]
    fitted = fit_calibration(readings)
    assert fitted.long == pytest.approx(-2.0, abs=0.5) and fitted.table == pytest.approx(1.0, abs=0.5)


def test_shares_have_log_odds_of_their_own_in_long_texts_and_in_tables() -> None:
    truth = QaCalibration(temperature=2.0, answer_temperature=4.0)
    plain = synthetic(replace(truth, share=0.5), 6000, (1,))
    several = synthetic(replace(truth, share=1.0), 6000, (20,))
    tables = [replace(one, in_table=True) for one in synthetic(replace(truth, share=-0.2), 6000, (1,))]
    fitted = fit_calibration([*plain, *several, *tables])
    assert fitted.answer_temperature == pytest.approx(4.0, rel=0.15)
    assert fitted.share == pytest.approx(0.5, abs=0.2)
    assert fitted.share_log_odds(20, False) == pytest.approx(1.0, abs=0.2)
    assert fitted.share_log_odds(1, True) == pytest.approx(-0.2, abs=0.2)


def test_probabilities_after_the_fit_are_the_shares_that_were_right() -> None:
    truth = QaCalibration(temperature=2.0, offset=0.5, per_log_window=1.0, answer_temperature=5.0)
    observed = synthetic(truth, 8000, (1, 30))
    fitted = fit_calibration(observed)
    chance = np.array([math.prod(dev_probabilities(fitted, one)) for one in observed])
    right = np.array([o.right for o in observed])
    for low in np.arange(0, 0.8, 0.2):
        inside = (chance >= low) & (chance < low + 0.2)
        assert chance[inside].mean() == pytest.approx(right[inside].mean(), abs=0.05)


@pytest.mark.parametrize("answerable", [True, False])
def test_separable_or_one_sided_readings_give_finite_numbers(answerable: bool) -> None:
    observed = [DevReading(1, answerable, (float(m),), (float(m),), answerable) for m in range(5)]
    observed.append(DevReading(0, answerable, (), (), False))
    fitted = fit_calibration(observed)
    numbers = (
        fitted.temperature,
        fitted.offset,
        fitted.per_log_window,
        fitted.answer_temperature,
        fitted.threshold,
    )
    assert np.isfinite(numbers).all()
    assert fitted.temperature > 0
    given = [answer_probability(fitted, o.scores[0], o.windows) >= fitted.threshold for o in observed[:5]]
    assert given == [answerable] * 5


@given(
    st.lists(st.tuples(st.floats(-8, 8), st.booleans()), min_size=1, max_size=60).filter(
        lambda found: any(answerable for _, answerable in found)
    )
)
def test_no_more_than_a_tenth_of_the_answerable_is_taken_for_absent(found: list[tuple[float, bool]]) -> None:
    observed = [DevReading(1, answerable, (m,), (m,), answerable) for m, answerable in found]
    fitted = fit_calibration(observed)
    chance = sorted(answer_probability(fitted, o.scores[0], 1) for o in observed if o.answerable)
    assert sum(each < fitted.absent for each in chance) <= MOST_TAKEN_FOR_ABSENT * len(chance)
    assert 0 <= fitted.absent <= fitted.threshold
    assert fitted.absent_below <= MOST_ABSENT, "a text that more likely answers is not said to be silent"
    larger = np.nextafter(fitted.absent, 1)
    too_many = sum(each < larger for each in chance) > MOST_TAKEN_FOR_ABSENT * len(chance)
    assert too_many or fitted.absent == fitted.threshold, "it is the largest such limit"


def test_nothing_observed_is_refused() -> None:
    with pytest.raises(ValueError, match="no readings"):
        fit_calibration([])


QUESTIONS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.9, 0.99]), st.booleans(), st.booleans()),
    min_size=1,
    max_size=25,
)


@given(QUESTIONS)
def test_no_other_threshold_errs_less_on_both_sides(questions: list[tuple[float, bool, bool]]) -> None:
    chance = np.array([c for c, _, _ in questions])
    answerable = np.array([a for _, a, _ in questions])
    right = np.array([r and a for _, a, r in questions])

    def worst(threshold: float) -> float:
        given = chance >= threshold
        refused = (answerable & ~given).sum() / max(1, answerable.sum())
        return max(float((given & ~right).mean()), float(refused))

    least = worst(balanced_threshold(chance, right, answerable))
    assert least <= min(worst(float(t)) for t in np.linspace(0, 1.01, 102)) + 1e-9


def test_the_temperature_of_a_head_is_found_again() -> None:
    random = np.random.default_rng(3)
    logits = random.normal(0, 4, size=(6000, 3))
    p = softmax(logits, 2.5)
    targets = np.array([random.choice(3, p=row) for row in p])
    assert fit_temperature(logits, targets) == pytest.approx(2.5, rel=0.1)
    many = (random.random(logits.shape) < sigmoid(logits, 0.7)).astype(float)
    assert fit_temperature(logits, many) == pytest.approx(0.7, rel=0.1)
