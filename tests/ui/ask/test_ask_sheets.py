"""The open documents of the Ask page: tabs, files, closing and reopening, and what the next start restores."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Reading
from app.core.text import Span
from app.flows.ask.drafts import load_sheets
from app.settings.drafts import Drafts
from app.ui.ask.ask import AskView
from app.ui.ask.run import Scope, ScopeKind
from tests.helpers.open_files import titles
from tests.helpers.windows import FakeEngine

CARD = ModelCard("reader", "/models/reader", "bert", (Head.QUESTION_ANSWERING,))
CONTROL = Qt.KeyboardModifier.ControlModifier


def first_word(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
    text = question.documents[0].text
    end = text.index(" ")
    return Reading((Answer(0, Span(0, end), text[:end], 0.9, 5.0, 1.0),), True, 0.1, 0.5, 1, 1, 0.1)


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(first_word, CARD)


def write(view: AskView, text: str) -> None:
    view.sheets.new().pane.set_text(text)


def test_a_text_is_called_by_its_first_words(view: AskView) -> None:
    assert titles(view) == ["New text"]
    write(view, "\n\n# Minutes of the garden club, held in May\nand more")
    assert titles(view) == ["Minutes of the garden…"]
    view.sheets.current().pane.clear()
    assert titles(view) == ["New text"]


def test_every_tab_has_its_own_text_question_and_answer(view: AskView, qtbot: QtBot) -> None:
    write(view, "Alpha text.")
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, "Which?")
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.panel.card.isVisible())
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_T, CONTROL)
    assert view.sheets.current().pane.hasFocus()
    assert view.panel.box.question() == "" and not view.panel.card.isVisible()
    write(view, "Beta text.")
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, "Other?")
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Tab, CONTROL)
    assert view.panel.box.question() == "Which?" and view.panel.card.answer.text() == "Alpha"
    assert view.sheets.current().pane.lit() == ["Alpha"]
    view.tabs.strip.setCurrentIndex(1)
    assert view.panel.box.question() == "Other?" and not view.panel.card.isVisible()


def test_a_closed_text_can_be_brought_back_with_all_it_had(view: AskView, qtbot: QtBot) -> None:
    for text in ("Alpha text.", "Beta text.", "Gamma text."):
        view.sheets.show_new()
        write(view, text)
    view.sheets.bring(1)
    view.panel.box.set_question("Which?", [])
    view.presenter.ask()
    qtbot.waitUntil(lambda: view.panel.card.isVisible())
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_W, CONTROL)
    assert titles(view) == ["Alpha text.", "Gamma text."]
    assert view.tabs.undo.isVisible()
    qtbot.mouseClick(view.tabs.undo, Qt.MouseButton.LeftButton)
    assert titles(view) == ["Alpha text.", "Beta text.", "Gamma text."]
    assert view.sheets.current().pane.text() == "Beta text."
    assert view.panel.box.question() == "Which?" and view.panel.card.answer.text() == "Beta"
    assert not view.tabs.undo.isVisible()
    for _ in range(3):
        view.sheets.close_current()
    assert titles(view) == ["New text"]
    for _ in range(3):
        qtbot.keyClick(view.panel.box.field, Qt.Key.Key_T, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert sorted(titles(view)) == ["Alpha text.", "Beta text.", "Gamma text."]


def test_the_focus_stays_on_the_page_when_a_tab_is_closed(view: AskView, qtbot: QtBot) -> None:
    write(view, "Alpha text.")
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_T, CONTROL)
    qtbot.keyClick(view.sheets.current().pane, Qt.Key.Key_W, CONTROL)
    assert titles(view) == ["Alpha text."] and view.sheets.current().pane.hasFocus()


@pytest.mark.parametrize("way", ["dropped on the page", "pasted into the question"])
def test_a_file_that_is_dropped_or_pasted_is_opened(
    view: AskView, qtbot: QtBot, tmp_path: Path, way: str
) -> None:
    (tmp_path / "a.txt").write_text("A text.", "utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.txt"))])
    if way == "dropped on the page":
        view.sheets.current().pane.insertFromMimeData(data)
    else:
        QGuiApplication.clipboard().setMimeData(data)
        view.panel.box.select()
        qtbot.keyClick(view.panel.box.field, Qt.Key.Key_V, CONTROL)
        QGuiApplication.clipboard().clear()  # it must not outlive Python's part of what was put there
    qtbot.waitUntil(lambda: titles(view) == ["a.txt"])
    assert view.panel.box.question() == ""


def test_the_next_start_finds_everything_that_was_typed(make: Callable[[], AskView], qtbot: QtBot) -> None:
    first = make()
    write(first, "Alpha 👩\u200d👩 text.\nשלום")
    first.panel.box.select()
    qtbot.keyClicks(first.panel.box.field, "Which?")
    qtbot.keyClick(first.panel.box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: first.panel.card.isVisible())
    qtbot.keyClicks(first.panel.box.field, " And not yet asked")
    first.sheets.show_new()
    write(first, "Beta text.")
    first.sheets.bring(0)
    first._splitter.setSizes([500, 480])
    first._splitter.splitterMoved.emit(500, 1)  # as when it is dragged
    sizes = first._splitter.sizes()
    first.keep()
    first.workspace.save_settings()
    second = make()
    assert titles(second) == titles(first)
    assert second.sheets.current().pane.text() == "Alpha 👩\u200d👩 text.\nשלום"
    assert second.panel.box.question() == "Which? And not yet asked"
    assert second._splitter.sizes() == sizes
    qtbot.keyClick(second.panel.box.field, Qt.Key.Key_Up)
    assert second.panel.box.question() == "Which?"
    assert second.sheets.all()[1].pane.text() == "Beta text."


def test_the_next_start_finds_a_question_to_all_open_documents(
    make: Callable[[], AskView], qtbot: QtBot
) -> None:
    first = make()
    write(first, "Alpha text.")
    first.presenter.set_scope(Scope(ScopeKind.OPEN))
    first.panel.box.select()
    qtbot.keyClicks(first.panel.box.field, "Which of them?")
    first.keep()
    first.workspace.save_settings()
    second = make()
    assert second.presenter.is_across() and second.panel.box.question() == "Which of them?"


def test_drafts_are_saved_while_the_window_is_open(view: AskView, qtbot: QtBot) -> None:
    drafts = Drafts(view.workspace.paths.drafts)
    write(view, "Alpha text.")
    view.sheets._timer.setInterval(10)
    view.sheets.save_soon()
    qtbot.waitUntil(lambda: bool(load_sheets(drafts).sheets))
    (kept,) = load_sheets(drafts).sheets
    assert kept.text == "Alpha text."
    view.sheets.close_current()
    qtbot.waitUntil(lambda: drafts.load(f"ask.{kept.key}") == "")
    view.sheets.undo_close()
    qtbot.waitUntil(lambda: drafts.load(f"ask.{kept.key}") == "Alpha text.")


def test_a_closed_text_is_deleted_once(view: AskView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    deleted: list[str] = []
    monkeypatch.setattr(view.sheets.drafts, "clear", deleted.append)
    view.sheets._timer.setInterval(0)
    write(view, "Alpha text.")
    name = f"ask.{view.sheets.current().session.key}"
    view.sheets.close_current()
    qtbot.waitUntil(lambda: name in deleted)
    qtbot.waitUntil(lambda: view.sheets._save_job is not None and not view.sheets._save_job.running)
    write(view, "Beta text.")
    view.keep()
    assert deleted.count(name) == 1


def test_closing_keeps_what_still_waits_to_be_saved(view: AskView, qtbot: QtBot) -> None:
    free = threading.Event()
    view.lanes.files.start(lambda report: free.wait(10))
    write(view, "Alpha text.")
    view.sheets._timer.setInterval(0)
    view.sheets.save_soon()
    qtbot.waitUntil(
        lambda: view.sheets._save_job is not None and not view.sheets.current().session.is_unsaved
    )
    view.keep()
    view.lanes.files.quit()
    free.set()
    (kept,) = load_sheets(Drafts(view.workspace.paths.drafts)).sheets
    assert kept.text == "Alpha text."
