"""Pictures of pages, from the documents process to the pane: what is visible first, and nothing that nobody wants."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.layout import Opened, Picture
from app.core.report import Report
from app.flows.workspace import Workspace
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.pdf.page_pictures import PagePictures
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from tests.helpers.paged import opened_pdf
from tests.helpers.small_pdfs import Page, Words, small_pdf
from tests.helpers.windows import FakeEngine, open_fake_workspace


@pytest.fixture
def workspace(spanlight_home: Path) -> Workspace:
    return open_fake_workspace(FakeEngine(lambda *_: None))


@pytest.fixture
def lanes(qapp: QApplication) -> Iterator[Lanes]:
    lanes = Lanes()
    yield lanes
    lanes.close()


@pytest.fixture
def book(tmp_path: Path) -> Opened:
    """Twelve pages of black squares with a word each, which must stay as they were read."""
    pages = [Page([Words("word", 72, 72)], drawing=b"0 0 0 rg 100 100 400 500 re f") for _ in range(12)]
    opened = opened_pdf(tmp_path / "book.pdf", pages)
    data = Path(opened.document.path).read_bytes()
    return replace(opened, sha256=hashlib.sha256(data).hexdigest(), size=len(data))


@pytest.fixture
def pictures(workspace: Workspace, lanes: Lanes, pane: PagePane, book: Opened) -> PagePictures:
    return PagePictures(workspace, lanes, pane, book, "secret")


@pytest.fixture
def pane(theme: Theme, book: Opened, qtbot: QtBot) -> PagePane:
    pane = PagePane(theme)
    qtbot.addWidget(pane)
    pane.resize(700, 600)
    pane.show_document(book)
    return pane


class Slow:
    """Stands in for Documents: draws one picture after another when a test says so, and keeps the requests."""

    def __init__(self) -> None:
        self.orders: list[Any] = []
        self.stopped: list[int] = []
        self.go = threading.Semaphore(0)
        self.faulty: set[int] = set()

    def draw(self, order: Any, report: Report) -> Picture:
        self.orders.append(order)
        while not self.go.acquire(timeout=0.01):
            try:
                report.check()
            except BaseException:
                self.stopped.append(order.page)
                raise
        if order.page in self.faulty:
            raise SpanlightError("This page is odd.", "Leave it.")
        return Picture(order.width, order.height, bytes(order.width * order.height * 4))


@pytest.fixture
def slow(workspace: Workspace) -> Slow:
    slow = Slow()
    workspace.documents = slow  # type: ignore[assignment]
    return slow


def middle(pane: PagePane) -> QColor:
    return pane.viewport().grab().toImage().pixelColor(pane.viewport().width() // 2, 400)


def test_a_page_is_drawn_when_it_is_seen(
    pictures: PagePictures, lanes: Lanes, pane: PagePane, qtbot: QtBot
) -> None:
    assert middle(pane) == QColor("white")
    pane.show()
    qtbot.waitUntil(lambda: middle(pane) == QColor("black"))
    qtbot.waitUntil(lambda: lanes.pages.idle and not pane._wanted)
    held = {tile.page for tile in pane._shelf._cached}
    assert held == {0, 1}
    pane.map.setValue(pane.map.maximum())
    qtbot.waitUntil(lambda: 11 in {tile.page for tile in pane._shelf._cached})


def test_what_is_seen_by_now_comes_before_what_was_seen(
    slow: Slow, pictures: PagePictures, pane: PagePane, book: Opened, qtbot: QtBot
) -> None:
    pane.show()
    qtbot.waitUntil(lambda: len(slow.orders) == 1)
    with qtbot.waitSignal(pane.pictures_wanted):
        pane.map.setValue(pane.map.maximum())
    for _ in range(30):
        slow.go.release()
    qtbot.waitUntil(lambda: not pane._wanted)
    pages = [order.page for order in slow.orders]
    # The one that was being drawn when its page went out of sight, and none of those that waited.
    assert pages[0] == 0 and set(pages[1:]) <= {9, 10, 11} and 11 in pages
    assert {(order.path, order.password) for order in slow.orders} == {(book.document.path, "secret")}
    assert len({(o.page, o.scale, o.left, o.top) for o in slow.orders}) == len(slow.orders)


def test_a_page_that_cannot_be_drawn_is_told_once_and_the_others_are_drawn(
    slow: Slow, pictures: PagePictures, lanes: Lanes, pane: PagePane, qtbot: QtBot
) -> None:
    slow.faulty = {0}
    told: list[BaseException] = []
    pictures.failed.connect(told.append)
    for _ in range(60):
        slow.go.release()
    pane.show()
    qtbot.waitUntil(lambda: 1 in {tile.page for tile in pane._shelf._cached})
    qtbot.waitUntil(lambda: lanes.pages.idle)
    assert [str(fault) for fault in told] == ["This page is odd. Leave it."]
    assert sum(order.page == 0 for order in slow.orders) <= 4


def test_a_long_drawing_that_nobody_wants_any_more_is_ended(
    slow: Slow, pictures: PagePictures, pane: PagePane, qtbot: QtBot
) -> None:
    pane.show()
    qtbot.waitUntil(lambda: len(slow.orders) == 1)
    pane.map.setValue(pane.map.maximum())
    qtbot.waitUntil(lambda: slow.stopped == [0], timeout=6000)
    qtbot.waitUntil(lambda: slow.orders[-1].page == 11)


def test_pages_of_a_file_that_has_changed_are_not_drawn_into_it(
    pictures: PagePictures, lanes: Lanes, pane: PagePane, book: Opened, qtbot: QtBot
) -> None:
    told: list[BaseException] = []
    pictures.failed.connect(told.append)
    pane.show()
    qtbot.waitUntil(lambda: middle(pane) == QColor("black"))
    qtbot.waitUntil(lambda: not pane._wanted)
    Path(book.document.path).write_bytes(
        small_pdf([Page(drawing=b"1 0 0 rg 0 0 612 792 re f") for _ in range(12)])
    )
    pane.map.setValue(pane.map.maximum())
    qtbot.waitUntil(lambda: bool(told))
    assert "has changed since it was opened" in str(told[0])
    qtbot.waitUntil(lambda: lanes.pages.idle)
    assert {tile.page for tile in pane._shelf._cached} <= {0, 1}


def test_closed_it_draws_nothing_more(
    slow: Slow, pictures: PagePictures, lanes: Lanes, pane: PagePane, qtbot: QtBot
) -> None:
    pane.show()
    qtbot.waitUntil(lambda: len(slow.orders) == 1)
    pictures.close()
    qtbot.waitUntil(lambda: lanes.pages.idle)
    pane.map.setValue(pane.map.maximum())
    qtbot.wait(100)
    assert len(slow.orders) == 1 and not pane._shelf._cached
