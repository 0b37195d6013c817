"""The head of the page Table in a narrow window with large letters."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.kit.theme import Theme
from app.ui.table.head import TableHead
from tests.conftest import ROOT


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_what_was_checked_takes_no_room_from_the_filters(
    qapp: QApplication, qtbot: QtBot, scale: float
) -> None:
    theme = Theme(ROOT / "resources")
    theme.choose("light", scale)
    head = TableHead(theme)
    qtbot.addWidget(head)
    head.resize(int(450 * scale), 400)
    head.show_checked("")
    head.show()

    def lines() -> int:
        qapp.processEvents()
        return len({button.y() for button in head.chips.buttons()})

    before = lines()
    head.show_checked("Checked 46: 41 right (77 to 95%)")
    assert lines() == before and head.checked.isVisible()
