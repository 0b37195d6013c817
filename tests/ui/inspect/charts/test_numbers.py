"""The table of numbers, and the bar under a chart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.ui.inspect.charts.export import ChartBar
from app.ui.inspect.charts.numbers_table import NumbersTable
from app.ui.inspect.charts.token_bars import TokenBars
from app.ui.kit.chart import Table
from app.ui.kit.theme import Theme
from tests.helpers import insides
from tests.ui.inspect.charts.conftest import Make

TABLE = Table(("word", "score"), (("one", 10.0), ("two", -2.5), ("three", 9.0)))


def shown(table: NumbersTable) -> list[str]:
    model = table.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_numbers_are_sorted_as_numbers(theme: Theme, qtbot: QtBot) -> None:
    table = NumbersTable(theme)
    qtbot.addWidget(table)
    table.set_table(TABLE)
    assert shown(table) == ["one", "two", "three"]
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert shown(table) == ["two", "three", "one"]
    assert table.model().index(0, 1).data() == "−2.50"
    assert table.model().index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "−2.50"


def test_rows_are_walked_and_copied(theme: Theme, qtbot: QtBot) -> None:
    table = NumbersTable(theme)
    qtbot.addWidget(table)
    table.set_table(TABLE)
    table.show()
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    reached: list[int] = []
    table.row_reached.connect(reached.append)
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert reached == [0, 2]
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "word\tscore\nthree\t9\n"
    table.clearSelection()
    assert table.copied() == "word\tscore\none\t10\nthree\t9\ntwo\t-2.5\n"


def test_the_bar_folds_the_numbers_out_and_copies(theme: Theme, make: Make, qtbot: QtBot) -> None:
    chart = make("bars")
    assert isinstance(chart, TokenBars)
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
