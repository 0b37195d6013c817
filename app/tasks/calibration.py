"""Calibration of a head's probabilities, fitted on readings of dev data."""

from __future__ import annotations

import numpy as np

from app.core.errors import SpanlightError
from app.core.models import QaCalibration
from app.core.report import Report
from app.core.requests import CalibrationData, ClassCalibrationData
from app.tasks.scores import fit_calibration, fit_temperature
from app.tasks.task import ReadyModel


def calibrate(request: CalibrationData, model: ReadyModel, report: Report) -> QaCalibration:
    """The QaCalibration fitted to the readings; the model is not run.

    Raises SpanlightError where all questions are answerable, or none is.
    """
    if len({reading.answerable for reading in request.readings}) < 2:
        raise SpanlightError(
            "A calibration needs questions that the text answers and questions that it does not.",
            "Give a file with both.",
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
            "A temperature needs texts that are classified rightly and texts that are not.",
            "Give a file with more texts, none of which the model was taught with.",
        )
    logits = model.card.class_temperature * np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return fit_temperature(logits, targets)
