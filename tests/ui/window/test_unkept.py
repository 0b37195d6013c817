"""A data folder that cannot be written: the window says so once, and everything else works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.flows.workspace import Workspace
from app.settings.paths import default_paths
from app.settings.settings import Settings
from app.ui.kit.jobs import Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.theme import Theme
from app.ui.window.window import MainWindow
from tests.helpers.windows import FakeEngine, open_fake_workspace, settle, until_stopped


@pytest.fixture
def workspace(spanlight_home: Path) -> Workspace:
    spanlight_home.write_text("a file, in which no folder can be made")
    return open_fake_workspace(FakeEngine(until_stopped))


@pytest.fixture
def window(workspace: Workspace, qtbot: QtBot) -> Iterator[MainWindow]:
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    made = MainWindow(workspace, theme, Lanes())
    qtbot.addWidget(made)
    made.show()
    made.start_soon()
    qtbot.waitUntil(lambda: made.notice.isVisible())
    yield made
    made.close()


def test_it_is_told_once_where_nothing_is_kept(
    window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    assert window.notice.sentence() == f"Nothing can be kept: {workspace.paths.data} cannot be written to."
    window.notice.hide()
    window.show_page("classify")
    edit = next(each for each in window.page.findChildren(QPlainTextEdit) if each.isVisible())
    edit.setPlainText("Some words to keep.")
    window.page.keep()
    settle(window, qtbot)
    assert not [notice.sentence() for notice in window.findChildren(Notice) if notice.isVisible()]


def test_a_home_that_can_be_written_to_is_no_matter(spanlight_home: Path) -> None:
    workspace = Workspace(Settings(), default_paths())
    assert workspace.storage_fault() is None
    assert not spanlight_home.exists()
