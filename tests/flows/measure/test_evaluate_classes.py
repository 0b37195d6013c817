from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import Head, ModelCard
from app.core.reliability import calibration_error
from app.core.report import Silent
from app.core.requests import ClassCalibrationData
from app.flows.measure.evaluate_classes import evaluate_classes
from app.flows.measure.plan import Plan
from app.flows.workspace import Workspace
from app.models.disk.notes import Notes, read_notes, write_notes
from tests.flows.fake_engine import FakeEngine, FakeShelf, fake_workspace

# The fake classifier gives a text with "good" 0.9 positive, any other 0.8 negative.
ROWS = [("so good", 1), ("good for nothing", 0), ("bad", "negative"), ("fine", "positive")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "dev.jsonl"
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in ROWS))
    return path


def workspace_of(folder: Path, engine: FakeEngine) -> Workspace:
    card = ModelCard("kept", str(folder), "bert", (Head.CLASSIFICATION,), ("negative", "positive"))

    class Shelf(FakeShelf):
        def cards(self) -> tuple[ModelCard, ...]:
            return (card,)

    folder.mkdir()
    workspace = fake_workspace(folder.parent, engine)
    workspace.shelf = Shelf()  # type: ignore[assignment]
    return workspace


def test_calibration_error_is_reported_and_recorded(tmp_path: Path, file: Path) -> None:
    workspace = workspace_of(tmp_path / "model", FakeEngine())
    found = evaluate_classes(workspace, Plan((file,), record=True), Silent())
    # At 0.9 one of two is right, at 0.8 one of two.
    assert found.overall.calibration_error == pytest.approx((abs(2 * 0.9 - 1) + abs(2 * 0.8 - 1)) / 4)
    assert found.temperature is None
    notes = read_notes(tmp_path / "model")
    assert notes.measured["dev"]["calibration error"] == pytest.approx(0.35)
    assert notes.class_temperature == 1.0


def test_a_temperature_is_fitted_by_the_engine_and_kept_with_the_model(tmp_path: Path, file: Path) -> None:
    engine = FakeEngine()
    workspace = workspace_of(tmp_path / "model", engine)
    write_notes(tmp_path / "model", Notes(description="mine", class_temperature=3.0))
    found = evaluate_classes(workspace, Plan((file,), fit=True), Silent())
    data = engine.requests[-1]
    assert isinstance(data, ClassCalibrationData)
    assert [reading.target for reading in data.readings] == [1, 0, 0, 1]
    assert data.readings[0].probabilities == pytest.approx((0.1, 0.9))
    assert data.readings[2].probabilities == pytest.approx((0.8, 0.2))
    assert found.temperature == 1.7
    assert read_notes(tmp_path / "model") == Notes(description="mine", class_temperature=1.7)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_calibration_error_is_a_share(outcomes: list[tuple[float, bool]]) -> None:
    assert 0 <= calibration_error(outcomes) <= 1


def test_what_comes_true_as_often_as_said_has_no_calibration_error() -> None:
    assert calibration_error([(0.75, True)] * 3 + [(0.75, False)] + [(1.0, True)]) == pytest.approx(0)
    assert calibration_error([(1.0, False)]) == 1.0
