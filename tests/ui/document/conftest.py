"""One theme for the panes of a module; every test begins with the light one."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.ui.kit.theme import Theme
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def shared_theme(qapp: QApplication) -> Theme:
    return Theme(ROOT / "resources")


@pytest.fixture
def theme(shared_theme: Theme) -> Theme:
    shared_theme.choose("light", 1.0)
    return shared_theme
