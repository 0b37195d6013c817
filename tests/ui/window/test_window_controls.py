"""The window's controls: its keys, its rail, their tab order, and that none is cut off."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.ui.ask.ask import AskView
from app.ui.models.offered import OfferedSection
from app.ui.models.page import ModelsView
from app.ui.teach.reader import ReaderSection
from app.ui.teach.teach import TeachView
from app.ui.window.shortcuts_help import ShortcutsHelp, native_keys
from app.ui.window.window import PAGES, MainWindow
from tests.helpers.accessible import cut_off
from tests.helpers.widgets import tab_order
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


@pytest.mark.parametrize("key", KEYS)
def test_tab_comes_to_the_foot_of_the_window_last(window: MainWindow, qtbot: QtBot, key: str) -> None:
    window.show_page(key)
    settle(window, qtbot)
    if key == "ask":  # what stands on the page later comes before it too
        window.page.sheets.show_new()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    chain = tab_order(window)
    at = chain.index(window.status.network)
    round_again, last = chain[(at + 1) % len(chain)], chain[at - 1]
    assert window.rail.isAncestorOf(round_again)
    assert window.page.isAncestorOf(last) or key == "inspect"  # which has nothing to press without a model


@pytest.mark.parametrize("key", KEYS)
def test_nothing_is_cut_off(window: MainWindow, qtbot: QtBot, key: str) -> None:
    window.show_page(key)
    settle(window, qtbot)
    window.resize(900, 600)
    qtbot.wait(30)
    assert window.size().toTuple() == (900, 600) and not [*cut_off(window)]


def test_ctrl_and_a_number_bring_up_each_page(window: MainWindow, qtbot: QtBot) -> None:
    for number, key in enumerate(KEYS[:9], 1):
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        assert key == window.page.KEY
        assert window.page.isVisible()
        assert window.page.isAncestorOf(window.focusWidget())
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert window.page.KEY == "settings"


def test_the_verdicts_of_a_reader_are_listed_on_teach(window: MainWindow) -> None:
    window.show_page("models")
    window.page.go.emit("teach", ("reader",))
    assert isinstance(window.page, TeachView) and window.page.names.selected() == ReaderSection.KEY


def test_a_pages_keys_work_wherever_the_focus_is_while_it_is_up(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("ask")
    settle(window, qtbot)
    page = window.page
    assert isinstance(page, AskView)
    rail = window.rail.findChildren(QPushButton)[0]
    rail.setFocus()
    qtbot.keyClick(rail, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.find_bar.isVisible()
    rail.setFocus()
    qtbot.keyClick(rail, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert page.panel.box.field.hasFocus()
    page.find_bar.hide()
    window.show_page("settings")
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert not page.find_bar.isVisibleTo(page), "the page that is not up hears nothing"


def test_the_rail_shows_pages_by_click_and_arrow_keys(window: MainWindow, qtbot: QtBot) -> None:
    buttons = window.rail.findChildren(QPushButton)
    assert [button.accessibleName() for button in buttons] == [title for _, title, *_ in PAGES]
    qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert KEYS[1] == window.page.KEY
    buttons[1].setFocus()
    qtbot.keyClick(buttons[1], Qt.Key.Key_Down)
    assert KEYS[2] == window.page.KEY
    assert [button.isChecked() for button in buttons] == [at == 2 for at in range(len(KEYS))]


def test_f1_and_the_question_mark_show_the_keys_and_the_sheet_is_freed(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("settings")
    for key in (Qt.Key.Key_F1, Qt.Key.Key_Question):
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(window, key)
        sheets = window.findChildren(ShortcutsHelp)
        assert len(sheets) == 1
        with qtbot.waitSignal(sheets[0].destroyed):
            sheets[0].accept()


def test_a_question_mark_can_be_typed(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("classify")
    settle(window, qtbot)
    qtbot.keyClick(window.focusWidget(), "?")
    assert not window.findChildren(ShortcutsHelp)
    assert window.page._editor.text() == "?"  # type: ignore[attr-defined]


def test_what_is_no_key_sequence_is_said_as_it_is() -> None:
    assert native_keys("Mouse wheel") == "Mouse wheel"
    assert " / " in native_keys("F3 / Shift+F3")


def test_a_page_sends_to_the_models_for_a_language(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("ask")
    window.page.go.emit("models", ("offered", (Head.QUESTION_ANSWERING.value, "de")))
    models = window.page
    assert isinstance(models, ModelsView)
    section = models.section()
    assert isinstance(section, OfferedSection) and section.filters.choice("Language") == "de"
    settle(window, qtbot)
