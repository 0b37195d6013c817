"""The Ask page while a long text is read: stopped, asked something else, gone through before the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.views.ask import AskView
from tests.helpers.ask_page import CARD, WORDS, Reader, ask, start
from tests.helpers.windows import FakeEngine


@pytest.fixture
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.go_on.set()


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], reader: Reader) -> AskView:
    return open_page(AskView, FakeEngine(reader, CARD))


def test_an_answer_never_stands_under_another_question_unnamed(view: AskView, qtbot: QtBot) -> None:
    panel = view.panel
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: panel.card.over() == "So far")
    assert panel.named_question() == ""
    panel.box.select()
    qtbot.keyClicks(panel.box.field, "Who?")
    assert panel.named_question() == "Asked: “A slow one?”", "while it is read"
    view.stop()
    assert panel.card.answer() == WORDS[1] and panel.named_question() == "Asked: “A slow one?”"
    panel.box.set_question("", [])
    assert panel.named_question() == "Asked: “A slow one?”"
    panel.box.set_question(" A slow one? ", [])
    assert panel.named_question() == "", "it stands in the box again"
    ask(view, qtbot, "How long?")
    assert panel.card.answer() == WORDS[0] and panel.named_question() == ""


def test_a_second_stop_leaves_nothing_of_the_first_question(view: AskView, qtbot: QtBot) -> None:
    panel = view.panel
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: panel.card.over() == "So far")
    view.stop()
    start(view, qtbot, "Another slow one?")
    assert panel.card.isHidden(), "nothing was found yet"
    view.stop()
    assert panel.card.isHidden() and panel.named_question() == ""
    assert panel.idle.text().startswith("Stopped a")
    panel.box.select()
    qtbot.keyClick(panel.box.field, Qt.Key.Key_X)
    assert panel.named_question() == "Asked: “Another slow one?”"


def test_another_sheet_names_the_question_of_its_own_answer(view: AskView, qtbot: QtBot) -> None:
    ask(view, qtbot, "How long?")
    qtbot.keyClicks(view.panel.box.field, " Or not?")
    assert view.panel.named_question() == "Asked: “How long?”"
    view.sheets.new_up()
    assert view.panel.named_question() == ""
    view.sheets.previous()
    assert view.panel.box.question() == "How long? Or not?"
    assert view.panel.named_question() == "Asked: “How long?”"


def test_no_two_numbers_stand_beside_each_other_unnamed(view: AskView, qtbot: QtBot) -> None:
    panel = view.panel
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: panel.card.over() == "So far")
    view.stop()
    assert panel.card.over() == "Stopped after 34 % of the text: the best so far"
    assert panel.card.likely().startswith("Very likely, 94 %") and "sure" not in panel.card.facts()
    ask(view, qtbot, "several?")
    assert panel.card.likely().startswith("Best of several, 17 %")
    assert panel.card.facts().startswith("95 % sure that the text answers, 17 % that these words do · ")
