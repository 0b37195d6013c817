from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, TrainingRequest
from app.core.results import Training
from app.flows.train import train
from tests.flows.fake_engine import FakeEngine, fake_workspace


class TrainingEngine(FakeEngine):
    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Training:
        self.requests.append(request)
        self.choices.append(choice)
        return Training("out", 1, 2, {"f1": 50.0}, 0.1)


@pytest.fixture
def request_(tmp_path: Path) -> TrainingRequest:
    (tmp_path / "base").mkdir()
    (tmp_path / "a.jsonl").write_text("")
    file = str(tmp_path / "a.jsonl")
    return TrainingRequest(
        "qa", str(tmp_path / "base"), (file, file + "*0.5"), (file,), str(tmp_path / "out")
    )


def test_goes_to_the_engine_without_a_model(tmp_path: Path, request_: TrainingRequest) -> None:
    engine = TrainingEngine()
    assert train(fake_workspace(tmp_path, engine), request_, Silent()).best_step == 1
    assert engine.requests == [request_]
    assert engine.choices == [None]


def test_an_installed_model_may_be_the_base(tmp_path: Path, request_: TrainingRequest) -> None:
    engine = TrainingEngine()
    train(fake_workspace(tmp_path, engine), replace(request_, base="reader"), Silent())
    assert engine.requests == [replace(request_, base="/models/reader")]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task": "sing"}, "no training for “sing”"),
        ({"base": "nowhere"}, "no base model “nowhere”"),
        ({"examples": ()}, "needs examples"),
        ({"examples": ("gone.jsonl*2",)}, r"no file “gone\.jsonl”"),
        ({"dev": ("gone.jsonl",)}, r"no file “gone\.jsonl”"),
        ({"epochs": 0.0}, "epochs must be more than 0"),
        ({"learning_rate": float("nan")}, "learning rate must be more than 0"),
        ({"max_length": 8}, "at least 16 tokens"),
        ({"dropout": 1.0}, "dropout"),
    ],
)
def test_what_cannot_be_is_refused_first(
    tmp_path: Path, request_: TrainingRequest, change: dict[str, object], sentence: str
) -> None:
    engine = TrainingEngine()
    with pytest.raises(SpanlightError, match=sentence):
        train(fake_workspace(tmp_path, engine), replace(request_, **change), Silent())
    assert engine.requests == []


def test_the_output_may_not_be_a_file(tmp_path: Path, request_: TrainingRequest) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(SpanlightError, match="is a file"):
        train(fake_workspace(tmp_path, TrainingEngine()), request_, Silent())
