"""The table of classified texts with heads of every shape."""

from __future__ import annotations

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.models import ProblemType
from app.core.results import Classification, ClassScore
from app.settings.paths import default_paths
from app.ui.heads.classify.result_table import ResultTable
from app.ui.kit.theme import Theme


def item(
    problem: ProblemType, winner: str, *values: float, labels: str = "abcdefghijklmnopqrst"
) -> Classification:
    scores = tuple(ClassScore(label, value) for label, value in zip(labels, values, strict=False))
    return Classification(scores, winner, 1, 5, problem.value)


@pytest.fixture
def table(qapp: QApplication, qtbot: QtBot) -> ResultTable:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    table = ResultTable(theme)
    qtbot.addWidget(table)
    table.resize(900, 400)
    table.show()
    return table


def shown(table: ResultTable) -> list[list[str]]:
    model = table.model()
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def headers(table: ResultTable, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> list[str]:
    model = table.model()
    return [str(model.headerData(at, Qt.Orientation.Horizontal, role)) for at in range(model.columnCount())]


def test_several_labels_may_apply_or_none(table: ResultTable) -> None:
    multi = ProblemType.MULTI_LABEL
    items = [item(multi, "", 0.2, 0.3), item(multi, "b", 0.6, 0.9), item(multi, "a", 0.7, 0.1)]
    table.set_results(("none", "both", "one"), items)
    assert shown(table) == [
        ["none", "None of them", "", "20%", "30%"],
        ["both", "B, A", "90%", "60%", "90%"],
        ["one", "A", "70%", "70%", "10%"],
    ]
    rows = list(csv.reader(io.StringIO(table.csv().decode("utf-8-sig"))))
    assert rows[1] == ["none", "", "", "0.200000", "0.300000"]
    assert rows[2] == ["both", "a; b", "0.900000", "0.600000", "0.900000"]
    table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    assert [row[0] for row in shown(table)] == ["none", "one", "both"]
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    assert [row[0] for row in shown(table)] == ["both", "one", "none"]


def test_values_have_columns_of_their_own(table: ResultTable) -> None:
    values = ProblemType.REGRESSION
    table.set_results(("x", "y"), [item(values, "", -1.25, 10.0), item(values, "", 3.5, 2.0)])
    assert headers(table) == ["Text", "A", "B"]
    assert shown(table) == [["x", "-1.25", "10"], ["y", "3.5", "2"]]
    table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    assert [row[0] for row in shown(table)] == ["y", "x"]


def test_twenty_classes_and_long_names_leave_room_for_the_text(table: ResultTable) -> None:
    table.set_results(("text",), [item(ProblemType.SINGLE_LABEL, "t", *[0.04] * 19, 0.24)])
    assert table.model().columnCount() == 23
    assert table.columnWidth(0) > 100
    long = "a class with a very long name that says all there is to say of " * 3
    scores = (ClassScore(long, 0.7), ClassScore("b", 0.3))
    table.set_results(("text",), [Classification(scores, long, 1, 5)])
    assert max(table.columnWidth(at) for at in range(1, 5)) < 300
    assert headers(table, Qt.ItemDataRole.ToolTipRole)[3].startswith("A class with a very long name")


def test_columns_fit_another_model_with_as_many_classes(table: ResultTable) -> None:
    table.set_results(("text",), [item(ProblemType.SINGLE_LABEL, "a", 0.7, 0.3)])
    before = table.columnWidth(3)
    scores = (ClassScore("science and technology", 0.7), ClassScore("everything else", 0.3))
    table.set_results(("text",), [Classification(scores, "everything else", 1, 5)])
    assert table.columnWidth(3) > before
    assert table.columnWidth(1) > table.fontMetrics().horizontalAdvance("Science and technology")
