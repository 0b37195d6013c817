"""One theme for the panes of a module, of which every test begins with the light one; the Ask page with a reader."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from app.ui.ask.ask import AskView
from app.ui.kit.theme import Theme
from tests.conftest import ROOT
from tests.helpers.open_files import reader
from tests.helpers.windows import FakeEngine


@pytest.fixture(scope="module")
def shared_theme(qapp: QApplication) -> Theme:
    return Theme(ROOT / "resources")


@pytest.fixture
def theme(shared_theme: Theme) -> Theme:
    shared_theme.choose("light", 1.0)
    return shared_theme


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView]) -> AskView:
    return open_page(AskView, reader())
