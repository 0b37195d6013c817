"""Spreadsheets and CSV files in the window: tables in which the answer is highlighted in its cell."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.core.report import Silent
from app.core.text import Span
from app.documents.orders import Read
from app.documents.reader import read
from app.ui.document.file_pane import pane_for
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.kit.theme import Theme
from tests.helpers.spreadsheets import ods_of, xls_of, xlsx_of

ROWS = [["Item", "Price", "Due"], ["Tea", 4.5, "May"], ["Milk", 1.25, "June"]]
FILES = {
    "a.xlsx": xlsx_of({"Budget": ROWS}),
    "a.xls": xls_of({"Budget": ROWS}),
    "a.ods": ods_of({"Budget": ROWS}),
    "a.csv": "\n".join(",".join(map(str, row)) for row in ROWS).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_every_cell_is_lit_in_its_place(qtbot: QtBot, theme: Theme, name: str) -> None:
    opened = read(Read("", name, data=FILES[name]), Silent())
    pane = pane_for(opened.kind, theme)
    assert isinstance(pane, RichPane)
    qtbot.addWidget(pane)
    pane.show_document(opened)
    text = opened.document.text
    places = [(Span(block.span.start, block.span.end), block.span.of(text)) for block in opened.blocks]
    assert all(pane.light(places, 0))
    assert [words for _, words in places][-9:] == [str(value) for row in ROWS for value in row]
