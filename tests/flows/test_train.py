from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import Busy, SpanlightError
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, TrainingRequest
from app.core.results import Training
from app.flows.train import train
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.small_models import small_checkpoint


class TrainingEngine(FakeEngine):
    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Training:
        self.requests.append(request)
        self.choices.append(choice)
        return Training("out", 1, 2, {"f1": 50.0}, 0.1)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_checkpoint(tmp_path_factory.mktemp("models") / "base", positions=128)


@pytest.fixture
def request_(tmp_path: Path, base: Path) -> TrainingRequest:
    (tmp_path / "a.jsonl").write_text("")
    file = str(tmp_path / "a.jsonl")
    out = str(tmp_path / "out")
    return TrainingRequest("qa", str(base), (file, file + "*0.5"), (file,), out, max_length=128)


def test_goes_to_the_engine_without_a_model(tmp_path: Path, request_: TrainingRequest) -> None:
    engine = TrainingEngine()
    assert train(fake_workspace(tmp_path, engine), request_, Silent()).best_step == 1
    assert engine.requests == [request_]
    assert engine.choices == [None]


@pytest.mark.parametrize("role", ["base", "teacher"])
def test_an_installed_model_may_be_base_and_teacher(
    tmp_path: Path, request_: TrainingRequest, role: str
) -> None:
    engine = TrainingEngine()
    train(fake_workspace(tmp_path, engine), replace(request_, **{role: "reader"}), Silent())
    assert engine.requests == [replace(request_, **{role: "/models/reader"})]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task": "sing"}, "no training for “sing”"),
        ({"base": "nowhere"}, "no base model “nowhere”"),
        ({"teacher": "nowhere"}, "no teacher “nowhere”"),
        ({"examples": ()}, "needs examples"),
        ({"examples": ("gone.jsonl*2",)}, r"no file “gone\.jsonl”"),
        ({"dev": ("gone.jsonl",)}, r"no file “gone\.jsonl”"),
        ({"epochs": 0.0}, "epochs must be a number above 0"),
        ({"epochs": float("inf")}, "epochs must be a number above 0"),
        ({"learning_rate": float("nan")}, "learning rate must be a number above 0"),
        ({"warm_up": 1.5}, "warm-up"),
        ({"weight_decay": -0.1}, "weight decay"),
        ({"seed": -1}, "seed"),
        ({"max_length": 129}, "base reads at most 128 tokens"),
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


def test_a_base_that_is_not_whole_is_refused_first(
    tmp_path: Path, base: Path, request_: TrainingRequest
) -> None:
    broken = Path(shutil.copytree(base, tmp_path / "broken"))
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    engine = TrainingEngine()
    with pytest.raises(SpanlightError, match="cut off"):
        train(fake_workspace(tmp_path, engine), replace(request_, base=str(broken)), Silent())
    assert engine.requests == []


def test_the_output_may_not_be_a_file(tmp_path: Path, request_: TrainingRequest) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(SpanlightError, match="is a file"):
        train(fake_workspace(tmp_path, TrainingEngine()), request_, Silent())


@pytest.mark.parametrize("role", ["base", "teacher"])
def test_the_output_may_not_be_what_is_learnt_from(
    tmp_path: Path, request_: TrainingRequest, base: Path, role: str
) -> None:
    other = str(shutil.copytree(base, tmp_path / "other"))
    engine = TrainingEngine()
    request = replace(request_, **{role: other}, output=other + "/.")
    with pytest.raises(SpanlightError, match=f"overwrite the {role}"):
        train(fake_workspace(tmp_path, engine), request, Silent())
    assert engine.requests == []


def test_two_trainings_into_one_folder_do_not_run_at_once(tmp_path: Path, request_: TrainingRequest) -> None:
    class Again(TrainingEngine):
        def run(self, request: object, choice: ModelChoice | None, report: Report) -> Training:
            with pytest.raises(Busy, match=r"Another process is writing “out” \(process \d+, since "):
                train(fake_workspace(tmp_path, TrainingEngine()), request_, Silent())
            return super().run(request, choice, report)

    train(fake_workspace(tmp_path, Again()), request_, Silent())
    train(fake_workspace(tmp_path, TrainingEngine()), request_, Silent())
    assert not list(tmp_path.glob(".out*"))
