"""Measuring the window: the results, and the error if it cannot be measured."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.bench import window
from app.bench.plan import BenchPlan
from app.bench.texts import pool
from app.core.report import Stopped
from app.flows.workspace import open_workspace
from app.settings.paths import default_paths
from tests.helpers.children import Listener


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


def test_the_questions_asked_have_their_answers_in_the_text() -> None:
    texts = pool("", default_paths())
    text = texts.document(3000, 1).text
    asked = window._questions(texts, text, 1)
    contexts = [one.context for question in asked for one in texts.answerable if one.question == question]
    assert len(set(asked)) == window.QUESTIONS and len(set(contexts)) == window.QUESTIONS
    assert all(context in text for context in contexts)
    assert asked == window._questions(texts, text, 1) != window._questions(texts, text, 2)


def test_a_stop_ends_the_window(tmp_path: Path) -> None:
    class Stopping(Listener):
        def check(self) -> None:
            raise Stopped

    mark = tmp_path / "mark"
    command = [sys.executable, "-c", f"import time; time.sleep(20); open({str(mark)!r}, 'w')"]
    with pytest.raises(Stopped):
        window._window(command, os.environ, Stopping())
    assert not mark.exists()
