"""Groups lines into rows: running text is a row of one cell, lines side by side are a row of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from app.documents.pdf.lines import PROSE_LENGTH, Line

# In em: how far below a line the next of its cell may be, how far apart the tops or middles of a row's cells.
_STEP = 2.2
_TIGHT_STEP = 1.4
_ALIGNED = 0.65
_LOOKED_BACK = 12
_STOPS = tuple(".!?:;。！？：；")


# The mark of a list's item: a bullet, or a number or letter with a stop or a bracket.
BULLETS = "•▪●○◦‣·∙■□➢➤–—*o-"
MARKER = re.compile(rf"[{BULLETS}]|\(?(?:\d{{1,3}}|[A-Za-z]|[ivxIVX]{{1,4}})[.)]")


@dataclass(slots=True)
class Cell:
    """Lines below each other."""

    lines: list[Line]

    @property
    def top(self) -> float:
        """The top of its letters, in points."""
        return self.lines[0].top

    @property
    def bottom(self) -> float:
        """The bottom of its letters, in points."""
        return self.lines[-1].bottom

    @property
    def middle(self) -> float:
        """Its vertical middle, in points."""
        return (self.top + self.bottom) / 2

    @property
    def size(self) -> float:
        """The font size of its first line, in points."""
        return self.lines[0].size

    def is_beside(self, line: Line) -> bool:
        """Whether none of its last lines overlaps a line horizontally."""
        return all(each.is_beside(line) for each in self.lines[-_LOOKED_BACK:])


@dataclass(slots=True)
class Row:
    """Cells side by side, in reading order; a single cell is running text."""

    cells: list[Cell]

    @property
    def is_table(self) -> bool:
        """Whether it is a row of a table, which has several cells."""
        return len(self.cells) > 1


def page_rows(lines: Sequence[Line], rightwards: bool = True) -> list[Row]:
    """The rows of a page whose lines are in reading order."""
    rows: list[Row] = []
    stacks = _stacks(lines)
    for cell, following in zip_longest(stacks, stacks[1:]):
        if rows and _add_to_row(rows, cell, following):
            continue
        rows.append(Row([cell]))
    rows = _with_wrapped_cells(rows)
    for row in rows:
        if row.is_table:
            row.cells.sort(key=lambda each: each.lines[0].left, reverse=not rightwards)
    return rows


def _stacks(lines: Sequence[Line]) -> list[Cell]:
    """The lines grouped into cells of lines that follow each other downwards."""
    stacks: list[Cell] = []
    in_row = False
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else None
        if before and not _is_under_both(lines, number):
            indented = line.code and before.code and not in_row and _steps_down(before, line, _STEP)
            if indented or _is_next(before, line):
                stacks[-1].lines.append(line)
                continue
        in_row = before is not None and before.is_level_with(line) and before.is_beside(line)
        stacks.append(Cell([line]))
    return stacks


def _is_under_both(lines: Sequence[Line], number: int) -> bool:
    """Whether a line is below two lines that are side by side, so that it begins another row."""
    if number < 2:
        return False
    left, right, below = lines[number - 2 : number + 1]
    return left.is_level_with(right) and left.is_beside(right) and not left.is_beside(below)


def _is_next(line: Line, below: Line, step: float = _STEP) -> bool:
    return not line.is_beside(below) and _steps_down(line, below, step)


def _steps_down(line: Line, below: Line, step: float) -> bool:
    largest = max(line.size, below.size)
    return (
        line.quarter == below.quarter
        and abs(line.size - below.size) <= 0.15 * largest
        and not line.is_level_with(below)
        and 0 < below.base - line.base <= step * largest
        and not MARKER.fullmatch(line.text)
        and not MARKER.fullmatch(below.text)
    )


def _add_to_row(rows: list[Row], cell: Cell, following: Cell | None) -> bool:
    """Add a cell to the last row if it belongs there; the row's first lines may become a row of their own."""
    row, first = rows[-1], cell.lines[0]
    if row.cells[0].lines[0].quarter != first.quarter:
        return False
    under = [each for each in row.cells if not each.is_beside(first)]
    if not under:
        return _add_beside(rows, cell, following)
    above, last = row.cells[0].lines[:-1], row.cells[0].lines[-1]
    if above and not row.is_table and last.is_level_with(first) and last.is_beside(first):
        rows[-1:] = [Row([Cell(above)]), Row([Cell([last]), cell])]
        return True
    if len(under) > 1 or not row.is_table or not _is_next(under[0].lines[-1], first):
        return False
    others = [each for each in row.cells if each is not under[0]]
    inside = any(first.top < each.bottom - 0.3 * first.size for each in others)
    runs_on = (
        under[0] is not row.cells[0]
        and first.text[:1].islower()
        and not under[0].lines[-1].text.endswith(_STOPS)
        and _is_next(under[0].lines[-1], first, _TIGHT_STEP)
    )
    if not inside and not runs_on:
        return False
    under[0].lines += cell.lines
    return True


def _add_beside(rows: list[Row], cell: Cell, following: Cell | None) -> bool:
    row, first = rows[-1], rows[-1].cells[0]
    size = max(cell.size, first.size)
    if row.is_table:
        top, bottom = min(each.top for each in row.cells), max(each.bottom for each in row.cells)
        fits = cell.top < bottom and cell.bottom > top and cell.top > top - 1.5 * size - _height(cell) / 2
        if fits:
            row.cells.append(cell)
        return fits
    if len(first.lines) > 3 and len(cell.lines) > 3 and _height(cell) > 0.3 * _height(first):
        return False  # columns, or two texts side by side
    if len(first.lines) > 3 and following and _goes_down(cell, following, first):
        return False  # the text of a column next to another column
    aligned = _ALIGNED * size
    if abs(first.middle - cell.middle) <= aligned or abs(first.lines[0].base - cell.lines[0].base) <= aligned:
        row.cells.append(cell)
        return True
    for number in range(max(1, len(first.lines) - _LOOKED_BACK), len(first.lines)):
        if abs(first.lines[number].base - cell.lines[0].base) <= aligned:
            rows[-1:] = [Row([Cell(first.lines[:number])]), Row([Cell(first.lines[number:]), cell])]
            return True
    # One of them is a label at the middle of the other's height.
    fits = len(first.lines) == 1 and cell.top <= first.top and cell.bottom >= first.bottom
    if len(cell.lines) == 1:
        fits = fits or first.lines[-1].top < cell.middle < first.lines[-1].bottom
        # The first line of a text next to a label that is lower, at the middle of the text still to come.
        hangs = 0 < first.lines[0].base - cell.lines[0].base <= _TIGHT_STEP * cell.size
        fits = fits or (len(first.lines) == 1 and hangs)
    if fits:
        row.cells.append(cell)
    return fits


def _goes_down(cell: Cell, following: Cell, third: Cell) -> bool:
    """Whether the following cell is below a cell, and both are next to a third."""
    first = following.lines[0]
    return not cell.is_beside(first) and third.is_beside(first) and cell.bottom <= following.middle


def _with_wrapped_cells(rows: Sequence[Row]) -> list[Row]:
    """The rows, merged where their cells are the lines of wrapped texts side by side."""
    merged: list[Row] = []
    for row in rows:
        if merged and _wraps(merged[-1], row):
            for cell in row.cells:
                above = next(each for each in merged[-1].cells if not each.is_beside(cell.lines[0]))
                above.lines += cell.lines
        else:
            merged.append(row)
    return merged


def _wraps(row: Row, below: Row) -> bool:
    """Whether the texts in a row's cells continue in the row below."""
    if not row.is_table or len(below.cells) > len(row.cells):
        return False
    long = continues = 0
    for cell in below.cells:
        under = [each for each in row.cells if not each.is_beside(cell.lines[0])]
        if len(under) != 1:
            return False
        last, first = under[0].lines[-1], cell.lines[0]
        if not _is_next(last, first, _TIGHT_STEP) or abs(last.left - first.left) > 0.3 * first.size:
            return False
        if last.text.endswith(_STOPS) or not first.text[:1].islower():
            continue
        continues += 1
        long += last.length >= PROSE_LENGTH
    return continues == len(below.cells) and long > 0


def _height(cell: Cell) -> float:
    return cell.bottom - cell.top
