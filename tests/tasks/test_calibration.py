from __future__ import annotations

import random
from typing import cast

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.core.requests import CalibrationData, DevReading
from app.tasks.calibration import calibrate
from app.tasks.table import TASKS
from app.tasks.task import ReadyModel

NO_MODEL = cast("ReadyModel", None)


def readings(count: int) -> list[DevReading]:
    dice = random.Random(3)
    found = []
    for _ in range(count):
        answerable = dice.random() < 0.5
        margin = dice.gauss(2.0 if answerable else -2.0, 1.5)
        right = answerable and dice.random() < 0.8
        found.append(DevReading(margin, 1, answerable, (5.0, 5.0 - dice.random() * 4), right, float(right)))
    return found


def test_fits_what_it_is_given() -> None:
    calibration = calibrate(CalibrationData(tuple(readings(2000))), NO_MODEL, Silent())
    # Two normal distributions: the log odds are margin * (2 - -2) / 1.5².
    assert calibration.temperature == pytest.approx(1.5**2 / 4, rel=0.15)
    assert calibration.offset == pytest.approx(0.0, abs=0.25)
    assert calibration.per_log_window == 0.0
    assert 0.2 < calibration.threshold < 0.8


@pytest.mark.parametrize("answerable", [True, False])
def test_one_kind_only_is_refused(answerable: bool) -> None:
    found = tuple(reading for reading in readings(50) if reading.answerable is answerable)
    with pytest.raises(SpanlightError, match="questions that it does not"):
        calibrate(CalibrationData(found), NO_MODEL, Silent())


def test_stands_in_the_table() -> None:
    assert [task.run for task in TASKS if task.request is CalibrationData] == [calibrate]
