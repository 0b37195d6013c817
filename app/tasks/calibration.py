"""The calibration of a question answering head, fitted on readings of dev data."""

from __future__ import annotations

from app.core.errors import SpanlightError
from app.core.models import QaCalibration
from app.core.report import Report
from app.core.requests import CalibrationData
from app.tasks.scores import fit_calibration
from app.tasks.task import ReadyModel


def calibrate(request: CalibrationData, model: ReadyModel, report: Report) -> QaCalibration:
    """The QaCalibration that suits the readings best; the model is not asked again.

    Raises SpanlightError where the readings are all of one kind: nothing can be told from them.
    """
    if len({reading.answerable for reading in request.readings}) < 2:
        raise SpanlightError(
            "A calibration needs questions that the text answers and questions that it does not.",
            "Give a file with both.",
        )
    return fit_calibration(request.readings)
