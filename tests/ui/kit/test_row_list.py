"""Lists of painted rows: their texts, their keys and their painting."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.results import Entity, Guess
from app.core.text import Span
from app.ui.ask.answer_list import AnswerList
from app.ui.document.marks.places import Place
from app.ui.heads.fill.fill_panel import WordList
from app.ui.heads.names.name_list import NameList, name_rows
from app.ui.heads.names.name_styles import styles_of
from app.ui.kit.row_list import ROW, RowList, menu_place
from app.ui.kit.theme import Theme


@pytest.fixture(params=["answers", "names", "words"])
def rows(request: pytest.FixtureRequest, theme: Theme, qtbot: QtBot) -> RowList:
    made: RowList
    if request.param == "answers":
        made = answers = AnswerList(theme)
        answers.set_places([Place("Oxford", 0.3, "in Oxford", 3, 9, "page 2")])
    elif request.param == "names":
        made = names = NameList(theme)
        names.set_rows(name_rows((Entity(Span(0, 6), "Oxford", "LOC", 0.3),), styles_of(("LOC",)))[1:])
    else:
        made = words = WordList(theme)
        words.set_rows((Guess("Oxford", 0.3, 1),))
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_row_has_a_text_for_screen_readers_and_a_tool_tip(rows: RowList) -> None:
    index = rows.model().index(0, 0)
    assert index.data() == "Oxford"
    for role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
        assert "30%" in index.data(role)
    assert "Oxford" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert index.data(ROW) is not None and index.data(Qt.ItemDataRole.DecorationRole) is None
    assert rows.model().rowCount(index) == 0


def test_esc_is_left_to_the_window(rows: RowList) -> None:
    press = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(rows, press)
    assert not press.isAccepted()


def test_a_menu_is_of_the_row_under_the_mouse_or_by_keyboard_of_the_current_one(rows: RowList) -> None:
    index = rows.model().index(0, 0)
    middle = rows.viewport().mapToGlobal(rows.visualRect(index).center())
    below = rows.viewport().mapToGlobal(QPoint(1, rows.viewport().height() + 50))
    reasons = QContextMenuEvent.Reason

    def place(reason: QContextMenuEvent.Reason, point: QPoint) -> tuple[int, QPoint]:
        found, at = menu_place(rows, QContextMenuEvent(reason, rows.mapFromGlobal(point), point))
        return found.row(), at

    rows.setCurrentIndex(index)
    assert place(reasons.Mouse, middle) == (0, middle)
    assert place(reasons.Mouse, below) == (-1, below)
    assert place(reasons.Keyboard, below) == (0, middle)


def test_each_word_is_painted_with_its_own_key(theme: Theme, qtbot: QtBot) -> None:
    words = WordList(theme)
    words.set_rows(tuple(Guess("tea", 0.1, at) for at in range(1, 4)))
    qtbot.addWidget(words)
    words.clearSelection()
    words.resize(300, 200)
    words.show()
    image = words.viewport().grab().toImage()
    rects = [words.visualRect(words.model().index(at, 0)).adjusted(0, 0, 0, -2) for at in (1, 2)]
    second, third = (image.copy(rect) for rect in rects)
    assert second != third, "they differ in their keys alone"
