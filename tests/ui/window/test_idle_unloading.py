"""Models that have been idle for long are unloaded, and loaded again for the next question."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.report import Report
from app.flows.models.devices import unload
from app.ui.window.window import MainWindow
from tests.helpers.resting import RestingEngine

AWAY = "Put away after 15 minutes; the next question loads it again"


def work(window: MainWindow) -> None:
    """Stands in for a question: work in the lane of the models."""
    window.lanes.work.start(lambda report: window.workspace.engine.run("question", None, report))


def rest(window: MainWindow, minute_ms: int = 2) -> None:
    window.idle_unloading.minute_ms = minute_ms
    window.idle_unloading.look()


def test_the_next_question_loads_it_again_and_says_so(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    rest(window)
    qtbot.waitUntil(lambda: window.status.state() == AWAY)
    window.lanes.work.start_aside(lambda report: None)
    qtbot.wait(20)
    assert engine.unloads == 1 and window.status.state() == AWAY, "a look at how things stand wakes nobody"
    rest(window, 60_000)
    work(window)
    assert window.status.state() == "Loading the reader again…"
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU")
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    assert engine.said == ["load", "unload", "load", "run"], "the reader is there when the question is read"


@pytest.mark.parametrize("spoil", ["never", "no process"])
def test_nothing_is_put_away_where_there_is_no_reason(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, spoil: str
) -> None:
    if spoil == "never":
        window.workspace.settings.unload_minutes = 0
    else:
        engine.alive = False
    rest(window)
    qtbot.wait(80)
    assert not engine.unloads
    assert window.status.state() == "Reader ready, on CPU"


def test_work_holds_it_back(window: MainWindow, engine: RestingEngine, qtbot: QtBot) -> None:
    window.idle_unloading.minute_ms = 5
    job = window.lanes.work.start(_until_stopped)
    qtbot.wait(200)
    assert not engine.unloads
    job.stop()
    qtbot.waitUntil(lambda: engine.unloads == 1)


def test_a_question_that_comes_while_it_is_put_away_has_it_loaded(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest(window)
    qtbot.waitUntil(lambda: bool(window.idle_unloading._job or engine.unloads))
    if window.idle_unloading._job is not None:  # its end was not heard of yet
        work(window)
        assert window.status.state().startswith("Loading the reader")
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    assert window.status.state() in ("Reader ready, on CPU", AWAY)


def test_a_process_that_dies_of_it_is_no_fault_on_the_screen(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(report: Report) -> None:
        engine.unloads += 1
        raise EngineLost("The model process ended.", "Ask again.")

    monkeypatch.setattr(engine, "unload", die)
    rest(window)
    qtbot.waitUntil(lambda: engine.unloads == 1 and window.lanes.work.idle)
    assert not window.notice.isVisible()


def test_put_away_by_hand_is_told_without_a_time(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    window.lanes.work.start_aside(unload, window.workspace)
    window.show_page("settings")
    window.page.changed.emit("unloaded")  # type: ignore[attr-defined]
    assert window.status.state() == "Put away; the next question loads it again"
    work(window)
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU")


def _until_stopped(report: Report) -> None:
    while True:
        report.check()
