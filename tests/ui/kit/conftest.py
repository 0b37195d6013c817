"""The light theme for the tests of the kit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from app.ui.kit.theme import Theme
from tests.conftest import ROOT


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """The theme, light before and after each test."""
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    yield theme
    theme.choose("light")
