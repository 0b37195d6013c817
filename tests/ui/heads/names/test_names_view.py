"""The page that finds names: highlights, list, files, and the way to Look inside."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from app.core.inspection import Visit
from app.core.models import Head
from app.core.report import Report
from app.core.requests import ModelChoice, PieceAggregation, TextsToTag
from app.core.results import TaggedTexts
from app.core.text import Span
from app.ui.heads.names.names import NamesView
from tests.helpers.names_here import FINDER, find, tagged
from tests.helpers.windows import FakeEngine, button, until_stopped

TEXT = "Alice 👩‍👧 met Bill in Oxford.\n\nBill saw Acme and\nAlice in Paris, Alice Liddell too."


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(find, FINDER)


@pytest.fixture
def view(open_page: Callable[[type[NamesView], FakeEngine], NamesView], engine: FakeEngine) -> NamesView:
    return open_page(NamesView, engine)


def settle(view: NamesView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not view.working() and not view._panel.strip.isVisible())


def read(view: NamesView, qtbot: QtBot, text: str = TEXT) -> None:
    view.pane.set_text(text)
    view.run()
    settle(view, qtbot)


def names(view: NamesView) -> list[tuple[str, int]]:
    """The rows of the list, headings in capitals with how many names they have."""
    rows = view._panel.list.rows()
    return [(row.text if row.occurrences else row.text.upper(), row.count) for row in rows]


def chosen(view: NamesView) -> str:
    return f"{view.name.text} {view.name.span.start}" if view.name is not None else ""


def test_names_are_highlighted_and_listed_by_type(view: NamesView, qtbot: QtBot, engine: FakeEngine) -> None:
    view.pane.set_text(TEXT)
    notes: list[str] = []
    view.note.connect(notes.append)
    qtbot.mouseClick(button(view, "Find names"), Qt.MouseButton.LeftButton)
    settle(view, qtbot)
    assert view.pane.lit() == [name.text for name in tagged(TEXT).entities]
    assert names(view) == [
        ("PEOPLE", 3),
        ("Alice", 2),
        ("Bill", 2),
        ("Alice Liddell", 1),
        ("PLACES", 2),
        ("Oxford", 1),
        ("Paris", 1),
        ("ORGANISATIONS", 1),
        ("Acme", 1),
    ]
    ticks = [tick.accessibleName() for tick in view._panel.legend._ticks]
    assert ticks == [
        "Show People, 5 places",
        "Show Places, 2 places",
        "Show Organisations, 1 place",
        "Show Other names, 0 places",
    ]
    assert notes == ["", f"8 names in {len(TEXT)} characters found in 0.5 seconds"]
    assert engine.requests == [TextsToTag((TEXT,), PieceAggregation.FIRST)]
    row = view._panel.list.rows()[1]
    assert row.accessible_text == "Alice. People. 2 places. Very likely, 95%."
    qtbot.keyClick(view.pane, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[:2] == ["start\tend\ttext\ttype\tprobability", "0\t5\tAlice\tPER\t0.950000"]
    read(view, qtbot, "nothing here")
    assert view._panel.invite.text() == "No names were found in this text."
    assert not view._panel.list.isVisible()
    view.step(1)
    assert chosen(view) == ""


def test_f3_the_list_and_a_click_choose_the_same_occurrence(view: NamesView, qtbot: QtBot) -> None:
    read(view, qtbot)
    qtbot.keyClick(view.pane, Qt.Key.Key_F3)
    assert chosen(view) == "Alice 0"
    qtbot.keyClick(view.pane, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert chosen(view).startswith("Alice Liddell")
    listed = view._panel.list
    listed.setFocus()
    row = listed.row()
    assert row is not None and row.text == "Alice Liddell"
    qtbot.keyClick(listed, Qt.Key.Key_Down)  # over the heading of the next type
    assert chosen(view) == f"Oxford {TEXT.index('Oxford')}"
    qtbot.keyClick(listed, Qt.Key.Key_Home)
    assert chosen(view) == "Alice 0"
    qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert chosen(view) == f"Alice {TEXT.index('Alice', 5)}"
    assert listed._delegate.position == 2
    qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert chosen(view) == "Alice 0"
    (box,) = view.pane.light_boxes(1)
    qtbot.mouseClick(view.pane.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert chosen(view) == f"Bill {TEXT.index('Bill')}"
    row = listed.row()
    assert row is not None and row.text == "Bill"


def test_a_click_on_the_chosen_row_goes_to_its_next_occurrence(view: NamesView, qtbot: QtBot) -> None:
    read(view, qtbot)
    listed = view._panel.list
    place = listed.visualRect(listed.model().index(2, 0)).center()
    seen = []
    for _ in range(3):
        qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=place)
        seen.append(chosen(view))
    first, second = TEXT.index("Bill"), TEXT.rindex("Bill")
    assert seen == [f"Bill {first}", f"Bill {second}", f"Bill {first}"]
    heading = listed.visualRect(listed.model().index(0, 0)).center()
    qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    assert chosen(view) == f"Bill {first}"


def test_the_scroll_bar_marks_the_occurrences_of_the_chosen_name(view: NamesView, qtbot: QtBot) -> None:
    read(view, qtbot, "Alice met Bill.\n\n" * 200 + "Dinah sat.")
    assert view.pane.map.marks == ()
    view.step(1)
    assert len(view.pane.map.marks) == 200
    view.pane.map.mark_clicked.emit(3)
    assert chosen(view) == "Alice 51"
    assert view.pane.map.tip_at(view.pane.map.mark_rect(3).center()) == "The name that is shown"


def test_a_type_can_be_hidden_on_the_page_and_in_the_list(view: NamesView, qtbot: QtBot) -> None:
    read(view, qtbot)
    view.step(1)
    people = view._panel.legend._ticks[0]
    people.click()
    assert chosen(view) == ""
    assert all(view.pane.names.get(index) is None for index in (0, 1))
    assert [text for text, _ in names(view)] == ["PLACES", "Oxford", "Paris", "ORGANISATIONS", "Acme"]
    view.step(1)
    assert chosen(view).startswith("Oxford")
    view.run()
    settle(view, qtbot)
    assert names(view)[0] == ("PLACES", 2)  # the tick stays away
    people.click()
    assert view.pane.names.get(0) is not None
    assert chosen(view).startswith("Oxford")


def test_an_edit_removes_the_highlights_and_undo_restores_them(view: NamesView, qtbot: QtBot) -> None:
    read(view, qtbot)
    panel = view._panel
    assert not panel._outdated.isVisible()
    cursor = QTextCursor(view.pane.document())
    cursor.insertText("x")
    assert panel._outdated.isVisible() and not panel.list.isEnabled()
    assert view.pane.lit() == []
    view.step(1)
    view.copy()
    assert chosen(view) == ""
    view.pane.undo()
    assert not panel._outdated.isVisible() and panel.list.isEnabled()
    assert len(view.pane.lit()) == 8
    view.pane.set_text("")
    assert panel.samples.isVisible() and not panel.list.isVisible() and not panel.legend.isVisible()


def test_names_found_so_far_are_shown_while_reading_and_after_a_stop(
    view: NamesView, qtbot: QtBot, engine: FakeEngine
) -> None:
    go_on = threading.Event()

    def slow(request: TextsToTag, choice: ModelChoice | None, report: Report) -> TaggedTexts:
        find(request, choice, report)
        go_on.set()
        return until_stopped(request, choice, report)  # type: ignore[return-value]

    engine.answer = slow
    view.pane.set_text(TEXT)
    notes: list[str] = []
    view.note.connect(notes.append)
    view.run()
    qtbot.waitUntil(lambda: len(view.pane.lit()) == 4)
    assert "Reading, 50%" in view._panel.strip.words()
    assert view.stop()
    settle(view, qtbot)
    assert len(view.pane.lit()) == 4
    assert notes[-1] == "Stopped after 50% of the text"
    said = view._panel._outdated
    assert said.isVisible() and said.text().startswith(
        "Stopped after 50% of the text. Later names are missing."
    )
    # Every word's tag is known only of a text that was read whole.
    enabled = {action.data(): action.isEnabled() for action in view._panel.save.menu().actions()}
    assert enabled == {"csv": True, "conll": False, "json": True}
    engine.answer = find
    view.run()
    settle(view, qtbot)
    assert not said.isVisible()
    assert all(action.isEnabled() for action in view._panel.save.menu().actions())


def test_another_aggregation_runs_at_once_and_is_saved(
    view: NamesView, qtbot: QtBot, engine: FakeEngine
) -> None:
    view._panel.aggregation.ways._buttons["max"].click()
    assert engine.requests == []
    read(view, qtbot)
    view._panel.aggregation.ways._buttons["average"].click()
    settle(view, qtbot)
    assert [request.aggregation.value for request in engine.requests] == ["max", "average"]  # type: ignore[attr-defined]
    assert view.workspace.settings.names_joining == "average"
    assert "average" in view._panel.aggregation._about.accessibleName()


def test_names_are_found_in_files_of_any_kind(view: NamesView, qtbot: QtBot, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<h1>Alice</h1><p>in <b>Ox</b>ford</p>", encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(page))])
    view.pane.insertFromMimeData(data)
    qtbot.waitUntil(lambda: view.pane.lit() == ["Alice", "Oxford"])
    settle(view, qtbot)


def test_names_are_saved_and_a_failure_is_reported(view: NamesView, qtbot: QtBot, tmp_path: Path) -> None:
    read(view, qtbot)
    path, notes = tmp_path / "names", []
    view.note.connect(notes.append)
    view.save_as("json", path)
    qtbot.waitUntil(lambda: notes == ["8 names saved"])
    saved = json.loads(path.read_text())
    assert (saved["model"], len(saved["documents"][0]["names"])) == ("finder", 8)
    view.save_as("json", path / "in the way")
    qtbot.waitUntil(lambda: bool(view._panel.notice.sentence()))


def test_look_inside_gets_the_chosen_name(view: NamesView, qtbot: QtBot) -> None:
    visits: list[Visit] = []
    view.go.connect(lambda _, visit: visits.append(visit))
    qtbot.keyClick(view.pane, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert visits == []
    read(view, qtbot)
    view.step(1)
    view.step(1)
    qtbot.mouseClick(button(view, "Look inside"), Qt.MouseButton.LeftButton)
    (visit,) = visits
    at = TEXT.index("Bill")
    assert (visit.subject.head, visit.subject.text) == (Head.TOKEN_CLASSIFICATION, TEXT)
    assert (visit.subject.focus, visit.title, visit.model) == (Span(at, at + 4), "Bill", "finder")


def test_thousands_of_names_found_before_the_pane_is_filled_are_all_highlighted(
    view: NamesView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ui.document.text.document_pane.PIECE", 300)
    text = "Alice met Bill and Dinah in Oxford; the Duchess saw Paris.\n" * 8000
    read(view, qtbot, text)
    qtbot.waitUntil(lambda: len(view.pane.names.places) == 48_000, timeout=30_000)
    assert all(light.shown for light in view.pane.names.places)
    view.pane.reveal(24_000)
    (box,) = view.pane.light_boxes(24_000)
    qtbot.mouseClick(view.pane.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert chosen(view) == f"Alice {text.index('Alice', 59 * 4000)}"
