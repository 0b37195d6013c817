"""The sortable table: searched, filtered and sorted, with the chosen rows kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.kit.table import Column, RowTable, TableModel
from app.ui.kit.theme import Theme

UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


@dataclass(eq=False)
class Thing:
    name: str
    size: Any
    is_open: bool = True


COLUMNS = (
    Column("Name", lambda thing: thing.name, lambda thing: thing.name.casefold()),
    Column("Size", lambda thing: str(thing.size), lambda thing: thing.size),
)


@pytest.fixture
def table(theme: Theme, qtbot: QtBot) -> RowTable:
    found = RowTable(theme, "Things", COLUMNS)
    qtbot.addWidget(found)
    found._model.set_rows([Thing("pear", 3), Thing("Apple", 1), Thing("fig", 2), Thing("apple pie", 10)])
    return found


def names(table: RowTable) -> list[str]:
    shown = [table.model().index(at, 0).data() for at in range(table.model().rowCount())]
    assert shown == [row.name for row in table.rows()]
    return shown


def test_rows_are_sorted_by_a_column_and_back(table: RowTable) -> None:
    table.choose([table.rows()[2]])
    table.sortByColumn(0, UP)
    assert names(table) == ["Apple", "apple pie", "fig", "pear"]
    table.sortByColumn(1, DOWN)
    assert names(table) == ["apple pie", "pear", "fig", "Apple"]
    assert [row.name for row in table.chosen()] == ["fig"]
    table.sortByColumn(-1, UP)
    assert names(table) == ["pear", "Apple", "fig", "apple pie"]
    assert [row.name for row in table.chosen()] == ["fig"]


def test_rows_are_searched_and_filtered_together(table: RowTable) -> None:
    pie = table.rows()[3]
    table.choose([pie, table.rows()[0]])
    table.narrow("APPLE")
    assert names(table) == ["Apple", "apple pie"] and table.chosen() == (pie,)
    table.narrow("apple", lambda row: row.size > 5)
    assert names(table) == ["apple pie"]
    table.narrow("", lambda row: row.size > 2)
    assert names(table) == ["pear", "apple pie"]
    table.narrow("")
    assert len(names(table)) == 4


def test_changed_rows_are_removed_or_keep_their_positions(table: RowTable) -> None:
    rows = table.rows()
    table.narrow("", lambda row: row.is_open)
    table.sortByColumn(0, UP)
    table.choose([rows[2]])
    rows[1].is_open, rows[0].name = False, "a pear"
    table._model.rows_changed([rows[0], rows[1]])
    assert names(table) == ["apple pie", "fig", "a pear"] and table.chosen() == (rows[2],)
    rows[1].is_open = True
    table._model.rows_changed([rows[1]])  # it comes back: all are arranged anew
    assert names(table) == ["a pear", "Apple", "apple pie", "fig"] and table.chosen() == (rows[2],)


@given(st.lists(st.none() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=3)))
def test_values_of_any_kind_are_sorted(values: list[Any]) -> None:
    model = TableModel(COLUMNS)
    model.set_rows([Thing(str(at), value) for at, value in enumerate(values)])
    model.sort(1, UP)
    assert sorted(thing.name for thing in model.shown) == sorted(str(at) for at in range(len(values)))
    words = [thing.size for thing in model.shown if isinstance(thing.size, str)]
    numbers = [thing.size for thing in model.shown if isinstance(thing.size, int | float)]
    assert words == sorted(words) and numbers == sorted(numbers)
    assert [thing.size for thing in model.shown if thing.size is not None] == [*numbers, *words]
