"""Measuring the window: what it says, and what it says where it cannot."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Stopped
from app.flows.bench import window
from app.flows.bench.plan import BenchPlan
from app.flows.workspace import open_workspace
from app.settings.paths import default_paths
from tests.helpers.children import Listener

STOOD = {"seconds": 2.0, "longest": 31.5, "work": 4.5, "p99": 12.0, "longer": [31.5]}


def test_the_window_is_measured_through_all_phases(
    monkeypatch: pytest.MonkeyPatch, spanlight_home: Path
) -> None:
    monkeypatch.setattr(window, "SECONDS", 3.0)
    workspace = open_workspace(default_paths())
    try:
        part = window.measure(workspace, BenchPlan(("window",), words=3000), Listener())
    finally:
        workspace.close()
    assert part.name == "window"
    whats = [row.what for row in part.rows]
    for words in window._PHASES.values():
        assert f"longest gap, {words}" in whats
    assert sum(what.startswith("a bare event loop") for what in whats) == len(window._BESIDE)
    assert all(row.value > 0 and row.unit == "ms" for row in part.rows)
    phases = part.details["window"]["phases"]
    assert phases["read"]["longest"] <= phases["read"]["seconds"] * 1000
    assert part.details["window"]["windows read"] > 0
    assert part.model == "starter-qa"


def test_phases_that_were_not_gone_through_are_left_out() -> None:
    found = {"phases": {"load": STOOD}, "late": ["load"], "platform": "offscreen"}
    part = window._part(found, {"phases": {"load": STOOD}}, "reader", "cpu", "Said.")
    assert [row.what for row in part.rows] == [
        "longest gap, loading the reader",
        "  the window's own work in one gap, at most",
        "  of the time, 99 % in gaps no longer than",
        "a bare event loop beside loading the reader",
    ]
    assert [row.value for row in part.rows] == [31.5, 4.5, 12.0, 31.5]
    assert any("Stopped after" in note and "loading the reader" in note for note in part.notes)


def test_a_window_that_does_not_open_is_said() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no screen here')"]
    with pytest.raises(SpanlightError, match="could not be measured") as told:
        window._window(command, os.environ, Listener())
    assert "no screen here" in told.value.hint


def test_a_stop_ends_the_window(tmp_path: Path) -> None:
    class Stopping(Listener):
        def check(self) -> None:
            raise Stopped

    mark = tmp_path / "mark"
    command = [sys.executable, "-c", f"import time; time.sleep(20); open({str(mark)!r}, 'w')"]
    with pytest.raises(Stopped):
        window._window(command, os.environ, Stopping())
    assert not mark.exists()
