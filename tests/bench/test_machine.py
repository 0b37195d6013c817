from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.bench import machine
from app.bench.machine import on_battery, this_machine, warnings


def test_busy_processors_and_a_battery_are_warned_of() -> None:
    quiet = replace(this_machine(), threads=4, busy=0.5, on_battery=False)
    assert warnings(quiet) == ()
    assert warnings(replace(quiet, busy=None)) == ()
    busy = warnings(replace(quiet, busy=2.04, on_battery=True))
    assert len(busy) == 2
    assert "2.0 of 4 processors" in busy[0]


def stat(*busy: int) -> str:
    """Write /proc/stat after 100 ticks of each of four processors, some of them busy."""
    lines = [f"cpu{at} {one} 0 0 {90 - one} 10 0 0 0 {one} 0" for at, one in enumerate(busy)]
    return "\n".join(["cpu  1 1 1 1 1 1 1 1 1 1", *lines, "intr 5 0 0", "ctxt 7"])


def test_other_work_is_what_is_done_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this process's own processors count, and no earlier work."""
    told = tmp_path / "stat"
    told.write_text(stat(70, 80, 90, 60))

    def pass_time(seconds: float) -> None:
        lines = [
            "cpu0 70 0 0 120 10 0 0 0 70 0",  # idle since
            "cpu1 180 0 0 10 10 0 0 0 80 0",  # busy all the time
            "cpu2 115 0 0 75 10 0 0 0 90 0",  # a quarter of it
            "cpu3 160 0 0 30 10 0 0 0 60 0",  # in others' hands
        ]
        told.write_text("\n".join(lines))

    monkeypatch.setattr(machine, "STAT", told)
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    monkeypatch.setattr(machine.time, "sleep", pass_time)
    assert machine.load() == pytest.approx(1.25)


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
