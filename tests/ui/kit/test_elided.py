"""Elided texts, and the search line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.boxes import column
from app.ui.kit.parts import ElidedButton, ElidedChoice, ElidedLabel, NumberBox, draw_line
from app.ui.kit.search_line import SearchLine
from app.ui.kit.theme import Theme


def test_long_words_end_with_an_ellipsis(theme: Theme, qtbot: QtBot) -> None:
    choice = ElidedChoice()
    choice.addItem("A model with a rather long name")
    qtbot.addWidget(choice)
    choice.show()
    choice.resize(choice.sizeHint())
    assert choice.shown() == choice.currentText()
    choice.resize(choice.width() // 2, choice.height())
    shown = choice.shown()
    assert shown.endswith("…") and choice.currentText().startswith(shown[:-1]) and len(shown) > 6
    choice.grab()


def test_an_elided_button_has_its_full_text_as_its_tip(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, words, widget: tips.append(words))
    button = ElidedButton(theme)
    button.setText("A <b>folder</b> & a rather long name")
    qtbot.addWidget(button)
    button.show()

    def tip() -> str:
        tips.clear()
        QApplication.sendEvent(button, QHelpEvent(QEvent.Type.ToolTip, QPoint(), QPoint()))
        return "".join(tips)

    button.resize(button.sizeHint())
    assert button.shown() == button.text() and not tip()
    button.resize(button.width() // 2, button.height())
    button.grab()
    begin, end = button.shown().split("…")
    assert button.text().startswith(begin) and button.text().endswith(end) and begin and end
    assert tip() == button.text()
    button.setToolTip("What is asked")
    assert tip() == f"{button.text()}\nWhat is asked"
    button.setToolTip(f"{button.text()}  (Alt+Down)")
    assert tip() == button.toolTip()


def test_a_text_of_one_line_is_shown_on_one_line(theme: Theme, qtbot: QtBot) -> None:
    label = ElidedLabel("new\nli\tne.txt")
    qtbot.addWidget(label)
    assert label.full_text() == "new li ne.txt"
    drawn = []
    for name in ("new\nli\tne.txt", "new li ne.txt"):
        image = QImage(300, 60, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        whole = QRectF(image.rect())
        draw_line(painter, theme, whole, name, "ui", "ink", Qt.AlignmentFlag.AlignVCenter)
        painter.end()
        drawn.append(image)
    assert drawn[0] == drawn[1]


def test_the_icons_of_a_search_line_grow_with_the_text(theme: Theme, qtbot: QtBot) -> None:
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


def test_the_wheel_changes_no_field_that_it_only_passes(theme: Theme, qtbot: QtBot) -> None:
    choice, number, other, page = ElidedChoice(), NumberBox(), QLineEdit(), QWidget()
    choice.addItems(["First", "Second", "Third"])
    choice.setCurrentIndex(1)
    number.setValue(5)
    column(theme, other, choice, number, parent=page)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)

    def is_left_to_the_page(field: QWidget) -> bool:
        at, none = QPointF(5, 5), Qt.MouseButton.NoButton
        keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(at, at, QPoint(), QPoint(0, -120), none, keys, phase, False)
        QApplication.sendEvent(field, event)
        return not event.isAccepted()

    for field in (choice, number):
        assert is_left_to_the_page(field)
        assert field.focusPolicy() is Qt.FocusPolicy.StrongFocus
    choice.setFocus()
    assert is_left_to_the_page(choice)
    assert (choice.currentText(), number.value()) == ("Second", 5)
    number.setFocus()
    qtbot.waitUntil(number.hasFocus)
    assert not is_left_to_the_page(number)
    assert number.value() == 4
