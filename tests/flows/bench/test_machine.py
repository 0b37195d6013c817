from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.flows.bench import machine
from app.flows.bench.machine import on_battery, this_machine, warnings


def test_this_machine() -> None:
    found = this_machine()
    assert found.processor
    assert found.threads >= 1
    assert found.python.startswith("3.")
    assert {"torch", "transformers"} <= found.packages.keys()


def test_busy_processors_and_a_battery_are_warned_of() -> None:
    quiet = replace(this_machine(), threads=4, busy=0.5, on_battery=False)
    assert warnings(quiet) == ()
    assert warnings(replace(quiet, busy=None)) == ()
    busy = warnings(replace(quiet, busy=2.04, on_battery=True))
    assert len(busy) == 2
    assert "2.0 of 4 processors" in busy[0]


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [("Battery", "Discharging", True), ("Battery", "Charging", False), ("Mains", "Discharging", False)],
)
def test_a_battery_in_use(tmp_path: Path, kind: str, status: str, expected: bool) -> None:
    (tmp_path / "AC").mkdir()  # says nothing
    supply = tmp_path / "BAT0"
    supply.mkdir()
    (supply / "type").write_text(kind + "\n")
    (supply / "status").write_text(status + "\n")
    assert on_battery(tmp_path) is expected
    assert on_battery(tmp_path / "nowhere") is False


def test_instructions_are_named_as_their_makers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.sys, "platform", "linux")
    told = "processor\t: 0\nflags\t\t: fpu avx2 avx512f amx_bf16 sse\nflags\t\t: other\n"
    monkeypatch.setattr(Path, "read_text", lambda *_: told)
    assert machine.instructions() == ("AVX2", "AVX512", "AMX-BF16")
