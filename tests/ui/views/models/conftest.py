"""The Models page, opened over real flows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.jobs import Lanes
from tests.helpers.models_page import Opened, open_models


@pytest.fixture
def open_models_page(
    qapp: QApplication, qtbot: QtBot, spanlight_home: Path
) -> Iterator[Callable[[], Opened]]:
    """Opens the page, as often as it is called: each time a new start over the same home."""
    made: list[Opened] = []

    def opened() -> Opened:
        close(made)
        made.append(open_models(qtbot, Lanes()))
        return made[-1]

    yield opened
    close(made)


def close(made: list[Opened]) -> None:
    for one in made:
        one.page.keep()
        one.lanes.close()
        one.workspace.close()
    made.clear()
