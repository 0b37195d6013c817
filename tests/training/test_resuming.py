"""What a run continues from, and what it must not continue from."""

import json
import os
import shutil
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.training.trainer import train
from tests.training.test_trainer import Killed, Watched, request_for, resumes

EVERY_STEP = {"workers": 1.0, "bfloat16": 0.0, "checkpoint_every": 1.0}


def stop_at(step: int, files: Path, **changes) -> Path:
    with pytest.raises(Killed):
        train(request_for(files, **{"options": EVERY_STEP} | changes), Watched(step))
    return files / "out.run"


def first_step(files: Path, **changes) -> int:
    watched = Watched()
    train(request_for(files, options=EVERY_STEP, **changes), watched)
    return watched.partials[0].step


def test_a_checkpoint_of_other_settings_is_ignored(files: Path) -> None:
    held = stop_at(7, files)
    assert [p.name for p in held.glob("step-*")] == ["step-6"]
    assert (held / "best.safetensors").is_file()
    stop_at(4, files, learning_rate=2e-3)
    assert not (held / "best.safetensors").exists(), "those weights are of other settings"
    assert first_step(files, learning_rate=2e-3) == 4


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("state.json", 20),
        ("weights.safetensors", 0),
        pytest.param("weights.safetensors", 20, marks=pytest.mark.long),
        pytest.param("optimizer.safetensors", None, marks=pytest.mark.long),
    ],
)
def test_a_damaged_checkpoint_gives_way_to_the_one_before(files: Path, name: str, left: int | None) -> None:
    held = stop_at(3, files)
    shutil.copytree(held / "step-2", files / "step-2")
    stop_at(6, files)
    shutil.move(files / "step-2", held / "step-2")
    broken = held / "step-5" / name
    if left is None:
        broken.unlink()
    else:
        broken.write_bytes(broken.read_bytes()[:left])
    assert first_step(files) == 3


def test_without_a_whole_checkpoint_a_run_begins_anew(files: Path) -> None:
    held = stop_at(3, files)
    (held / "step-2" / "state.json").write_text(json.dumps({"step": "two", "colour": 1}))
    assert first_step(files) == 1


@pytest.mark.parametrize("changed", ["examples", "base"])
def test_a_run_does_not_continue_with_other_data_or_another_base(files: Path, changed: str) -> None:
    stop_at(3, files)
    path = files / ("qa.jsonl" if changed == "examples" else "base-bert/model.safetensors")
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1_000_000_000))
    assert first_step(files) == 1


def test_infinite_weights_end_the_run(files: Path) -> None:
    with pytest.raises(SpanlightError, match="not a number") as refused:
        train(request_for(files, learning_rate=1e38, warm_up=0.0), Silent())
    assert refused.value.hint == "Use a lower learning rate."


def test_misplaced_answers_are_refused(files: Path) -> None:
    rows = [json.loads(line) for line in (files / "qa.jsonl").read_text().splitlines()]
    rows[1]["answers"] = [{"text": "queen", "answer_start": 5}]
    (files / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(SpanlightError, match="answer_start"):
        train(request_for(files), Silent())


def test_notes_on_earlier_weights_are_not_kept_for_new_ones(files: Path) -> None:
    out = files / "out"
    out.mkdir()
    (out / "spanlight.json").write_text(json.dumps({"calibration": {"temperature": 3.0}}))
    (out / "README.md").write_text("mine")
    with pytest.raises(Killed):
        train(request_for(files), Watched(5))
    assert (out / "spanlight.json").exists()
    train(request_for(files), Silent())
    assert not (out / "spanlight.json").exists() and (out / "README.md").read_text() == "mine"


def test_a_base_with_code_of_its_own_is_refused_without_asking(files: Path) -> None:
    request = request_for(files)
    path = Path(request.base) / "config.json"
    config = json.loads(path.read_text())
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config"}}
    path.write_text(json.dumps(config))
    (path.parent / "mine.py").write_text("raise RuntimeError('ran')")
    with pytest.raises(SpanlightError, match="program code of its own"):
        train(request, Silent())


def test_a_checkpoint_is_due_after_some_seconds_too(files: Path) -> None:
    options = {"workers": 1.0, "bfloat16": 0.0, "checkpoint_every": 100.0}
    with pytest.raises(Killed):
        train(request_for(files, options=options | {"checkpoint_seconds": 1000.0}), Watched(7))
    assert not [*(files / "out.run").glob("step-*")]
    with pytest.raises(Killed):
        train(request_for(files, options=options | {"checkpoint_seconds": 0.0}), Watched(7))
    assert [p.name for p in (files / "out.run").glob("step-*")] == ["step-6"]


def test_a_run_that_mixes_in_its_base_continues_from_the_trained_weights(files: Path) -> None:
    options = EVERY_STEP | {"of_base": 0.5, "last": 1.0, "frozen": 1.0}
    resumes(request_for(files, options=options), 7, 7)


def test_a_disk_error_is_reported(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.training.checkpoint.flush", full)
    with pytest.raises(SpanlightError, match="the disk is full"):
        train(request_for(files, options=EVERY_STEP), Silent())
