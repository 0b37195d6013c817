"""The page Teach and its sections, opened over a test's own `workspace`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.page import PagePart
from app.ui.kit.theme import Theme

PartT = TypeVar("PartT", bound=PagePart)
Open = Callable[[type[PartT]], PartT]


@pytest.fixture
def open_part(qapp: QApplication, qtbot: QtBot, workspace: Workspace) -> Iterator[Open]:
    """Opens it as often as it is called, and waits for what it looks up first."""
    made: list[tuple[PagePart, Lanes]] = []

    def opened(kind: type[PartT]) -> PartT:
        theme, lanes = Theme(workspace.paths.resources), Lanes()
        theme.choose("light")
        part = kind(workspace, theme, lanes)
        qtbot.addWidget(part)
        part.resize(1100, 700)
        part.show()
        part.shown()
        made.append((part, lanes))
        qtbot.waitUntil(lambda: lanes.files.idle)
        return part

    yield opened
    for _, lanes in made:
        lanes.close()
