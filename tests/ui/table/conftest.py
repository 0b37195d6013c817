"""A folder of contracts, a reader that answers by patterns, and the page Table over the folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Reading
from app.core.text import Span
from app.flows.library.libraries import plan_library, save_library
from app.flows.library.update import update
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.libraries import Libraries
from app.ui.kit.theme import Theme
from app.ui.table.table import TableView
from tests.helpers.windows import FakeEngine, open_fake_workspace

CONTRACTS = {
    "aldergate.txt": "Either party may end this with sixty (60) days of notice.\n\nThe annual fee is 12,400 euros.",
    "brightwater.txt": "It ends after ninety (90) days of notice.\n\nThe annual fee is 9,600 euros.",
    "calder.txt": "The parties may part at any time.\n\nThe annual fee is 100,000 euros.",
}
NOTICE, FEE = "How many days of notice?", "How much is the annual fee?"
_PATTERNS = {NOTICE: r"\w+ \(\d+\) days", FEE: r"[\d,]+ euros"}


class PatternReader:
    """Answers a question with the first match of its pattern; `likely` has the probabilities of some answers."""

    def __init__(self) -> None:
        self.likely: dict[str, float] = {}
        self.asked: list[tuple[str, str]] = []
        self.before: Callable[[Report], None] = lambda report: None

    def __call__(self, request: Question, choice: ModelChoice | None, report: Report) -> Reading:
        self.before(report)
        text = request.documents[0].text
        self.asked.append((request.documents[0].name, request.text))
        found = re.search(_PATTERNS.get(request.text, "$^"), text)
        if found is None:
            return Reading((), False, 0.9, 0.5, 1, 1, 0.01, model="reader", device="CPU", absent=0.5)
        likely = self.likely.get(found[0], 0.84)
        answer = Answer(0, Span(*found.span()), found[0], likely, 6.0, 2.0)
        answered = likely >= 0.5
        return Reading(
            (answer,), answered, 1 - likely, 0.5, 1, 1, 0.01, model="reader", device="CPU", absent=0.1
        )


@pytest.fixture
def pattern_reader() -> PatternReader:
    return PatternReader()


@pytest.fixture
def engine(pattern_reader: PatternReader) -> FakeEngine:
    return FakeEngine(pattern_reader, ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "contracts"
    folder.mkdir()
    for name, text in CONTRACTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7\nnothing")
    return folder


def index_folder(workspace: Workspace, folder: Path) -> None:
    """Make a library of a folder, and read its files."""
    library = save_library(workspace, plan_library(workspace, [folder]), Silent())
    update(workspace, library, Silent())


@pytest.fixture
def open_table_page(
    qapp: QApplication,
    qtbot: QtBot,
    spanlight_home: Path,
    engine: FakeEngine,
) -> Iterator[Callable[..., TableView]]:
    """Opens a page each time it is called, with a library of a folder if one is given."""
    made: list[tuple[TableView, Lanes, Workspace]] = []

    def opened(folder: Path | None = None) -> TableView:
        workspace = open_fake_workspace(engine)
        if folder is not None:
            index_folder(workspace, folder)
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        lanes = Lanes()
        libraries = Libraries(workspace, lanes)
        page = TableView(workspace, theme, lanes, libraries)
        libraries.setParent(page)
        libraries.refresh()
        qtbot.addWidget(page)
        page.resize(1100, 700)
        page.show()
        made.append((page, lanes, workspace))
        qtbot.waitUntil(lambda: lanes.files.idle and page.store.is_listed)
        return page

    yield opened
    for _, lanes, workspace in made:
        lanes.close()
        workspace.close()


@pytest.fixture
def page(open_table_page: Callable[..., TableView], folder: Path, qtbot: QtBot) -> TableView:
    """The page with a table of two questions, filled."""
    return filled(open_table_page(folder), qtbot)


def filled(page: TableView, qtbot: QtBot, cells: int = 6) -> TableView:
    """The page with a table of two questions over its library, filled with so many cells."""
    new_table(page, qtbot)
    ask_for(page, f"{NOTICE}\n{FEE}")
    until_full(page, qtbot, cells)
    page.line.close_line()
    return page


def new_table(page: TableView, qtbot: QtBot) -> None:
    """Make a table without questions over the page's library."""
    before = page.store.table
    page.welcome.begin.setChecked(False)
    page.welcome.library_chosen.emit(page.libraries.all[0][0])
    qtbot.waitUntil(lambda: page.store.table != before and bool(page.model.rows) and not page.model.columns)


def ask_for(page: TableView, text: str) -> None:
    """Type or paste questions into the page's line, and enter them."""
    page.questions.add()
    page.line.field.setPlainText(text)
    page.line.go.click()


def until_full(page: TableView, qtbot: QtBot, cells: int) -> None:
    qtbot.waitUntil(lambda: page.model.counts() == (cells, cells) and page.lanes.work.idle)


def questions(page: TableView) -> list[str]:
    return [column.question for column in page.model.columns]


def words(page: TableView) -> dict[str, list[str]]:
    """The words in each file's cells, without the files that could not be read."""
    model = page.model
    return {
        row.name: [model.words(at, column).words for column in range(len(model.columns))]
        for at, row in enumerate(model.rows)
        if not row.message
    }
