"""A window over an engine that reads nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.ui.window.window import MainWindow
from tests.helpers.resting import OTHER, READER, RestingEngine
from tests.helpers.windows import settle


@pytest.fixture
def engine() -> RestingEngine:
    return RestingEngine(READER, OTHER)


@pytest.fixture
def window(open_window: Callable[[], MainWindow], qtbot: QtBot) -> MainWindow:
    window = open_window()
    window.reader.start()
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU")
    settle(window, qtbot)
    return window
