"""The end of a page of plain text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.document.text.document_pane import DocumentPane
from app.ui.kit.theme import Theme
from tests.conftest import ROOT

RESOURCES = ROOT / "resources"


@pytest.fixture
def pane(qapp: QApplication, qtbot: QtBot) -> DocumentPane:
    theme = Theme(RESOURCES)
    theme.choose("light")
    pane = DocumentPane(theme)
    theme.setParent(pane)
    qtbot.addWidget(pane)
    pane.show()
    return pane


def below_the_last_line(pane: DocumentPane) -> float:
    """How many pixels of the view there are below the last line of the text; negative where it is cut off."""
    block, offset = list(pane.visible_blocks())[-1]
    assert not block.next().isValid(), "the last paragraph is seen"
    line = block.layout().lineAt(block.layout().lineCount() - 1)
    return pane.viewport().height() - (offset.y() + line.y() + line.height())


@pytest.mark.parametrize(
    "text", ["A line of some words.\n" * 400 + "The end", "one long paragraph of words " * 900]
)
def test_the_last_line_is_never_cut_off_at_the_end(pane: DocumentPane, qtbot: QtBot, text: str) -> None:
    pane.set_text(text)
    control = Qt.KeyboardModifier.ControlModifier
    for high in range(300, 340):
        pane.resize(760, high)
        qtbot.keyClick(pane, Qt.Key.Key_Home, control)
        qtbot.keyClick(pane, Qt.Key.Key_End, control)
        assert below_the_last_line(pane) > pane.document().documentMargin() / 2, "the page's margin is seen"
        qtbot.keyClick(pane, Qt.Key.Key_Home, control)
        pane.moveCursor(QTextCursor.MoveOperation.End)
        qtbot.keyClicks(pane, "x")
        assert below_the_last_line(pane) >= 0, "while one types, too"
