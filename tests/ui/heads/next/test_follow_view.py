"""The Next sentence page, from two passages to the outcome, through the real lanes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QBoxLayout, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.core.inspection import Subject, Visit
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, PassagePairs
from app.core.results import FollowOn, FollowOns
from app.ui.heads.next.follow import FollowView, outcome
from tests.helpers.windows import FakeEngine, button

CARD = ModelCard("next", "/models/next", "bert", (Head.NEXT_SENTENCE,))
Ctrl = Qt.KeyboardModifier.ControlModifier


def by_order(request: PassagePairs, choice: ModelChoice | None, report: Report) -> FollowOns:
    """What comes later in the alphabet continues; a long passage is cut."""
    items = [
        FollowOn(0.97, (2.5, -1.0), (3, 3), (len(a) > 50, len(b) > 50))
        if a < b
        else FollowOn(0.2, (-0.5, 0.886), (3, 3))
        for a, b in request.pairs
    ]
    return FollowOns(tuple(items), 0.5, model="next", device="CPU")


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(by_order, CARD)


@pytest.fixture
def view(open_page: Callable[[type[FollowView], FakeEngine], FollowView], engine: FakeEngine) -> FollowView:
    return open_page(FollowView, engine)


def edits(view: FollowView) -> tuple[QPlainTextEdit, QPlainTextEdit]:
    first, second = (paper.findChild(QPlainTextEdit) for paper in view._papers)
    assert isinstance(first, QPlainTextEdit) and isinstance(second, QPlainTextEdit)
    return first, second


def put(view: FollowView, first: str, second: str) -> None:
    for edit, text in zip(edits(view), (first, second), strict=True):
        edit.setPlainText(text)


def tell(view: FollowView, qtbot: QtBot, first: str, second: str) -> None:
    put(view, first, second)
    view.run()
    qtbot.waitUntil(lambda: not view.working())


def test_both_probabilities_and_both_logits_are_shown(view: FollowView, qtbot: QtBot) -> None:
    put(view, "apples", "pears")
    notes: list[str] = []
    view.note.connect(notes.append)
    QTest.mouseClick(button(view, "Does it follow?"), Qt.MouseButton.LeftButton)
    card = view._panel.card
    qtbot.waitUntil(card.isVisible)
    assert card.text() == "It continues (Very likely, 97%)"
    assert [(row.name, row.number, row.best) for row in card.bars.rows()] == [
        ("Continues", "97%", True),
        ("Does not", "3%", False),
    ]
    assert card._logits.text() == "Logits: +2.50 continues, −1.00 does not"
    assert not card._cut.isVisible()
    assert "right after the first" in card.accessibleDescription()
    assert notes == ["", "Two passages read in 0.5 seconds"]
    tell(view, qtbot, "a" * 60, "b" * 60)
    said = card._cut.text().splitlines()
    assert len(said) == 2 and "its end" in said[0] and "its beginning" in said[1]


@pytest.mark.parametrize(
    ("probability", "words", "sure"),
    [
        (0.95, "It continues", "Very likely, 95%"),
        (0.7, "It continues", "Likely, 70%"),
        (0.6, "It may continue", "Undecided, 60%"),
        (0.45, "It may not", "Undecided, 55%"),
        (0.01, "It does not", "Very likely, 99%"),
    ],
)
def test_outcomes_are_worded_by_their_probability(probability: float, words: str, sure: str) -> None:
    assert outcome(FollowOn(probability, (0.0, 0.0), (1, 1)))[:2] == (words, sure)


def test_swapping_after_a_result_runs_the_other_order(
    view: FollowView, qtbot: QtBot, engine: FakeEngine
) -> None:
    tell(view, qtbot, "apples", "pears")
    QTest.mouseClick(button(view, "Swap the passages"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(engine.requests) == 2 and not view.working())
    assert view.texts() == ("pears", "apples")
    assert view._panel.card.text() == "It does not (Likely, 80%)"
    edits(view)[0].undo()
    assert view.texts() == ("apples", "apples")
    put(view, "x", "y")
    view._swap()
    assert len(engine.requests) == 2


def test_an_empty_passage_is_reported_and_focused(view: FollowView, engine: FakeEngine) -> None:
    put(view, "apples", " \n")
    QTest.keyClick(edits(view)[0], Qt.Key.Key_Return, Ctrl)
    assert view._panel.notice.sentence() == "The second passage is empty."
    assert edits(view)[1].hasFocus()
    view.run()
    assert engine.requests == []


def test_a_changed_passage_greys_the_outcome(view: FollowView, qtbot: QtBot) -> None:
    tell(view, qtbot, "apples", "pears")
    edits(view)[1].insertPlainText("x")
    assert not view._panel.card.bars.isEnabled()
    edits(view)[1].undo()
    assert view._panel.card.bars.isEnabled()
    put(view, "", "")
    assert not view._panel.card.isVisible() and not view._panel.outdated()


def test_files_go_to_the_paper_in_use_or_to_both(view: FollowView, qtbot: QtBot, tmp_path: Path) -> None:
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path in paths:
        path.write_text(path.stem, encoding="utf-8")
    view.open_files(paths)
    qtbot.waitUntil(lambda: view.texts() == ("one", "two"))
    edits(view)[1].setFocus()
    view.open_files(paths[:1])
    qtbot.waitUntil(lambda: view.texts() == ("one", "one"))
    view._papers[0].dropped.emit([paths[1]])
    qtbot.waitUntil(lambda: view.texts() == ("two", "one"))


def test_look_inside_gets_both_passages(view: FollowView, qtbot: QtBot) -> None:
    tell(view, qtbot, "apples", "pears")
    visits: list[Visit] = []
    view.go.connect(lambda _, visit: visits.append(visit))
    QTest.mouseClick(button(view, "Look inside"), Qt.MouseButton.LeftButton)
    assert visits == [Visit(Subject(Head.NEXT_SENTENCE, "apples", "pears"), "next", "apples")]


def test_the_papers_are_side_by_side_where_there_is_room(view: FollowView, qtbot: QtBot) -> None:
    for width, direction in (
        (2000, QBoxLayout.Direction.LeftToRight),
        (900, QBoxLayout.Direction.TopToBottom),
    ):
        view.resize(width, 700)
        qtbot.waitUntil(lambda direction=direction: view._desk._layout.direction() == direction)
