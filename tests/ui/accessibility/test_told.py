"""What a screen reader is told when something happens: answers and faults at once, progress every few seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QTextCursor
from pytestqt.qtbot import QtBot

from app.core.report import Progress
from app.ui.ask.ask import AskView
from app.ui.heads.classify.classify import ClassifyView
from app.ui.heads.fill.fill import FillView
from app.ui.heads.names.names import NamesView
from app.ui.heads.next.follow import FollowView
from app.ui.heads.text_page import TextPage
from app.ui.kit import progress_strip, spoken
from app.ui.kit.progress_strip import ProgressStrip
from tests.helpers import insides
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, ask, start
from tests.helpers.furnished import FurnishedEngine
from tests.helpers.windows import FakeEngine

Politeness = QAccessible.AnnouncementPoliteness


class Told(list[tuple[str, bool]]):
    """Every announcement in its order: the words, and whether they are polite."""

    def updateAccessibility(self, event: QAccessibleAnnouncementEvent) -> None:
        self.append((event.message(), event.politeness() is Politeness.Polite))

    def isActive(self) -> bool:
        return True

    AnnouncementPoliteness = Politeness


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    found = Told()
    monkeypatch.setattr(spoken, "QAccessible", found)
    return found


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], reader: Reader) -> AskView:
    return open_page(AskView, FakeEngine(reader, CARD))


def test_an_answer_is_told_once_with_its_probability_and_place(
    view: AskView, told: Told, qtbot: QtBot
) -> None:
    ask(view, qtbot, "How long?", TEXT)
    assert told == [(view.panel.card.accessibleName(), False)]
    words = told[0][0]
    assert words.startswith(f"Answer: {WORDS[0]}.") and "94%" in words and "line 1" in words
    view.panel.refresh()
    assert len(told) == 1


def test_the_next_answer_is_told_and_the_caret_is_at_it(view: AskView, told: Told, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?", TEXT)
    pane = sheet.editor
    assert pane.selection().start == TEXT.index(WORDS[0])
    told.clear()
    view.presenter.step(1)
    assert len(told) == 1 and told[0][0].startswith(WORDS[1]) and not told[0][1]
    assert pane.selection().start == TEXT.index(WORDS[1])
    # What is selected stays so.
    pane.moveCursor(QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor)
    selected = pane.textCursor().selectedText()
    view.presenter.step(1)
    assert selected and pane.textCursor().selectedText() == selected


def test_a_fault_is_told_at_once_and_a_hint_politely(view: AskView, told: Told, qtbot: QtBot) -> None:
    ask(view, qtbot, "broken?", TEXT)
    assert told == [("The reader's file is damaged. Install it again.", False)]
    told.clear()
    view.panel.notice.show_hint("It was saved.")
    assert told == [("It was saved.", True)]


def test_that_a_question_was_stopped_is_told(view: AskView, told: Told, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "slow?")
    qtbot.waitUntil(lambda: sheet.session.run is not None and sheet.session.run.reading is not None)
    view.stop()
    qtbot.waitUntil(lambda: bool(told))
    assert "best so far" in told[-1][0] and not told[-1][1]


def test_progress_is_told_politely_and_seldom(
    view: AskView, told: Told, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    strip = ProgressStrip(view.theme)
    qtbot.addWidget(strip)
    for done in range(50):
        strip.show_progress(Progress(done, 100, "Reading"))
    assert not told
    strip.clear()
    monkeypatch.setattr(progress_strip, "ANNOUNCE_EVERY_MS", 30)
    for done in range(0, 100, 10):
        strip.show_progress(Progress(done, 100, "Reading"))
        qtbot.wait(10)
    assert told and all(polite for _, polite in told)  # how many depends on how fast this computer is
    assert told[0][0].startswith("Reading, ")


@pytest.mark.parametrize(
    ("kind", "texts", "said"),
    [
        (ClassifyView, [insides.REVIEW.text], "Positive. Likely, 70%."),
        (NamesView, ["Ada Lovelace met Charles Babbage in London."], "3 names. People 2, Places 1."),
        (FillView, ["Paris is the capital of ___."], "The blank: France 70%, Europe 20%"),
        (FollowView, [insides.FOLLOWED.text, insides.FOLLOWED.pair], "It continues. Likely, 70%."),
    ],
)
def test_every_result_of_a_text_is_told(
    kind: type[TextPage],
    texts: list[str],
    said: str,
    open_page: Callable[[type[TextPage], FakeEngine], TextPage],
    told: Told,
    qtbot: QtBot,
) -> None:
    page = open_page(kind, FurnishedEngine())
    for paper, text in zip(page._papers, texts, strict=True):
        paper.replace(text)
    qtbot.keyClick(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(told))
    assert told[-1][0].startswith(said) and not told[-1][1]


def test_sentences_end_once() -> None:
    assert (
        spoken.sentences("How long?", "", "Sixty days", "Likely, 84%.")
        == "How long? Sixty days. Likely, 84%."
    )
