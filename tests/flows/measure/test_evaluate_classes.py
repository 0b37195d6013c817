from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head, ProblemType
from app.core.report import Silent
from app.core.requests import ClassCalibrationData
from app.flows.measure.evaluate_classes import evaluate_classes
from app.flows.measure.plan import Plan
from app.models.disk.notes import Notes, read_notes, write_notes
from tests.flows.fake_engine import FakeEngine, fake_workspace, keeping_workspace


def write_texts(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def test_classes_by_name_or_index(tmp_path: Path) -> None:
    rows = [
        {"text": "so good", "label": 1, "domain": "x"},
        {"text": "good for nothing", "label": "Negative", "domain": "x"},
        {"text": "bad", "label": "0", "domain": "y"},
        {"text": "fine", "label": "positive", "domain": "y"},
        {"text": "meh", "label": 0, "domain": "y"},
    ]
    path = write_texts(tmp_path / "dev.jsonl", rows)
    workspace = keeping_workspace(tmp_path, None, Head.CLASSIFICATION)
    found = evaluate_classes(workspace, Plan((path,), record=True), Silent())
    assert found.labels == ("negative", "positive")
    assert found.confusion == ((2, 1), (1, 1))
    assert found.overall.accuracy == pytest.approx(0.6)
    # F1: negative 2·2/(3+3), positive 2·1/(2+2)
    assert found.overall.macro_f1 == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.by_class["negative"].recall == pytest.approx(2 / 3)
    assert found.by_class["positive"].precision == pytest.approx(1 / 2)
    assert found.by_source["x"].accuracy == pytest.approx(0.5)
    notes = json.loads((tmp_path / "model" / "spanlight.json").read_text())
    expected = {"texts": 5, "accuracy": 0.6, "macro f1": 0.5833, "calibration error": 0.24}
    assert notes["measured"]["dev"] == expected


def test_a_class_that_does_not_occur_does_not_count(tmp_path: Path) -> None:
    path = write_texts(tmp_path / "dev.jsonl", [{"text": "good", "label": "positive"}])
    found = evaluate_classes(fake_workspace(tmp_path), Plan((path,)), Silent())
    assert found.overall.macro_f1 == 1.0
    assert found.by_class["negative"].precision is None
    assert found.by_class["negative"].recall is None


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"text": "good", "label": 2}], "dev.jsonl has the label “2”, which classifier does not know."),
        (
            [{"text": "good", "label": "neutral"}],
            "dev.jsonl has the label “neutral”, which classifier does not know.",
        ),
        ([{"text": "good", "label": 1}, {"text": " ", "label": 1}], "Text 2 of dev.jsonl is empty."),
        ([], "There is no text in dev.jsonl."),
    ],
)
def test_texts_at_fault(tmp_path: Path, rows: list[dict[str, Any]], sentence: str) -> None:
    path = write_texts(tmp_path / "dev.jsonl", rows)
    with pytest.raises(SpanlightError) as caught:
        evaluate_classes(fake_workspace(tmp_path), Plan((path,)), Silent())
    assert caught.value.message == sentence


def test_a_head_without_one_winner_is_refused(tmp_path: Path) -> None:
    workspace = keeping_workspace(tmp_path, None, Head.CLASSIFICATION, problem=ProblemType.MULTI_LABEL)
    path = write_texts(tmp_path / "dev.jsonl", [{"text": "good", "label": "a"}])
    with pytest.raises(SpanlightError, match="does not choose one"):
        evaluate_classes(workspace, Plan((path,)), Silent())


def test_a_temperature_is_fitted_by_the_engine_and_kept_with_the_model(tmp_path: Path) -> None:
    # The fake classifier gives a text with "good" 0.9 positive, any other 0.8 negative.
    rows = [("so good", 1), ("good for nothing", 0), ("bad", "negative"), ("fine", "positive")]
    file = write_texts(tmp_path / "dev.jsonl", [{"text": text, "label": label} for text, label in rows])
    engine = FakeEngine()
    workspace = keeping_workspace(tmp_path, engine, Head.CLASSIFICATION)
    write_notes(tmp_path / "model", Notes(description="mine", class_temperature=3.0))
    found = evaluate_classes(workspace, Plan((file,), fit=True), Silent())
    data = engine.requests[-1]
    assert isinstance(data, ClassCalibrationData)
    assert [reading.target for reading in data.readings] == [1, 0, 0, 1]
    assert data.readings[0].probabilities == pytest.approx((0.1, 0.9))
    assert data.readings[2].probabilities == pytest.approx((0.8, 0.2))
    assert found.temperature == 1.7
    assert read_notes(tmp_path / "model") == Notes(description="mine", class_temperature=1.7)
