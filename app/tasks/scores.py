"""Logits to probabilities, and the few numbers fitted on dev data that make them calibrated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.core.models import SHARED_AMONG, QaCalibration
from app.core.requests import DevReading

# Of the questions that the text answers, this share at most is fitted to be said not to be answered.
MOST_TAKEN_FOR_ABSENT = 0.1
# Keeps the log loss of a certain mistake finite.
_LEAST_PROBABILITY = 1e-7


def logsumexp(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """ln of the sum of exponentials along `axis`, without overflow."""
    values = np.asarray(values, dtype=np.float64)
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.squeeze(top, axis) + np.log(np.exp(values - top).sum(axis=axis))


def softmax(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Probabilities along the last axis, float64 of the same shape, of logits divided by `temperature`."""
    scaled = np.asarray(logits, dtype=np.float64) / temperature
    return np.exp(scaled - logsumexp(scaled)[..., None])


def sigmoid(values: np.ndarray | float, temperature: float = 1.0) -> np.ndarray:
    """1 / (1 + exp(-values / temperature)), float64, without overflow."""
    scaled = np.asarray(values, dtype=np.float64) / temperature
    small = np.exp(-np.abs(scaled))
    return np.where(scaled >= 0, 1.0, small) / (1.0 + small)


def answer_probability(calibration: QaCalibration, margin: float, windows: int) -> float:
    """The calibrated probability that the text answers, from the best span's margin in so many windows."""
    spread = calibration.per_log_window * np.log(max(1, windows))
    return float(sigmoid(margin - calibration.offset - spread, calibration.temperature))


def shares(calibration: QaCalibration, scores: Sequence[float]) -> np.ndarray:
    """How the probability that the text answers is shared among spans of these scores, float64[n], best first.

    The first `SHARED_AMONG` have 1 together; what comes after them is measured against those, so that a span's
    share does not depend on how many are listed.
    """
    scaled = np.asarray(scores, dtype=np.float64) / calibration.answer_temperature
    return np.exp(scaled - logsumexp(scaled[:SHARED_AMONG]))


def fit_calibration(readings: Sequence[DevReading]) -> QaCalibration:
    """The calibration that minimises log loss on dev readings, with the threshold of the best SQuAD 2.0 F1.

    `absent` is the largest limit, up to that threshold, below which no more than `MOST_TAKEN_FOR_ABSENT` of the
    answerable questions fall.

    The chance that the text answers is a logistic regression on the margin and ln of the number of windows
    (Platt scaling), where more windows never make it likelier; the answer temperature then makes the first
    answer's share of it the chance that it is right. A `per_log_window` other than 0 comes out only where
    the readings differ in their number of windows. Raises ValueError where there are none.
    """
    if not readings:
        raise ValueError("no readings to fit a calibration on")
    found = [o for o in readings if o.scores and np.isfinite(o.margin)]
    margins = np.array([o.margin for o in found])
    windows = np.log([max(1, o.windows) for o in found])
    answerable = np.array([o.answerable for o in found], dtype=np.float64)
    slope, spread, bias = _logistic(margins, windows, answerable)
    if spread > 0:
        # More text read never speaks for an answer; only that the questions of long documents are few says so.
        slope, spread, bias = _logistic(margins, np.zeros_like(windows), answerable)
    fitted = QaCalibration(1.0 / slope, -bias / slope, max(0.0, -spread / slope))
    chance = np.array([answer_probability(fitted, o.margin, o.windows) for o in found])
    right = np.array([o.right for o in found], dtype=np.float64)
    # Scores less the best one, so that the first one's share is 1 / sum(exp(gap / temperature)).
    gaps = np.full((len(found), max((len(o.scores) for o in found), default=1)), -np.inf)
    for row, o in enumerate(found):
        gaps[row, : len(o.scores)] = np.array(o.scores) - o.scores[0]

    def loss(log_temperature: float) -> float:
        first = np.exp(-logsumexp(gaps / np.exp(log_temperature)))
        return _log_loss(chance * first, right)

    temperature = float(np.exp(_least(loss, np.log(0.02), np.log(50.0)))) if len(found) else 1.0
    everything = np.array([_chance(fitted, o) for o in readings])
    answers = np.array([o.answerable for o in readings])
    threshold = best_threshold(everything, np.array([o.f1 for o in readings]), answers)
    rising = np.sort(everything[answers])
    absent = float(rising[int(MOST_TAKEN_FOR_ABSENT * len(rising))]) if len(rising) else 0.0
    return QaCalibration(
        temperature=fitted.temperature,
        offset=fitted.offset,
        per_log_window=fitted.per_log_window,
        answer_temperature=temperature,
        threshold=threshold,
        absent=min(threshold, absent),
    )


def best_threshold(chance: np.ndarray, f1: np.ndarray, answerable: np.ndarray) -> float:
    """The least chance that the text answers from which on answering gives the best mean SQuAD 2.0 F1.

    Takes, for each question, the chance, the F1 of its best span if given, and whether the text answers;
    not answering counts 1 where it does not and 0 where it does (Rajpurkar et al. 2018).
    """
    order = np.argsort(-chance, kind="stable")
    gains = (f1 - ~answerable.astype(bool))[order]
    totals = np.concatenate([[0.0], np.cumsum(gains)])
    sorted_chance = chance[order]
    # Only cuts between different chances are thresholds.
    cuts = np.concatenate([[True], sorted_chance[1:] != sorted_chance[:-1], [True]])
    best = int(np.flatnonzero(cuts)[np.argmax(totals[cuts])])
    above = sorted_chance[best - 1] if best > 0 else 1.0
    below = sorted_chance[best] if best < len(sorted_chance) else 0.0
    return float((above + below) / 2)


def fit_temperature(logits: np.ndarray, targets: np.ndarray) -> float:
    """The temperature that minimises a classification head's log loss on dev data (Guo et al. 2017, section 4.2).

    `logits` are float[n, labels]; `targets` int[n] of class indices (softmax), or float[n, labels] of 0 and 1
    (sigmoids).
    """
    logits = np.asarray(logits, dtype=np.float64)
    targets = np.asarray(targets)

    def loss(log_temperature: float) -> float:
        temperature = float(np.exp(log_temperature))
        if targets.ndim == 2:
            return _log_loss(sigmoid(logits, temperature), targets)
        scaled = logits / temperature
        return float((logsumexp(scaled) - scaled[np.arange(len(scaled)), targets]).mean())

    return float(np.exp(_least(loss, np.log(0.05), np.log(20.0))))


def _chance(calibration: QaCalibration, o: DevReading) -> float:
    return answer_probability(calibration, o.margin, o.windows) if o.scores else 0.0


def _log_loss(probability: np.ndarray, truth: np.ndarray) -> float:
    p = np.clip(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return float(-(truth * np.log(p) + (1 - truth) * np.log1p(-p)).mean())


def _logistic(margins: np.ndarray, windows: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Slope, weight of ln windows and bias of a logistic regression, by Newton's method with a small ridge.

    The ridge pulls to slope 1, so that data that is separable, or all of one kind, stays finite.
    """
    varied = bool(len(windows)) and float(np.ptp(windows)) > 1e-9
    spreads = windows if varied else np.zeros_like(margins)
    features = np.stack([margins, spreads, np.ones_like(margins)], axis=1)
    prior = np.array([1.0, 0.0, 0.0])
    ridge = np.array([1.0, 1e-2, 1e-2])
    weights = prior.copy()

    def loss(w: np.ndarray) -> float:
        z = features @ w
        return float((np.logaddexp(0.0, z) - truth * z).sum() + 0.5 * (ridge * (w - prior) ** 2).sum())

    for _ in range(100):
        p = sigmoid(features @ weights)
        gradient = features.T @ (p - truth) + ridge * (weights - prior)
        hessian = (features * (p * (1 - p))[:, None]).T @ features + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        size, before = 1.0, loss(weights)
        while loss(weights - size * step) > before and size > 1e-6:
            size /= 2
        weights = weights - size * step
        if np.abs(size * step).max() < 1e-9:
            break
    slope, spread, bias = (float(w) for w in weights)
    return max(slope, 1e-3), spread, bias


def _least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least between two numbers: by a coarse grid, then golden sections around its best."""
    grid = np.linspace(low, high, 41)
    best = int(np.argmin([loss(float(x)) for x in grid]))
    a, b = float(grid[max(0, best - 1)]), float(grid[min(40, best + 1)])
    ratio = (np.sqrt(5.0) - 1) / 2
    for _ in range(40):
        left, right = b - ratio * (b - a), a + ratio * (b - a)
        a, b = (a, right) if loss(left) < loss(right) else (left, b)
    return (a + b) / 2
