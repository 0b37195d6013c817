"""Two panes, beside each other where there is room for both."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.two_panes import Panes


def test_panes_without_room_beside_each_other_stand_one_above_the_other(
    qapp: QApplication, qtbot: QtBot
) -> None:
    page, panes = QWidget(), Panes()  # what is a window of its own Qt lets be no narrower
    qtbot.addWidget(page)
    panes.setParent(page)
    for _ in range(2):
        pane = QWidget()
        pane.setMinimumWidth(200)
        panes.addWidget(pane)
    panes.resize(800, 400)
    panes.place([500, 300])
    page.show()
    beside = panes.placed()
    assert not panes.are_stacked() and panes.minimumSizeHint().width() == 200
    panes.resize(300, 400)
    qtbot.waitUntil(panes.are_stacked)
    qtbot.waitUntil(lambda: panes.widget(0).width() == 300)
    assert panes.placed() == beside, "what is saved is how they stand beside each other"
    panes.resize(800, 400)
    qtbot.waitUntil(lambda: not panes.are_stacked() and panes.sizes() == beside)
    panes.widget(1).setMinimumWidth(700)
    qtbot.waitUntil(panes.are_stacked)
