"""Memory runs out at every step of the real Host and tasks, which step down, say so, and answer."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head, LoadedModel
from app.core.report import Stopped
from app.core.requests import (
    ModelChoice,
    Question,
)
from app.core.results import Reading
from app.core.text import Document, Span
from app.engine.orders import GetMemory, Load, Run, Unload
from app.engine.process import Host
from tests.engine.ladder import CPU, CPU_LESS, LESS, QA, QUESTION, ask, shorter
from tests.helpers.fake_gpu import FakeGpu
from tests.helpers.fake_models import Noted


def places(reading: Reading) -> list[tuple[Span, float]]:
    return [(answer.span, pytest.approx(answer.probability, abs=1e-5)) for answer in reading.answers]


@pytest.mark.parametrize(
    ("device", "fits", "notices", "like", "runs_on"),
    [
        ("auto", {}, [], "reader", "GPU"),
        ("auto", {"cuda": 4 * 384}, [LESS], "reader", "GPU"),
        ("cuda", {"cuda": 384}, [LESS], "reader", "GPU"),
        ("auto", {"cuda": 200}, [LESS, shorter(192)], "reader-192", "GPU"),
        ("auto", {"cuda": 20}, [LESS, shorter(192), shorter(96), shorter(64), CPU], "reader", "CPU"),
        ("cuda", {"cuda": 20}, [LESS, shorter(192), shorter(96), shorter(64), CPU], "reader", "CPU"),
        (
            "auto",
            {"cuda": 20, "cpu": 2 * 384},
            [LESS, shorter(192), shorter(96), shorter(64), CPU, CPU_LESS],
            "reader",
            "CPU",
        ),
        (
            "cuda",
            {"cuda": 20, "cpu": 200},
            [LESS, shorter(192), shorter(96), shorter(64), CPU, CPU_LESS, shorter(192, "This computer's")],
            "reader-192",
            "CPU",
        ),
    ],
    ids=["fits", "batch", "single", "window", "cpu", "cpu-by-hand", "cpu-batch", "cpu-window"],
)
def test_each_step_is_said_once_and_the_answer_is_the_cpus(
    gpu: FakeGpu,
    ladder_models: Path,
    device: str,
    fits: dict[str, int],
    notices: list[str],
    like: str,
    runs_on: str,
) -> None:
    expected, _ = ask(Host(), ladder_models / like, device="cpu")
    host = Host()
    gpu.tokens = fits
    reading, said = ask(host, ladder_models / "reader", device=device)
    assert said == notices
    assert places(reading) == places(expected)
    assert reading.no_answer_probability == pytest.approx(expected.no_answer_probability, abs=1e-5)
    assert (reading.device, reading.complete, reading.windows) == (runs_on, True, expected.windows)

    gpu.refused.clear()
    again, said = ask(host, ladder_models / "reader", device=device)
    assert (said, gpu.refused) == ([], []), "what was learnt is remembered"
    assert places(again) == places(expected)
    loaded = host(Load(ModelChoice(str(ladder_models / "reader"), device), QA), Noted())
    assert isinstance(loaded, LoadedModel)
    assert loaded.device.title == runs_on
    if notices[-1:] and runs_on == "CPU":
        assert loaded.device.reason.startswith("the GPU has too little free memory for the model")


def test_what_was_learnt_is_forgotten_when_a_model_is_loaded_anew(gpu: FakeGpu, ladder_models: Path) -> None:
    host = Host()
    gpu.tokens = {"cuda": 200}
    ask(host, ladder_models / "reader")
    gpu.tokens = {}
    host(Unload(), Noted())
    gpu.batches.clear()
    _, said = ask(host, ladder_models / "reader")
    assert said == []
    assert max(length for _, _, length in gpu.batches) == 384
    assert max(rows for _, rows, _ in gpu.batches) > 4


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_a_model_that_cannot_be_loaded_onto_the_gpu_is_loaded_onto_the_cpu(
    gpu: FakeGpu, ladder_models: Path, device: str
) -> None:
    gpu.loads = ("cpu",)
    reading, said = ask(host := Host(), ladder_models / "reader", device=device)
    assert said == [CPU]
    assert (reading.device, gpu.loaded) == ("CPU", ["cuda", "cpu"])
    assert ask(host, ladder_models / "reader", device=device)[1] == []
    assert gpu.loaded == ["cuda", "cpu"], "and stays there"


def test_the_ladder_goes_on_where_a_model_was_loaded_onto_the_cpu(gpu: FakeGpu, ladder_models: Path) -> None:
    gpu.loads, gpu.tokens = ("cpu",), {"cpu": 200}
    reading, said = ask(Host(), ladder_models / "reader")
    assert said == [CPU, CPU_LESS, shorter(192, "This computer's")]
    assert reading.complete


def test_a_precision_of_the_gpu_that_the_cpu_lacks_gives_way_with_it(
    gpu: FakeGpu, ladder_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.compute.processor.float16", lambda: "")
    gpu.loads = ("cpu",)
    choice = ModelChoice(str(ladder_models / "reader"), "cuda", "float16")
    loaded = Host()(Load(choice, QA), Noted())
    assert (loaded.device.device, loaded.device.dtype) != ("cpu", "float16")
    assert loaded.device.device == "cpu"


def test_other_models_make_room_before_anything_is_made_smaller(gpu: FakeGpu, ladder_models: Path) -> None:
    host, gpu.models = Host(), 1
    ask(host, ladder_models / "other")
    reading, said = ask(host, ladder_models / "reader")
    assert (said, reading.device) == ([], "GPU")
    assert [held.name for held in host(GetMemory(), Noted()).held] == ["reader"]
    assert len(gpu.alive) == 1, "the other one's weights are gone"


def test_other_models_make_room_while_a_text_is_read_too(gpu: FakeGpu, ladder_models: Path) -> None:
    host = Host()
    ask(host, ladder_models / "other")
    gpu.tokens = {"cuda": 20}
    _, said = ask(host, ladder_models / "reader")
    assert said == [LESS, shorter(192), shorter(96), shorter(64), CPU]
    assert [held.name for held in host(GetMemory(), Noted()).held] == ["reader"]


def test_where_nothing_is_left_to_try_it_is_said_and_the_next_question_works(
    gpu: FakeGpu, ladder_models: Path
) -> None:
    host, gpu.tokens = Host(), {"cuda": 20, "cpu": 20}
    with pytest.raises(SpanlightError, match="This computer has too little free memory"):
        ask(host, ladder_models / "reader")
    gpu.tokens = {}
    reading, _ = ask(host, ladder_models / "reader")
    assert (reading.complete, reading.device) == (True, "CPU")
    gpu.loads = ()
    with pytest.raises(SpanlightError, match="This computer has too little free memory"):
        ask(host, ladder_models / "other")


def test_a_short_text_that_no_shorter_window_helps_goes_to_the_cpu_at_once(
    gpu: FakeGpu, ladder_models: Path
) -> None:
    gpu.tokens = {"cuda": 8}
    reading, said = ask(Host(), ladder_models / "reader", Question("Who?", (Document("The knave."),)))
    assert said == [CPU]
    assert reading.device == "CPU"


@pytest.mark.parametrize("notice", [LESS, shorter(192), shorter(96), shorter(64), CPU])
def test_a_stop_is_heard_on_every_step(gpu: FakeGpu, ladder_models: Path, notice: str) -> None:
    class StopsThen(Noted):
        def check(self) -> None:
            if notice in self.notices:
                raise Stopped

    host, gpu.tokens = Host(), {"cuda": 20}
    report = StopsThen()
    with pytest.raises(Stopped):
        host(Run(QUESTION, ModelChoice(str(ladder_models / "reader"))), report)
    assert report.notices[-1] == notice
    reading, said = ask(host, ladder_models / "reader")
    assert reading.device == "CPU"
    assert not set(report.notices) & (set(said) - {CPU})


def test_what_is_not_about_memory_is_a_bug_still(
    gpu: FakeGpu, ladder_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(gpu, "_take", fail)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        ask(Host(), ladder_models / "reader")


def test_the_weights_leave_the_gpu_before_they_come_to_the_cpu(
    gpu: FakeGpu, ladder_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    before = gpu.load

    def loading(card: Any, head: Head, device: Any, check: Any, *, opened: bool) -> Any:
        gc.collect()
        seen.append(len(gpu.alive))
        return before(card, head, device, check, opened=opened)

    monkeypatch.setattr("app.engine.model_pool.load", loading)
    gpu.tokens = {"cuda": 20}
    ask(Host(), ladder_models / "reader")
    assert gpu.loaded == ["cuda", "cpu"]
    assert seen == [0, 0]
