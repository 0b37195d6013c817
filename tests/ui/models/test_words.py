"""A model's facts in plain words."""

from __future__ import annotations

from dataclasses import replace

from app.core.measures import Measure
from app.core.models import Head, ModelCard, QaCalibration
from app.ui.models.words import calibration_fact, makers_figures, measured_here

QA = Head.QUESTION_ANSWERING
CARD = ModelCard("reader", "/models/reader", "bert", (QA,))


def test_own_measures_are_kept_apart_from_the_makers_figures() -> None:
    card = replace(CARD, measured={"squad": {"questions": 100.0, "exact": 50.0, "f1": 60.4}})
    one = Measure(
        "reader", "/models/reader", QA, "Short questions", "d", 2, {"exact": 50.0, "f1": 55.0}, 0.5, "CPU",
        "10", "2026-11-22T00:00:00+00:00",
    )  # fmt: skip
    here = measured_here((one,))
    assert here.startswith("Short questions (2 examples): ") and "55%" in here
    assert here.endswith(", 4.0 a second")
    assert makers_figures(card).startswith("squad (100 examples): ") and "60%" in makers_figures(card)
    long = replace(CARD, measured={"documents": {"questions": 9.0, "right": 69.0, "f1": 70.0}})
    assert makers_figures(long) == "documents (9 examples): F1 70%, right 69%"
    assert measured_here(()) == "" and makers_figures(CARD) == ""


def test_uncalibrated_probabilities_are_noted() -> None:
    assert "never fitted" in calibration_fact(CARD).value
    assert calibration_fact(replace(CARD, calibration=QaCalibration(temperature=2.0))).value == ""
    moods = replace(CARD, heads=(Head.CLASSIFICATION,))
    assert "never fitted" in calibration_fact(moods).value
    assert calibration_fact(replace(moods, class_temperature=1.5)).value == ""
    assert calibration_fact(replace(CARD, heads=(Head.MASKED_WORDS,))).value == ""
