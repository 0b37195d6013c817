"""Every page in German, whose words are long, with letters twice the size on a small screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.kit.translation import use_language
from app.ui.window.window import MainWindow
from tests.conftest import ROOT
from tests.helpers.accessible import sideways
from tests.helpers.furnished import FurnishedEngine, furnish, places
from tests.helpers.windows import FakeEngine


@pytest.fixture(scope="module")
def german(qapp: QApplication) -> Iterator[None]:
    folder = ROOT / "resources" / "translations"
    use_language(folder, "de")
    yield
    use_language(folder, "en")


@pytest.fixture(scope="module")
def engine(german: None) -> FakeEngine:
    """That of a window which is made once the language is there."""
    return FurnishedEngine()


@pytest.mark.long
@pytest.mark.timeout(300)
def test_no_page_scrolls_sideways(
    shared_window: MainWindow, tmp_path_factory: pytest.TempPathFactory, qtbot: QtBot
) -> None:
    window, faults = shared_window, []
    furnish(window, tmp_path_factory.mktemp("files"))
    window.theme.choose("light", 2.0)
    window.theme.changed.disconnect(window._bound_size)  # the screen here is higher
    for name, page in places(window):
        if page.window() is window:
            window.setMinimumSize(0, 0)
            window.resize(1024, 640)
            qtbot.wait(100)  # scroll bars come and go
            faults += [f"{name}: {fault}" for fault in sideways(page)]
    assert not faults, "\n" + "\n".join(faults)
