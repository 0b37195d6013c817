"""The terms of a loss as rows, and a model's modules as a tree."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.inspection import Example, LookAtLoss
from app.ui.inspect.charts.loss_terms import LossTerms, loss_words
from app.ui.kit.theme import Theme
from tests.helpers import insides


@pytest.fixture
def terms(theme: Theme, qtbot: QtBot) -> LossTerms:
    made = LossTerms(theme)
    qtbot.addWidget(made)
    made.set_losses(insides.losses(LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER))))
    made.resize(800, made.sizeHint().height())
    made.show()
    return made


def test_every_term_and_total_is_a_place_with_its_words(terms: LossTerms) -> None:
    assert terms.count() == 5
    assert "right is “the pull of the Moon”, held for 35% likely, costs 1.04" in terms.describe(0)
    assert terms.describe(2).startswith("The loss: 0.95. ½ ·")
    high = terms.height() / 6
    assert terms.place_at(QPointF(10, terms.height() - high)) == 4
    assert terms.place_at(QPointF(10, 2)) == -1
    for _ in range(3):
        QTest.keyClick(terms, Qt.Key.Key_Down)
    assert terms.current == 2
    QTest.keyClick(terms, Qt.Key.Key_Up)
    assert terms.current == 1


def test_an_ignored_term_and_an_undefined_loss_are_said_so(terms: LossTerms) -> None:
    losses = insides.losses(LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER)))
    ignored = tuple(replace(term, counted=False, value=0.0) for term in losses.terms)
    terms.set_losses(
        replace(losses, terms=ignored, total=float("nan"), by_model=float("nan"), in_training=0.0)
    )
    assert terms.describe(0).endswith(", ignored")
    assert terms.describe(2).startswith("The loss: undefined.")
    assert terms.describe(4) == "What training adds up: 0."
    terms.grab()


def test_a_loss_is_said_as_a_person_reads_it() -> None:
    assert (loss_words(float("nan")), loss_words(0.0), loss_words(0.40128)) == ("undefined", "0", "0.40")
