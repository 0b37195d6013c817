"""The table of numbers, the bar under a chart, and the terms of a loss as rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.core.inspection import Example, LookAtLoss
from app.ui.inspect.charts.export import ChartBar, NumbersTable
from app.ui.inspect.charts.loss_terms import LossTerms, loss_words
from app.ui.inspect.charts.token_bars import TokenBars
from app.ui.kit.chart import Table
from app.ui.kit.theme import Theme
from tests.helpers import insides
from tests.ui.inspect.charts.conftest import Make

TABLE = Table(("word", "score"), (("one", 10.0), ("two", -2.5), ("three", 9.0)))


def test_numbers_are_sorted_as_numbers_reached_by_keys_and_copied(theme: Theme, qtbot: QtBot) -> None:
    table = NumbersTable(theme)
    qtbot.addWidget(table)
    table.set_table(TABLE)
    table.show()
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert [row[0] for row in table.rows()] == ["one", "three", "two"]
    assert table.model().index(2, 1).data() == "−2.50"
    reached: list[int] = []
    table.row_reached.connect(reached.append)
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert reached == [0, 2]
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "word\tscore\nthree\t9\n"


def test_the_bar_unfolds_the_numbers_and_copies(theme: Theme, make: Make, qtbot: QtBot) -> None:
    chart = make(TokenBars)
    bar = ChartBar(theme, chart)
    qtbot.addWidget(bar)
    bar.show()
    assert bar._table is None
    bar.numbers.click()
    table = bar._table
    assert table is not None and table.isVisible()
    assert table.model().rowCount() == chart.count()
    other = insides.span_scores(insides.Subject(insides.ASKED.head, "The Moon.", "Who?"))
    chart.set_scores(other)
    assert table.model().rowCount() == len(other.window.tokens)
    bar.numbers.click()
    assert not table.isVisible()
    notes: list[str] = []
    asked: list[object] = []
    bar.note.connect(notes.append)
    bar.save_requested.connect(asked.append)
    for words in ("Copy numbers", "Copy picture", "Save…"):
        next(button for button in bar.findChildren(QPushButton) if button.text() == words).click()
    assert notes == ["Numbers copied", "Picture copied"] and asked == [chart]
    assert QGuiApplication.clipboard().image().size() == chart.picture_size() * 2


@pytest.fixture
def terms(theme: Theme, qtbot: QtBot) -> LossTerms:
    made = LossTerms(theme)
    qtbot.addWidget(made)
    made.set_losses(insides.losses(LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER))))
    made.resize(800, made.sizeHint().height())
    made.show()
    return made


def test_every_term_and_total_is_a_place_with_a_description(terms: LossTerms) -> None:
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


def test_ignored_terms_and_undefined_losses_are_named_as_such(terms: LossTerms) -> None:
    losses = insides.losses(LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER)))
    ignored = tuple(replace(term, counted=False, value=0.0) for term in losses.terms)
    terms.set_losses(
        replace(losses, terms=ignored, total=float("nan"), by_model=float("nan"), in_training=0.0)
    )
    assert terms.describe(0).endswith(", ignored")
    assert terms.describe(2).startswith("The loss: undefined.")
    assert terms.describe(4) == "What training adds up: 0."
    terms.grab()


def test_a_loss_is_written_for_people() -> None:
    assert (loss_words(float("nan")), loss_words(0.0), loss_words(0.40128)) == ("undefined", "0", "0.40")
