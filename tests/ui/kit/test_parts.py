"""Parts that the pages use: what scrolls, and how narrow it may be."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.parts import Scrolling, Sideways


class Picture(QWidget):
    """A widget that needs 300 × 50 pixels, or another size."""

    least = QSize(300, 50)

    def minimumSizeHint(self) -> QSize:
        return self.least

    def sizeHint(self) -> QSize:
        return self.least


def test_what_scrolls_down_only_is_never_narrower_than_it_shows(qtbot: QtBot) -> None:
    whole, picture, beside = QWidget(), Picture(), QWidget()
    row = QHBoxLayout(whole)
    row.addWidget(area := Scrolling(picture))
    row.addWidget(beside)
    qtbot.addWidget(whole)
    whole.show()
    whole.resize(whole.minimumSizeHint())
    assert area.viewport().width() >= 300
    picture.least = QSize(400, 50)
    picture.updateGeometry()
    qtbot.waitUntil(lambda: area.viewport().width() >= 400)


def test_what_scrolls_sideways_by_itself_is_as_high_as_it_is_and_its_bar(qtbot: QtBot) -> None:
    whole, picture = QWidget(), Picture()
    column = QVBoxLayout(whole)
    column.addWidget(area := Sideways(picture))
    column.addStretch(1)
    qtbot.addWidget(whole)
    whole.show()
    whole.resize(500, 300)
    qtbot.waitUntil(lambda: area.height() == 50)
    whole.resize(200, 300)
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() > 0 and area.viewport().height() == 50)
    picture.least = QSize(300, 90)
    picture.updateGeometry()
    qtbot.waitUntil(lambda: area.viewport().height() == 90)
