"""Turns logits into probabilities, and fits on dev data the few numbers that calibrate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import SHARED_AMONG, TEMPERATURES, QaCalibration, log_odds
from app.core.report import Report
from app.core.requests import CalibrationData, ClassCalibrationData, DevReading
from app.core.text import words_key
from app.tasks.task import ReadyModel

# At most this share of the answerable questions may be below the fitted limit `absent`.
MOST_TAKEN_FOR_ABSENT = 0.1
# Keeps the log loss of a mistake made with certainty finite.
_LEAST_PROBABILITY = 1e-7


def logsumexp(values: np.ndarray) -> np.ndarray:
    """ln of the sum of exponentials along the last axis, without overflow."""
    values = np.asarray(values, dtype=np.float64)
    top = values.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.squeeze(top, -1) + np.log(np.exp(values - top).sum(axis=-1))


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
    """The calibrated probability that a text of `windows` windows answers, from its best span's margin.

    `in_table` tells whether that span is in a table.
    """
    midpoint = calibration.offset + calibration.per_log_window * np.log(max(1, windows))
    midpoint += calibration.long * (windows > 1) + calibration.table * in_table
    return float(sigmoid(margin - midpoint, calibration.temperature))


def shares(calibration: QaCalibration, scores: Sequence[float]) -> np.ndarray:
    """Each span's share of the probability that the text answers, float64[n], from their scores, best first.

    The first `SHARED_AMONG` shares sum to 1; later ones are measured against those, so that a span's share does not
    depend on how many are listed.
    """
    scaled = np.asarray(scores, dtype=np.float64) / calibration.answer_temperature
    return np.exp(scaled - logsumexp(scaled[:SHARED_AMONG]))


def add_equal(texts: Sequence[str], values: np.ndarray) -> np.ndarray:
    """Add to the best span of certain words the shares of the others with these words, float64[n], from best to worst.

    A long text often says the same thing in several places, each of which alone has only a part of its probability. The
    `SHARED_AMONG` best spans count; the other places keep their own shares, and none has more than a better span.
    """
    found, first = values.copy(), dict[str, int]()
    for at, text in enumerate(texts[:SHARED_AMONG]):
        best = first.setdefault(words_key(text), at)
        if best != at:
            found[best] += values[at]
    return np.minimum.accumulate(found).clip(max=1.0)


def calibrated_shares(
    calibration: QaCalibration, texts: Sequence[str], scores: Sequence[float], windows: int, in_table: bool
) -> np.ndarray:
    """The probability of each span's words, given that the text answers, float64[n], from best to worst.

    They are the `shares` after the best words' log odds rose as the calibration says, equal words added; where these
    fall, no others have more than they. `in_table` is whether the best span is in a table.
    """
    rise = calibration.answer_temperature * calibration.share_log_odds(windows, in_table)
    keys = [words_key(text) for text in texts]
    moved = [score + rise * (key == keys[0]) for key, score in zip(keys, scores, strict=True)]
    return add_equal(texts, shares(calibration, moved))


def fit_calibration(readings: Sequence[DevReading]) -> QaCalibration:
    """The calibration that minimises the log loss of dev readings, with its thresholds.

    The probability that the text answers is a logistic regression (Platt scaling) on the margin, ln of the number of
    windows, whether there are several, and whether the span is in a table; among texts of several windows more of
    them never make it likelier. The answer temperature and the log odds of the shares then make the best words' share
    the probability that they are right where the text answers. A covariate that does not vary has weight 0.

    `threshold` is the `balanced_threshold`; paragraphs have one of their own where there are other texts too. `absent`
    is the largest limit, up to these, below which no more than `MOST_TAKEN_FOR_ABSENT` of the answerable questions are.
    Raises ValueError where there are no readings.
    """
    if not readings:
        raise ValueError("no readings to fit a calibration on")
    scored = [reading for reading in readings if reading.scores]
    fitted = _fit_shares(_fit_answer_probability(scored), [each for each in scored if each.answerable])

    paragraphs = [reading for reading in readings if reading.windows < 2 and not reading.in_table]
    others = [reading for reading in readings if reading.windows >= 2 or reading.in_table]
    threshold = _fit_threshold(fitted, others if paragraphs and others else readings)
    paragraph_threshold = _fit_threshold(fitted, paragraphs) if paragraphs and others else 0.0
    answerable = sorted(_probability(fitted, reading) for reading in readings if reading.answerable)
    absent = answerable[int(MOST_TAKEN_FOR_ABSENT * len(answerable))] if answerable else 0.0
    return replace(
        fitted,
        threshold=threshold,
        paragraph_threshold=paragraph_threshold,
        absent=min(threshold, paragraph_threshold or threshold, absent),
    )


def _fit_answer_probability(readings: Sequence[DevReading]) -> QaCalibration:
    """A calibration fitted to whether the texts answer, with default answer temperatures and thresholds."""
    margins = np.array([reading.scores[0] for reading in readings])
    answerable = np.array([reading.answerable for reading in readings], dtype=np.float64)
    covariates = np.array(
        [(np.log(max(1, each.windows)), each.windows > 1, each.in_table) for each in readings],
        dtype=np.float64,
    ).reshape(-1, 3)
    slope, weights, bias = logistic(margins, covariates, answerable)
    if weights[0] > 0:
        # More text is no evidence for an answer; a positive weight comes from having few questions on long documents.
        covariates[:, 0] = 0.0
        slope, weights, bias = logistic(margins, covariates, answerable)
    per_log_window, long, table = (0.0 - weights / slope).tolist()
    return QaCalibration(1.0 / slope, -bias / slope, max(0.0, per_log_window), long=long, table=table)


def _fit_shares(fitted: QaCalibration, readings: Sequence[DevReading]) -> QaCalibration:
    """The calibration whose best words' share is likeliest, from readings of texts that answer."""
    if not readings:
        return fitted
    right = np.array([reading.right for reading in readings], dtype=np.float64)
    own, scores = (
        _padded([reading.own for reading in readings]),
        _padded([reading.scores for reading in readings]),
    )
    kinds = np.array([(reading.windows > 1, reading.in_table) for reading in readings], dtype=np.float64)

    def fit_log_odds(log_temperature: float) -> tuple[float, np.ndarray, float]:
        temperature = np.exp(log_temperature)
        share = np.exp(logsumexp(own / temperature) - logsumexp(scores / temperature))
        share = share.clip(_LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
        odds = np.log(share) - np.log1p(-share)
        # The ridge leaves the slope to the temperature, and keeps few readings from large offsets.
        _, weights, bias = logistic(odds, kinds, right, (1e6, 1.0))
        return log_loss(sigmoid(odds + kinds @ weights + bias), right), weights, bias

    temperature = minimise(lambda value: fit_log_odds(value)[0], np.log(0.02), np.log(50.0))
    _, weights, bias = fit_log_odds(temperature)
    long, table = weights.tolist()
    return replace(
        fitted, answer_temperature=float(np.exp(temperature)), share=bias, share_long=long, share_table=table
    )


def _padded(rows: Sequence[Sequence[float]]) -> np.ndarray:
    """Rows of different lengths as one array, filled up with -inf."""
    found = np.full((len(rows), max(map(len, rows))), -np.inf)
    for values, row in zip(found, rows, strict=True):
        values[: len(row)] = row
    return found


def dev_probabilities(calibration: QaCalibration, reading: DevReading) -> tuple[float, float]:
    """The probability that the text of a reading with a span answers, and the best words' share of it."""
    own, scores = (np.array(each) / calibration.answer_temperature for each in (reading.own, reading.scores))
    share = float(np.exp(logsumexp(own) - logsumexp(scores)))
    moved = log_odds(share) + calibration.share_log_odds(reading.windows, reading.in_table)
    return _probability(calibration, reading), float(sigmoid(moved))


def _fit_threshold(fitted: QaCalibration, readings: Sequence[DevReading]) -> float:
    """The `balanced_threshold` of readings."""
    return balanced_threshold(
        np.array([_probability(fitted, reading) for reading in readings]),
        np.array([reading.right for reading in readings]),
        np.array([reading.answerable for reading in readings]),
    )


def _probability(calibration: QaCalibration, reading: DevReading) -> float:
    """The probability that a reading's text answers, 0 where it has no span."""
    if not reading.scores:
        return 0.0
    return answer_probability(calibration, reading.scores[0], reading.windows, reading.in_table)


def balanced_threshold(probabilities: np.ndarray, right: np.ndarray, answerable: np.ndarray) -> float:
    """The threshold of the probability that the text answers that balances wrong answers against refused ones.

    The larger of two shares is smallest there: of all questions those that are given wrong words, and of the answerable
    ones those that are given none. Takes, for each question, the probability, whether its best span is right, and
    whether the text answers.
    """
    order = np.argsort(-probabilities, kind="stable")
    wrong = np.concatenate([[0], np.cumsum(~right.astype(bool)[order])]) / max(1, len(order))
    refused = 1 - np.concatenate([[0], np.cumsum(answerable[order])]) / max(1, answerable.sum())
    falling = probabilities[order]
    # Only cuts between different probabilities are thresholds.
    cuts = np.concatenate([[True], falling[1:] != falling[:-1], [True]])
    best = int(np.flatnonzero(cuts)[np.argmin(np.maximum(wrong, refused * answerable.any())[cuts])])
    above = falling[best - 1] if best > 0 else 1.0
    below = falling[best] if best < len(falling) else 0.0
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

    return float(np.exp(minimise(loss, np.log(0.05), np.log(20.0))))


def log_loss(probability: np.ndarray, truth: np.ndarray) -> float:
    """The mean negative log likelihood of truths (0 or 1) under these probabilities, float[n] each."""
    p = np.clip(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return float(-(truth * np.log(p) + (1 - truth) * np.log1p(-p)).mean())


def logistic(
    margins: np.ndarray, covariates: np.ndarray, truth: np.ndarray, ridge: tuple[float, float] = (1.0, 1e-2)
) -> tuple[float, np.ndarray, float]:
    """Slope, weights of the covariates (float[n, k]) and bias of a ridge logistic regression, by Newton's method.

    The ridge, one for the slope and one for the rest, pulls to slope 1 and to 0, so that the solution is finite where
    data is separable or of one class. A covariate that does not vary has weight 0.
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


def minimise(loss: Callable[[float], float], low: float, high: float) -> float:
    """The minimum of a function between two numbers: by a coarse grid, then golden-section search around its best."""
    grid = np.linspace(low, high, 41)
    best = int(np.argmin([loss(float(x)) for x in grid]))
    a, b = float(grid[max(0, best - 1)]), float(grid[min(40, best + 1)])
    ratio = (np.sqrt(5.0) - 1) / 2
    for _ in range(40):
        left, right = b - ratio * (b - a), a + ratio * (b - a)
        a, b = (a, right) if loss(left) < loss(right) else (left, b)
    return (a + b) / 2


def calibrate(request: CalibrationData, model: ReadyModel, report: Report) -> QaCalibration:
    """Fit a QaCalibration to the readings; the model is not run.

    Raises SpanlightError where all questions are answerable, or none is.
    """
    if len({reading.answerable for reading in request.readings}) < 2:
        raise SpanlightError(
            Message("A calibration needs questions that the text answers and questions that it does not."),
            Message("Give a file with both."),
        )
    return fit_calibration(request.readings)


def calibrate_classes(request: ClassCalibrationData, model: ReadyModel, report: Report) -> float:
    """Fit a temperature to the readings of a softmax head; the model is not run.

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
