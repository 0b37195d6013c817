"""A row that goes on in the next line."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.flow_row import FlowRow


def test_what_has_no_room_stands_in_the_next_line(qapp: QApplication, qtbot: QtBot) -> None:
    whole = QWidget()
    qtbot.addWidget(whole)
    row = FlowRow()
    row.setSpacing(6)
    whole.setLayout(row)
    buttons = [QPushButton(f"Button {number}") for number in range(4)]
    for button in buttons:
        row.addWidget(button)
    whole.resize(1000, 200)
    whole.show()
    assert len({button.y() for button in buttons}) == 1
    high = row.heightForWidth(1000)
    buttons[1].hide()
    wide = buttons[0].width()
    whole.resize(2 * wide + 8, 200)
    qtbot.waitUntil(lambda: buttons[3].y() > buttons[2].y() or buttons[2].y() > buttons[0].y())
    shown = [buttons[0], buttons[2], buttons[3]]
    assert all(button.geometry().right() < whole.width() for button in shown)
    assert row.heightForWidth(whole.width()) == 2 * high + 6
    assert row.minimumSize().width() <= wide
