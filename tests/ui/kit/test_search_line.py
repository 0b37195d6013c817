"""The line to search a list with."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.ui.kit.search_line import SearchLine
from app.ui.kit.theme import Theme


def test_its_icons_grow_with_the_text(theme: Theme, qtbot: QtBot) -> None:
    line = SearchLine(theme, "Search")
    qtbot.addWidget(line)
    line.setText("rent")
    line.resize(300, 60)
    line.show()
    theme.choose("light", 2.0)
    for button in line.findChildren(QToolButton):
        assert button.isVisible() and button.height() >= theme.step(4)
        assert line.rect().contains(button.geometry())
        # The icon itself, not only its button: its ink comes within a few pixels of the edge.
        picture = button.grab().toImage()
        ground = picture.pixel(0, 0)
        inked = [
            x
            for x in range(picture.width())
            for y in range(picture.height())
            if picture.pixel(x, y) != ground
        ]
        assert max(inked) - min(inked) >= theme.step(4) / 2
