"""Memory that runs out at every step, through the real Host and the real tasks: it steps down, says so, and answers."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.core.errors import SpanlightError
from app.core.inspection import (
    Example,
    LookAtAttention,
    LookAtLoss,
    LookAtReasons,
    LookAtSpans,
    Method,
    Subject,
)
from app.core.models import Head, LoadedModel
from app.core.report import Stopped
from app.core.requests import (
    ModelChoice,
    PassagePairs,
    Question,
    QuestionBatch,
    TextsToClassify,
    TextsToTag,
    TextToFill,
)
from app.core.results import Reading
from app.core.text import Document, Span
from app.engine.orders import Load, Run, TellMemory, Unload
from app.engine.process import Host
from tests.helpers.fake_gpu import FakeGpu
from tests.helpers.fake_models import Noted
from tests.helpers.small_models import small_checkpoint

QA = Head.QUESTION_ANSWERING
TEXT = " ".join(
    f"The queen made {n} tarts, and the knave of hearts stole them in year {n * 7}." for n in range(60)
)
QUESTION = Question("Who stole the tarts?", (Document(TEXT),), always_answer=True, in_order=True)

LESS = "The GPU's memory ran out: less is read at a time."
CPU = "The GPU's memory ran out: the model now runs on the CPU."
CPU_LESS = "This computer's memory ran out: less is read at a time."


def shorter(window: int, whose: str = "The GPU's") -> str:
    return f"{whose} memory ran out: the text is read in shorter windows of {window} tokens."


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    return FakeGpu().install(monkeypatch.setattr)


@pytest.fixture(scope="module", autouse=True)
def quick_collection() -> Iterator[None]:
    """Leave PyTorch's own objects out of every look for garbage: it would take a third of a second each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    small_checkpoint(folder / "reader")
    small_checkpoint(folder / "reader-192", notes={"window": 192, "stride": 64})
    small_checkpoint(folder / "other", seed=8)
    small_checkpoint(folder / "judge", "distilbert", Head.CLASSIFICATION)
    small_checkpoint(folder / "filler", "bert", (Head.MASKED_WORDS, Head.NEXT_SENTENCE))
    small_checkpoint(folder / "tagger", "bert", Head.TOKEN_CLASSIFICATION, ("O", "B-PER", "I-PER"))
    return folder


def ask(host: Host, folder: Path, request: Any = QUESTION, device: str = "auto") -> tuple[Any, list[str]]:
    """The result of a request, and what was noticed meanwhile."""
    report = Noted()
    return host(Run(request, ModelChoice(str(folder), device)), report), report.notices


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
    models: Path,
    device: str,
    fits: dict[str, int],
    notices: list[str],
    like: str,
    runs_on: str,
) -> None:
    expected, _ = ask(Host(), models / like, device="cpu")
    host = Host()
    gpu.tokens = fits
    reading, said = ask(host, models / "reader", device=device)
    assert said == notices
    assert places(reading) == places(expected)
    assert reading.no_answer_probability == pytest.approx(expected.no_answer_probability, abs=1e-5)
    assert (reading.device, reading.complete, reading.windows) == (runs_on, True, expected.windows)

    gpu.refused.clear()
    again, said = ask(host, models / "reader", device=device)
    assert (said, gpu.refused) == ([], []), "what was learnt is remembered"
    assert places(again) == places(expected)
    loaded = host(Load(ModelChoice(str(models / "reader"), device), QA), Noted())
    assert isinstance(loaded, LoadedModel)
    assert loaded.device.title == runs_on
    if notices[-1:] and runs_on == "CPU":
        assert loaded.device.reason.startswith("the GPU has too little free memory for the model")


def test_what_was_learnt_is_forgotten_when_a_model_is_loaded_anew(gpu: FakeGpu, models: Path) -> None:
    host = Host()
    gpu.tokens = {"cuda": 200}
    ask(host, models / "reader")
    gpu.tokens = {}
    host(Unload(), Noted())
    gpu.batches.clear()
    _, said = ask(host, models / "reader")
    assert said == []
    assert max(length for _, _, length in gpu.batches) == 384
    assert max(rows for _, rows, _ in gpu.batches) > 4


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_a_model_that_cannot_be_loaded_onto_the_gpu_is_loaded_onto_the_cpu(
    gpu: FakeGpu, models: Path, device: str
) -> None:
    gpu.loads = ("cpu",)
    reading, said = ask(host := Host(), models / "reader", device=device)
    assert said == [CPU]
    assert (reading.device, gpu.loaded) == ("CPU", ["cuda", "cpu"])
    assert ask(host, models / "reader", device=device)[1] == []
    assert gpu.loaded == ["cuda", "cpu"], "and stays there"


def test_the_ladder_goes_on_where_a_model_was_loaded_onto_the_cpu(gpu: FakeGpu, models: Path) -> None:
    gpu.loads, gpu.tokens = ("cpu",), {"cpu": 200}
    reading, said = ask(Host(), models / "reader")
    assert said == [CPU, CPU_LESS, shorter(192, "This computer's")]
    assert reading.complete


def test_a_precision_of_the_gpu_that_the_cpu_lacks_gives_way_with_it(
    gpu: FakeGpu, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.processor.float16", lambda: "")
    gpu.loads = ("cpu",)
    choice = ModelChoice(str(models / "reader"), "cuda", "float16")
    loaded = Host()(Load(choice, QA), Noted())
    assert (loaded.device.device, loaded.device.dtype) != ("cpu", "float16")
    assert loaded.device.device == "cpu"


def test_other_models_make_room_before_anything_is_made_smaller(gpu: FakeGpu, models: Path) -> None:
    host, gpu.models = Host(), 1
    ask(host, models / "other")
    reading, said = ask(host, models / "reader")
    assert (said, reading.device) == ([], "GPU")
    assert [held.name for held in host(TellMemory(), Noted()).held] == ["reader"]
    assert len(gpu.alive) == 1, "the other one's weights are gone"


def test_other_models_make_room_while_a_text_is_read_too(gpu: FakeGpu, models: Path) -> None:
    host = Host()
    ask(host, models / "other")
    gpu.tokens = {"cuda": 20}
    _, said = ask(host, models / "reader")
    assert said == [LESS, shorter(192), shorter(96), shorter(64), CPU]
    assert [held.name for held in host(TellMemory(), Noted()).held] == ["reader"]


def test_where_nothing_is_left_to_try_it_is_said_and_the_next_question_works(
    gpu: FakeGpu, models: Path
) -> None:
    host, gpu.tokens = Host(), {"cuda": 20, "cpu": 20}
    with pytest.raises(SpanlightError, match="This computer has too little free memory"):
        ask(host, models / "reader")
    gpu.tokens = {}
    reading, _ = ask(host, models / "reader")
    assert (reading.complete, reading.device) == (True, "CPU")
    gpu.loads = ()
    with pytest.raises(SpanlightError, match="This computer has too little free memory"):
        ask(host, models / "other")


def test_a_short_text_that_no_shorter_window_helps_goes_to_the_cpu_at_once(
    gpu: FakeGpu, models: Path
) -> None:
    gpu.tokens = {"cuda": 8}
    reading, said = ask(Host(), models / "reader", Question("Who?", (Document("The knave."),)))
    assert said == [CPU]
    assert reading.device == "CPU"


@pytest.mark.parametrize("notice", [LESS, shorter(192), shorter(96), shorter(64), CPU])
def test_a_stop_is_heard_on_every_step(gpu: FakeGpu, models: Path, notice: str) -> None:
    class StopsThen(Noted):
        def check(self) -> None:
            if notice in self.notices:
                raise Stopped

    host, gpu.tokens = Host(), {"cuda": 20}
    report = StopsThen()
    with pytest.raises(Stopped):
        host(Run(QUESTION, ModelChoice(str(models / "reader"))), report)
    assert report.notices[-1] == notice
    reading, said = ask(host, models / "reader")
    assert reading.device == "CPU"
    assert not set(report.notices) & (set(said) - {CPU})


SUBJECT = Subject(QA, TEXT, pair="Who stole the tarts?", focus=Span(4, 9))
OPENED = {
    "spans": LookAtSpans(SUBJECT),
    "attention": LookAtAttention(SUBJECT, 1),
    "loss": LookAtLoss(SUBJECT, Example(answer=Span(4, 9))),
    "gradient": LookAtReasons(SUBJECT, method=Method.GRADIENT_INPUT),
}

VALUES = {
    "SpanScores": ("start_logits", "end_logits", "null_score"),
    "Attention": ("weights",),
    "Losses": ("total", "by_model", "in_training"),
    "Attribution": ("shares", "score", "baseline"),
}


@pytest.mark.parametrize("fits", [200, 20])
@pytest.mark.parametrize("look", OPENED.values(), ids=OPENED)
def test_opened_models_step_down_too(gpu: FakeGpu, models: Path, look: Any, fits: int) -> None:
    expected, _ = ask(Host(), models / ("reader-192" if fits == 200 else "reader"), look, "cpu")
    gpu.tokens = {"cuda": fits}
    found, said = ask(host := Host(), models / "reader", look)
    assert [one for one in said if one != LESS] == (
        [shorter(192)] if fits == 200 else [shorter(192), shorter(96), shorter(64), CPU]
    )
    assert len(said) == len(set(said))
    assert found.window == expected.window
    for name in VALUES[type(found).__name__]:
        values = [np.array(getattr(one, name), dtype=float) for one in (found, expected)]
        assert np.isfinite(values[0]).all()
        np.testing.assert_allclose(*values, atol=1e-4)
    gpu.refused.clear()
    assert ask(host, models / "reader", look)[1] == []
    assert gpu.refused == []


def test_gradients_are_computed_in_smaller_batches_before_windows_get_shorter(
    gpu: FakeGpu, models: Path
) -> None:
    look = LookAtReasons(SUBJECT, method=Method.INTEGRATED_GRADIENTS)
    expected, _ = ask(Host(), models / "reader", look, "cpu")
    gpu.tokens = {"cuda": 2 * 384}
    found, said = ask(Host(), models / "reader", look)
    assert said == [LESS]
    np.testing.assert_allclose(found.shares, expected.shares, atol=1e-5)
    assert found.steps == expected.steps


OTHERS = {
    "classify": ("judge", TextsToClassify((TEXT, "The queen was sad. " * 3))),
    "fill": ("filler", TextToFill(TEXT, (Span(0, 3), Span(3000, 3003)))),
    "follow": ("filler", PassagePairs(((TEXT, TEXT), ("The queen made tarts.", "The knave stole them.")))),
    "tag": ("tagger", TextsToTag((TEXT,))),
    "many": ("reader", QuestionBatch((QUESTION, Question("Who made them?", (Document("The queen."),))))),
}


@pytest.mark.parametrize("fits", [4 * 384, 200, 8])
@pytest.mark.parametrize(("folder", "request_"), OTHERS.values(), ids=OTHERS)
def test_every_task_steps_down(gpu: FakeGpu, models: Path, folder: str, request_: Any, fits: int) -> None:
    expected, _ = ask(Host(), models / folder, request_, "cpu")
    gpu.tokens = {"cuda": fits}
    found, said = ask(host := Host(), models / folder, request_)
    assert len(said) == len(set(said))
    assert (CPU in said) == (fits == 8)
    assert type(found) is type(expected)
    if fits != 200:  # shorter windows give other numbers
        np.testing.assert_allclose(
            chances(found, request_), chances(expected, request_), atol=1e-5, equal_nan=True
        )
    gpu.refused.clear()
    assert ask(host, models / folder, request_)[1] == []
    assert gpu.refused == []


def chances(result: Any, request: Any) -> np.ndarray:
    """The probabilities of a result, in order."""
    match request:
        case TextsToClassify():
            return np.array([score.probability for item in result.items for score in item.scores])
        case TextToFill():
            return np.array([guess.probability for blank in result.blanks for guess in blank.guesses])
        case PassagePairs():
            return np.array([item.probability for item in result.items])
        case QuestionBatch():
            return np.array([answer.probability for reading in result for answer in reading.answers])
    return np.array([entity.probability for item in result.items for entity in item.entities])


def test_what_is_not_about_memory_is_a_bug_still(
    gpu: FakeGpu, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(gpu, "_take", fail)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        ask(Host(), models / "reader")


def test_the_weights_leave_the_gpu_before_they_come_to_the_cpu(
    gpu: FakeGpu, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    before = gpu.load

    def loading(card: Any, head: Head, device: Any, check: Any, *, opened: bool) -> Any:
        gc.collect()
        seen.append(len(gpu.alive))
        return before(card, head, device, check, opened=opened)

    monkeypatch.setattr("app.engine.holding.load", loading)
    gpu.tokens = {"cuda": 20}
    ask(Host(), models / "reader")
    assert gpu.loaded == ["cuda", "cpu"]
    assert seen == [0, 0]
