"""What the pages with a text share: samples, stop, faults, drafts, files, finding words, encrypted files, models."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head, ModelCard
from app.settings.drafts import Drafts
from app.ui.heads.classify.classify import ClassifyView
from app.ui.heads.fill.fill import FillView
from app.ui.heads.names.names import NamesView
from app.ui.heads.next.follow import FollowView
from app.ui.heads.text_page import TextPage
from app.ui.kit.password_line import PasswordLine
from tests.documents.test_language import LEASE
from tests.helpers import insides
from tests.helpers.names_here import FINDER, find
from tests.helpers.small_pdfs import locked_pdf
from tests.helpers.windows import FakeEngine, button, until_stopped

OpenPage = Callable[[type[TextPage], FakeEngine], TextPage]
Ctrl, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(params=[ClassifyView, FillView, FollowView, NamesView])
def kind(request: pytest.FixtureRequest) -> type[TextPage]:
    """Each page, one test after the other."""
    page: type[TextPage] = request.param
    return page


@pytest.fixture
def view(kind: type[TextPage], open_page: OpenPage, engine: FakeEngine) -> TextPage:
    return open_page(kind, engine)


@pytest.fixture
def names(open_page: OpenPage) -> NamesView:
    view = open_page(NamesView, FakeEngine(find, FINDER))
    assert isinstance(view, NamesView)
    return view


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(insides.answer, *insides.CARDS)


def put(view: TextPage, text: str) -> None:
    for paper in view._papers:
        paper.replace(text)


def texts(view: TextPage) -> list[str]:
    return [paper.text() for paper in view._papers]


def test_a_click_runs_a_sample_and_focuses_the_text(view: TextPage, engine: FakeEngine, qtbot: QtBot) -> None:
    offers = [b for b in view.findChildren(QPushButton) if b.accessibleName().startswith("Try the sample")]
    assert len(offers) >= 2
    qtbot.waitUntil(lambda: all(offer.isVisible() for offer in offers))
    offers[0].setFocus()
    QTest.mouseClick(offers[0], Qt.MouseButton.LeftButton)
    assert not offers[0].isVisible()
    focus, paper = view.focusWidget(), view._papers[0]
    assert focus is paper or paper.isAncestorOf(focus)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: not view.working())
    assert len(engine.requests) == 1
    sample = view._samples[0]
    assert all(texts(view)) and texts(view) == [sample.text, sample.second][: len(view._papers)]
    QTest.keyClick(focus, Qt.Key.Key_Z, Ctrl)
    assert paper.is_empty()


def test_whitespace_is_not_run_and_a_changed_text_marks_the_result_outdated(
    view: TextPage, engine: FakeEngine, qtbot: QtBot
) -> None:
    put(view, " \n ")
    view.run()
    assert view._panel.notice.sentence() and engine.requests == []
    put(view, "A ___ cup")
    assert view._panel.notice.sentence() == "", "what was said of another text goes"
    view.run()
    qtbot.waitUntil(lambda: not view.working())
    assert not view._panel.outdated()
    view._papers[0].replace("A hot ___ cup")
    assert view._panel.outdated()
    view._papers[0].replace("A ___ cup")
    assert not view._panel.outdated()


def test_a_missing_model_is_reported_with_a_way_to_the_settings(
    kind: type[TextPage], open_page: OpenPage, qtbot: QtBot
) -> None:
    engine = FakeEngine(insides.answer)
    view = open_page(kind, engine)
    asked: list[str] = []
    view.go.connect(lambda key, _: asked.append(key))
    view.shown()
    qtbot.waitUntil(lambda: "Install one." in view._panel.model.words.text())
    assert view._panel.notice.sentence() == "", "nothing was asked yet"
    QTest.mouseClick(button(view, "Choose a model in the settings"), Qt.MouseButton.LeftButton)
    assert asked == ["settings"]
    put(view, "A ___ cup")
    view.run()
    qtbot.waitUntil(lambda: "no model" in view._panel.notice.sentence())
    assert engine.loads == []


def test_a_run_can_be_stopped_replaced_and_retried_after_a_failure(
    view: TextPage, engine: FakeEngine, qtbot: QtBot
) -> None:
    strip, notice = view._panel.strip, view._panel.notice
    put(view, "A ___ cup")
    engine.answer = until_stopped
    view.run()
    assert strip.isVisible()
    assert view.stop() and not view.stop()
    assert not strip.isVisible()
    qtbot.waitUntil(lambda: view.lanes.work.idle)

    def lost(*asked: object) -> None:
        raise EngineLost("The model process ended.", "Try once more.")

    engine.answer = lost
    told: list[bool] = []
    view.lost.connect(lambda: told.append(True))
    view.run()
    qtbot.waitUntil(lambda: notice.sentence() == "The model process ended.")
    assert told == [True] and set(texts(view)) == {"A ___ cup"}
    engine.answer = until_stopped
    before = len(engine.requests)
    view.run()
    qtbot.waitUntil(lambda: len(engine.requests) > before)
    engine.answer = insides.answer
    put(view, "A cup of ___")
    view.run()  # takes the place of the one that runs
    qtbot.waitUntil(lambda: view.lanes.work.idle and not view.working())
    assert notice.sentence() == "" and not strip.isVisible() and not view._panel.outdated()


def test_drafts_come_back_and_a_file_replaces_them(
    kind: type[TextPage], open_page: OpenPage, engine: FakeEngine, qtbot: QtBot, tmp_path: Path
) -> None:
    first = open_page(kind, engine)
    put(first, "half a ___ 👩‍👧\nand more ")
    first.keep()
    view = open_page(kind, engine)
    assert set(texts(view)) == {"half a ___ 👩‍👧\nand more "}
    path = tmp_path / "note.txt"
    path.write_bytes("Grüße an ___\r\nzwei".encode())
    view.open_files([path])
    qtbot.waitUntil(lambda: texts(view)[0] == "Grüße an ___\nzwei")
    view.open_files([tmp_path / "missing.txt"])
    qtbot.waitUntil(lambda: "missing.txt" in view._panel.notice.sentence())
    assert texts(view)[0] == "Grüße an ___\nzwei"
    draft = view._drafts[0]
    draft.timer.setInterval(10)
    view._papers[0].replace("typed ___")
    qtbot.waitUntil(lambda: draft.drafts.load(kind.DRAFTS[0]) == "typed ___")
    qtbot.waitUntil(lambda: view.lanes.work.idle)


def test_words_are_found_and_the_focus_returns_to_the_text(view: TextPage, qtbot: QtBot) -> None:
    paper = view._papers[0]
    QTest.keyClick(view, Qt.Key.Key_F, Ctrl)
    assert not view.find_bar.isVisible(), "there is nothing to find in"
    paper.replace("The Tide is high.\n" + "Nothing.\n" * 300 + "The tide is low 👩‍👧.")
    paper.setFocus()
    QTest.keyClick(view, Qt.Key.Key_F, Ctrl)
    field = view.find_bar.field
    assert field.hasFocus()
    QTest.keyClicks(field, "tide")
    qtbot.waitUntil(lambda: view.find_bar.news.text() == "1 of 2")
    assert paper.searched.selected_words() == "Tide", "typing has gone there"
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: paper.searched.selected_words() == "tide")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: paper.searched.selected_words() == "Tide")
    QTest.keyClick(field, Qt.Key.Key_Return, Shift)
    qtbot.waitUntil(lambda: paper.searched.selected_words() == "tide")
    QTest.keyClicks(field, "s")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.find_bar.news.text() == "Not found")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not view.find_bar.isVisible()
    qtbot.waitUntil(lambda: view.isAncestorOf(view.focusWidget()) and not field.hasFocus())


@pytest.fixture
def lock(names: NamesView, qtbot: QtBot, tmp_path: Path) -> PasswordLine:
    """Where the password of an encrypted PDF is asked for."""
    path = tmp_path / "closed.pdf"
    path.write_bytes(locked_pdf("Alice met Bill.", "sesame"))
    names.pane.set_text("mine")
    names.open_files([path])
    lock = names._panel.lock
    qtbot.waitUntil(lambda: lock.isVisible(), timeout=20_000)
    return lock


def test_an_encrypted_pdf_asks_for_its_password(names: NamesView, lock: PasswordLine, qtbot: QtBot) -> None:
    assert "closed.pdf is encrypted" in lock._why.text() and not lock._wrong.isVisible()
    assert lock.field.hasFocus() and not names._panel.strip.isVisible()
    QTest.keyClicks(lock.field, "open")
    QTest.keyClick(lock.field, Qt.Key.Key_Return)
    assert not lock.isVisible()
    qtbot.waitUntil(lambda: lock.isVisible(), timeout=20_000)
    assert lock._wrong.isVisible() and lock.field.text() == "" and names.pane.text() == "mine"
    QTest.keyClicks(lock.field, "sesame")
    QTest.mouseClick(button(names, "Open with this password"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: names.pane.lit() == ["Alice", "Bill"], timeout=20_000)
    assert not lock.isVisible() and not lock.field.text()


@pytest.mark.parametrize("by_key", [True, False])
def test_opening_an_encrypted_pdf_can_be_given_up(names: NamesView, lock: PasswordLine, by_key: bool) -> None:
    if by_key:
        assert names.stop()
    else:
        QTest.mouseClick(button(names, "Do not open the encrypted file"), Qt.MouseButton.LeftButton)
    assert not lock.isVisible() and not names.stop()
    assert names.pane.text() == "mine"


def test_a_model_installed_later_is_found_when_the_page_is_shown_again(
    names: NamesView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(head: Head) -> ModelCard:
        raise SpanlightError("No model that can find names is installed.", "Put one in.")

    there = names.workspace.shelf.default
    monkeypatch.setattr(names.workspace.shelf, "default", none)
    names.shown()
    qtbot.waitUntil(lambda: "Put one in." in names._panel.model.words.text())
    monkeypatch.setattr(names.workspace.shelf, "default", there)
    names.shown()
    qtbot.waitUntil(lambda: names._panel.model.words.text() == "The names are found by finder")
    qtbot.waitUntil(lambda: names.lanes.work.idle)


def with_models_named(suffix: str = "") -> FakeEngine:
    """An engine with the cards by the names that its results have, with a suffix."""
    names = [card.folder.rsplit("/", 1)[-1] + suffix for card in insides.CARDS]
    cards = [
        replace(card, name=n, folder=f"/models/{n}") for card, n in zip(insides.CARDS, names, strict=True)
    ]
    return FakeEngine(insides.answer, *cards)


@pytest.fixture
def named() -> FakeEngine:
    return with_models_named()


def shown(view: TextPage) -> list[str]:
    """What a person reads of a result."""
    labels = [label.text() for label in view._panel.findChildren(QLabel) if label.isVisible()]
    match view:
        case ClassifyView():
            return [*labels, view._panel.table.copied()]
        case FillView():
            return [*labels, str(view._panel.card.words.rows())]
        case NamesView():
            return [*labels, str(view._panel._rows), *view.pane.lit()]
    return labels


def ran(view: TextPage, qtbot: QtBot, text: str) -> list[str]:
    """Run the page on a text, and wait until the result is shown and saved."""
    put(view, text)
    view.run()
    settled(view, qtbot)
    return shown(view)


def settled(view: TextPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not view.working() and view.lanes.work.idle and view.lanes.files.idle)


def test_the_last_result_comes_back_unchanged_without_a_run(
    kind: type[TextPage], open_page: OpenPage, named: FakeEngine, qtbot: QtBot
) -> None:
    first = open_page(kind, named)
    before = ran(first, qtbot, "A ___ cup 👩‍👧 of tea")
    first.keep()
    asked = len(named.requests)
    view = open_page(kind, named)
    settled(view, qtbot)
    assert shown(view) == before and not view._panel.outdated()
    assert len(named.requests) == asked
    other = open_page(kind, with_models_named("-2"))
    settled(other, qtbot)
    assert other._panel.outdated() and any("model was changed" in words for words in shown(other))
    view._papers[0].replace("Another ___ text")
    view.keep()
    settled(view, qtbot)
    changed = open_page(kind, named)
    settled(changed, qtbot)
    assert changed._panel.outdated(), "its text was changed since"
    put(changed, "")
    settled(changed, qtbot)
    changed.keep()
    put(changed, "New ___ words")
    empty = open_page(kind, named)
    settled(empty, qtbot)
    assert empty.kept is None, "a result goes with its text"


def test_no_result_is_saved_without_history_and_an_unreadable_one_is_ignored(
    kind: type[TextPage], open_page: OpenPage, named: FakeEngine, qtbot: QtBot
) -> None:
    first = open_page(kind, named)
    drafts = Drafts(first.workspace.paths.drafts)
    ran(first, qtbot, "A ___ cup of tea")
    name = f"{kind.KEY}.result"
    saved = drafts.load(name)
    assert saved
    first.workspace.settings.keep_history = False
    ran(first, qtbot, "A ___ cup of tea")
    first.keep()
    assert drafts.load(name) == ""
    for damaged in (saved[:-9], "[]", '{"texts": ["A"], "result": {"items": 3}}'):
        drafts.save(name, damaged)
        view = open_page(kind, named)
        settled(view, qtbot)
        assert view.kept is None and texts(view)[0] == "A ___ cup of tea"


def test_an_unsaved_result_is_saved_when_the_window_closes(
    kind: type[TextPage], open_page: OpenPage, named: FakeEngine, qtbot: QtBot
) -> None:
    first = open_page(kind, named)
    go_on = threading.Event()
    busy = first.lanes.files.start(lambda report: go_on.wait(10))
    put(first, "A ___ cup of tea")
    first.run()
    qtbot.waitUntil(lambda: not first.working())
    first.lanes.files.finish_writes()
    first.keep()
    go_on.set()
    view = open_page(kind, named)
    settled(view, qtbot)
    assert view.kept == first.kept is not None
    assert not busy.running


@pytest.mark.parametrize("kind", [ClassifyView, NamesView])
def test_a_text_in_another_language_is_noted_until_it_is_changed(
    kind: type[TextPage], open_page: OpenPage, qtbot: QtBot
) -> None:
    english = [replace(card, languages=("en",)) for card in insides.CARDS]
    view = open_page(kind, FakeEngine(insides.answer, *english))
    put(view, LEASE["de"])
    view.run()
    qtbot.waitUntil(lambda: view._language.isVisible())
    assert view._language.words().startswith("This text is in German; ")
    with qtbot.waitSignal(view.go) as asked:
        QTest.mouseClick(view._language.button, Qt.MouseButton.LeftButton)
    assert asked.args == ["models", ("offered", (view.HEAD.value, "de"))]
    put(view, LEASE["en"])
    assert not view._language.isVisible()
    view.run()
    qtbot.waitUntil(lambda: not view.working() and view.lanes.documents.idle)
    assert view._language.words() == ""


def test_every_match_of_a_search_is_marked(view: TextPage) -> None:
    paper = view._papers[0]
    paper.replace("The tide is high.\nThe tide is low.")
    page = paper.searched
    assert isinstance(page, QPlainTextEdit)
    plain = page.viewport().grab().toImage()
    page.mark_all("tide")
    assert page.viewport().grab().toImage() != plain
    page.mark_all("")
    assert page.viewport().grab().toImage() == plain


@pytest.mark.parametrize(("high", "told"), [(700, True), (300, False)])
def test_a_low_window_hides_the_explanation_for_the_result(
    open_page: OpenPage, high: int, told: bool
) -> None:
    view = open_page(FollowView, FakeEngine(find, FINDER))
    view.resize(1000, high)
    panel = view._panel
    assert panel._about.isVisible(), "an empty page says what happens on it"
    view._papers[0].replace("One passage.")
    assert panel._about.isVisible() == told
    view._papers[0].replace("")
    assert panel._about.isVisible()
