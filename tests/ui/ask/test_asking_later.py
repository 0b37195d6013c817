"""A question asked while its file is still being opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.requests import Question
from app.ui.ask.ask import AskView
from tests.helpers.locked_pdfs import locked_pdf
from tests.helpers.open_files import Waiting, is_open, reader, titles
from tests.helpers.windows import FakeEngine

TIDE = "The tide is high at noon."


@pytest.fixture
def engine() -> FakeEngine:
    return reader()


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine) -> AskView:
    return open_page(AskView, engine)


@pytest.fixture
def waiting(view: AskView) -> Waiting:
    documents = Waiting(view.workspace.documents)
    view.workspace.documents = documents  # type: ignore[assignment]
    return documents


def ask(view: AskView, qtbot: QtBot, question: str) -> None:
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)


def asked(engine: FakeEngine) -> list[tuple[str, str]]:
    return [(one.documents[0].name, one.text) for one in engine.requests if isinstance(one, Question)]


def says_it_waits(view: AskView) -> bool:
    return view.panel.strip.isVisible() and view.panel.strip.words() == "Asked as soon as the file is open"


def test_it_is_asked_as_soon_as_the_file_is_there(
    view: AskView, qtbot: QtBot, tmp_path: Path, waiting: Waiting, engine: FakeEngine
) -> None:
    (tmp_path / "one.txt").write_text(TIDE, "utf-8")
    view.open_files([tmp_path / "one.txt"])
    ask(view, qtbot, "Low at dawn?")
    ask(view, qtbot, "When at noon?")
    assert says_it_waits(view) and not view.panel.idle.isVisible()
    assert not view.panel.notice.isVisible()
    qtbot.keyClicks(view.panel.box.field, " And")
    assert view.panel.named_question() == "Asked: “When at noon?”", "the one that waits, not the one begun"
    waiting.go_on.set()
    qtbot.waitUntil(lambda: view.panel.card.isVisible() and not view.panel.strip.isVisible())
    assert view.panel.card.answer() == "noon"
    assert asked(engine) == [("one.txt", "When at noon?")], "the last one, once"
    assert view.panel.box.question() == "When at noon? And", "what is being typed stays"
    assert view.sheets.current().session.history == ["Low at dawn?", "When at noon?"]


def test_esc_lets_go_of_it_first_and_stops_the_opening_then(
    view: AskView, qtbot: QtBot, tmp_path: Path, waiting: Waiting, engine: FakeEngine
) -> None:
    (tmp_path / "one.txt").write_text(TIDE, "utf-8")
    view.open_files([tmp_path / "one.txt"])
    ask(view, qtbot, "When at noon?")
    assert view.stop()
    assert not view.panel.strip.isVisible() and view.panel.idle.isVisible()
    assert view.panel.box.question() == "When at noon?"
    ask(view, qtbot, "When at noon?")
    view.panel.strip.stop_asked.emit()
    assert not view.panel.strip.isVisible() and titles(view) == ["one.txt"], "the file goes on being opened"
    waiting.go_on.set()
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    qtbot.wait(20)
    assert not asked(engine)


def test_a_closed_tab_takes_it_along(
    view: AskView, qtbot: QtBot, tmp_path: Path, waiting: Waiting, engine: FakeEngine
) -> None:
    (tmp_path / "one.txt").write_text(TIDE, "utf-8")
    view.open_files([tmp_path / "one.txt"])
    ask(view, qtbot, "When at noon?")
    view.sheets.close_current()
    assert not view.panel.strip.isVisible()
    waiting.go_on.set()
    view.sheets.undo_close()
    qtbot.waitUntil(lambda: titles(view) == ["one.txt"] and view.sheets.current().is_open)
    qtbot.wait(20)
    assert not asked(engine) and view.panel.box.question() == "When at noon?"


def test_where_the_file_cannot_be_opened_the_question_stays_to_be_asked(
    view: AskView, qtbot: QtBot, tmp_path: Path, engine: FakeEngine, waiting: Waiting
) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    view.open_files([tmp_path / "bad.pdf"])
    ask(view, qtbot, "When at noon?")
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, "Another")
    waiting.go_on.set()
    page = view.sheets.current().opening
    assert page is not None
    qtbot.waitUntil(lambda: page.notice.isVisible())
    assert not view.panel.strip.isVisible() and not view.panel.named_question()
    assert view.panel.box.question() == "Another"
    view.panel.box.select()
    view.panel.box.field.moveCursor(view.panel.box.field.textCursor().MoveOperation.Start)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Up)
    assert view.panel.box.question() == "When at noon?"
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    assert view.panel.notice.sentence() == "This file is not open."
    assert not asked(engine)


def test_it_waits_while_the_password_is_asked_for(
    view: AskView, qtbot: QtBot, tmp_path: Path, engine: FakeEngine
) -> None:
    (tmp_path / "locked.pdf").write_bytes(locked_pdf("The treasure is buried here.", "opensesame"))
    view.open_files([tmp_path / "locked.pdf"])
    page = view.sheets.current().opening
    assert page is not None
    qtbot.waitUntil(lambda: page.password.isVisible())
    ask(view, qtbot, "What is buried?")
    assert says_it_waits(view)
    qtbot.keyClicks(page.password, "opensesame")
    qtbot.keyClick(page.password, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.panel.card.isVisible())
    assert asked(engine) == [("locked.pdf", "What is buried?")]


def test_it_is_asked_behind_another_tab_after_what_is_being_read_there(
    view: AskView, qtbot: QtBot, tmp_path: Path, waiting: Waiting, engine: FakeEngine
) -> None:
    waiting.go_on.set()
    (tmp_path / "two.txt").write_text("The moon is full at midnight.", "utf-8")
    other = is_open(view, qtbot, [tmp_path / "two.txt"])
    waiting.go_on.clear()
    (tmp_path / "one.txt").write_text(TIDE, "utf-8")
    view.open_files([tmp_path / "one.txt"])
    sheet = view.sheets.current()
    ask(view, qtbot, "When at noon?")
    view.sheets.bring(view.sheets.all().index(other))
    assert not view.panel.strip.isVisible()
    ask(view, qtbot, "Full at midnight?")
    waiting.go_on.set()
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    assert asked(engine) == [("two.txt", "Full at midnight?"), ("one.txt", "When at noon?")]
    assert view.sheets.current() is other and view.panel.card.answer() == "midnight"
    view.sheets.bring(view.sheets.all().index(sheet))
    assert view.panel.card.answer() == "noon"
