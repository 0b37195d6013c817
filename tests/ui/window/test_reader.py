"""When the reader is loaded again."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.core.models import Head
from app.ui.window.window import MainWindow
from tests.helpers.resting import OTHER, RestingEngine


def tell(window: MainWindow, qtbot: QtBot, what: str) -> None:
    window.show_page("settings")
    window.page.changed.emit(what)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: window.lanes.files.idle and window.lanes.work.idle)


def test_another_model_of_its_own_is_loaded(window: MainWindow, engine: RestingEngine, qtbot: QtBot) -> None:
    tell(window, qtbot, "models")
    assert [choice.folder for choice in engine.loads] == ["/m/reader"], "it is the same one"
    window.workspace.shelf.models = (OTHER,)  # type: ignore[attr-defined]
    tell(window, qtbot, "models")
    assert [choice.folder for choice in engine.loads] == ["/m/reader", "/m/other"]
    assert window.status.state() == "Reader ready, on CPU"


def test_none_left_is_said_and_one_that_came_is_loaded(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    window.workspace.shelf.models = ()  # type: ignore[attr-defined]
    tell(window, qtbot, "models")
    assert window.status.state().startswith("There is no model")
    window.workspace.shelf.models = (OTHER,)  # type: ignore[attr-defined]
    tell(window, qtbot, "models")
    assert window.status.state() == "Reader ready, on CPU"


def test_what_does_not_concern_it_leaves_it_alone(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    for what in ("theme", "offline", Head.CLASSIFICATION.value):
        tell(window, qtbot, what)
    assert len(engine.loads) == 1
