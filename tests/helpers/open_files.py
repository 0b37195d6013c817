"""Files opened on the Ask page in tests: a reader of them without a model, and a documents process that waits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.documents.orders import Read
from app.ui.ask.ask import AskView
from app.ui.ask.sheet import Sheet
from app.ui.document.opening_page import OpeningPage
from tests.flows.fake_engine import read
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf
from tests.helpers.windows import FakeEngine

CARD = ModelCard("reader", "/models/reader", "bert", (Head.QUESTION_ANSWERING,))
PAGE = "<html><body><h1>Tides</h1><p>The tide is high at <em>noon</em>.</p></body></html>"


def last_word(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
    """The place of the question's last word, or that there is none."""
    return read(question)


def reader() -> FakeEngine:
    """An engine that answers by `last_word`."""
    return FakeEngine(last_word, CARD)


def write_pdf(path: Path, *pages: str) -> Path:
    """A PDF with a page for each text."""
    path.write_bytes(small_pdf([Page(lines(text, size=14, leading=20)) for text in pages]))
    return path


def is_open(view: AskView, qtbot: QtBot, paths: Sequence[Path]) -> Sheet:
    """Open files and wait for all of them; the sheet that is up."""
    view.open_files(list(paths))
    qtbot.waitUntil(lambda: all(sheet.is_open for sheet in view.sheets.all()))
    return view.sheets.current()


def open_locked(view: AskView, qtbot: QtBot, folder: Path) -> OpeningPage:
    """Open a PDF whose password is "opensesame", and wait until it is asked for; the page that asks."""
    (folder / "locked.pdf").write_bytes(locked_pdf("The treasure is buried here.", "opensesame"))
    view.open_files([folder / "locked.pdf"])
    page = view.sheets.current().opening
    assert page is not None
    qtbot.waitUntil(page.lock.field.isVisible)
    return page


def titles(view: AskView) -> list[str]:
    """What the tabs say."""
    strip = view.tabs.strip
    return [strip.tabText(index).replace("&&", "&") for index in range(strip.count())]


def ask(view: AskView, qtbot: QtBot, question: str) -> Sheet:
    """Ask from the keyboard, and wait until the answer is there and kept."""
    sheet = view.sheets.current()
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    return sheet


class Waiting:
    """Another documents process that reads a file only when it may go on; it says how far it is meanwhile."""

    pids = (None, None)

    def __init__(self, documents: Any) -> None:
        self.go_on = threading.Event()
        self.reads: list[Read] = []
        self._documents = documents
        self.draw, self.mark_up, self.close = documents.draw, documents.mark_up, documents.close

    def read(self, order: Read, report: Report) -> Any:
        self.reads.append(order)
        report.progress(Progress(34, 100, "Reading pages"))
        while not self.go_on.wait(0.005):
            report.check()
        return self._documents.read(order, report)
