"""Measuring the window: what it says, and what it says where it cannot."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.bench import window
from app.bench.plan import BenchPlan
from app.bench.texts import pool
from app.core.errors import SpanlightError
from app.core.report import Stopped
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
    assert sum(what.startswith("a bare event loop") for what in whats) == len(window._BARE_PHASES)
    assert all(row.value > 0 and row.unit == "ms" for row in part.rows)
    first = part.rows[0]
    took = part.details["window"]["first answers"]
    assert first.what == "Enter to first answer on the page" and first.worst == 1000 * max(took)
    assert len(took) + part.details["window"]["not answered"] == window.QUESTIONS
    assert 1000 * sum(took) <= 1000 * part.details["window"]["phases"]["first answers"]["seconds"]
    phases = part.details["window"]["phases"]
    assert phases["read"]["longest"] <= phases["read"]["seconds"] * 1000
    assert 0 < part.details["window"]["read"] <= 1
    assert any("it was read to " in note for note in part.notes)
    assert part.model == "reader-careful"


def test_phases_that_were_not_gone_through_are_left_out() -> None:
    found = {"phases": {"load": STOOD}, "late": None, "stopped": [], "platform": "offscreen"}
    part = window._part(found, {"phases": {"load": STOOD}}, "reader", "cpu", "Said.")
    assert [row.what for row in part.rows] == [
        "longest gap, loading the reader",
        "  the window's own work in one gap, at most",
        "  99% of the time passed in gaps of at most",
        "a bare event loop beside loading the reader",
    ]
    assert [row.value for row in part.rows] == [31.5, 4.5, 12.0, 31.5]
    assert not any("Stopped" in note or "asked" in note for note in part.notes)


def test_what_was_stopped_as_planned_and_what_had_no_answer_is_told() -> None:
    found = {
        "phases": {"read": {**STOOD, "p99": 31.5}}, "late": None, "stopped": ["read", "train", "read"],
        "platform": "offscreen", "first answers": [0.2, 0.1, 0.9], "not answered": 1, "read": 0.125,
    }  # fmt: skip
    part = window._part(found, {"phases": {}}, "reader", "cpu", "Said.")
    assert [row.what for row in part.rows] == [
        "Enter to first answer on the page",
        "longest gap, reading, while somebody types and scrolls",
        "  the window's own work in one gap, at most",
    ]  # a gap that is the longest and most of the time is told once
    assert (part.rows[0].value, part.rows[0].worst, part.rows[0].unit) == (200.0, 900.0, "ms")
    assert (
        "Stopped after 20 seconds, as planned: reading, while somebody types and scrolls; training."
        in part.notes
    )
    assert any(
        "4 questions" in note and "1 had none" in note and "it was read to 12%" in note for note in part.notes
    )


@pytest.mark.parametrize(("late", "said"), [("load", "loading the reader"), ("", "coming to rest")])
def test_a_window_that_stands_still_in_the_middle_is_a_fault(late: str, said: str) -> None:
    assert window._ready({"late": None}) == {"late": None}
    with pytest.raises(SpanlightError, match=f"not done within 120 seconds: {said}"):
        window._ready({"late": late})


def test_nothing_is_waited_for_longer_than_it_may_take(
    monkeypatch: pytest.MonkeyPatch, spanlight_home: Path
) -> None:
    monkeypatch.setattr(window, "READY", 0.001)
    workspace = open_workspace(default_paths())
    try:
        with pytest.raises(SpanlightError, match=r"0\.001 seconds: (paint|loading the reader)"):
            window.measure(workspace, BenchPlan(("window",), words=300), Listener())
    finally:
        workspace.close()


def test_the_questions_asked_have_their_answers_in_the_text() -> None:
    texts = pool("", default_paths())
    text = texts.document(3000, 1).text
    asked = window._questions(texts, text, 1)
    contexts = [one.context for question in asked for one in texts.answerable if one.question == question]
    assert len(set(asked)) == window.QUESTIONS and len(set(contexts)) == window.QUESTIONS
    assert all(context in text for context in contexts)
    assert asked == window._questions(texts, text, 1) != window._questions(texts, text, 2)


def test_a_window_that_does_not_open_is_said() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no screen here')"]
    with pytest.raises(SpanlightError, match="could not be measured: no screen here"):
        window._window(command, os.environ, Listener())


def test_a_stop_ends_the_window(tmp_path: Path) -> None:
    class Stopping(Listener):
        def check(self) -> None:
            raise Stopped

    mark = tmp_path / "mark"
    command = [sys.executable, "-c", f"import time; time.sleep(20); open({str(mark)!r}, 'w')"]
    with pytest.raises(Stopped):
        window._window(command, os.environ, Stopping())
    assert not mark.exists()


def test_a_bare_event_loop_that_is_gone_or_does_not_end_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [sys.executable, "-c", "import sys; sys.exit('no screen here')"]
    with pytest.raises(SpanlightError, match="no screen here"), window._Bare({}, Listener(), gone) as bare:
        bare._process.wait()
        bare.phase("load")
    with pytest.raises(SpanlightError, match="no screen here"), window._Bare({}, Listener(), gone):
        pass
    monkeypatch.setattr(window, "_END", 0.2)
    endless = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(SpanlightError, match="did not end"), window._Bare({}, Listener(), endless) as bare:
        bare.phase("load")
    assert bare._process.returncode is not None
