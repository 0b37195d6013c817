from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.bench.plan import INSTRUCTIONS, BenchPlan
from app.bench.results import Bench, BenchPart, BenchRow
from app.bench.run import PARTS, bench
from app.core.errors import SpanlightError
from app.core.report import Report, Silent, Stopped
from app.flows.workspace import Workspace
from tests.flows.fake_engine import FakeEngine, fake_workspace
from tests.helpers.fake_models import Noted

DEVICES = {"one": "CPU in float32", "two": "auto"}
# By part, the variables of the environment that it saw.
Parts = dict[str, dict[str, str | None]]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    """Parts that are measured quickly, parts that always fail, and what they saw of the environment."""
    seen: Parts = {}

    def measure(name: str) -> object:
        def it(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
            if name == "broken":
                raise SpanlightError("It is broken.", "Mend it.")
            seen[name] = {key: os.environ.get(key) for key in INSTRUCTIONS["avx2"]}
            return BenchPart(name, name, (BenchRow("it", 1.0, "s"),), model="reader", device=DEVICES[name])

        return it

    monkeypatch.setattr("app.bench.run.PARTS", {name: measure(name) for name in ("one", "broken", "two")})
    return seen


def test_parts_come_in_order_and_a_failed_one_is_noticed(tmp_path: Path, parts: Parts) -> None:
    noted = Noted()
    engine = FakeEngine()
    told: list[Bench] = []
    plan = BenchPlan(("one", "broken", "two"))
    found = bench(fake_workspace(tmp_path, engine), plan, noted, told.append)
    assert engine.ended == 2, "each part but the first begins with a new model process"
    assert [part.name for part in found.parts] == ["one", "two"]
    assert (found.model, found.device, found.reference) == ("reader", "CPU in float32", "")
    assert noted.notices == ["Broken could not be measured. It is broken. Mend it."]
    assert found.when
    assert found.faults == {"broken": "It is broken. Mend it."}
    assert [(len(one.parts), len(one.faults)) for one in told] == [(1, 0), (1, 1), (2, 1)]
    assert told[-1].parts == found.parts


def test_a_part_whose_processes_ctrl_c_ended_was_stopped(tmp_path: Path, parts: Parts) -> None:
    told: list[Bench] = []
    with pytest.raises(Stopped):
        bench(fake_workspace(tmp_path), BenchPlan(("one", "broken", "two")), Noted(stop_at=1), told.append)
    assert told[-1].faults == {"broken": "Stopped."}


def test_a_lesser_processor_is_stood_in_for_and_taken_back(
    tmp_path: Path, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    found = bench(fake_workspace(tmp_path), BenchPlan(("one",), isa="avx2"), Silent())
    assert found.instructions == "avx2"
    assert parts["one"] == {
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    }
    assert os.environ["ATEN_CPU_CAPABILITY"] == "default"
    assert "ONEDNN_MAX_CPU_ISA" not in os.environ


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (BenchPlan(("sometime",)), "no part “sometime”"),
        (BenchPlan(("one",), isa="sse"), "no processor “sse”"),
        (BenchPlan(("one",), data="/nowhere"), "no folder “/nowhere”"),
        (BenchPlan(("one",), against="/nowhere/python"), "no Python “/nowhere/python”"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_measured(
    tmp_path: Path, parts: Parts, plan: BenchPlan, said: str
) -> None:
    with pytest.raises(SpanlightError, match=said):
        bench(fake_workspace(tmp_path), plan, Silent())
    assert not parts


def test_no_part_is_heavy_to_import() -> None:
    assert {"reading", "anytime", "memory"} <= PARTS.keys()
    heavy = "{'torch', 'transformers', 'PySide6', 'numpy'}"
    code = f"import sys; import app.bench.run; print(*{heavy} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []


@pytest.mark.parametrize("plan", [BenchPlan(("window",)), BenchPlan(("one",), against=sys.executable)])
def test_a_bundle_says_what_only_the_source_can_measure(
    tmp_path: Path,
    parts: Parts,
    monkeypatch: pytest.MonkeyPatch,
    plan: BenchPlan,
) -> None:
    monkeypatch.setattr(
        "app.bench.run.PARTS",
        dict.fromkeys(("one", "start", "window"), lambda *_: pytest.fail("measured")),
    )
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(SpanlightError, match="which an installed Spanlight comes without"):
        bench(fake_workspace(tmp_path), plan, Silent())
