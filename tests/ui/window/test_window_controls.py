"""The controls of the window: the order in which Tab comes to them, and that they are whole."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.ui.window.window import PAGES, MainWindow
from tests.helpers.tabbing import tab_order
from tests.helpers.windows import FakeEngine, settle, until_stopped

READER = ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,))
MOODS = ModelCard("moods", "/m/moods", "bert", (Head.CLASSIFICATION,), labels=("a", "b"))
KEYS = [key for key, *_ in PAGES]


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return FakeEngine(until_stopped, READER, MOODS)


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    shared_window.activateWindow()
    return shared_window


def tab_chain(window: MainWindow, qtbot: QtBot) -> list[QWidget]:
    """What Tab comes to in the window, once it is at the front."""
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    return tab_order(window)


@pytest.mark.parametrize("key", KEYS)
def test_tab_comes_to_the_foot_of_the_window_last(window: MainWindow, qtbot: QtBot, key: str) -> None:
    window.show_page(key)
    settle(window, qtbot)
    if key == "ask":  # what stands on the page later comes before it too
        window.page.sheets.show_new()  # type: ignore[attr-defined]
    chain = tab_chain(window, qtbot)
    at = chain.index(window.status.network)
    round_again, last = chain[(at + 1) % len(chain)], chain[at - 1]
    assert window.rail.isAncestorOf(round_again)
    assert window.page.isAncestorOf(last) or key == "inspect"  # which has nothing to press without a model


@pytest.mark.parametrize("key", ["classify", "fill", "follow", "names"])
def test_tab_comes_to_the_samples_where_they_stand(window: MainWindow, qtbot: QtBot, key: str) -> None:
    window.show_page(key)
    settle(window, qtbot)
    panel = window.page._panel  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: len(panel.samples._buttons) > 1 and panel.samples._buttons[-1].isVisible())
    chain = tab_chain(window, qtbot)
    samples = [chain.index(one) for one in panel.samples._buttons]
    assert samples == list(range(samples[0], samples[0] + len(samples))), "one behind the other"
    assert samples[-1] < chain.index(panel.open)
    assert panel.button not in chain or chain.index(panel.button) < samples[0]


@pytest.mark.parametrize("key", KEYS)
def test_nothing_is_cut_off(window: MainWindow, qtbot: QtBot, key: str) -> None:
    window.show_page(key)
    settle(window, qtbot)
    window.resize(900, 600)
    qtbot.wait(30)
    assert (window.width(), window.height()) == (900, 600)
    whole = QRect(QPoint(0, 0), window.size())
    for button in [*window.findChildren(QPushButton), *window.findChildren(QToolButton)]:
        if button.isVisible() and button.text():
            words = button.fontMetrics().horizontalAdvance(button.text())
            assert button.width() >= words, button.text()
            if not button.visibleRegion().isEmpty():  # scrolled out of sight is not cut off
                assert button.visibleRegion().boundingRect().width() == button.width(), button.text()
            place = QRect(button.mapTo(window, QPoint(0, 0)), button.size())
            assert whole.left() <= place.left(), button.text()
            assert place.right() <= whole.right(), button.text()
