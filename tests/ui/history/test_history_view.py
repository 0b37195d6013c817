"""The history page: listing, searching, opening, deleting and undoing, asking again and exporting."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.core.corrections import Verdict
from app.core.errors import EngineLost, SpanlightError
from app.core.history import Entry
from app.core.layout import Kind, Opened
from app.core.models import Head, ModelCard
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Reading
from app.core.text import Document, Span
from app.flows.teach.corrections import correct
from app.settings import settings as settings_file
from app.ui.history.history import PAGE, HistoryView
from app.ui.history.history_list import HistoryDelegate, elided_place
from app.ui.history.history_model import row_of
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from tests.helpers.history_entries import LEASE, entry, unanswered
from tests.helpers.windows import FakeEngine, open_fake_workspace, until_stopped

READER = ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,))
NOW = time.time()
Open = Callable[..., HistoryView]
PASTED = "At noon the tide is highest."


def answered_noon(request: Question, choice: ModelChoice | None, report: Report) -> Reading:
    text = request.documents[0].text
    at = text.find("noon")
    answers = (Answer(0, Span(at, at + 4), "noon", 0.8, 6.0, 2.0),) if at >= 0 else ()
    return Reading(answers, at >= 0, 0.2 if answers else 0.9, 0.5, 1, 1, 0.01, model="reader", device="CPU")


def pasted(**changes: object) -> Entry:
    best = replace(LEASE, text="noon", span=Span(3, 7), before="At ", after=PASTED[7:39], page=None)
    sha256 = hashlib.sha256(PASTED.encode()).hexdigest()
    return replace(
        entry(), question="When is the tide highest?", name="Pasted text", path="", sha256=sha256, kind=Kind.TEXT,
        answers=(best,), model="reader", **{"asked": NOW, **changes},
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(answered_noon, READER)


@pytest.fixture
def open_view(qapp: QApplication, qtbot: QtBot, spanlight_home: Path, engine: FakeEngine) -> Iterator[Open]:
    """Opens the page over a history of these entries (and one pasted text's)."""
    made: list[HistoryView] = []

    def opened(*entries: Entry) -> HistoryView:
        workspace = open_fake_workspace(engine)
        for one in entries:
            workspace.history.add(one, "" if one.path else PASTED)
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        view = HistoryView(workspace, theme, Lanes())
        made.append(view)
        qtbot.addWidget(view)
        view.resize(1100, 700)
        view.show()
        view.activateWindow()
        view.shown()
        qtbot.waitUntil(lambda: not busy(view))
        return view

    yield opened
    for view in made:
        view.lanes.close()
        view.workspace.close()


def busy(view: HistoryView) -> bool:
    return not (view.lanes.files.idle and view.lanes.work.idle and view.lanes.documents.idle)


def settle(view: HistoryView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not view.panel.search.pending and not busy(view))


def kept(view: HistoryView) -> list[int]:
    return [one.number for one in view.workspace.history.entries(limit=1000)]


def numbers(view: HistoryView) -> list[int]:
    return [one.number for one in view.panel.list.history.entries]


# Listing and finding


def test_entries_stand_by_day_newest_first(open_view: Open) -> None:
    view = open_view(
        entry(question="An old one", asked=NOW - 400 * 86400),
        entry(question="Yesterday's", asked=NOW - 86400),
        unanswered(question="Who?", asked=NOW - 60),
        entry(question="Now", asked=NOW),
    )
    shown = [row.title for row in view.panel.list.history.rows]
    assert [one for one in shown if one in ("An old one", "Yesterday's", "Who?", "Now")] == [
        "Now", "Who?", "Yesterday's", "An old one",
    ]  # fmt: skip
    assert shown[0] in ("Today", "Yesterday")  # the test may run at midnight
    assert view.panel.counted.text() == "4 questions"
    model = view.panel.list.history
    spoken = [model.data(model.index(at), Qt.ItemDataRole.AccessibleTextRole) for at in (1, 2)]
    assert spoken[0] == "Now. three months' rent. Very likely, 94%. lease.pdf, page 2."
    assert spoken[1] == "Who? The text does not say. 97% sure. lease.pdf."


def test_a_stopped_questions_answer_is_lit_as_a_provisional_one(
    open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = open_view(entry(), entry(question="Stopped?", complete=False))
    lit: list[bool] = []
    monkeypatch.setattr(HistoryDelegate, "draw_lit", lambda *_, faint: lit.append(faint))
    view.panel.list.viewport().repaint()
    assert sorted(lit[:2]) == [False, True]


def test_typing_searches(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(entry(question="Who keeps dogs?"), entry(1, question="Who keeps cats?"), pasted())
    qtbot.keyClicks(view.focusWidget(), "dog")
    settle(view, qtbot)
    assert numbers(view) == [1] and view.panel.counted.text() == "1 of 3"
    qtbot.keyClicks(view.focusWidget(), "mouse")
    settle(view, qtbot)
    assert not view.panel.list.isVisible() and view.panel.empty.title.text() == "Nothing found"
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Escape)
    settle(view, qtbot)
    assert numbers(view) == [3, 2, 1] and view.panel.list.isVisible()


def test_the_newest_are_seen_when_the_page_comes_up_again(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(*(entry(at, asked=NOW - 100_000 + at) for at in range(60)))
    listed = view.panel.list
    listed.choose(3)
    bar = listed.verticalScrollBar()
    assert (before := bar.value()) > 0
    view.shown()
    settle(view, qtbot)
    assert bar.value() == before  # nothing new: it stays
    view.workspace.history.add(entry(60, asked=NOW))
    view.shown()
    settle(view, qtbot)
    assert bar.value() == 0 and numbers(view)[0] == 61
    chosen = listed.entry()
    assert chosen is not None and chosen.number == 3


def test_older_entries_come_as_the_list_is_scrolled(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(*(entry(at, asked=NOW - at * 40_000) for at in range(230)))
    assert len(numbers(view)) == 100 and view.panel.counted.text() == "230 questions"
    listed, bar = view.panel.list, view.panel.list.verticalScrollBar()
    for wanted, high in ((200, 5000), (230, 10_000)):
        qtbot.waitUntil(lambda high=high: bar.maximum() > high)  # laid out
        bar.setValue(before := bar.maximum())
        qtbot.waitUntil(lambda wanted=wanted: len(numbers(view)) == wanted)
        qtbot.waitUntil(lambda before=before: bar.maximum() > before)  # laid out in their turn
        assert bar.value() == before
        settle(view, qtbot)
    assert numbers(view) == kept(view)
    days = [row.day for row in listed.history.rows if not row.entry]
    assert len(set(days)) == len(days)  # no day has two headings
    edges = [listed.history.edges(at) for at, row in enumerate(listed.history.rows) if row.entry]
    assert [sum(one) for one in zip(*edges, strict=True)] == [len(days)] * 2


def test_an_empty_history_invites(open_view: Open, qtbot: QtBot) -> None:
    view = open_view()
    assert view.panel.empty.title.text() == "Nothing asked yet"
    assert not view.panel.bar.export.isEnabled() and not view.panel.bar.delete_all.isEnabled()
    with qtbot.waitSignal(view.go) as gone:
        qtbot.mouseClick(view.panel.empty.button, Qt.MouseButton.LeftButton)
    assert gone.args == ["ask", None]


# Keys and mouse


def test_the_keys_go_to_an_entry_open_it_and_come_back(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(entry(), entry(2))
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Down)
    listed = view.panel.list
    assert listed.hasFocus()
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    with qtbot.waitSignal(view.go) as opened:
        qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert opened.args == ["ask", view.workspace.history.get(1)]
    qtbot.keyClick(listed, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == (
        "How much is the deposit?\nthree months' rent\n(lease.pdf, page 2, “4. Deposit”)"
    )
    qtbot.keyClick(listed, Qt.Key.Key_Up)
    qtbot.keyClick(listed, Qt.Key.Key_Up)
    assert view.panel.search.hasFocus()
    reason = Qt.FocusReason.TabFocusReason
    listed.selectionModel().clear()
    listed.setFocus(reason)
    assert listed.entry() == view.workspace.history.get(2), "reached by Tab, the first one is chosen"
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.panel.search.hasFocus()
    listed.setFocus(reason)
    assert listed.entry() == view.workspace.history.get(1), "and then the one that was chosen before"


def test_the_row_with_the_keyboard_is_ringed(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(entry(1), entry(2))
    listed, ring = view.panel.list, view.panel._theme.colour("focus")

    def ringed() -> bool:
        row = listed.visualRect(listed.history.index(1))
        picture = listed.viewport().grab(row).toImage()
        ratio = picture.devicePixelRatio()
        right = round((row.width() - view.panel._theme.step(0.75) - 1) * ratio)
        around = [picture.pixelColor(right + by, picture.height() // 2) for by in (-1, 0, 1)]
        return any(abs(one.hue() - ring.hue()) < 12 and one.saturation() > 120 for one in around)

    view.panel.go_to_list()
    qtbot.waitUntil(ringed)
    view.panel.search.setFocus()
    qtbot.waitUntil(lambda: not ringed())
    assert listed.entry() is not None


def test_names_of_documents_keep_both_ends_and_the_place_stays(open_view: Open) -> None:
    metrics = QFontMetrics(open_view().panel._theme.font("small"))
    name = "Minutes of the committee for buildings and grounds, 2024 (signed).txt"
    for part in ({}, {"quick": True}, {"quick": True, "complete": False}):
        row = row_of(entry(name=name, **part))
        whole = metrics.horizontalAdvance(f"  ·  {row.where}")
        short = metrics.horizontalAdvance(f"  ·  {row.name}{row.place}") // 2
        cut = [elided_place(row, metrics, room) for room in range(short, whole, 7)]
        for room, said in zip(range(short, whole, 7), cut, strict=True):
            assert metrics.horizontalAdvance(said) <= room + 4, (room, said)
            assert said.startswith("  ·  Minut") and f".txt{row.place}" in said, said
            shown = said.partition(f".txt{row.place}")[2]
            assert not shown or metrics.horizontalAdvance(shown) > 0.4 * metrics.horizontalAdvance(
                row.part
            ), said
            assert shown != row.part or row.name not in said
        assert elided_place(row, metrics, whole + 2) == f"  ·  {row.where}"


def test_pointing_at_the_documents_name_tells_its_path(
    open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = open_view(entry(path="/home/ann/2024/lease.pdf"), pasted(quick=True))
    listed = view.panel.list
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, text, *_: told.append(text))
    viewport, kept = listed.viewport(), [listed.history.row_of(number) for number in (1, 2)]
    for at in kept:
        row = listed.visualRect(listed.history.index(at))
        for place in (QPoint(row.left() + 60, row.top() + 14), QPoint(row.left() + 60, row.bottom() - 14)):
            QApplication.sendEvent(
                viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place))
            )
    assert told == ["/home/ann/2024/lease.pdf", "Pasted text\nOnly the best passages were read"]


def test_how_a_misspelt_question_was_read_stands_beside_it(open_view: Open) -> None:
    read_as = "How much is the deposit?"
    row = row_of(entry(question="How much is the depsoit?", read_as=read_as))
    assert row.respelt == f"Read as “{read_as}”" and row.respelt in row.tip
    assert row.accessible_text.startswith(f"How much is the depsoit? {row.respelt}")
    plain, respelt = (open_view(replace(row.entry or entry(), read_as=one)) for one in ("", read_as))
    assert plain.grab().toImage() != respelt.grab().toImage()


def test_a_click_opens_an_entry_and_the_row_under_the_mouse_has_buttons(
    open_view: Open, qtbot: QtBot
) -> None:
    view = open_view(entry(1, asked=NOW - 60), entry(2, asked=NOW))
    listed = view.panel.list
    assert not listed.tools.isVisible()
    rect = listed.visualRect(listed.history.index(2))
    qtbot.mouseMove(listed.viewport(), rect.center() - QPoint(3, 0))
    qtbot.mouseMove(listed.viewport(), rect.center())
    qtbot.waitUntil(listed.tools.isVisible)
    assert rect.contains(listed.tools.geometry())
    with qtbot.waitSignal(view.go) as opened:
        qtbot.mouseClick(listed.buttons["open"], Qt.MouseButton.LeftButton)
    assert opened.args[1].number == 1
    with qtbot.waitSignal(view.go) as opened:
        qtbot.mouseClick(
            listed.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(rect.left() + 9, rect.top() + 9)
        )
    assert opened.args[1].number == 1


def test_what_was_said_of_an_answer_stands_in_its_row(open_view: Open, qtbot: QtBot) -> None:
    opened = Opened(Document(PASTED, "Pasted text"))
    view = open_view(pasted(), entry(question="Another"))
    model = view.panel.list.history

    def said() -> tuple[str, bool]:
        settle(view, qtbot)
        row = next(row for row in model.rows if row.entry is not None and not row.entry.path)
        assert row.said in row.accessible_text
        return row.said, row.agreed

    assert said() == ("", False)
    for verdict, span, told in (
        (Verdict.RIGHT, None, ("You said: right", True)),
        (Verdict.OTHER_WORDS, Span(20, 27), ("Yours: highest", False)),
        (Verdict.NOT_THERE, None, ("You said: not in the text", False)),
        (Verdict.NONE, None, ("", False)),
    ):
        correct(view.workspace, opened, pasted(), verdict, Silent(), span=span)
        view.shown()
        assert said() == told
        view.grab()
    assert [row.said for row in model.rows if row.title == "Another"] == [""]


# Deleting


def test_delete_and_undo(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(entry(1), pasted(asked=NOW - 5), pasted(asked=NOW))
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Down)
    qtbot.keyClick(view.panel.list, Qt.Key.Key_Delete)
    assert numbers(view) == [2, 1]
    settle(view, qtbot)
    assert kept(view) == [2, 1] and view.panel.counted.text() == "2 questions"
    chosen = view.panel.list.entry()
    assert chosen is not None and chosen.number == 2
    qtbot.keyClick(view.panel.list, Qt.Key.Key_Delete)
    settle(view, qtbot)
    assert view.panel.undo.isVisible() and "When is the tide highest?" in view.panel.undo.words()
    qtbot.mouseClick(view.panel.undo.button, Qt.MouseButton.LeftButton)
    settle(view, qtbot)
    qtbot.keyClick(view.panel.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(view, qtbot)
    assert kept(view) == numbers(view) == [3, 2, 1]
    assert not view.panel.undo.isVisible()
    assert view.workspace.history.text_of(view.workspace.history.get(3)) == PASTED


def test_what_is_brought_back_stands_in_its_old_place_and_is_the_chosen_one(
    open_view: Open, qtbot: QtBot
) -> None:
    view = open_view(*(entry(number) for number in range(1, PAGE + 11)))
    listed = view.panel.list
    listed.scrollToBottom()
    qtbot.waitUntil(lambda: len(numbers(view)) == PAGE + 10)
    whole = numbers(view)
    gone = whole[-1]
    listed.choose(gone)
    listed.setFocus()
    qtbot.keyClick(listed, Qt.Key.Key_Delete)
    settle(view, qtbot)
    assert gone not in numbers(view)
    qtbot.mouseClick(view.panel.undo.button, Qt.MouseButton.LeftButton)
    settle(view, qtbot)
    assert numbers(view) == whole
    chosen = listed.entry()
    assert chosen is not None and chosen.number == gone
    assert listed.viewport().rect().intersects(listed.visualRect(listed.currentIndex()))
    assert listed.hasFocus()


def test_a_look_that_ends_before_it_is_back_does_not_keep_it_from_being_chosen(
    open_view: Open, qtbot: QtBot
) -> None:
    view = open_view(entry(1), entry(2), entry(3))
    listed = view.panel.list
    listed.choose(2)
    listed.setFocus()
    qtbot.keyClick(listed, Qt.Key.Key_Delete)
    settle(view, qtbot)
    go_on = threading.Event()
    add = view.workspace.history.add

    def add_later(*what: Any) -> int:
        assert go_on.wait(5)
        return add(*what)

    view.shown()  # a look that is before it in line
    view.workspace.history.add = add_later  # type: ignore[method-assign]
    qtbot.mouseClick(view.panel.undo.button, Qt.MouseButton.LeftButton)
    qtbot.wait(50)
    assert numbers(view) == [3, 1]
    go_on.set()
    settle(view, qtbot)
    chosen = listed.entry()
    assert numbers(view) == [3, 2, 1] and chosen is not None and chosen.number == 2


def test_a_day_goes_with_its_last_entry(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(
        entry(asked=NOW - 86400 * 9), entry(asked=NOW - 86400 * 5), entry(asked=NOW - 86400 * 5 + 1)
    )
    model = view.panel.list.history
    for number, left in ((3, 4), (2, 2), (1, 0)):
        model.remove(number)
        assert model.rowCount() == left
        assert all(all(model.edges(at)) for at, row in enumerate(model.rows) if row.entry)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda view: view._delete(view.workspace.history.get(2)), [1]),
        (lambda view: view.panel.bar.question.confirmed.emit(), []),
        (lambda view: view.panel.undo.undo_asked.emit(), [3, 2, 1]),
    ],
    ids=["delete", "delete everything", "bring back"],
)
def test_changes_that_are_still_queued_are_made_when_the_window_closes(
    open_view: Open,
    qtbot: QtBot,
    change: Callable[[HistoryView], None],
    left: list[int],
) -> None:
    view = open_view(entry(1), entry(2), entry(3))
    view._delete(view.workspace.history.get(3))
    settle(view, qtbot)
    gate = threading.Event()
    view.lanes.files.start(lambda report: gate.wait(5))
    change(view)
    view.lanes.files.finish_writes()
    assert kept(view) == left
    gate.set()
    settle(view, qtbot)
    assert kept(view) == left


def test_everything_is_deleted_once_that_is_confirmed(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(entry(1), entry(2))
    bar = view.panel.bar
    qtbot.mouseClick(bar.delete_all, Qt.MouseButton.LeftButton)
    assert (
        bar.question.asking and bar.question.cancel.hasFocus() and "Delete 2 questions" in bar.question.text()
    )
    qtbot.keyClick(bar.question.cancel, Qt.Key.Key_Escape)
    assert not bar.question.asking and kept(view) == [2, 1]
    qtbot.mouseClick(bar.delete_all, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(bar.question.confirm, Qt.MouseButton.LeftButton)
    settle(view, qtbot)
    assert kept(view) == [] and not view.panel.list.isVisible()


# Asking again


def test_checking_again_says_what_changed_in_the_row(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(pasted(), entry(path="/not/there.pdf"))
    noted: list[str] = []
    view.note.connect(noted.append)
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Down)
    listed = view.panel.list
    height = listed.visualRect(listed.currentIndex()).height()
    qtbot.keyClick(listed, Qt.Key.Key_F5)
    assert view.panel.strip.isVisible()
    settle(view, qtbot)
    row = listed.history.row(listed.currentIndex().row())
    assert row is not None and row.news == "The same answer, at the same place. Now 80% (was 94%)."
    assert not row.changed and noted[-1] == row.news and not view.panel.strip.isVisible()
    qtbot.waitUntil(lambda: listed.visualRect(listed.currentIndex()).height() > height)
    view.check(view.workspace.history.get(2))
    settle(view, qtbot)
    row = listed.history.row(listed.history.row_of(2))
    assert row is not None and (row.news, row.changed) == ("The file is not there any more.", True)


def test_a_check_can_be_stopped_and_a_failed_one_is_said(
    open_view: Open, qtbot: QtBot, engine: FakeEngine
) -> None:
    engine.answer = until_stopped
    view = open_view(pasted())
    view.check(view.workspace.history.get(1))
    qtbot.waitUntil(lambda: bool(engine.requests))
    assert view.stop() and not view.stop()
    row = view.panel.list.history.row(1)
    assert row is not None and row.news == "" and not view.panel.strip.isVisible()
    settle(view, qtbot)
    lost: list[bool] = []
    view.lost.connect(lambda: lost.append(True))
    for error in (SpanlightError("No model.", "Get one."), EngineLost("It died.", "Ask again.")):

        def fail(*_: object, error: SpanlightError = error) -> None:
            raise error

        engine.answer = fail
        view.check(view.workspace.history.get(1))
        settle(view, qtbot)
        assert view.panel.notice.sentence() == error.message
        assert bool(lost) is isinstance(error, EngineLost)


# Export, the switch, faults


def test_export_writes_what_is_listed(
    open_view: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = open_view(*(entry(at) for at in range(120)), pasted())
    view.panel.search.setText("tide")
    settle(view, qtbot)
    view.export_to("csv", tmp_path / "tide.csv")
    settle(view, qtbot)
    assert (tmp_path / "tide.csv").read_text("utf-8-sig").count("\n") == 2
    view._show_all()
    settle(view, qtbot)
    view.export_to("csv", tmp_path / "all.csv")
    settle(view, qtbot)
    assert (tmp_path / "all.csv").read_text("utf-8-sig").count("\n") == 122
    view.export_to("squad", tmp_path / "all.json")
    settle(view, qtbot)
    assert "not there any more" in view.panel.notice._hint.text()
    actions: list[QAction] = view.panel.bar.menu.actions()
    assert [action.data() for action in actions] == ["csv", "markdown", "json", "squad", "pdf"]
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr("app.ui.history.history.save_name", lambda *names: asked.append(names) or "")
    actions[1].trigger()
    assert asked == [
        (view, "Export: Page to read (Markdown)", "answers.md", "Page to read (Markdown) (*.md)")
    ]


def test_the_switch_is_the_setting(open_view: Open, qtbot: QtBot) -> None:
    view = open_view(entry())
    file = view.workspace.paths.settings_file
    with qtbot.waitSignal(view.changed) as changed:
        view.panel.bar.keep.click()
    assert changed.args == ["keep_history"]
    assert not view.workspace.settings.keep_history and not settings_file.load(file).keep_history
    assert view.panel.notice.isVisible()
    view.workspace.settings.keep_history = True
    view.settings_changed()
    assert view.panel.bar.keep.isChecked()


def test_a_damaged_history_is_said_once(open_view: Open, qtbot: QtBot, spanlight_home: Path) -> None:
    file = spanlight_home / "data" / "history.sqlite3"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    view = open_view()
    assert "was damaged" in view.panel.notice.sentence()
    view.panel.notice.hide()
    view.shown()
    settle(view, qtbot)
    assert not view.panel.notice.isVisible() and view.panel.empty.isVisible()


@pytest.mark.long
def test_ten_thousand_entries_stay_smooth(
    open_view: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [replace(entry(at), number=at + 1, asked=NOW - at * 600) for at in range(10_000)]
    view = open_view()
    listed = view.panel.list
    began = time.perf_counter()
    listed.history.set_entries(many, len(many), {})
    view._whole = len(many)
    view._show_found()
    qtbot.waitUntil(lambda: listed.verticalScrollBar().maximum() > 500_000, timeout=10_000)
    filled = time.perf_counter() - began
    began = time.perf_counter()
    for at in range(20):
        listed.verticalScrollBar().setValue(at * 31_000)
        view.grab()
    drawn = (time.perf_counter() - began) / 20
    began = time.perf_counter()
    listed.history.append([replace(many[-1], number=10_001, asked=NOW - 1e7)], 10_001, {})
    QApplication.processEvents()
    added = time.perf_counter() - began
    print(
        f"{filled * 1000:.0f} ms to fill, {drawn * 1000:.1f} ms a frame, {added * 1000:.0f} ms to add a page"
    )
    assert filled < 5 and drawn < 0.2 and added < 2


def test_every_kind_of_row_is_drawn(open_view: Open, qtbot: QtBot) -> None:
    long = "word " * 200
    view = open_view(
        entry(question=long, name=long, answers=(replace(LEASE, text=long, probability=0.2),)),
        entry(1, question="", name="", answers=(replace(LEASE, text="", page=None),)),
        unanswered(2, question="מה?\nשתי שורות"),
    )
    view.panel.list.choose(1)
    view.panel.list.history.set_news(1, long, changed=True)
    view.panel.list.history.set_news(2, "The same answer.")
    settle(view, qtbot)
    for look, width in (("light", 300), ("dark", 1400)):
        view.theme.choose(look)
        view.resize(width, 600)
        assert lit(view)
    view.theme.choose("light")


def lit(view: HistoryView) -> set[int]:
    """Where the ground of an answer is seen, in pixels from the left."""
    image, ground = view.grab().toImage(), view.theme.colour("answer_ground").rgb()
    return {x for x in range(0, view.width(), 5) for y in range(0, 600, 5) if image.pixel(x, y) == ground}


def test_rows_are_mirrored_where_the_language_is_written_from_the_right(
    open_view: Open, qtbot: QtBot
) -> None:
    view = open_view(entry())
    view.panel.list.choose(1)
    view.panel.list.history.set_news(1, "The same answer.", changed=True)
    settle(view, qtbot)
    assert max(lit(view)) < view.width() // 2 < view.panel.list.tools.geometry().left()
    view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    view.panel.list._fit()
    settle(view, qtbot)
    assert min(lit(view)) > view.width() // 2 > view.panel.list.tools.geometry().right()
