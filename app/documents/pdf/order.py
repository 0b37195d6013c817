"""Finds the reading order of a page's lines: the file's own if that makes sense, by columns if it mixes them."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from statistics import median

from app.documents.pdf.lines import PROSE_LENGTH, Line, levels_of

_MOST_LINES = 3000
_DEEPEST = 3
_FEWEST = 4
# In em: the step from a row of a table to the next at least, from a line to the next within a cell at most, and how far
# left of a line of a column the next one begins at most.
_LOOSE, _TIGHT = 1.5, 1.4
_INDENT = 3.0
_FEWEST_ROWS = 3
_MOSTLY = 0.6
_NUMBER = re.compile(r"[-+(−–±~<>≤≥]?\s?[$€£¥]?\s?[-−]?\.?\d")


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    """The lines in reading order; those that are rotated differently from most come last."""
    if len(lines) > _MOST_LINES:
        return list(lines)
    most = Counter[int]()
    for line in lines:
        most[line.quarter] += line.length
    quarters = [quarter for quarter, _ in most.most_common()]
    return [
        line
        for quarter in quarters
        for line in _ordered([each for each in lines if each.quarter == quarter], 0)
    ]


def _ordered(lines: list[Line], depth: int) -> list[Line]:
    place = _gutter(lines) if depth < _DEEPEST else None
    if place is not None:
        return _by_columns(lines, place, depth)
    return _downwards(lines) if _is_jumbled(lines) else lines


def _gutter(lines: Sequence[Line]) -> float | None:
    """The place between two columns of running text whose lines the file mixes; None if there is none."""
    starts = Counter(round(line.left / 2) for line in lines if line.length >= PROSE_LENGTH)
    best, place = 0, None
    for start, times in starts.items():
        if times + starts[start - 1] + starts[start + 1] < _FEWEST:
            continue
        edge = 2 * start - 3
        before = [line for line in lines if line.right <= edge + 1]
        after = [line for line in lines if line.left >= edge]
        found = min(len(before), len(after))
        if found > max(best, _FEWEST - 1) and _is_prose(before) and _is_prose(after):
            best, place = found, edge
    if place is None:
        return None
    sides = [line.right <= place + 1 for line in lines if line.right <= place + 1 or line.left >= place]
    crossings = sum(one != other for one, other in itertools.pairwise(sides))
    return place if crossings >= 0.5 * best else None


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether most lines are long and end near the column's edge, like running text and unlike a table's cells."""
    long = sorted((line for line in lines if line.length >= PROSE_LENGTH), key=lambda line: line.left)
    columns: list[list[Line]] = []
    for line in long:
        if columns and line.left - columns[-1][-1].left <= line.size:
            columns[-1].append(line)
        else:
            columns.append([line])
    full = 0
    for column in columns:
        left, right = column[0].left, max(line.right for line in column)
        full += sum(1 for line in column if right - line.right <= 0.25 * (right - left))
    return len(long) >= 0.6 * len(lines) and full >= 0.55 * len(long)


def _by_columns(lines: list[Line], place: float, depth: int) -> list[Line]:
    """The lines column by column, in bands between the lines that run over both columns."""
    across = sorted(
        (line for line in lines if line.right > place + 1 and line.left < place), key=lambda line: line.base
    )
    ordered: list[Line] = []
    above = float("-inf")
    for border in (*across, None):
        below = border.base if border else float("inf")
        band = [line for line in lines if above <= line.base < below]
        ordered += _ordered([line for line in band if line.right <= place + 1], depth + 1)
        ordered += _ordered([line for line in band if line.left >= place], depth + 1)
        if border:
            ordered.append(border)
        above = below
    return ordered


def _is_jumbled(lines: Sequence[Line]) -> bool:
    """Whether lines below each other are often in upward order in the file."""
    steps = [
        other.base > one.base
        for one, other in itertools.pairwise(lines)
        if not one.is_beside(other) and not one.is_level_with(other)
    ]
    return len(steps) >= _FEWEST and steps.count(False) > 0.4 * len(steps)


def _downwards(lines: Sequence[Line]) -> list[Line]:
    rows = levels_of(sorted(lines, key=lambda each: each.base))
    return [line for row in rows for line in sorted(row, key=lambda each: each.left)]


def across_tables(lines: Sequence[Line]) -> list[Line]:
    """The lines of a recognised page, row by row where the columns of a table were taken for columns of text.

    Lines of such columns are level with each other, and their rows are apart, or numbers.
    """
    if len(lines) > _MOST_LINES:
        return list(lines)
    tables: list[list[list[Line]]] = []
    for line in lines:
        last = tables[-1][-1][-1] if tables else None
        if last and _continues_column(last, line):
            tables[-1][-1].append(line)
        else:
            if len(tables) > 1 and _is_column_of(tables[-2], tables[-1][0]):
                tables[-2].append(tables.pop()[0])
            tables.append([[line]])
    if len(tables) > 1 and _is_column_of(tables[-2], tables[-1][0]):
        tables[-2].append(tables.pop()[0])
    return [line for columns in tables for line in (_row_by_row(columns) if len(columns) > 1 else columns[0])]


def _continues_column(last: Line, line: Line) -> bool:
    """Whether a line continues a column downwards, rather than text that is wider than the column."""
    return (
        last.quarter == line.quarter
        and last.base < line.base
        and not last.is_beside(line)
        and line.left >= last.left - _INDENT * line.size
    )


def _is_column_of(columns: Sequence[Sequence[Line]], other: Sequence[Line]) -> bool:
    """Whether lines are another column of a table, to the right of its columns."""
    top, bottom = other[0].top, other[-1].bottom
    beside, last = (
        [line for line in column if top < line.bottom and line.top < bottom]
        for column in (columns[0], columns[-1])
    )
    level = [line for line, found in zip(other, _level_with(other, beside), strict=True) if found]
    # A large line may be level with several small ones.
    if min(len(level), len(columns[0])) < _FEWEST_ROWS or len(level) < _MOSTLY * min(len(beside), len(other)):
        return False
    if not all(line.is_beside(each) and each.left > line.left for line in last for each in other):
        return False
    steps = median(two.base - one.base for one, two in itertools.pairwise(level))
    numbers = sum(_NUMBER.match(line.text) is not None for line in other)
    return steps >= _LOOSE * other[0].size or numbers >= _MOSTLY * len(other)


def _level_with(lines: Sequence[Line], column: Sequence[Line]) -> list[list[Line]]:
    """For each of the lines, the lines of a column that are level with it; the column is in order downwards."""
    reach = max((each.size for each in (*lines, *column)), default=0.0)
    bases = [each.base for each in column]
    return [
        [
            each
            for each in column[bisect_left(bases, line.base - reach) : bisect_right(bases, line.base + reach)]
            if each.is_level_with(line)
        ]
        for line in lines
    ]


def _row_by_row(columns: Sequence[Sequence[Line]]) -> list[Line]:
    """The cells of columns side by side; a row begins with lines that are level."""
    first, others = columns[0], columns[1:]
    is_tight = median(two.base - one.base for one, two in itertools.pairwise(first)) < _TIGHT * first[0].size
    starts: list[float] = []
    beside = zip(*(_level_with(first, column) for column in others), strict=True)
    for number, (line, found) in enumerate(zip(first, beside, strict=True)):
        level = [each for lines in found for each in lines]
        if level and (not starts or is_tight or line.base - first[number - 1].base >= _TIGHT * line.size):
            starts.append(min(line.top, *(each.top for each in level)))
    starts.sort()
    bottom = max(column[-1].bottom for column in others)
    return sorted(
        (line for column in columns for line in column),
        key=lambda line: bisect_right(starts, line.top) + (line.top >= bottom),
    )
