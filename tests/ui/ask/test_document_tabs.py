"""The names on the tabs of open documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionTab, QToolButton
from pytestqt.qtbot import QtBot

from app.settings.paths import default_paths
from app.ui.ask.document_tabs import DocumentTabs
from app.ui.kit.theme import Theme

NAMES = ("WWWMMM Minutes of mmmmm.txt", "Quarterly report of the committee & friends 2024.pdf", "a.txt")


@pytest.fixture
def tabs(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> DocumentTabs:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    tabs = DocumentTabs(theme)
    qtbot.addWidget(tabs)
    return tabs


@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_the_name_in_front_is_cut_at_its_end_alone(tabs: DocumentTabs, qtbot: QtBot, scale: float) -> None:
    tabs._theme.choose("light", scale)
    for name in NAMES:
        tabs.add(name)
    tabs.show()
    strip = tabs.strip
    whole, cut = set(), set()
    for width in range(360, 1800, 28):
        tabs.resize(width, tabs.sizeHint().height())
        qtbot.wait(1)
        for index, name in enumerate(NAMES):
            tabs.select(index)
            option = QStyleOptionTab()
            strip.initStyleOption(option, index)
            font = strip.font()
            font.setWeight(font.Weight.DemiBold)  # as the style sheet has it
            room = strip.style().subElementRect(QStyle.SubElement.SE_TabBarTabText, option, strip).width()
            words = option.text.replace("&&", "&")  # type: ignore[attr-defined]
            assert QFontMetrics(font).horizontalAdvance(words) <= room, (width, words)
            assert words == name or (words.endswith("…") and name.startswith(words[:-1])), words
            (whole if words == name else cut).add(index)
    assert cut == {0, 1} and whole == {0, 1, 2}


def test_tabs_come_back_where_there_is_room_again(tabs: DocumentTabs, qtbot: QtBot) -> None:
    tabs.resize(640, tabs.sizeHint().height())
    tabs.show()
    qtbot.waitExposed(tabs)
    chosen: list[int] = []
    tabs.strip.currentChanged.connect(chosen.append)
    strip = tabs.strip

    def gap() -> int:
        arrows = [one.x() for one in strip.findChildren(QToolButton) if one.objectName().startswith("Scroll")]
        return min(arrows) - strip.tabRect(strip.count() - 1).right()

    for at in range(6):  # as the start opens them, one after the other
        tabs.select(tabs.add(f"A document of a certain length {at}.pdf"))
    qtbot.waitUntil(lambda: strip.width() > 400 and gap() < 10)
    tabs.show_closed("A document of another name.pdf")
    qtbot.waitUntil(lambda: strip.width() < 400)
    tabs.forget_closed()
    qtbot.waitUntil(lambda: strip.width() > 400 and gap() < 10)
    assert strip.currentIndex() == 5 and not chosen


def test_a_tab_without_its_name_in_sight_has_no_cross(tabs: DocumentTabs, qtbot: QtBot) -> None:
    tabs.resize(640, tabs.sizeHint().height())
    tabs.show()
    strip = tabs.strip
    for at in range(6):
        tabs.select(tabs.add(f"A document of a certain length {at}.pdf"))

    def crosses() -> list[bool]:
        return [strip.tabButton(at, strip.ButtonPosition.RightSide).isVisible() for at in range(6)]

    for front in (5, 0, 4):
        strip.setCurrentIndex(front)
        qtbot.waitUntil(lambda: crosses() == [strip.tabRect(at).left() >= 0 for at in range(6)])
        assert crosses()[front] and crosses()[0] == (front == 0)


def test_where_there_is_room_no_name_is_cut_whichever_is_in_front(tabs: DocumentTabs, qtbot: QtBot) -> None:
    tabs.resize(1300, tabs.sizeHint().height())
    tabs.show()
    for name in NAMES:
        tabs.select(tabs.add(name))
    qtbot.wait(1)
    widths = [tabs.strip.tabRect(index).width() for index in range(3)]
    for front in (0, 1, 2):
        tabs.strip.setCurrentIndex(front)
        qtbot.wait(1)
        for index, name in enumerate(NAMES):
            option = QStyleOptionTab()
            tabs.strip.initStyleOption(option, index)
            assert option.text.replace("&&", "&") == name  # type: ignore[attr-defined]
        # Places are rounded: a width may be a pixel more or less.
        now = [tabs.strip.tabRect(index).width() for index in range(3)]
        assert all(abs(one - other) <= 1 for one, other in zip(now, widths, strict=True))


def test_the_crosses_grow_with_the_text(tabs: DocumentTabs) -> None:
    tabs.add("a.txt")
    tabs.show()
    small = tabs.strip.tabButton(0, tabs.strip.ButtonPosition.RightSide).height()
    tabs._theme.choose("light", 2.0)
    cross = tabs.strip.tabButton(0, tabs.strip.ButtonPosition.RightSide)
    assert cross.height() > 1.5 * small and cross.size() == cross.sizeHint()
    tabs._theme.choose("light")
