"""Enter on a button in any window, and everywhere else in the window as it is opened."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.ui.ask.ask import AskView
from app.ui.window.enter_key import EnterKey
from app.ui.window.window import MainWindow
from tests.helpers.ask_page import CARD, TEXT, Reader
from tests.helpers.classify_page import edit
from tests.helpers.windows import FakeEngine, settle

KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
KEYPAD = Qt.KeyboardModifier.KeypadModifier


@pytest.fixture
def engine(reader: Reader) -> FakeEngine:
    moods = ModelCard("moods", "/m/moods", "bert", (Head.CLASSIFICATION,), labels=("a", "b"))
    return FakeEngine(reader, CARD, moods)


@pytest.fixture
def window(open_window: Callable[[], MainWindow], qtbot: QtBot) -> MainWindow:
    window = open_window()
    settle(window, qtbot)
    EnterKey(window)
    return window


@pytest.fixture
def frame(qapp: QApplication, qtbot: QtBot) -> QMainWindow:
    """An empty window at the front."""
    frame = QMainWindow()
    frame.setCentralWidget(QWidget())
    qtbot.addWidget(frame)
    frame.show()
    frame.activateWindow()
    qtbot.waitUntil(frame.isActiveWindow)
    EnterKey(frame)
    return frame


@pytest.fixture
def view(window: MainWindow) -> AskView:
    view = window.pages["ask"]
    assert isinstance(view, AskView)
    return view


@pytest.fixture
def heard() -> list[str]:
    """What was pressed or chosen."""
    return []


@pytest.fixture
def button(frame: QMainWindow, heard: list[str]) -> QPushButton:
    return focused_button(frame, heard)


def focused_button(window: QMainWindow, heard: list[str]) -> QPushButton:
    """A button that has the focus."""
    button = QPushButton(window.centralWidget())
    button.clicked.connect(lambda: heard.append("button"))
    button.show()
    button.setFocus()
    return button


def press(window: QWidget, key: Qt.Key = Qt.Key.Key_Return) -> None:
    """Press a key as the system does: the window hands it to the widget with the focus."""
    modifiers = KEYPAD if key == Qt.Key.Key_Enter else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(window.windowHandle(), key, modifiers)


@pytest.mark.parametrize("key", KEYS)
def test_enter_presses_any_button_that_has_the_focus(
    frame: QMainWindow, heard: list[str], key: Qt.Key
) -> None:
    for kind in (QPushButton, QToolButton, QCheckBox):
        button = kind(frame.centralWidget())
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda _, kind=kind: heard.append(kind.__name__))
        button.show()
        button.setFocus()
        press(frame, key)
        button.setEnabled(False)
    assert heard == ["QPushButton", "QToolButton", "QCheckBox"]


def test_enter_on_a_button_upon_the_empty_page_opens_and_types_nothing(
    window: MainWindow, view: AskView, heard: list[str]
) -> None:
    sheet = view.sheets.current()
    sheet.empty.open.clicked.disconnect()
    sheet.empty.open.clicked.connect(lambda: heard.append("open"))
    sheet.empty.open.setFocus()
    press(window)
    assert heard and not sheet.pane.text()


def test_held_down_it_presses_once(frame: QMainWindow, button: QPushButton, heard: list[str]) -> None:
    tell(frame, QEvent.Type.KeyPress)
    hold(frame)
    assert heard == ["button"]


def tell(window: QWidget, kind: QEvent.Type, *, again: bool = False, at: int = 0) -> None:
    """Return the event of Return at a time in milliseconds; `again`: the key is held down."""
    event = QKeyEvent(kind, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", autorep=again)
    event.setTimestamp(at)
    QApplication.sendEvent(window.windowHandle(), event)


def hold(window: QWidget) -> None:
    """Return the events of Return held down a little longer; X11 sends releases in between, too."""
    for _ in range(2):
        for kind in (QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            tell(window, kind, again=True)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_held_down_it_does_nothing_in_what_the_press_opened_or_went_to(
    frame: QMainWindow, qtbot: QtBot, button: QPushButton, heard: list[str]
) -> None:
    menu, field = QMenu(frame), QLineEdit(frame.centralWidget())
    button.clicked.disconnect()
    menu.addAction("One", lambda: heard.append("menu"))
    dialog = QDialog(frame)
    save = QPushButton("Save")
    QVBoxLayout(dialog).addWidget(save)
    save.clicked.connect(lambda: heard.append("dialog"))
    field.returnPressed.connect(lambda: heard.append("field"))
    field.show()

    def open_menu() -> None:
        menu.popup(frame.mapToGlobal(frame.rect().center()))
        menu.setActiveAction(menu.actions()[0])

    for opens, where in ((open_menu, menu), (dialog.open, dialog), (field.setFocus, frame)):
        button.setFocus()
        button.clicked.connect(opens)
        tell(frame, QEvent.Type.KeyPress)
        qtbot.waitUntil(where.isVisible)
        if where is not frame:  # of the first repeat in another window X tells so
            for kind in (QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
                tell(where, kind, at=500)
        hold(where)
        assert not heard and where.isVisible()
        tell(where, QEvent.Type.KeyRelease, at=600)
        tell(where, QEvent.Type.KeyPress, at=640)  # another press is another wish
        assert len(heard) == 1
        tell(where, QEvent.Type.KeyRelease)
        heard.clear()
        button.clicked.disconnect(opens)
        if where is not frame:
            where.close()
            qtbot.waitUntil(frame.isActiveWindow)


def test_held_down_somewhere_else_it_repeats_as_ever(
    window: MainWindow, view: AskView, heard: list[str]
) -> None:
    focused_button(window, heard)
    press(window)
    pane = view.sheets.current().pane
    pane.setFocus()
    tell(window, QEvent.Type.KeyPress)
    hold(window)
    assert pane.text() == "\n\n\n"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_in_a_menu_enter_takes_what_is_chosen_there(
    frame: QMainWindow, qtbot: QtBot, button: QPushButton, heard: list[str]
) -> None:
    menu = QMenu(frame)
    menu.addAction("One", lambda: heard.append("menu"))
    menu.popup(frame.mapToGlobal(frame.rect().center()))
    qtbot.waitUntil(menu.isVisible)
    menu.setActiveAction(menu.actions()[0])
    press(frame)
    assert heard == ["menu"]


def test_where_no_button_has_the_focus_enter_is_what_it_was(
    window: MainWindow, view: AskView, qtbot: QtBot
) -> None:
    sheet = view.sheets.current()
    sheet.pane.setFocus()
    press(window)
    assert sheet.pane.text() == "\n", "a new line"
    sheet.pane.set_text(TEXT)
    view.panel.box.select()
    for letter in "How":
        QTest.keyClick(window.windowHandle(), letter)
    press(window, Qt.Key.Key_Enter)
    qtbot.waitUntil(lambda: view.panel.card.isVisible() and not view.panel.strip.isVisible())
    view.panel.list.setFocus()
    view.panel.list.setCurrentIndex(view.panel.list.model().index(1, 0))
    sheet.pane.choose(0)
    press(window)
    assert sheet.session.run is not None and sheet.session.run.question == "How"
    assert sheet.pane.lights.chosen == 2, "the row that Enter was pressed on"


def test_ctrl_enter_stays_a_key_of_the_page(
    window: MainWindow, qtbot: QtBot, engine: FakeEngine, heard: list[str]
) -> None:
    window.show_page("classify")
    focused_button(window, heard)
    before = len(engine.requests)
    edit(window.page).setPlainText("Fine.")  # type: ignore[arg-type]
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(engine.requests) > before)
    assert not heard
