from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.ui.kit.theme import Theme
from app.ui.window.shortcuts_help import ShortcutsHelp


def shown(theme: Theme, qtbot: QtBot, keys: int, does: str = "Does", groups: int = 1) -> ShortcutsHelp:
    group = "Everywhere", tuple(("Ctrl+A", f"{does} {at}") for at in range(keys))
    sheet = ShortcutsHelp(theme, groups * (group,))
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(sheet)
    sheet.open()
    qtbot.waitExposed(sheet)
    return sheet


def test_few_keys_are_all_seen(theme: Theme, qtbot: QtBot) -> None:
    sheet = shown(theme, qtbot, 5)
    assert sheet.groups.verticalScrollBar().maximum() == 0
    assert isinstance(sheet.focusWidget(), QPushButton)
    assert sheet.focusWidget().text() == "Close"


def test_more_keys_than_the_screen_has_room_for_are_scrolled(theme: Theme, qtbot: QtBot) -> None:
    sheet = shown(theme, qtbot, 80)
    assert sheet.height() <= sheet.screen().availableGeometry().height()
    (close,) = (button for button in sheet.findChildren(QPushButton) if button.text() == "Close")
    assert sheet.rect().contains(close.geometry())
    bar = sheet.groups.verticalScrollBar()
    assert bar.maximum() > 0 and sheet.focusWidget() is sheet.groups
    qtbot.keyClick(sheet.groups, Qt.Key.Key_PageDown)
    assert bar.value() > 0
    qtbot.keyClick(sheet.groups, Qt.Key.Key_Return)
    assert not sheet.isVisible()


def test_groups_without_room_beside_each_other_stand_one_below_the_other(theme: Theme, qtbot: QtBot) -> None:
    wide = shown(theme, qtbot, 3, "Does what takes a good many words more to tell whole", groups=2)
    room = wide.screen().availableGeometry().width()
    assert wide.width() <= room
    assert wide.groups.horizontalScrollBar().maximum() == 0
    beside = shown(theme, qtbot, 3, groups=2)
    assert wide.groups.widget().sizeHint().height() > 1.8 * beside.groups.widget().sizeHint().height()
