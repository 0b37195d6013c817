"""Questions in several tabs at once: each answer goes to the question it was found for, and none waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.report import Report
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.ui.ask.ask import AskView
from app.ui.ask.sheet import Sheet
from tests.flows.fake_engine import read
from tests.helpers.history_entries import ENTRY
from tests.helpers.open_files import CARD, Waiting, is_open
from tests.helpers.small_pdfs import Page, small_pdf
from tests.helpers.windows import FakeEngine

ONE = "The tide is high at noon."
TWO = "The moon is full at midnight. The tide is low at dawn."
LONG, LONG_IN_PARTS = "Long: full at midnight", "Long, in parts: full at midnight"


class Slow:
    """Answers by the last word, a long question only when it may; of one in parts the answer so far comes at once."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        found = read(question)
        if question.text == LONG_IN_PARTS:
            report.partial(replace(found, complete=False))
        while question.text.startswith("Long") and not self.go_on.wait(0.005):
            report.check()
        return found


@pytest.fixture
def answerer() -> Iterator[Slow]:
    answerer = Slow()
    yield answerer
    answerer.go_on.set()


@pytest.fixture
def engine(answerer: Slow) -> FakeEngine:
    return FakeEngine(answerer, CARD)


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine) -> AskView:
    return open_page(AskView, engine)


@pytest.fixture
def waiting(view: AskView) -> Iterator[Waiting]:
    documents = Waiting(view.workspace.documents)
    view.workspace.documents = documents  # type: ignore[assignment]
    yield documents
    documents.go_on.set()


def ask(view: AskView, qtbot: QtBot, question: str) -> None:
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)


def bring(view: AskView, sheet: Sheet) -> None:
    view.sheets.bring(view.sheets.all().index(sheet))


def asked(engine: FakeEngine) -> list[tuple[str, str]]:
    return [(one.documents[0].name, one.text) for one in engine.requests if isinstance(one, Question)]


def best(sheet: Sheet) -> tuple[str, str, str] | None:
    """The document, the question and the answer that a sheet shows, once it is read."""
    outcome = sheet.session.run
    if outcome is None or outcome.is_running or outcome.reading is None:
        return None
    found = outcome.answers()
    return outcome.opened.document.name, outcome.question, found[0].text if found else ""


@pytest.fixture
def both(
    view: AskView,
    qtbot: QtBot,
    tmp_path: Path,
    waiting: Waiting,
    engine: FakeEngine,
    request: pytest.FixtureRequest,
) -> tuple[Sheet, Sheet]:
    """Sheets of one.txt, which is open with a question waiting, and of two.txt, which is up and being read."""
    long = getattr(request, "param", LONG_IN_PARTS)
    waiting.go_on.set()
    (tmp_path / "two.txt").write_text(TWO, "utf-8")
    two = is_open(view, qtbot, [tmp_path / "two.txt"])
    waiting.go_on.clear()
    (tmp_path / "one.txt").write_text(ONE, "utf-8")
    view.open_files([tmp_path / "one.txt"])
    one = view.sheets.current()
    ask(view, qtbot, "When at noon")
    bring(view, two)
    ask(view, qtbot, long)
    qtbot.waitUntil(lambda: len(asked(engine)) == 1)
    if long == LONG_IN_PARTS:
        qtbot.waitUntil(lambda: two.session.run is not None and two.session.run.reading is not None)
    waiting.go_on.set()
    qtbot.waitUntil(lambda: one.is_open)
    qtbot.wait(20)
    assert one.session.waiting and asked(engine) == [("two.txt", long)]
    return one, two


@pytest.mark.parametrize("both", [LONG, LONG_IN_PARTS], indirect=True)
def test_another_question_where_one_is_read_gets_its_own_answer(
    view: AskView, qtbot: QtBot, both: tuple[Sheet, Sheet], engine: FakeEngine
) -> None:
    one, two = both
    ask(view, qtbot, "Low at dawn")
    qtbot.waitUntil(lambda: best(two) is not None and best(one) is not None)
    assert best(two) == ("two.txt", "Low at dawn", "dawn") and view.panel.card.answer() == "dawn"
    assert best(one) == ("one.txt", "When at noon", "noon") and not one.session.waiting
    assert asked(engine)[1:] == [("two.txt", "Low at dawn"), ("one.txt", "When at noon")]
    qtbot.waitUntil(lambda: view.lanes.files.idle and len(view.workspace.history.entries()) >= 2)
    kept = {
        (entry.name, entry.question, entry.best and entry.best.text)
        for entry in view.workspace.history.entries()
    }
    assert kept - {("two.txt", LONG_IN_PARTS, "midnight")} == {
        ("two.txt", "Low at dawn", "dawn"),
        ("one.txt", "When at noon", "noon"),
    }


def test_another_question_where_one_waits_takes_its_place(
    view: AskView, qtbot: QtBot, both: tuple[Sheet, Sheet], engine: FakeEngine
) -> None:
    one, two = both
    bring(view, one)
    ask(view, qtbot, "The tide is high")
    assert not one.session.waiting
    qtbot.waitUntil(lambda: best(one) is not None)
    qtbot.wait(50)
    assert best(one) == ("one.txt", "The tide is high", "high") and view.panel.card.answer() == "high"
    assert two.session.run is not None and two.session.run.answers()[0].text == "midnight", (
        "what was found by then"
    )
    assert asked(engine)[1:] == [("one.txt", "The tide is high"), ("two.txt", LONG_IN_PARTS)], "it goes on"


def test_one_waits_no_longer_where_the_file_read_before_it_is_gone(
    view: AskView, qtbot: QtBot, tmp_path: Path, both: tuple[Sheet, Sheet]
) -> None:
    one, two = both
    (tmp_path / "two.txt").unlink()
    two.read_requested.emit()
    qtbot.waitUntil(lambda: best(one) is not None)
    assert best(one) == ("one.txt", "When at noon", "noon") and not one.session.waiting
    qtbot.waitUntil(two.banner.isVisible)


@pytest.mark.parametrize("both", [LONG, LONG_IN_PARTS], indirect=True)
@pytest.mark.parametrize("answered", [True, False])
def test_an_entry_of_the_history_opened_meanwhile_stands_and_the_next_question_is_asked(
    view: AskView, qtbot: QtBot, tmp_path: Path, both: tuple[Sheet, Sheet], answerer: Slow, answered: bool
) -> None:
    one, two = both
    found = replace(
        ENTRY.answers[0], span=ENTRY.answers[0].span, text="dawn", page=None, sentence="", before="", after=""
    )
    entry = replace(
        ENTRY,
        question="Low at when?",
        name="two.txt",
        path=str(tmp_path / "two.txt"),
        answers=(found,) if answered else (),
        answered=answered,
    )
    view.open_entry(entry)
    assert view.panel.box.question() == "Low at when?"
    answerer.go_on.set()
    qtbot.waitUntil(lambda: best(one) is not None)
    qtbot.wait(50)
    assert best(one) == ("one.txt", "When at noon", "noon") and not one.session.waiting
    assert best(two) == (("two.txt", "Low at when?", "dawn") if answered else None)


def test_it_says_what_it_waits_for(view: AskView, qtbot: QtBot, both: tuple[Sheet, Sheet]) -> None:
    bring(view, both[0])
    assert view.panel.strip.isVisible()
    assert view.panel.strip.words() == "Asked after the question in another tab"


def test_of_a_file_without_text_it_is_told_once_its_tab_is_up(
    view: AskView, qtbot: QtBot, tmp_path: Path, waiting: Waiting, engine: FakeEngine
) -> None:
    (tmp_path / "scan.pdf").write_bytes(small_pdf([Page()]))
    (tmp_path / "one.txt").write_text(ONE, "utf-8")
    view.open_files([tmp_path / "scan.pdf"])
    scan = view.sheets.current()
    ask(view, qtbot, "When at noon")
    view.open_files([tmp_path / "one.txt"])
    ask(view, qtbot, "What is high")
    waiting.go_on.set()
    qtbot.waitUntil(lambda: best(view.sheets.current()) == ("one.txt", "What is high", "high"))
    assert scan.is_open and not view.panel.notice.isVisible()
    bring(view, scan)
    qtbot.waitUntil(view.panel.notice.isVisible)
    assert view.panel.notice.sentence() == "The pages of this PDF are empty."
    assert not scan.session.waiting and not view.panel.strip.isVisible()
    assert view.panel.box.question() == "When at noon" and len(asked(engine)) == 1
