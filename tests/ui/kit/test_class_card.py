"""What a text's classes look like: in words, in rows, and by readable names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.core import wording
from app.core.models import ProblemType
from app.core.results import Classification, ClassScore
from app.settings.paths import default_paths
from app.ui.kit.class_card import ClassCard, headline, score_rows, sureness
from app.ui.kit.score_bars import ScoreBars, ScoreRow, breakable, nice_label
from app.ui.kit.theme import Theme


def classification(problem: ProblemType, winner: str = "", **scores: float) -> Classification:
    listed = tuple(ClassScore(label, value) for label, value in scores.items())
    return Classification(listed, winner, 1, 5, problem)


def test_many_labels_stand_in_order_of_probability() -> None:
    scores = {f"label_{at}": (at + 1) / 5050 for at in range(100)}
    item = classification(ProblemType.SINGLE_LABEL, "label_99", **scores)
    rows = score_rows(item)
    assert len(rows) == 100
    assert rows[0].name == "Label 99"
    assert [row.best for row in rows].count(True) == 1
    assert sureness(item) == "Unsure: the likeliest of 100, 2%"


def test_multi_label_names_all_that_apply() -> None:
    item = classification(ProblemType.MULTI_LABEL, "rude", rude=0.9, loud=0.6, kind=0.1)
    assert headline(item) == "Rude, Loud"
    assert [row.best for row in score_rows(item)] == [True, True, False]
    assert sureness(item) == "2 of 3 apply, from 60% to 90%"
    nothing = classification(ProblemType.MULTI_LABEL, "", rude=0.3, kind=0.1)
    assert headline(nothing) == "None of them"
    assert "30%" in sureness(nothing)
    assert [row.best for row in score_rows(nothing)] == [False, False]


def test_one_of_several_labels_is_as_sure_as_it_is() -> None:
    item = classification(ProblemType.MULTI_LABEL, "rude", rude=0.95, kind=0.1)
    assert (headline(item), sureness(item)) == ("Rude", wording.likely(0.95))


def test_a_lone_label_applies_or_does_not() -> None:
    spam = classification(ProblemType.MULTI_LABEL, "spam", spam=0.75)
    assert (headline(spam), sureness(spam)) == ("Spam", wording.likely(0.75))
    other = classification(ProblemType.MULTI_LABEL, "", spam=0.04)
    assert (headline(other), sureness(other)) == ("Not Spam", wording.likely(0.96))


def test_of_many_labels_that_apply_the_likeliest_are_named() -> None:
    item = classification(ProblemType.MULTI_LABEL, "l0", **{f"l{at}": 0.99 - at / 100 for at in range(20)})
    assert headline(item) == "L0, L1, L2, 17 more"
    assert sureness(item) == "20 of 20 apply, from 80% to 99%"
    assert all(row.best for row in score_rows(item))


def test_four_ways_read_like_two() -> None:
    item = classification(
        ProblemType.SINGLE_LABEL, "Sports", World=0.2, Sports=0.6, Business=0.15, Science=0.05
    )
    assert (headline(item), sureness(item)) == ("Sports", wording.likely(0.6))
    assert [row.name for row in score_rows(item)] == ["Sports", "World", "Business", "Science"]
    assert [row.fraction for row in score_rows(item)] == [0.6, 0.2, 0.15, 0.05]


def test_a_long_name_breaks_where_the_card_is_narrow(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    card = ClassCard(theme)
    qtbot.addWidget(card)
    name = "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    item = classification(ProblemType.SINGLE_LABEL, name, **{name: 0.9, "ok": 0.1})
    card.show_item(item, "")
    assert card.minimumSizeHint().width() < theme.step(90)
    assert card.text() == f"{nice_label(name)} ({wording.likely(0.9)})"


@given(st.text())
def test_what_may_break_is_still_the_same_words(text: str) -> None:
    text = text.replace("\u200b", "")
    assert breakable(text).replace("\u200b", "") == text


def test_regression_shows_values_without_bars() -> None:
    item = classification(ProblemType.REGRESSION, stars=-1.25)
    assert headline(item) == "-1.25"
    assert sureness(item) == ""
    several = classification(ProblemType.REGRESSION, valence=0.5, arousal=-1.0, dominance=2.0)
    assert headline(several) == "0.50, -1.00, 2.00"
    assert [row.name for row in score_rows(several)] == ["Valence", "Arousal", "Dominance"]
    many = classification(ProblemType.REGRESSION, **{f"v{at}": float(at) for at in range(20)})
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


def test_a_row_s_whole_name_shows_under_the_pointer(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme = Theme(default_paths().resources)
    theme.choose("light")
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
    assert told == ["first, 70%", f"{'a long name ' * 9}, 30%", ""]
