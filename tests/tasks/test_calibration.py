from __future__ import annotations

import random
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.core.requests import CalibrationData, ClassCalibrationData, ClassReading, DevReading
from app.tasks.scores import calibrate, calibrate_classes, fit_calibration, softmax
from app.tasks.table import task_for
from app.tasks.task import ReadyModel
from tests.helpers.fake_models import classifier

NO_MODEL = cast("ReadyModel", None)


def readings(count: int) -> list[DevReading]:
    dice = random.Random(3)
    found = []
    for _ in range(count):
        answerable = dice.random() < 0.5
        margin = dice.gauss(2.0 if answerable else -2.0, 1.5)
        right = answerable and dice.random() < 0.8
        found.append(DevReading(1, answerable, (margin, margin - dice.random() * 4), (margin,), right))
    return found


def test_paragraphs_have_a_threshold_of_their_own_beside_other_texts() -> None:
    paragraphs = readings(1000)
    assert fit_calibration(paragraphs).paragraph_threshold == 0.0
    # In tables answers are wrong more often: balancing both faults takes a higher threshold.
    tables = [
        replace(one, in_table=True, right=one.right and at % 3 == 0) for at, one in enumerate(paragraphs)
    ]
    fitted = fit_calibration([*paragraphs, *tables])
    assert 0.0 < fitted.paragraph_threshold < fitted.threshold
    assert fitted.absent <= fitted.paragraph_threshold
    assert fitted.threshold_for(1, in_table=False) == fitted.paragraph_threshold
    assert (
        fitted.threshold_for(1, in_table=True) == fitted.threshold_for(2, in_table=False) == fitted.threshold
    )


@pytest.mark.parametrize("answerable", [True, False])
def test_one_kind_only_is_refused(answerable: bool) -> None:
    found = tuple(reading for reading in readings(50) if reading.answerable is answerable)
    with pytest.raises(SpanlightError, match="questions that it does not"):
        calibrate(CalibrationData(found), NO_MODEL, Silent())


def class_data(logits: np.ndarray, targets: np.ndarray, temperature: float) -> ClassCalibrationData:
    """What a head of these logits gives at a temperature."""
    rows = zip(softmax(logits, temperature), targets, strict=True)
    return ClassCalibrationData(tuple(ClassReading(tuple(map(float, row)), int(t)) for row, t in rows))


@pytest.mark.parametrize("now", [1.0, 0.4, 3.0])
def test_a_temperature_is_found_again_whatever_the_model_has_now(now: float) -> None:
    rng = np.random.default_rng(5)
    true = rng.normal(size=(4000, 3)) * 2
    targets = np.array([rng.choice(3, p=row) for row in softmax(true)])
    model = classifier(("a", "b", "c"), temperature=now)
    # The head's logits are 2.5 times too sharp.
    fitted = calibrate_classes(class_data(true * 2.5, targets, now), model, Silent())
    assert fitted == pytest.approx(2.5, rel=0.08)
    # Fitted again on what it gives then, it stays.
    again = classifier(("a", "b", "c"), temperature=fitted)
    found = calibrate_classes(class_data(true * 2.5, targets, fitted), again, Silent())
    assert found == pytest.approx(fitted, rel=1e-6)


def test_a_probability_of_nothing_stays_finite() -> None:
    data = ClassCalibrationData((ClassReading((1.0, 0.0), 1), ClassReading((1.0, 0.0), 0)))
    assert 0 < calibrate_classes(data, classifier(("a", "b")), Silent()) < 100


@pytest.mark.parametrize("target", [0, 1])
def test_a_temperature_needs_right_and_wrong(target: int) -> None:
    data = ClassCalibrationData((ClassReading((0.9, 0.1), target),) * 3)
    with pytest.raises(SpanlightError, match="texts that are classified rightly and texts that are not"):
        calibrate_classes(data, classifier(("a", "b")), Silent())


def test_both_requests_have_their_tasks() -> None:
    for request, run in ((CalibrationData(()), calibrate), (ClassCalibrationData(()), calibrate_classes)):
        task = task_for(request)
        assert task is not None and task.run is run
