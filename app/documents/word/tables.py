"""Rows and cells of a Word table, with merged cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.documents.grids import MOST_COLUMNS
from app.documents.word.xml import Element, attribute, child, content, local, number, switch, value


@dataclass
class WordCell:
    """A cell with content of its own, and how many rows and columns it spans."""

    element: Element
    rows: int = 1
    columns: int = 1


@dataclass
class WordRow:
    """A row: whether it heads the table, how many columns it leaves empty before its first cell, and its cells."""

    header: bool
    skip: int
    cells: list[WordCell]


def placed_rows(table: Element) -> list[WordRow]:
    """The table's rows; cells that continue a merged one above or left of them are added to its span and left out."""
    rows: list[WordRow] = []
    above: dict[int, WordCell] = {}  # by column: the cell that a merged one continues
    for element in _named(table, "tr"):
        properties = child(element, "trPr")
        if child(properties, "del") is not None:
            continue
        skip = max(0, min(number(properties, "gridBefore") or 0, MOST_COLUMNS))
        row = WordRow(bool(switch(properties, "tblHeader")), skip, [])
        column = skip
        merged: dict[int, WordCell] = {}
        for cell in _named(element, "tc"):
            cell_properties = child(cell, "tcPr")
            across = max(1, min(number(cell_properties, "gridSpan") or 1, MOST_COLUMNS))
            down = child(cell_properties, "vMerge")
            continues = down is not None and (attribute(down, "val") or "continue") == "continue"
            if continues and column in above:
                above[column].rows += 1
                merged[column] = above[column]
            elif row.cells and (value(cell_properties, "hMerge") or "") == "continue":
                row.cells[-1].columns += across
            else:
                placed = WordCell(cell, 1, across)
                row.cells.append(placed)
                if down is not None:
                    merged[column] = placed
            column += across
        above = merged
        rows.append(row)
    return rows


def _named(parent: Element, name: str) -> Iterator[Element]:
    return (each for each in content(parent) if local(each) == name)
