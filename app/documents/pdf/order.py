"""The reading order of a page's lines: the file's own if it makes sense, by columns if it mixes them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from app.documents.pdf.lines import PROSE_LENGTH, Line

_MOST_LINES = 3000
_DEEPEST = 3
_FEWEST = 4


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    """The lines in reading order; those rotated differently than most come last, unchanged."""
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
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda each: each.base):
        if rows and rows[-1][0].is_level_with(line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda each: each.left)]
