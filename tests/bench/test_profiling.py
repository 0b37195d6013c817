"""Time by kind of operation and by part of the app, and the orders that measure it."""

from __future__ import annotations

import cProfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bench import profiling
from app.bench.profiling import MeasurePeak, MeasuringHost, ProfileRun
from app.core.report import Silent
from app.core.requests import ModelChoice, Question
from app.core.text import Document
from app.engine.orders import Run
from tests.helpers.small_models import small_checkpoint

QUESTION = Question("Who stole the tarts?", (Document("The knave of hearts stole the tarts. " * 200),))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> MeasuringHost:
    monkeypatch.setattr("torch.set_num_threads", lambda _: None)
    return MeasuringHost()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> ModelChoice:
    return ModelChoice(str(small_checkpoint(tmp_path_factory.mktemp("models") / "reader")), "cpu")


def test_every_second_is_told(host: MeasuringHost, reader: ModelChoice) -> None:
    first = Run(Question("Who?", (Document("Alice stole them."),)), reader)
    found: profiling.Profile = host(ProfileRun(first, Run(QUESTION, reader)), Silent())
    kinds = dict(found.kinds)
    # On a busy machine some of the time is nobody's: neither an operation's nor seen between two of them.
    assert 0.6 * found.seconds <= sum(kinds.values()) <= 1.1 * found.seconds
    assert min(kinds.values()) >= 0
    assert {profiling.PRODUCTS, profiling.ATTENTION, profiling.CHOOSING} <= kinds.keys()
    assert list(kinds.values()) == sorted(kinds.values(), reverse=True)


def test_peaks(host: MeasuringHost) -> None:
    peaks = {peak.dtype: peak.flops for peak in host(MeasurePeak("cpu"), Silent())}
    assert peaks["float32"] > 0
    assert set(peaks) <= {"float32", "bfloat16", "float16"}


def test_an_events_own_time_is_without_those_within_it() -> None:
    recorded = [
        ("c", 30, 10),
        ("a", 0, 100),
        ("b", 20, 40),
        ("d", 60, 40),  # begins where b ends
        ("e", 100, 5),  # and this where a ends
    ]
    own = {name: round(1e9 * seconds) for name, seconds in profiling.own_times(recorded)}
    assert own == {"a": 20, "b": 30, "c": 10, "d": 40, "e": 5}


@given(st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=4), max_leaves=20))
def test_own_times_add_up(tree: list[Any]) -> None:
    """However events are nested, the own time of each is never negative, and all time counts once."""
    recorded: list[tuple[str, int, int]] = []

    def lay(node: list[Any], start: int) -> int:
        at = start + 1
        for inner in node:
            at = lay(inner, at) + 1
        recorded.append((str(len(recorded)), start, at - start))
        return at

    whole = lay(tree, 0)
    own = profiling.own_times(recorded)
    assert len(own) == len(recorded)
    assert all(seconds > 0 for _, seconds in own)
    assert sum(seconds for _, seconds in own) == pytest.approx(whole / 1e9)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("aten::addmm", profiling.PRODUCTS),
        ("aten::linear", profiling.PRODUCTS),
        ("mkldnn::_linear_pointwise", profiling.PRODUCTS),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", profiling.ATTENTION),
        ("aten::bmm", profiling.ATTENTION),
        ("aten::native_layer_norm", profiling.NORMALISATION),
        ("aten::gelu", profiling.ACTIVATION),
        ("aten::copy_", profiling.MOVING),
    ],
)
def test_operations_have_their_kind(name: str, kind: str) -> None:
    assert profiling.by_operation([(name, 2.0), ("ProfilerStep#1", 9.0)]) == {kind: 2.0}


@pytest.mark.parametrize(
    ("file", "name", "part"),
    [
        ("/x/app/tasks/text/tokens.py", "f", profiling.TOKENISING),
        ("/x/app/tasks/text/windows.py", "f", profiling.WINDOWS),
        ("/x/app/tasks/qa/spans.py", "f", profiling.CHOOSING),
        ("/x/app/models/encoder/encoder.py", "f", profiling.MODEL),
        ("/usr/lib/python3.11/multiprocessing/connection.py", "send", profiling.SENDING),
        ("~", "<method 'encode' of 'tokenizers.Tokenizer' objects>", profiling.TOKENISING),
        ("~", "<built-in method time.sleep>", ""),
        ("/usr/lib/python3.11/json/encoder.py", "f", ""),
    ],
)
def test_functions_have_their_part(file: str, name: str, part: str) -> None:
    assert profiling.part_of((file, 1, name)) == part


def test_what_is_of_no_part_counts_as_its_callers(tmp_path: Path) -> None:
    """Two parts that use a recursive helper in a ratio of 3 to 1."""
    code = "def helper(n, wait):\n    wait(0.02) if n == 0 else helper(n - 1, wait)\n"
    scope: dict[str, object] = {}
    exec(compile(code, "/x/lib/helper.py", "exec"), scope)
    for name, room in (("tokens", "text"), ("spans", "qa")):
        source = f"def {name}(times):\n    for _ in range(times): helper(3, wait)\n"
        scope["wait"] = time.sleep
        exec(compile(source, f"/x/app/tasks/{room}/{name}.py", "exec"), scope)
    python = cProfile.Profile()
    python.runcall(lambda: (scope["tokens"](6), scope["spans"](2)))  # type: ignore[operator]
    parts = profiling.by_part(python)
    assert parts[profiling.TOKENISING] / parts[profiling.CHOOSING] == pytest.approx(3, rel=0.2)
