"""The terms of a loss as rows, and a model's modules as a tree."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.inspection import Example, LookAtLoss
from app.ui.inspect.charts.loss_terms import LossTerms, loss_words
from app.ui.inspect.picture import ModuleTree
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


def test_numbers_are_kept_whole_in_the_table(terms: LossTerms) -> None:
    losses = insides.losses(LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER)))
    rows = list(csv.DictReader(io.StringIO(terms.csv())))
    assert float(rows[0]["loss"]) == pytest.approx(losses.terms[0].value, rel=1e-8)
    assert float(rows[2]["loss"]) == pytest.approx(losses.total, rel=1e-8)


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


def test_modules_stand_below_the_one_that_holds_them(theme: Theme, qtbot: QtBot) -> None:
    tree = ModuleTree(theme)
    qtbot.addWidget(tree)
    rows = insides.picture(insides.ASKED).modules
    tree.set_modules(rows)
    whole = tree.topLevelItem(0)
    assert whole is not None
    assert tree.topLevelItemCount() == 1
    assert [whole.child(at).text(0) for at in range(whole.childCount())] == ["bert", "qa_outputs"]
    layer = whole.child(0).child(1).child(3)
    assert layer.toolTip(0) == "bert.encoder.layer.3"
    tree.setCurrentItem(layer)
    QTest.keyClick(tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "bert.encoder.layer.3"
    read = list(csv.DictReader(io.StringIO(tree.table().csv())))
    assert [(row["path"], int(row["weights"])) for row in read] == [
        (row.path, row.parameters) for row in rows
    ]
