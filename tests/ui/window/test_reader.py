"""The reader is loaded behind the window, and again when its model or where it runs has changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import ModelChoice
from app.ui.window.window import MainWindow
from tests.helpers.resting import OTHER, READER, RestingEngine

LOADING, READY = "Loading the reader…", "Reader ready, on CPU"


def tell(window: MainWindow, qtbot: QtBot, what: str) -> None:
    window.show_page("settings")
    window.page.changed.emit(what)
    qtbot.waitUntil(lambda: window.lanes.files.idle and window.lanes.work.idle)


def loads(engine: RestingEngine) -> list[tuple[str, str]]:
    return [(choice.folder, choice.device) for choice in engine.loads]


def test_it_is_loaded_behind_the_window_and_again_once_its_process_was_lost(
    open_window: Callable[[], MainWindow], engine: RestingEngine, qtbot: QtBot
) -> None:
    window = open_window()
    assert window.status.state() == LOADING
    for begin in (window.reader.start, window.page.lost.emit):
        begin()
        assert window.status.state() == LOADING
        qtbot.waitUntil(lambda: window.status.state() == READY)
    assert loads(engine) == [("/m/reader", "auto")] * 2


@pytest.mark.parametrize(
    "error",
    [SpanlightError("No reader is installed.", "Get one."), EngineLost("The model process ended.", "Ask.")],
)
def test_one_that_cannot_be_loaded_is_said_in_the_status_line(
    window: MainWindow,
    engine: RestingEngine,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    error: SpanlightError,
) -> None:
    def load(choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        raise error

    monkeypatch.setattr(engine, "load", load)
    window.reader.start()
    qtbot.waitUntil(lambda: window.status.state() == str(error))
    assert not window.notice.isVisible()


@pytest.mark.parametrize("what", ["device", "precision", Head.QUESTION_ANSWERING.value])
def test_another_device_or_model_that_was_chosen_is_used(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, what: str
) -> None:
    window.workspace.settings.device = "cpu"
    window.workspace.settings.models[Head.QUESTION_ANSWERING.value] = "other"
    for other in ("theme", "offline", Head.CLASSIFICATION.value):
        tell(window, qtbot, other)
    assert len(engine.loads) == 1, "they do not concern it"
    tell(window, qtbot, what)
    assert loads(engine) == [("/m/reader", "auto"), ("/m/other", "cpu")]


def test_none_left_is_said_and_one_that_came_is_loaded(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    for models, state, times in (
        ((READER, OTHER), READY, 1),
        ((), "There is no model", 1),
        ((OTHER,), READY, 2),
    ):
        window.workspace.shelf.models = models  # type: ignore[attr-defined]
        tell(window, qtbot, "models")
        assert window.status.state().startswith(state)
        assert len(engine.loads) == times
