"""The card of a classification: its headline, its rows, and readable labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QRectF
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.core import wording
from app.core.models import ProblemType
from app.core.results import Classification, ClassScore
from app.ui.kit.class_card import ClassCard, confidence_in_words, headline, score_rows
from app.ui.kit.score_bars import ScoreBars, ScoreRow, breakable, draw_bar, nice_label
from app.ui.kit.theme import Theme


def classification(problem: ProblemType, winner: str = "", **scores: float) -> Classification:
    listed = tuple(ClassScore(label, value) for label, value in scores.items())
    return Classification(listed, winner, 1, 5, problem)


ONE, MULTI, VALUES = ProblemType.SINGLE_LABEL, ProblemType.MULTI_LABEL, ProblemType.REGRESSION


@pytest.mark.parametrize(
    ("problem", "scores", "title", "sure", "best"),
    [
        (MULTI, {"rude": 0.9, "loud": 0.6, "kind": 0.1}, "Rude, Loud", "2 of 3 apply, from 60% to 90%", 2),
        (MULTI, {"rude": 0.95, "kind": 0.1}, "Rude", wording.likely(0.95), 1),
        (MULTI, {"rude": 0.3, "kind": 0.1}, "None of them", "Every label is below one half, the highest at 30%", 0),
        (MULTI, {"spam": 0.75}, "Spam", wording.likely(0.75), 1),
        (MULTI, {"spam": 0.04}, "Not Spam", wording.likely(0.96), 0),
        (
            MULTI, {f"l{at}": 0.99 - at / 100 for at in range(20)}, "L0, L1, L2, 17 more",
            "20 of 20 apply, from 80% to 99%", 20,
        ),
        (ONE, {"World": 0.2, "Sports": 0.6, "Business": 0.15, "Science": 0.05}, "Sports", wording.likely(0.6), 1),
        (
            ONE, {f"label_{at}": (at + 1) / 5050 for at in range(100)}, "Label 99",
            "Unsure: the likeliest of 100, 2%", 1,
        ),
    ],
)  # fmt: skip
def test_a_card_names_what_applies_and_how_sure_it_is(
    problem: ProblemType, scores: dict[str, float], title: str, sure: str, best: int
) -> None:
    highest = max(scores, key=lambda label: scores[label])
    winner = highest if problem is ONE or scores[highest] >= 0.5 else ""
    item = classification(problem, winner, **scores)
    assert (headline(item), confidence_in_words(item)) == (title, sure)
    rows = score_rows(item)
    assert [row.fraction for row in rows] == sorted(scores.values(), reverse=True)
    assert [row.best for row in rows] == [True] * best + [False] * (len(scores) - best)


def test_a_long_name_breaks_where_the_card_is_narrow(theme: Theme, qtbot: QtBot) -> None:
    card = ClassCard(theme)
    qtbot.addWidget(card)
    name = "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    item = classification(ONE, name, **{name: 0.9, "ok": 0.1})
    card.show_item(item, "")
    assert card.minimumSizeHint().width() < theme.step(90)
    assert card.text() == f"{nice_label(name)} ({wording.likely(0.9)})"


@given(st.text())
def test_making_a_text_breakable_keeps_its_characters(text: str) -> None:
    text = text.replace("\u200b", "")
    assert breakable(text).replace("\u200b", "") == text


def test_regression_shows_values_without_bars() -> None:
    item = classification(VALUES, stars=-1.25)
    assert headline(item) == "-1.25"
    assert confidence_in_words(item) == ""
    several = classification(VALUES, valence=0.5, arousal=-1.0, dominance=2.0)
    assert headline(several) == "0.50, -1.00, 2.00"
    assert [row.name for row in score_rows(several)] == ["Valence", "Arousal", "Dominance"]
    many = classification(VALUES, **{f"v{at}": float(at) for at in range(20)})
    assert headline(many) == "20 values"
    assert [(row.name, row.fraction, row.number) for row in score_rows(item)] == [("Stars", None, "-1.25")]


@pytest.mark.parametrize(
    ("label", "nice"),
    [
        ("negative", "Negative"), ("very_positive", "Very positive"), ("LABEL_3", "Label 3"),
        ("NEGATIVE", "Negative"), ("NSW", "NSW"), ("5 stars", "5 stars"), ("", ""), ("__", "__"),
    ],
)  # fmt: skip
def test_labels_are_made_readable(label: str, nice: str) -> None:
    assert nice_label(label) == nice


def test_the_tool_tip_of_a_row_has_its_full_name(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars = ScoreBars(theme)
    qtbot.addWidget(bars)
    bars.set_rows((ScoreRow("first", 0.7, "70%"), ScoreRow("a long name " * 9, 0.3, "30%")))
    bars.resize(200, bars.sizeHint().height())
    bars.show()
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, text, widget: told.append(text))
    for y in (12, bars.height() - 12, bars.height() + 50):
        event = QHelpEvent(QEvent.Type.ToolTip, QPoint(20, y), bars.mapToGlobal(QPoint(20, y)))
        QApplication.sendEvent(bars, event)
    assert [" ".join(each.split()) for each in told] == ["first, 70%", f"{'a long name ' * 9}, 30%", ""]


def test_a_bars_edge_is_as_dark_between_two_pixels(theme: Theme) -> None:
    def drawn(top: float) -> QImage:
        image = QImage(40, 12, QImage.Format.Format_RGB32)
        image.fill(theme.colour("panel"))
        painter = QPainter(image)
        draw_bar(painter, theme, QRectF(2, top, 36, 6), 1.0)
        painter.end()
        return image

    edge = theme.colour("answer_line")
    assert [image.pixelColor(20, 3) for image in (drawn(3), drawn(2.5))] == [edge, edge]
