"""The Models page, opened over real flows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.kit.jobs import Lanes
from tests.helpers.models_page import Opened, open_models


@pytest.fixture
def open_models_page(
    qapp: QApplication, qtbot: QtBot, spanlight_home: Path
) -> Iterator[Callable[[], Opened]]:
    """Opens the page, as often as it is called: each time a new start over the same home."""
    # Pages are held to the end: one that is collected is taken apart while its widgets still draw.
    made: list[Opened] = []

    def opened() -> Opened:
        for one in made:
            close(one)
        made.append(open_models(qtbot, Lanes()))
        return made[-1]

    yield opened
    for one in made[-1:]:
        close(one)


def close(one: Opened) -> None:
    one.page.hide()
    one.lanes.close()
    one.workspace.close()
