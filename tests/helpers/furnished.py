"""The whole window with something on every page: a question answered, a text classified, a table filled, a model open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question, TextsToTag
from app.flows.library.libraries import planned, save_library
from app.flows.library.update import update
from app.ui.window.window import MainWindow
from tests.helpers import insides
from tests.helpers.ask_page import TEXT, Reader, ask
from tests.helpers.names_here import FINDER, find
from tests.helpers.teaching import table_file
from tests.helpers.windows import FakeEngine, open_fake_workspace, settle, shown_window

CARDS = (*insides.CARDS[:-1], FINDER)
NAMED = "Ada Lovelace met Charles Babbage in London."
CONTRACTS = {
    "aldergate.txt": "Passwords are called secrets. They must be at least 12 characters in length.\n\nPasswords of at least"
    " 64 characters are permitted. More than 128 characters are denied.",
    "calder.txt": "The annual fee is 100,000 euros.",
}


def answer(request: Any, choice: ModelChoice | None, report: Report) -> Any:
    """What every page is answered."""
    if isinstance(request, Question) and insides.TEXT not in request.documents[0].text:
        return Reader()(request, choice, report)
    if isinstance(request, TextsToTag):
        return find(request, choice, report)
    return insides.answer(request, choice, report)


def furnished_engine() -> FakeEngine:
    """The engine of a furnished window."""
    return FakeEngine(answer, *CARDS)


def press(widget: QWidget | None, key: Qt.Key, how: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the focus is."""
    assert widget is not None
    QTest.keyClick(widget, key, how)


def furnish(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    """Put something on every page of a window; `folder` is for its files."""
    control = Qt.KeyboardModifier.ControlModifier
    window.libraries.refresh()
    for key, texts in {
        "classify": [insides.REVIEW.text],
        "names": [NAMED],
        "fill": ["Paris is the capital of ___."],
        "follow": [insides.FOLLOWED.text, insides.FOLLOWED.pair],
    }.items():
        window.show_page(key)
        settle(window, qtbot)
        page: Any = window.page
        for paper, text in zip(page._papers, texts, strict=True):
            paper.replace(text)
        press(window.focusWidget(), Qt.Key.Key_Return, control)
        qtbot.waitUntil(lambda: window.lanes.work.idle)
    window.show_page("inspect")
    window.page.look_at(insides.visit())  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    window.show_page("teach")
    settle(window, qtbot)
    page = window.page
    page.open_files([table_file(folder)])
    settle(window, qtbot)
    window.show_page("ask")
    settle(window, qtbot)
    ask(window.page, qtbot, "several?", TEXT)  # type: ignore[arg-type]
