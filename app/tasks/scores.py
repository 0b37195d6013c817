"""Logits to probabilities, and the few numbers fitted on dev data that make them calibrated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import SHARED_AMONG, TEMPERATURES, QaCalibration
from app.core.report import Report
from app.core.requests import CalibrationData, ClassCalibrationData, DevReading
from app.tasks.task import ReadyModel

# At most this share of the answerable questions may fall below the fitted limit `absent`.
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


def answer_probability(
    calibration: QaCalibration, margin: float, windows: int, in_table: bool = False
) -> float:
    """The calibrated probability that a text of `windows` windows answers, from the best span's margin and place."""
    less = calibration.offset + calibration.per_log_window * np.log(max(1, windows))
    less += calibration.long * (windows > 1) + calibration.table * in_table
    return float(sigmoid(margin - less, calibration.temperature))


def shares(calibration: QaCalibration, scores: Sequence[float]) -> np.ndarray:
    """How the probability that the text answers is shared among spans of these scores, float64[n], best first.

    The first `SHARED_AMONG` sum to 1; later ones are measured against those, so that a span's share does not depend
    on how many are listed.
    """
    scaled = np.asarray(scores, dtype=np.float64) / calibration.answer_temperature
    return np.exp(scaled - logsumexp(scaled[:SHARED_AMONG]))


def fit_calibration(readings: Sequence[DevReading]) -> QaCalibration:
    """The calibration that minimises log loss on dev readings, with the `balanced_threshold`, one of paragraphs' own.

    `absent` is the largest limit, up to that threshold, below which no more than `MOST_TAKEN_FOR_ABSENT` of the
    answerable questions fall.

    The chance that the text answers is a logistic regression (Platt scaling) on the margin, ln of the number of
    windows, whether there are several, and whether the span is in a table; among texts of several windows more of
    them never make it likelier. The answer temperature, one for texts of one window and one for longer ones, then
    makes the first answer's share of it the chance that it is right. A covariate that does not vary has weight 0.
    Raises ValueError where there are none.
    """
    if not readings:
        raise ValueError("no readings to fit a calibration on")
    found = [o for o in readings if o.scores and np.isfinite(o.margin)]
    margins = np.array([o.margin for o in found])
    covariates = np.array(
        [(np.log(max(1, o.windows)), o.windows > 1, o.in_table) for o in found], dtype=np.float64
    ).reshape(-1, 3)
    answerable = np.array([o.answerable for o in found], dtype=np.float64)
    slope, weights, bias = logistic(margins, covariates, answerable)
    if weights[0] > 0:
        # More text is no evidence for an answer; a positive weight comes from having few questions on long documents.
        covariates[:, 0] = 0.0
        slope, weights, bias = logistic(margins, covariates, answerable)
    per_log_window, long, table = (0.0 - weights / slope).tolist()
    fitted = QaCalibration(1.0 / slope, -bias / slope, max(0.0, per_log_window), long=long, table=table)
    chance = np.array([_chance(fitted, o) for o in found])
    right = np.array([o.right for o in found], dtype=np.float64)
    # Scores less the best one, so that the first one's share is 1 / sum(exp(gap / temperature)).
    gaps = np.full((len(found), max((len(o.scores) for o in found), default=1)), -np.inf)
    for row, o in enumerate(found):
        gaps[row, : len(o.scores)] = np.array(o.scores) - o.scores[0]

    def answer_temperature(some: np.ndarray | slice) -> float:
        def loss(log_temperature: float) -> float:
            first = np.exp(-logsumexp(gaps[some] / np.exp(log_temperature)))
            return log_loss(chance[some] * first, right[some])

        return float(np.exp(least(loss, np.log(0.02), np.log(50.0)))) if len(found) else 1.0

    several = np.array([o.windows > 1 for o in found], dtype=bool)
    differs = len(set(several.tolist())) > 1
    everything = np.array([_chance(fitted, o) for o in readings])
    answers = np.array([o.answerable for o in readings])
    rightness = np.array([o.right for o in readings])
    paragraphs = np.array([o.windows < 2 and not o.in_table for o in readings])

    def balanced(some: np.ndarray | slice) -> float:
        return balanced_threshold(everything[some], rightness[some], answers[some])

    is_mixed = paragraphs.any() and not paragraphs.all()
    threshold = balanced(~paragraphs if is_mixed else slice(None))
    own = balanced(paragraphs) if is_mixed else 0.0
    rising = np.sort(everything[answers])
    absent = float(rising[int(MOST_TAKEN_FOR_ABSENT * len(rising))]) if len(rising) else 0.0
    return QaCalibration(
        temperature=fitted.temperature,
        offset=fitted.offset,
        per_log_window=fitted.per_log_window,
        answer_temperature=answer_temperature(~several if differs else slice(None)),
        threshold=threshold,
        absent=min(threshold, own or threshold, absent),
        long=long,
        table=table,
        long_answer_temperature=answer_temperature(several) if differs else 0.0,
        paragraph_threshold=own,
    )


def balanced_threshold(chance: np.ndarray, right: np.ndarray, answerable: np.ndarray) -> float:
    """The least chance that the text answers from which on answering errs as little on both sides as can be.

    It is where the larger of two shares is smallest: of all questions those that are given wrong words, and of the
    answerable ones those that are given none. Takes, for each question, the chance, whether its best span is right,
    and whether the text answers.
    """
    order = np.argsort(-chance, kind="stable")
    wrong = np.concatenate([[0], np.cumsum(~right.astype(bool)[order])]) / max(1, len(order))
    refused = 1 - np.concatenate([[0], np.cumsum(answerable[order])]) / max(1, answerable.sum())
    sorted_chance = chance[order]
    # Only cuts between different chances are thresholds.
    cuts = np.concatenate([[True], sorted_chance[1:] != sorted_chance[:-1], [True]])
    best = int(np.flatnonzero(cuts)[np.argmin(np.maximum(wrong, refused * answerable.any())[cuts])])
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
            return log_loss(sigmoid(logits, temperature), targets)
        scaled = logits / temperature
        return float((logsumexp(scaled) - scaled[np.arange(len(scaled)), targets]).mean())

    return float(np.exp(least(loss, np.log(0.05), np.log(20.0))))


def _chance(calibration: QaCalibration, o: DevReading) -> float:
    return answer_probability(calibration, o.margin, o.windows, o.in_table) if o.scores else 0.0


def log_loss(probability: np.ndarray, truth: np.ndarray) -> float:
    """The mean negative log likelihood of truths of 0 and 1 under these probabilities; both are float[n]."""
    p = np.clip(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return float(-(truth * np.log(p) + (1 - truth) * np.log1p(-p)).mean())


def logistic(
    margins: np.ndarray, covariates: np.ndarray, truth: np.ndarray, ridge: tuple[float, float] = (1.0, 1e-2)
) -> tuple[float, np.ndarray, float]:
    """Slope, covariates' weights (float[n, k]) and bias of a logistic regression, by Newton's method and a ridge.

    The ridge, that of the slope and that of all others, pulls to slope 1 and to 0, so that data that is separable, or
    all of one kind, stays finite. A covariate that does not vary has the weight 0.
    """
    varied = (
        np.ptp(covariates, axis=0) > 1e-9 if len(covariates) else np.zeros(covariates.shape[1], dtype=bool)
    )
    features = np.column_stack([margins, covariates * varied, np.ones_like(margins)])
    prior = np.zeros(features.shape[1])
    prior[0] = 1.0
    pull = np.full(features.shape[1], ridge[1])
    pull[0] = ridge[0]
    weights = prior.copy()

    def loss(w: np.ndarray) -> float:
        z = features @ w
        return float((np.logaddexp(0.0, z) - truth * z).sum() + 0.5 * (pull * (w - prior) ** 2).sum())

    for _ in range(100):
        p = sigmoid(features @ weights)
        gradient = features.T @ (p - truth) + pull * (weights - prior)
        hessian = (features * (p * (1 - p))[:, None]).T @ features + np.diag(pull)
        step = np.linalg.solve(hessian, gradient)
        size, before = 1.0, loss(weights)
        while loss(weights - size * step) > before and size > 1e-6:
            size /= 2
        weights = weights - size * step
        if np.abs(size * step).max() < 1e-9:
            break
    slope = float(np.clip(weights[0], 1 / TEMPERATURES[1], 1 / TEMPERATURES[0]))
    return slope, weights[1:-1], float(weights[-1])


def least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least between two numbers: by a coarse grid, then golden sections around its best."""
    grid = np.linspace(low, high, 41)
    best = int(np.argmin([loss(float(x)) for x in grid]))
    a, b = float(grid[max(0, best - 1)]), float(grid[min(40, best + 1)])
    ratio = (np.sqrt(5.0) - 1) / 2
    for _ in range(40):
        left, right = b - ratio * (b - a), a + ratio * (b - a)
        a, b = (a, right) if loss(left) < loss(right) else (left, b)
    return (a + b) / 2


def calibrate(request: CalibrationData, model: ReadyModel, report: Report) -> QaCalibration:
    """The QaCalibration fitted to the readings; the model is not run.

    Raises SpanlightError where all questions are answerable, or none is.
    """
    if len({reading.answerable for reading in request.readings}) < 2:
        raise SpanlightError(
            Message("A calibration needs questions that the text answers and questions that it does not."),
            Message("Give a file with both."),
        )
    return fit_calibration(request.readings)


def calibrate_classes(request: ClassCalibrationData, model: ReadyModel, report: Report) -> float:
    """The temperature fitted to the readings of a softmax head; the model is not run.

    Logits are recovered from probabilities: temperature * ln(p), up to a constant that does not change softmax. Raises
    SpanlightError where all readings are right, or all wrong: then no temperature is the best.
    """
    probabilities = np.array([reading.probabilities for reading in request.readings])
    targets = np.array([reading.target for reading in request.readings])
    if len(set((probabilities.argmax(axis=1) == targets).tolist())) < 2:
        raise SpanlightError(
            Message("A temperature needs texts that are classified rightly and texts that are not."),
            Message("Give a file with more texts, none of which the model was taught with."),
        )
    logits = model.card.class_temperature * np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return fit_temperature(logits, targets)
