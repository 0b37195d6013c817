"""What the answer panel shows in each state of a sheet's question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.core.report import Progress
from app.core.requests import Question
from app.core.results import Reading
from app.core.wording import NEAREST_WORDS, percent
from app.settings.paths import default_paths
from app.ui.ask.answer_list import PlaceDelegate
from app.ui.ask.answer_panel import AnswerPanel, SuggestionButton
from app.ui.ask.run import AskRun, TextState
from app.ui.ask.session import DocumentState, WaitingQuestion
from app.ui.ask.sheet import Sheet
from app.ui.document.marks.places import Place
from app.ui.kit.theme import Theme
from tests.helpers.ask_page import TEXT, WORDS, answers, finish, likelihood, take_partial

FOUND = Reading(answers(TEXT, *WORDS), True, 0.05, 0.4, 3, 3, 0.1)
DOUBTFUL = replace(
    FOUND,
    answers=answers(TEXT, *WORDS, likely=0.31),
    answered=False,
    no_answer_probability=0.65,
    absent=0.13,
)
ABSENT = replace(
    FOUND,
    answers=answers(TEXT, WORDS[1], likely=0.07),
    answered=False,
    no_answer_probability=0.93,
    absent=0.13,
)
NOTHING = replace(ABSENT, answers=())
PROVISIONAL = "Provisional: still reading"


def part(reading: Reading) -> Reading:
    """Return a reading of a third of the text."""
    return replace(reading, windows=1, complete=False)


@pytest.fixture(scope="module")
def theme(qapp: QApplication) -> Theme:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    return theme


@pytest.fixture
def sheet(theme: Theme, qtbot: QtBot) -> Sheet:
    sheet = Sheet(theme)
    qtbot.addWidget(sheet)
    sheet.show_text(TEXT)
    return sheet


@pytest.fixture
def panel(theme: Theme, qtbot: QtBot) -> Iterator[AnswerPanel]:
    panel = AnswerPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(360, 700)
    panel.show()
    yield panel


@pytest.fixture
def run(sheet: Sheet, panel: AnswerPanel) -> AskRun:
    opened = sheet.current_document()
    panel.box.set_question("How long?", [])
    sheet.session.run = run = AskRun(Question("How long?", (opened.document,)), (opened,))
    run.begin()
    return run


def shown(panel: AnswerPanel, sheet: Sheet) -> AnswerPanel:
    sheet.highlight()
    panel.show_session(sheet.session, sheet)
    return panel


def test_before_a_question_the_panel_invites_one(panel: AnswerPanel, sheet: Sheet) -> None:
    shown(panel, sheet)
    assert panel.idle.isVisible() and panel.idle.text().startswith("Ask something")
    assert not panel.strip.isVisible() and not panel.card.isVisible()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (DocumentState.LOADING, "Asked as soon as the file is open"),
        (DocumentState.LOCKED, "Asked as soon as the file is open"),
        (DocumentState.OPEN, "Asked after the question in another tab"),
    ],
)
def test_a_question_that_waits_says_for_what(
    panel: AnswerPanel, sheet: Sheet, state: DocumentState, words: str
) -> None:
    sheet.session.state = state
    sheet.session.waiting = WaitingQuestion("How long?", whole=False)
    panel.box.set_question("How long? And", [])
    shown(panel, sheet)
    assert panel.strip.isVisible() and panel.strip.words() == words and not panel.idle.isVisible()
    assert panel.question.text() == "Asked: “How long?”", "the one that waits, not the one begun"


def test_progress_follows_the_reading(panel: AnswerPanel, sheet: Sheet, run: AskRun) -> None:
    run.queue_note = "Waits for the work on Classify to end"
    assert shown(panel, sheet).strip.words() == run.queue_note and not panel.idle.isVisible()
    run.start_reading()
    assert shown(panel, sheet).strip.words() == "Reading"
    run.take_progress(Progress(34, 100, "windows", 30.0))
    assert shown(panel, sheet).strip.words() == f"Reading, {percent(0.34)}, about 30 seconds left"
    run.pause()
    paused = f"Paused after {percent(0.34)} of the reading: begins again after the question in another tab"
    assert shown(panel, sheet).strip.words() == paused and panel.card.isHidden()
    run.stop()
    assert not shown(panel, sheet).strip.isVisible()
    assert panel.idle.text() == f"{run.note}, before anything was found."


@pytest.mark.parametrize(
    ("reading", "answer", "likely"),
    [
        (FOUND, WORDS[0], f"Very likely, {percent(0.94)}"),
        (DOUBTFUL, WORDS[0], f"Low confidence, {percent(0.31)}"),
        (ABSENT, "The text does not say", f"{percent(0.93)} sure"),
    ],
)
def test_each_outcome_has_its_card_provisional_then_final(
    panel: AnswerPanel, sheet: Sheet, run: AskRun, reading: Reading, answer: str, likely: str
) -> None:
    card, words = panel.card, [place.text for place in panel.list.places()]
    is_absent = reading is ABSENT
    run.start_reading()
    take_partial(run, part(reading))
    shown(panel, sheet)
    assert card.isHidden() == is_absent and panel.idle.isVisible() == is_absent
    if is_absent:
        assert panel.idle.text() == "Nothing sure so far."
    else:
        assert card.answer.text() == answer and likelihood(card).startswith(likely)
        assert card.over.text() == PROVISIONAL and not card.copy.isVisible() and not card.look.isVisible()
        assert sheet.editor.lights.faint
    finish(run, reading)
    shown(panel, sheet)
    assert card.answer.text() == answer and likelihood(card).startswith(likely) and not card.over.text()
    assert card.copy.isVisible() != is_absent and card.look.isVisible() and card.facts.text()
    words = [place.text for place in panel.list.places()]
    assert words == ([] if is_absent else list(WORDS[1:]))
    assert (card.note.text() == NEAREST_WORDS) == (reading is DOUBTFUL)
    assert card.nearest.isVisible() == is_absent
    assert sheet.editor.lit() == ([] if is_absent else list(WORDS))
    run.stop()
    over = run.note if is_absent else f"{run.note}: the best so far"
    assert shown(panel, sheet).card.over.text() == over


def test_a_stop_says_nothing_of_the_part_that_was_not_read(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    take_partial(run, part(NOTHING))
    run.stop()
    card = shown(panel, sheet).card
    assert card.over.text() == f"Stopped after {percent(1 / 3)} of the text"
    assert card.answer.text() == "No answer in the part that was read"


def test_a_question_that_was_read_without_its_slips_is_shown_as_it_was_read(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    run.start_reading()
    finish(run, replace(FOUND, read_as="when did it begin?"))
    shown(panel, sheet)
    assert "when did it begin?" in panel.card.over.text() and panel.card.over.toolTip()
    assert "when did it begin?" in panel.card.accessibleName()
    finish(run, FOUND)
    shown(panel, sheet)
    assert not panel.card.over.text() and not panel.card.over.toolTip()


def test_of_the_best_passages_nothing_is_said_of_the_rest(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    finish(run, replace(ABSENT, quick=True, windows=1, windows_whole=20))
    card = shown(panel, sheet).card
    assert card.over.text() == f"Only the best passages were read, {percent(0.05)} of the text"
    assert card.answer.text() == "No answer in the part that was read" and card.whole.isVisible()


def test_the_nearest_words_are_shown_where_that_is_asked_for(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    finish(run, replace(ABSENT, heat=((0.3,) * 8,)))
    shown(panel, sheet)
    assert not any(sheet.editor.map.heat)
    run.show_nearest(True)
    shown(panel, sheet)
    assert "nearest words" in panel.card.note.text() and percent(0.07) in panel.card.note.text()
    assert sheet.editor.lit() == [WORDS[1]] and sheet.editor.lights.faint and any(sheet.editor.map.heat)


def test_no_two_numbers_stand_beside_each_other_unnamed(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    finish(run, replace(FOUND, answers=answers(TEXT, *WORDS, likely=0.17)))
    card = shown(panel, sheet).card
    assert likelihood(card).startswith(f"Best of several, {percent(0.17)}")
    both = f"{percent(0.95)} sure that the text answers, {percent(0.17)} that these words do"
    assert both in card.likely.toolTip() and both not in likelihood(card) + card.facts.text()


def test_a_text_that_has_changed_is_to_be_asked_again_and_an_emptied_one_shows_nothing(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    finish(run, FOUND)
    run.text = TextState.CHANGED
    card = shown(panel, sheet).card
    assert "changed" in card.note.text() and card.again.isVisible() and not card.look.isVisible()
    assert card.answer.text() == WORDS[0] and sheet.editor.lit() == [] and sheet.editor.map.marks == ()
    run.text = TextState.EMPTIED
    shown(panel, sheet)
    assert card.isHidden() and not panel.list.places() and not panel.question.text()
    run.text = TextState.SAME
    assert shown(panel, sheet).card.answer.text() == WORDS[0] and not card.note.text()


def test_a_place_that_does_not_hold_the_answer_is_not_highlighted(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    right = FOUND.answers[0]
    wrong = replace(right, span=replace(right.span, start=right.span.start + 1, end=right.span.end + 1))
    finish(run, replace(FOUND, answers=(wrong,)))
    shown(panel, sheet)
    assert sheet.editor.lit() == [] and sheet.editor.light_boxes(0) == []
    assert panel.card.answer.text() == WORDS[0] and panel.card.note.text().startswith(
        "Not marked on the page."
    )


def test_an_answer_never_stands_under_another_question_unnamed(
    panel: AnswerPanel, sheet: Sheet, run: AskRun
) -> None:
    take_partial(run, part(FOUND))
    shown(panel, sheet)
    assert panel.question.text() == ""
    for typed in ("Who?", ""):
        panel.box.set_question(typed, [])
        assert panel.question.text() == "Asked: “How long?”"
    panel.box.set_question(" How long? ", [])
    assert panel.question.text() == "", "it is in the box again"


def test_suggestions_are_those_that_were_not_asked(panel: AnswerPanel, sheet: Sheet, run: AskRun) -> None:
    sheet.session.suggestions = ("How long?", "How many?")
    shown(panel, sheet)
    assert not panel.findChildren(SuggestionButton), "not while one is read for"
    finish(run, FOUND)
    assert [one.text() for one in shown(panel, sheet).findChildren(SuggestionButton)] == ["How many?"]


def also_try(panel: AnswerPanel) -> QLabel:
    return next(label for label in panel.findChildren(QLabel) if label.text() == "Also try")


def test_a_heading_stands_where_something_is_seen_under_it(panel: AnswerPanel, qtbot: QtBot) -> None:
    panel.suggest(["When is it?", "Where is it?"])
    head, button = also_try(panel), panel.findChildren(SuggestionButton)[0]
    seen: set[bool] = set()
    for height in range(700, 120, -8):
        panel.resize(360, height)
        qtbot.wait(1)
        line = button.visibleRegion().boundingRect().height() >= button.fontMetrics().height()
        assert head.isVisible() == line, height
        seen.add(line)
    assert seen == {True, False}
    bar = panel._scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert head.isVisible() and button.visibleRegion().boundingRect().height() == button.height()


def test_a_heading_without_anything_takes_up_no_room(panel: AnswerPanel, qtbot: QtBot) -> None:
    panel.suggest(["When is it?"])
    qtbot.wait(1)
    inner = panel._scroll.widget()
    tall = inner.minimumSizeHint().height()
    panel.suggest([])
    qtbot.wait(1)
    assert not also_try(panel).isVisible()
    assert inner.minimumSizeHint().height() < tall - also_try(panel).height()


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("Date: ", ".", "Date: …"),
        ("", ".", ""),
        ("Date: ", ", by hand.", "Date: … , by hand."),
        ("", " by hand.", "… by hand."),
    ],
)
def test_beside_long_words_stands_only_what_their_sentence_says_besides(
    theme: Theme, before: str, after: str, shown: str
) -> None:
    words = "Monday, the third of March in the year 2025"
    place = Place(words, 0.5, before + words + after, len(before), len(before) + len(words), "line 1")
    metrics = QFontMetrics(theme.font("small"))
    assert PlaceDelegate(theme)._snippet(place, metrics, metrics.horizontalAdvance(words)) == shown
