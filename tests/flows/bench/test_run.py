from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.benches import BenchPart, BenchRow
from app.core.errors import SpanlightError
from app.core.report import Report, Silent
from app.flows.bench.plan import INSTRUCTIONS, BenchPlan
from app.flows.bench.run import PARTS, bench
from app.flows.workspace import Workspace
from tests.flows.fake_engine import fake_workspace
from tests.helpers.fake_models import Noted


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str | None]]:
    """Two parts that are quickly measured and one that never is; what they saw of the environment."""
    seen: dict[str, dict[str, str | None]] = {}

    def measure(name: str) -> object:
        def it(workspace: Workspace, plan: BenchPlan, report: Report) -> BenchPart:
            if name == "broken":
                raise SpanlightError("It is broken.", "Mend it.")
            seen[name] = {key: os.environ.get(key) for key in INSTRUCTIONS["avx2"]}
            return BenchPart(name, name, (BenchRow("it", 1.0, "s"),), model="reader", device="CPU")

        return it

    monkeypatch.setattr(
        "app.flows.bench.run.PARTS", {name: measure(name) for name in ("one", "broken", "two")}
    )
    return seen


def test_parts_come_in_order_and_a_failed_one_is_noticed(
    tmp_path: Path, parts: dict[str, dict[str, str | None]]
) -> None:
    noted = Noted()
    found = bench(fake_workspace(tmp_path), BenchPlan(("one", "broken", "two")), noted)
    assert [part.name for part in found.parts] == ["one", "two"]
    assert (found.model, found.device, found.reference) == ("reader", "CPU", "")
    assert noted.notices == ["Broken could not be measured. It is broken. Mend it."]
    assert found.when


def test_where_nothing_was_measured_the_fault_is_told(
    tmp_path: Path, parts: dict[str, dict[str, str | None]]
) -> None:
    for names in (("broken",), ("broken", "broken")):
        with pytest.raises(SpanlightError, match="It is broken"):
            bench(fake_workspace(tmp_path), BenchPlan(names), Silent())


def test_a_lesser_processor_is_stood_in_for_and_taken_back(
    tmp_path: Path, parts: dict[str, dict[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    found = bench(fake_workspace(tmp_path), BenchPlan(("one",), isa="avx2-vnni"), Silent())
    assert found.instructions == "avx2-vnni"
    assert parts["one"] == {
        "ONEDNN_MAX_CPU_ISA": "AVX2_VNNI",
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
    tmp_path: Path, parts: dict[str, dict[str, str | None]], plan: BenchPlan, said: str
) -> None:
    with pytest.raises(SpanlightError, match=said):
        bench(fake_workspace(tmp_path), plan, Silent())
    assert not parts


def test_no_part_is_heavy_to_import() -> None:
    assert {"reading", "anytime", "memory"} <= PARTS.keys()
    heavy = "{'torch', 'transformers', 'PySide6', 'numpy'}"
    code = f"import sys; import app.flows.bench.run; print(*{heavy} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []
