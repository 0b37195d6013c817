"""The model behind the classify page: found, and loaded before it is needed."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classifications
from app.ui.heads.classify.classify import ClassifyView
from tests.helpers.classify_page import CARD, by_length, edit
from tests.helpers.windows import FakeEngine


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(by_length, CARD)


@pytest.fixture
def view(
    open_page: Callable[[type[ClassifyView], FakeEngine], ClassifyView], engine: FakeEngine
) -> ClassifyView:
    return open_page(ClassifyView, engine)


def test_the_classifier_loads_behind_the_page_and_again_for_another_device(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    view.shown()
    qtbot.waitUntil(lambda: notes == ["Loading the classifier…", "Classifier ready, on CPU"])
    assert [(choice.folder, choice.device) for choice in engine.loads] == [("/models/moods", "auto")]
    assert "moods" in view._panel.model.words()
    view.shown()
    view.settings_changed()
    qtbot.waitUntil(lambda: view.lanes.files.idle and view.lanes.work.idle)
    assert len(engine.loads) == 1
    view.workspace.settings.device = "cpu"
    view.settings_changed()
    qtbot.waitUntil(lambda: [choice.device for choice in engine.loads] == ["auto", "cpu"])
    assert engine.requests == []


def test_loading_waits_for_what_runs_and_leaves_its_news_alone(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine
) -> None:
    leave = threading.Event()

    def held(request: TextsToClassify, choice: ModelChoice | None, report: Report) -> Classifications:
        leave.wait(5)
        return by_length(request, choice, report)

    engine.answer = held
    edit(view).setPlainText("x" * 95)
    notes: list[str] = []
    view.note.connect(notes.append)
    view.run()
    qtbot.waitUntil(lambda: bool(engine.requests))
    view.shown()
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert engine.loads == []
    assert view._panel.strip.isVisible()
    leave.set()
    qtbot.waitUntil(lambda: view.lanes.work.idle)
    assert len(engine.loads) == 1
    assert view._class_panel.card.text() == "Positive (Very likely, 95%)"
    assert notes == ["", "1 text (2 windows) classified in 0.5 seconds"]


def test_a_classifier_that_cannot_be_loaded_is_said_in_the_status_line_only(
    view: ClassifyView, qtbot: QtBot, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(choice: ModelChoice, head: Head, report: Report) -> LoadedModel:
        raise EngineLost("The model process ended.", "Try once more.")

    monkeypatch.setattr(engine, "load", refuse)
    notes: list[str] = []
    lost: list[bool] = []
    view.note.connect(notes.append)
    view.lost.connect(lambda: lost.append(True))
    view.shown()
    qtbot.waitUntil(lambda: notes == ["Loading the classifier…", "The model process ended."])
    assert lost == [True]
    assert view._panel.notice.sentence() == ""
