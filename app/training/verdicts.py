"""Fits a reader's calibration to a person's verdicts: a few numbers, shrunk towards the shipped ones. numpy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.corrections import Judgement
from app.core.models import Adjustment, QaCalibration, log_odds, log_rivals
from app.tasks.scores import balanced_threshold, log_loss, logistic, minimise, sigmoid

# How hard the slope, the bias and ln of the sharing are pulled to 1, 0 and 0, in inverse variances, and the threshold
# to the shipped one, in verdicts: measured by `bench teach`.
_SLOPE, _BIAS, _SHARING, _THRESHOLD = 4.0, 2.0, 4.0, 100.0
# No verdicts move a number further than this.
_SLOPES, _MOST_BIAS, _THRESHOLDS = (0.25, 4.0), 4.0, (0.05, 0.95)


def fit_adjustment(judgements: Sequence[Judgement], shipped: QaCalibration) -> Adjustment:
    """The adjustment of a shipped calibration that makes verdicts likeliest, by ridge regression (Platt scaling).

    First the chance that the text answers is fitted, then the share of it that the shown words have, then the
    `balanced_threshold`. Raises ValueError where there are no verdicts.
    """
    if not judgements:
        raise ValueError("no verdicts to fit a calibration on")
    odds = np.array([log_odds(each.chance) for each in judgements])
    answers = np.array([each.answers for each in judgements], dtype=np.float64)
    right = np.array([each.right for each in judgements], dtype=np.float64)
    slope, _, bias = logistic(odds, np.empty((len(odds), 0)), answers, (_SLOPE, _BIAS))
    slope, bias = float(np.clip(slope, *_SLOPES)), float(np.clip(bias, -_MOST_BIAS, _MOST_BIAS))
    chance = sigmoid(slope * odds + bias)
    shared = np.array([log_odds(each.share) for each in judgements])
    shown = np.array([each.stated is not None for each in judgements])

    def loss(log_sharing: float) -> float:
        sharing = float(np.exp(log_sharing))
        said = chance * sigmoid((shared + log_rivals(sharing)) / sharing - log_rivals(sharing))
        lost = shown.sum() * log_loss(said[shown], right[shown]) if shown.any() else 0.0
        return float(lost + 0.5 * _SHARING * log_sharing**2)

    sharing = float(np.exp(minimise(loss, *np.log(_SLOPES))))
    balanced = log_odds(balanced_threshold(chance, right, answers))
    same = slope * log_odds(shipped.threshold) + bias  # with it the same questions are answered
    pulled = (len(odds) * balanced + _THRESHOLD * same) / (len(odds) + _THRESHOLD)
    return Adjustment(slope, bias, sharing, float(np.clip(sigmoid(pulled), *_THRESHOLDS)))
