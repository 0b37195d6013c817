"""The window on a screen of 1366 × 768 pixels, scaled to twice its size."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.ask.ask import AskView
from app.ui.window.window import PAGES, MainWindow
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, ask
from tests.helpers.windows import FakeEngine, settle

WIDE, HIGH = 1366 // 2, 768 // 2


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(Reader(), CARD)


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    return shrunk(shared_window)


def shrunk(window: MainWindow) -> MainWindow:
    """The window as small as that screen: the least size that it asks for is never more than the screen's."""
    window.setMinimumSize(0, 0)
    window.resize(WIDE, HIGH)
    return window


def sides(widget: QWidget, window: MainWindow) -> tuple[int, int]:
    """Where a widget begins and ends in the window, from the left."""
    left = widget.mapTo(window, QPoint(0, 0)).x()
    return left, left + widget.width()


def test_nothing_of_the_ask_page_is_cut_off(window: MainWindow, qtbot: QtBot) -> None:
    view = window.page
    assert isinstance(view, AskView)
    ask(view, qtbot, "several?", TEXT)
    qtbot.waitUntil(lambda: window.width() == WIDE)
    panel = view.panel
    desk, side, card = (sides(one, window) for one in (view.stack, panel, panel.card))
    assert window.rail.width() <= desk[0] < desk[1] <= side[0] < side[1] <= WIDE
    assert side[0] < card[0] < card[1] < side[1] and panel.card.answer.text() == WORDS[0]
    assert panel.card.minimumSizeHint().width() <= panel.card.width(), "it is wrapped to its room"
    # What is lower than the view can be scrolled to, and a chosen place is.
    bar = panel._scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    view.presenter.step(1)
    row = panel.list.visualRect(panel.list.currentIndex())
    middle = panel.list.mapTo(panel._scroll.viewport(), row.center()).y()
    qtbot.waitUntil(lambda: bar.value() > 0 and 0 <= middle <= panel._scroll.viewport().height())


@pytest.mark.parametrize("key", [key for key, *_ in PAGES])
def test_every_page_finds_room(window: MainWindow, qtbot: QtBot, key: str) -> None:
    window.show_page(key)
    settle(window, qtbot)
    qtbot.waitUntil(lambda: shrunk(window).width() == WIDE)
    assert sides(window.page, window)[1] <= WIDE
    assert window.page.minimumSizeHint().width() <= window.page.width()


def test_the_rail_has_its_names_where_there_is_room(window: MainWindow, qtbot: QtBot) -> None:
    narrow = window.rail.width()
    assert window.rail.is_narrow
    assert all(button.accessibleName() and button.toolTip() for button in window.rail._buttons.values())
    window.resize(1100, 700)
    qtbot.waitUntil(lambda: not window.rail.is_narrow)
    assert window.rail.width() > 2 * narrow
