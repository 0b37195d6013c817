"""The head of the page Table in a narrow window with large letters."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.answer_table import AnswerTable
from app.core.report import Progress
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


def test_the_library_is_told_whole_beside_the_longest_progress(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    head = TableHead(theme)
    qtbot.addWidget(head)
    words = "Minutes and contracts: 7 of 9 files read, 1 in part"
    table = AnswerTable(1, "Minutes and contracts", 1)
    head.show_tables((table,), table)
    head.show_library(words, "/docs", 0, 9)
    head.show_progress(Progress(7, 21, seconds_left=1300.0), "filling")
    head.show()
    for width in (980, 1200):
        head.resize(width, 200)
        qapp.processEvents()
        assert head.library.text() == words
        assert head.add.mapTo(head, head.add.rect().topRight()).x() > width - theme.step(6)
