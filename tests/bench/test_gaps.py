"""Pauses of a window's event loop are detected."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bench.gaps import Heartbeat, longest, percentile
from tests.conftest import ROOT


def hold_the_window(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        sum(range(100))


def test_a_stand_is_counted_for_the_phase_that_it_was_in(qapp: QApplication, qtbot: QtBot) -> None:
    heart = Heartbeat(owner := QObject())
    heart.begin("calm")
    qtbot.wait(50)
    heart.begin("busy")
    QTimer.singleShot(5, lambda: hold_the_window(0.2))
    qtbot.wait(300)
    heart.stop()
    assert set(heart.gaps) == {"calm", "busy"}
    assert longest(heart.gaps["busy"]) >= 195
    assert len(heart.gaps["calm"]) > 5
    assert sum(heart.gaps["busy"]) >= 200  # the wait's own timer may be early
    assert owner is not None


def test_work_is_told_from_waiting(qapp: QApplication, qtbot: QtBot) -> None:
    heart = Heartbeat(owner := QObject())
    heart.begin("waits")
    QTimer.singleShot(5, lambda: time.sleep(0.2))
    qtbot.wait(300)
    heart.stop()
    assert longest(heart.gaps["waits"]) >= 195
    assert longest(heart.work["waits"]) < 100
    assert len(heart.work["waits"]) == len(heart.gaps["waits"])
    assert owner is not None


@given(st.lists(st.floats(0.1, 1000), min_size=1, max_size=40))
def test_the_gaps_that_most_of_the_time_is_spent_in(lengths: list[float]) -> None:
    gaps = array("d", lengths)
    assert percentile(gaps, 1.0) == pytest.approx(max(lengths)) or percentile(gaps, 0.999) <= max(lengths)
    half = percentile(gaps, 0.5)
    assert sum(gap for gap in lengths if gap <= half) >= sum(lengths) / 2
    assert sum(gap for gap in lengths if gap < half) < sum(lengths) / 2


def test_a_bare_event_loop_is_measured_by_phases() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "app.bench.window_process"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        for phase in ("first", "second"):
            process.stdin.write(f"{phase}\n")
            process.stdin.flush()
            time.sleep(1.0)
        out, _ = process.communicate(timeout=60)
    phases = json.loads(out)["phases"]
    assert set(phases) == {"first", "second"}
    assert 0 < phases["second"]["seconds"] < 5
    assert phases["second"]["longest"] > 0
