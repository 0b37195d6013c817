"""Segments, one of them pressed."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme

NAMES = (("one", "Installed"), ("two", "This computer"), ("three", "Network"))


def made(theme: Theme, qtbot: QtBot) -> tuple[QWidget, QLineEdit, Segments]:
    whole, before, names = QWidget(), QLineEdit(), Segments(theme, "Section", NAMES)
    row = QHBoxLayout(whole)
    row.addWidget(before)
    row.addWidget(names, 1)
    qtbot.addWidget(whole)
    whole.show()
    whole.activateWindow()
    qtbot.waitExposed(whole)
    qtbot.waitUntil(whole.isActiveWindow)
    return whole, before, names


def test_segments_are_squeezed_before_they_overlap(theme: Theme, qtbot: QtBot) -> None:
    whole, _, names = made(theme, qtbot)
    buttons = list(names._buttons.values())
    roomy = buttons[1].width()
    places = [button.geometry() for button in buttons]
    names.select("two")
    assert [button.geometry() for button in buttons] == places
    whole.resize(whole.width() - 40, whole.height())
    qtbot.waitUntil(lambda: buttons[1].width() < roomy)
    for left, right in pairwise(buttons):
        assert left.geometry().right() < right.geometry().left()
        assert left.width() > left.fontMetrics().horizontalAdvance(left.text())


def test_tab_reaches_the_pressed_segment_and_arrows_move_on(theme: Theme, qtbot: QtBot) -> None:
    _, before, names = made(theme, qtbot)
    names.select("one")
    names.select("two")
    told: list[str] = []
    names.chosen.connect(told.append)
    before.setFocus()
    qtbot.keyClick(before, Qt.Key.Key_Tab)
    assert names.window().focusWidget() is names._buttons["two"]
    qtbot.keyClick(names._buttons["two"], Qt.Key.Key_Right)
    assert told == ["three"] and names.selected() == "three"
    assert names.window().focusWidget() is names._buttons["three"]


def test_a_segment_is_a_radio_button_that_a_screen_reader_can_press(theme: Theme, qtbot: QtBot) -> None:
    whole, _, names = made(theme, qtbot)
    told: list[str] = []
    names.chosen.connect(told.append)
    names.select("one")
    assert not told
    of_two = QAccessible.queryAccessibleInterface(names.buttons()[1])
    assert of_two.role() is QAccessible.Role.RadioButton
    actions = of_two.actionInterface()
    actions.doAction(actions.actionNames()[0])
    assert told == ["two"] and names.selected() == "two"
    names.buttons()[0].click()
    names.buttons()[0].click()
    assert told == ["two", "one", "one"] and whole.isVisible()
