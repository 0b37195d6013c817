"""A question that is left while it is read, for another one or as the window goes: what it brought by then is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.ui.ask.ask import AskView
from app.ui.ask.session import RunState
from tests.helpers.ask_page import CARD, WORDS, Reader, ask, start
from tests.helpers.windows import FakeEngine


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], reader: Reader) -> AskView:
    return open_page(AskView, FakeEngine(reader, CARD))


def reading(view: AskView, qtbot: QtBot) -> None:
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")


def kept(view: AskView, qtbot: QtBot) -> list[tuple[str, str, bool]]:
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    return [
        (entry.question, entry.answers[0].text, entry.complete) for entry in view.workspace.history.entries()
    ]


def test_a_question_asked_over_another_one_leaves_that_in_the_history(view: AskView, qtbot: QtBot) -> None:
    reading(view, qtbot)
    view.panel.box.select()
    ask(view, qtbot, "How long?")
    assert view.panel.card.answer() == WORDS[0]
    assert sorted(kept(view, qtbot)) == [("A slow one?", WORDS[1], False), ("How long?", WORDS[0], True)]
    assert view.sheets.current().session.run is not None
    assert view.sheets.current().session.run.state is RunState.DONE  # type: ignore[union-attr]


def test_where_the_disk_refuses_the_window_goes_all_the_same(
    view: AskView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.core.errors import SpanlightError

    def refuse(*_: object) -> None:
        raise SpanlightError("The disk is full.", "Free some space.")

    reading(view, qtbot)
    monkeypatch.setattr(view.workspace.history, "add", refuse)
    view.keep()
    assert view.sheets.current().session.entry == 0


@pytest.mark.parametrize("scrolled", ["end", "top"])
def test_the_invitation_stands_in_its_place_however_a_long_text_was_taken_away(
    view: AskView, qtbot: QtBot, scrolled: str
) -> None:
    sheet = view.sheets.current()
    sheet.editor.selectAll()
    sheet.editor.textCursor().removeSelectedText()
    place = sheet.empty.pos()
    for _ in range(2):
        sheet.editor.insertPlainText("The tide is high at noon.\n" * 3000)
        bar = sheet.editor.verticalScrollBar()
        bar.setValue(bar.maximum() if scrolled == "end" else 0)
        qtbot.wait(50)
        sheet.editor.selectAll()
        sheet.editor.textCursor().removeSelectedText()
        assert not sheet.empty.isHidden()
        qtbot.waitUntil(lambda: sheet.empty.pos() == place)
        qtbot.wait(50)
        assert sheet.empty.pos() == place
        sheet.editor.undo()
        qtbot.wait(50)
        sheet.editor.redo()
        qtbot.wait(50)
        assert sheet.empty.pos() == place
