"""The keyboard focus on the Ask page: what is typed next is a question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.requests import Question
from app.core.results import Reading
from app.ui.ask.ask import AskView
from app.ui.kit import file_dialog
from app.ui.table.table import TableView
from app.ui.window.enter_key import EnterKey
from app.ui.window.window import MainWindow
from tests.helpers.ask_page import answers
from tests.helpers.open_files import Waiting, ask, is_open, open_locked
from tests.helpers.windows import FakeEngine, button, settle

TIDE = "The tide is high at noon."
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(open_window: Callable[[], MainWindow], qtbot: QtBot) -> MainWindow:
    window = open_window()
    settle(window, qtbot)
    window.activateWindow()
    return window


@pytest.fixture
def view(window: MainWindow) -> AskView:
    page = window.pages["ask"]
    assert isinstance(page, AskView)
    return page


@pytest.fixture
def waiting(window: MainWindow) -> Waiting:
    documents = Waiting(window.workspace.documents)
    window.workspace.documents = documents  # type: ignore[assignment]
    return documents


@pytest.fixture
def tide(tmp_path: Path) -> Path:
    (tmp_path / "tide.txt").write_text(TIDE, "utf-8")
    return tmp_path / "tide.txt"


def type_to(window: MainWindow, qtbot: QtBot, words: str) -> None:
    """Type into the widget that has the focus."""
    for letter in words:
        qtbot.keyClicks(window.focusWidget() or window, letter)


def test_a_question_typed_right_after_the_dialog_is_asked(
    window: MainWindow,
    view: AskView,
    waiting: Waiting,
    tide: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others: list[QDialog] = []

    def chosen(*_: object) -> list[str]:
        # As under X: the dialog is gone, and the window is not yet the active one.
        other = QDialog()
        qtbot.addWidget(other)
        others.append(other)
        other.show()
        other.activateWindow()
        qtbot.waitUntil(other.isActiveWindow)
        return [str(tide)]

    monkeypatch.setattr(file_dialog, "open_names", chosen)
    view.show_welcome()
    assert view.welcome is not None and view.welcome.band is not None
    band = view.welcome.band
    qtbot.waitUntil(lambda: window.focusWidget() is band.open)
    qtbot.keyClick(band.open, Qt.Key.Key_Space)
    assert not view.sheets.current().is_open, "it is still being opened"
    assert window.focusWidget() is view.panel.box.field
    type_to(window, qtbot, "When at noon?")
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert view.sheets.current().session.waiting
    waiting.go_on.set()
    requests = window.workspace.engine.requests  # type: ignore[attr-defined]
    qtbot.waitUntil(
        lambda: (
            ("tide.txt", "When at noon?")
            in [(one.documents[0].name, one.text) for one in requests if isinstance(one, Question)]
        )
    )


@pytest.mark.parametrize("way", ["empty page", "recent", "dropped", "again"])
def test_however_a_file_is_opened_the_question_comes_next(
    window: MainWindow, view: AskView, waiting: Waiting, tide: Path, qtbot: QtBot, way: str
) -> None:
    if way == "recent":
        window.workspace.settings.recent_files.append(str(tide))
        view._offer_recent()
    elif way == "again":
        waiting.go_on.set()
        is_open(view, qtbot, [tide])
        ask(view, qtbot, "When at noon?")
        view.sheets.show_new()
    pane: QWidget = view.sheets.current().pane
    pane.setFocus()
    if way == "empty page":
        view.open_files([tide])
    elif way == "recent":
        qtbot.mouseClick(view.sheets.current().empty.recent[0], LEFT)
    else:
        view.sheets.current().files_dropped.emit([tide])
    assert window.focusWidget() is view.panel.box.field
    type_to(window, qtbot, "High?")
    assert view.panel.box.question() == "High?", "one that was asked before is typed over"
    waiting.go_on.set()
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert window.focusWidget() is view.panel.box.field and view.panel.box.question() == "High?"


def test_a_file_that_is_locked_is_given_its_password_first(
    window: MainWindow, view: AskView, tmp_path: Path, qtbot: QtBot
) -> None:
    page = open_locked(view, qtbot, tmp_path)
    assert window.focusWidget() is page.lock.field
    window.show_page("settings")
    window.open_files([tmp_path / "locked.pdf"])
    assert window.focusWidget() is page.lock.field


@pytest.mark.parametrize("kind", ["text", "file being read"])
def test_the_question_comes_next_where_a_tab_is_brought_back(
    window: MainWindow, view: AskView, waiting: Waiting, tide: Path, qtbot: QtBot, kind: str
) -> None:
    if kind == "text":
        qtbot.keyClicks(view.sheets.current().pane, TIDE)
    else:
        view.open_files([tide])
    view.sheets.close_current()
    view.sheets.current().setFocus()
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_T, keys)
    assert window.focusWidget() is view.panel.box.field
    type_to(window, qtbot, "High?")
    assert view.sheets.current().session.question == "High?"
    waiting.go_on.set()
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert window.focusWidget() is view.panel.box.field


def test_the_question_comes_next_at_the_next_start(
    open_window: Callable[[], MainWindow], tide: Path, qtbot: QtBot
) -> None:
    first = open_window()
    settle(first, qtbot)
    page = first.pages["ask"]
    assert isinstance(page, AskView)
    is_open(page, qtbot, [tide])
    ask(page, qtbot, "When at noon?")
    first.close()
    window = open_window()
    window.workspace.documents = Waiting(window.workspace.documents)  # type: ignore[assignment]
    view = window.pages["ask"]
    assert isinstance(view, AskView)
    qtbot.waitUntil(lambda: view.sheets.current().session.path == str(tide))
    assert view.panel.box.question() == "When at noon?" and not view.sheets.current().is_open
    assert window.focusWidget() is view.panel.box.field
    type_to(window, qtbot, "High?")
    assert view.panel.box.question() == "High?"
    window.workspace.documents.go_on.set()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert window.focusWidget() is view.panel.box.field


def ask_in_vain(window: MainWindow, view: AskView, tide: Path, qtbot: QtBot) -> None:
    is_open(view, qtbot, [tide])
    engine = window.workspace.engine
    assert isinstance(engine, FakeEngine)
    engine.answer = lambda question, choice, report: Reading(
        answers(TIDE, "noon", likely=0.2), False, 0.8, 0.4, 1, 1, 0.1, absent=0.3
    )
    ask(view, qtbot, "Is the moon full?")


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_asking_why_not_leaves_the_keyboard_on_its_button(
    window: MainWindow, view: AskView, tide: Path, qtbot: QtBot, key: Qt.Key
) -> None:
    ask_in_vain(window, view, tide, qtbot)
    button, threshold = view.panel.card.nearest, view.panel.threshold
    moved: list[float] = []
    threshold.changed.connect(moved.append)
    EnterKey(window)
    handle = window.windowHandle()
    assert handle is not None
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    for words in ("Hide", "Why not?", "Hide"):
        QTest.keyClick(handle, key)
        assert window.focusWidget() is button and button.text() == words
        assert threshold.slider.isVisible() == (words == "Hide")
    qtbot.keyClick(button, Qt.Key.Key_Up)
    assert not moved, "an arrow key changes no setting"


def test_esc_puts_the_slider_away_and_goes_back_to_the_button_that_brought_it(
    window: MainWindow, view: AskView, tide: Path, qtbot: QtBot
) -> None:
    ask_in_vain(window, view, tide, qtbot)
    button, threshold = view.panel.card.nearest, view.panel.threshold
    slider, change, escape = threshold.slider, threshold.change, Qt.Key.Key_Escape
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    for inside in (slider, change):
        threshold.open(True, button)
        inside.setFocus()
        qtbot.keyClick(inside, escape)
        assert not slider.isVisible() and window.focusWidget() is button
        assert change.text() == "Change" and button.text() == "Hide"
    qtbot.keyClick(button, escape)
    assert not view.panel.card.note.text() and button.text() == "Why not?" and window.focusWidget() is button
    qtbot.mouseClick(change, Qt.MouseButton.LeftButton)
    slider.setFocus()
    qtbot.keyClick(slider, escape)
    assert not slider.isVisible() and window.focusWidget() is change
    # Where an answer is given by now, Why not? is there no more.
    threshold.open(True, button)
    slider.setValue(5)
    slider.setFocus()
    assert not button.isVisible()
    qtbot.keyClick(slider, escape)
    assert not slider.isVisible() and window.focusWidget() is change


def test_the_question_box_shows_all_lines_it_has_room_for(view: AskView, qtbot: QtBot) -> None:
    box = view.panel.box
    bar = box.field.verticalScrollBar()
    for words in range(0, 60, 4):
        box.field.setPlainText("question " * words)
        box.field.moveCursor(QTextCursor.MoveOperation.End)
        QApplication.processEvents()
        lines = int(box.field.document().size().height())
        assert bar.maximum() == max(0, lines - 5)
    height = box.height()
    for widget in (view.panel.threshold.change, box.field):
        widget.setFocus()
        QApplication.processEvents()
        assert box.height() == height


def test_lines_pasted_as_one_question_can_go_to_the_table(
    window: MainWindow, view: AskView, qtbot: QtBot
) -> None:
    box, notice, data = view.panel.box, view.panel.notice, QMimeData()
    for text, is_offered in (("Who\n", False), ("signs?\r\n \r\nWho pays?\n", True)):
        data.setText(text)
        box.field.insertFromMimeData(data)
        assert bool(notice.sentence()) == is_offered
    assert box.question() == "Whosigns? Who pays?"
    button(notice, "Table with these questions").click()
    page = window.page
    assert isinstance(page, TableView)
    qtbot.waitUntil(lambda: page.store.is_listed)
    assert page.welcome.isVisibleTo(page) and page.line.isHidden() and page.welcome.begin.isChecked()
    assert page.line.field.toPlainText().split("\n") == ["signs?", " ", "Who pays?"], "for the first table"
    assert page.welcome.begin.text() == "Begin with your 2 questions"
    window.show_page("ask")
    assert box.question() == "Whosigns? Who pays?" and not notice.sentence(), "the offer was taken"
