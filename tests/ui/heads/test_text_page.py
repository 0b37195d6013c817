"""What the pages of papers share: finding words, encrypted files, the keyboard after a sample, a model put in later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.ui.heads.classify.classify import ClassifyView
from app.ui.heads.fill.fill import FillView
from app.ui.heads.names.names import NamesView
from app.ui.heads.next.follow import FollowView
from app.ui.heads.text_page import TextPage
from tests.helpers.locked_pdfs import locked_pdf
from tests.helpers.names_here import FINDER, find
from tests.helpers.windows import FakeEngine

OpenPage = Callable[[type[TextPage], FakeEngine], TextPage]
Ctrl, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
EVERY = pytest.mark.parametrize("kind", [ClassifyView, FillView, FollowView, NamesView])


def button(view: TextPage, name: str) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.accessibleName() == name)


@pytest.fixture
def names(open_page: OpenPage) -> NamesView:
    view = open_page(NamesView, FakeEngine(find, FINDER))
    assert isinstance(view, NamesView)
    return view


@EVERY
def test_words_are_found_and_the_keyboard_comes_back(
    kind: type[TextPage], open_page: OpenPage, qtbot: QtBot
) -> None:
    view = open_page(kind, FakeEngine(find))
    paper = view._papers[0]
    QTest.keyClick(view, Qt.Key.Key_F, Ctrl)
    assert not view.find_bar.isVisible(), "there is nothing to find in"
    paper.replace("The Tide is high.\n" + "Nothing.\n" * 300 + "The tide is low 👩‍👧.")
    paper.setFocus()
    QTest.keyClick(view, Qt.Key.Key_F, Ctrl)
    field = view.find_bar.field
    assert field.hasFocus()
    QTest.keyClicks(field, "tide")
    qtbot.waitUntil(lambda: view.find_bar.news.text() == "2 places")
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


@EVERY
def test_the_keyboard_is_in_the_text_after_a_sample(
    kind: type[TextPage], open_page: OpenPage, qtbot: QtBot
) -> None:
    view = open_page(kind, FakeEngine(find))
    offer = next(b for b in view.findChildren(QPushButton) if b.accessibleName().startswith("Try the sample"))
    offer.setFocus()
    QTest.mouseClick(offer, Qt.MouseButton.LeftButton)
    assert not offer.isVisible()
    focus, paper = view.focusWidget(), view._papers[0]
    assert focus is paper or paper.isAncestorOf(focus)  # type: ignore[attr-defined]


def test_an_encrypted_pdf_asks_for_its_password(names: NamesView, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "closed.pdf"
    path.write_bytes(locked_pdf("Alice met Bill.", "sesame"))
    names.pane.set_text("mine")
    names.open_files([path])
    lock = names._panel.lock
    qtbot.waitUntil(lambda: lock.isVisible(), timeout=20_000)
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
def test_an_encrypted_pdf_can_be_left_closed(
    names: NamesView, qtbot: QtBot, tmp_path: Path, by_key: bool
) -> None:
    path = tmp_path / "closed.pdf"
    path.write_bytes(locked_pdf("Alice met Bill.", "sesame"))
    names.pane.set_text("mine")
    names.open_files([path])
    lock = names._panel.lock
    qtbot.waitUntil(lambda: lock.isVisible(), timeout=20_000)
    if by_key:
        assert names.stop()
    else:
        QTest.mouseClick(button(names, "Do not open the encrypted file"), Qt.MouseButton.LeftButton)
    assert not lock.isVisible() and not names.stop()
    assert names.pane.text() == "mine"


def test_a_model_put_in_later_is_found_when_the_page_comes_up_again(
    names: NamesView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(head: Head) -> ModelCard:
        raise SpanlightError("No model that can find names is installed.", "Put one in.")

    there = names.workspace.shelf.default
    monkeypatch.setattr(names.workspace.shelf, "default", none)
    names.shown()
    qtbot.waitUntil(lambda: "Put one in." in names._panel.model.words())
    monkeypatch.setattr(names.workspace.shelf, "default", there)
    names.shown()
    qtbot.waitUntil(lambda: names._panel.model.words() == "finder finds the names")
    qtbot.waitUntil(lambda: names.lanes.work.idle)
