"""For every test of the window: pages and windows to open; what the screenless platform says is no fault of ours."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.kit.jobs import Lanes
from app.ui.kit.page import Page
from app.ui.kit.theme import Theme
from app.ui.window.window import MainWindow
from tests.conftest import ROOT
from tests.helpers.ask_page import Reader
from tests.helpers.documents_here import documents_here
from tests.helpers.windows import FakeEngine, close_window, open_fake_workspace, shown_window

PageT = TypeVar("PageT", bound=Page)
# So many come with PyTorch and transformers only; to go through them takes 0.5 s at the end of each later test.
MANY_MODULES = 500


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform warns of what it lacks at every window; other warnings of Qt still fail a test."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"))


@pytest.fixture(scope="module", autouse=True)
def collecting_here() -> Iterator[list[int]]:
    """Cycles are collected in the window's thread only, as in the window itself (app/ui/window/cycle_collector.py).

    Gives how many modules had been imported each time that all was set aside for good: whatever is collected later
    would go through them again.
    """
    gc.disable()
    gc.collect()
    gc.freeze()
    yield [len(sys.modules)]
    gc.collect()
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def libraries_read_here() -> Iterator[None]:
    """Files of libraries are read in this process; tests/flows/library/test_update.py has the processes for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.flows.library.update.Documents", lambda logs: documents_here())
        yield


@pytest.fixture(autouse=True)
def collected_at_the_end(collecting_here: list[int]) -> Iterator[None]:
    """What a test leaves goes before the next one begins, and not by itself in any other thread or event."""
    yield
    assert not gc.isenabled()
    gc.collect()
    if len(sys.modules) - collecting_here[-1] > MANY_MODULES:
        gc.freeze()
        collecting_here.append(len(sys.modules))


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """The theme, light before and after each test."""
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    yield theme
    theme.choose("light")


@pytest.fixture
def lanes(qapp: QApplication) -> Iterator[Lanes]:
    lanes = Lanes()
    yield lanes
    lanes.close()


@pytest.fixture
def reader() -> Iterator[Reader]:
    """What answers on the Ask page; it goes on at the end where it waits."""
    reader = Reader()
    yield reader
    reader.go_on.set()


@pytest.fixture
def open_page(
    qapp: QApplication, qtbot: QtBot, spanlight_home: Path
) -> Iterator[Callable[[type[PageT], FakeEngine], PageT]]:
    """Opens a page over an engine, as often as it is called, and waits for its first things."""
    # Pages are held to the end: one that is collected is taken apart while its widgets still draw.
    made: list[tuple[Page, Lanes]] = []

    def opened(kind: type[PageT], engine: FakeEngine) -> PageT:
        workspace = open_fake_workspace(engine)
        lanes = Lanes()
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        page = kind(workspace, theme, lanes)
        qtbot.addWidget(page)
        page.resize(1100, 700)
        page.show()
        qtbot.waitUntil(lambda: not page._first_job.running)  # type: ignore[attr-defined]
        made.append((page, lanes))
        return page

    yield opened
    for _, lanes in made:
        lanes.close()


@pytest.fixture
def open_window(
    qapp: QApplication, engine: FakeEngine, spanlight_home: Path
) -> Iterator[Callable[[], MainWindow]]:
    """Opens the window over the test's own `engine`, as often as it is called."""
    made: list[MainWindow] = []

    def opened() -> MainWindow:
        made.append(shown_window(open_fake_workspace(engine)))
        return made[-1]

    yield opened
    for window in made:
        close_window(window)


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of what a module's tests share; a test's own one is that of `spanlight_home`."""
    home = tmp_path_factory.mktemp("shared-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPANLIGHT_HOME", str(home))
        yield home


@pytest.fixture(scope="module")
def shared_window(qapp: QApplication, shared_home: Path, engine: FakeEngine) -> Iterator[MainWindow]:
    """One window for a module's tests, whose `engine` is the module's too."""
    window = shown_window(open_fake_workspace(engine))
    yield window
    close_window(window)
