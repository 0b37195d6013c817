"""Every page, and what opens on it: told to a screen reader, walked by Tab, seen by everybody, in every size."""

from __future__ import annotations

from contextlib import suppress

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.window.window import MainWindow
from tests.helpers.accessible import (
    cut_off,
    faint,
    out_of_order,
    pale,
    pixels,
    sideways,
    too_small,
    unsaid,
    unseen_focus,
)
from tests.helpers.furnished import FurnishedEngine, furnish, places
from tests.helpers.widgets import tab_order
from tests.helpers.windows import FakeEngine


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FurnishedEngine()


@pytest.fixture(scope="module")
def furnished(shared_window: MainWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    furnish(shared_window, tmp_path_factory.mktemp("files"))
    return shared_window


def sized(window: QWidget, wide: int, high: int) -> None:
    """The window in a size, as on a screen that is as small: it asks for no more than the screen has."""
    window.setMinimumSize(0, 0)
    window.resize(wide, high)
    QApplication.processEvents()


@pytest.mark.timeout(300)
def test_everything_is_told_reached_and_seen(furnished: MainWindow, qtbot: QtBot) -> None:
    faults = []
    ringed: set[QWidget] = set()  # the rail and the foot are the same on every page
    furnished.theme.choose("light")
    sized(furnished, 1200, 800)
    for name, page in places(furnished):
        window = page.window()
        with suppress(qtbot.TimeoutError):  # a busy computer lays out late
            qtbot.waitUntil(lambda page=page: not any(cut_off(page)))
        image = pixels(window)
        found = [*unsaid(page), *too_small(page), *cut_off(page)]
        found += [*pale(page, image), *faint(page, image, furnished.theme)]
        if window is furnished:
            window.activateWindow()
            qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
            foot = furnished.status.network
            chain = tab_order(window)
            chain = chain[chain.index(foot) + 1 :] + chain[: chain.index(foot) + 1]
            found += out_of_order(window, chain)
            if "," not in name:  # the sections have the same kinds of controls
                new = [each for each in chain if each not in ringed]
                found += [f"focus not seen: {each}" for each in unseen_focus(window, new)]
                ringed.update(new)
        else:
            qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
            chain = tab_order(window)
            found += out_of_order(window, chain)
            if len(chain) > 1:
                found += [f"focus not seen: {each}" for each in unseen_focus(window, chain)]
        faults += [f"{name}: {fault}" for fault in found]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_everything_is_seen_in_the_dark(furnished: MainWindow, qtbot: QtBot) -> None:
    faults = []
    furnished.theme.choose("dark")
    sized(furnished, 1200, 800)
    for name, page in places(furnished):
        image = pixels(page.window())
        found = [*pale(page, image), *faint(page, image, furnished.theme)]
        if page.window() is furnished and "," not in name:
            furnished.activateWindow()
            qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
            found += [f"focus not seen: {each}" for each in unseen_focus(furnished, tab_order(furnished))]
        faults += [f"{name}: {fault}" for fault in found]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_nothing_is_lost_at_twice_the_size_on_a_small_screen(furnished: MainWindow, qtbot: QtBot) -> None:
    faults = []
    furnished.theme.choose("light", 2.0)
    furnished.theme.changed.disconnect(furnished._bound_size)  # the screen here is higher
    for name, page in places(furnished):
        window, room = page.window(), QSize(1024, 640)
        if window is not furnished:
            room = window.size().boundedTo(room - QSize(24, 40))  # its frame is in the screen too
        sized(window, *room.toTuple())
        qtbot.wait(100)  # scroll bars come and go
        if window.size() != room:
            faults.append(f"{name}: the window is {window.size().toTuple()}")
        faults += [f"{name}: {fault}" for fault in (*cut_off(page), *sideways(page))]
        if page.window() is furnished:
            button = furnished.rail._buttons.get(furnished.page.KEY)
            if button is not None and button.visibleRegion().boundingRect().height() < button.height():
                faults.append(f"{name}: the rail does not show it")
    assert not faults, "\n" + "\n".join(faults)
