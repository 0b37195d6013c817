"""Builds tables with headers from rows of cells; each block keeps the address of its cell in the file."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Cells
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.text import Span
from app.core.view import NUMBER, Row, has_header
from app.documents.blocks import MOST_COLUMNS, Blocks
from app.documents.parts import Parts

# The most cells with words, each of which takes the window 50 µs to build, and the most cells with the empty ones.
MOST_CELLS = 250_000
MOST_AREA = 10_000_000
_SAMPLE, _LONGEST_SAMPLE = 200, 300
_LONGEST_NAME = 64
_CHECK_EVERY = 200
# A spreadsheet keeps 15 digits of a number; more are noise of its sums.
_DIGITS = 15
_SMALLEST, _LARGEST = 1e-9, 1e21

# Excel's own formats of percentages (ECMA-376 part 1, 18.8.30), and what of a format stands for itself or for a colour.
PERCENT_FORMATS = (9, 10)
_LITERAL = re.compile(r"""\"[^"]*"|\\.|\[[^]]*]""")

# A row's cells by their columns, counted from 1, in their order; none is empty.
Words = dict[int, str]
# The first and the last row and column of merged cells, counted from 0.
Merged = tuple[tuple[int, int], tuple[int, int]]
# The last row and column of merged cells by the first ones, counted from 1.
Spans = Mapping[tuple[int, int], tuple[int, int]]


@dataclass(slots=True)
class _Table:
    """The numbers of a table's rows, and of the rows of single cells above it."""

    titles: list[int]
    rows: list[int] = field(default_factory=list)


class SheetBlocks:
    """Collects the sheets of a file, whose name is for messages."""

    def __init__(self, name: str, report: Report) -> None:
        self._name = name
        self._report = report
        self._blocks = Blocks()
        self._rows, self._columns = array("i"), array("i")
        self._cells = 0
        self._names: Words = {}

    def heading(self, words: str) -> None:
        """Add the name of a sheet."""
        self._block(BlockKind.HEADING, words, 0, 0)

    def add(
        self,
        values: Sequence[Sequence[object]],
        top: int = 0,
        left: int = 0,
        merged: Iterable[Merged] = (),
        *,
        headed: bool = False,
    ) -> None:
        """Add the rows of a sheet, whose first cell is in row `top` and column `left`, counted from 0.

        Empty rows and columns are left out. Rows behind an empty one are a table of their own if they begin with a
        header; single cells above a table are paragraphs. `headed` is whether a first row of different words is
        rather a header than a row like the others. Raises SpanlightError for too many cells.
        """
        if (cells := sum(len(row) - row.count("") for row in values)) + self._cells > MOST_CELLS:
            raise too_many_cells(self._name)
        self._cells += cells
        rows = {}
        for number, row in enumerate(values, start=top + 1):
            words = ((column, in_words(value)) for column, value in enumerate(row, start=left + 1))
            if found := {column: cell for column, cell in words if cell and not cell.isspace()}:
                rows[number] = found
        spans = {
            (row + 1, column + 1): (below + 1, right + 1)
            for (row, column), (below, right) in merged
            if row + 1 in rows
        }
        for table in _tables(rows, spans):
            for number in table.titles:
                for column, cell in rows[number].items():
                    self._block(BlockKind.PARAGRAPH, cell, number, column)
            if table.rows:
                self._table({number: rows[number] for number in table.rows}, spans, headed)

    def parts(self, notes: Iterable[str] = (), *, named: bool = False) -> Parts:
        """Everything that was added; if `named`, with the names of the columns: their headers, else their numbers."""
        count = max(self._columns, default=0) if named else 0
        names = tuple(self._names.get(column) or str(column) for column in range(1, count + 1))
        return replace(self._blocks.parts(notes), cells=Cells(self._rows, self._columns, names))

    def _table(self, rows: Mapping[int, Words], spans: Spans, headed: bool) -> None:
        numbers, columns = list(rows), sorted({column for row in rows.values() for column in row})
        headers = _header_rows(rows, spans, headed)
        for number in numbers[:headers]:
            self._names |= {
                column: " ".join(words.split())[:_LONGEST_NAME] for column, words in rows[number].items()
            }
        self._blocks.begin_table()
        for at, (number, row) in enumerate(rows.items()):
            if at % _CHECK_EVERY == 0:
                self._report.check()
                self._report.progress(Progress(at, len(rows), Message("Reading the table")))
            self._blocks.row(at < headers)
            filled = iter((*row, columns[-1] + 1))
            next(filled)
            for (column, words), behind in zip(row.items(), filled, strict=True):
                below, right = spans.get((number, column), (number, column))
                place = bisect_left(columns, column)
                self._blocks.cell(
                    max(1, bisect_right(numbers, below) - at),
                    max(1, bisect_left(columns, min(right + 1, behind)) - place),
                    place,
                )
                self._block(BlockKind.PARAGRAPH, words, number, column)
        self._blocks.end_table()

    def _block(self, kind: BlockKind, words: str, row: int, column: int) -> None:
        self._blocks.begin(kind, int(kind is BlockKind.HEADING))
        for at, line in enumerate(words.splitlines()):
            if at:
                self._blocks.line_break()
            self._blocks.words(line)
        if self._blocks.end():
            self._rows.append(row)
            self._columns.append(column)


def too_many_cells(name: str) -> SpanlightError:
    """The error for a file with more cells than the window and memory should hold."""
    return SpanlightError(
        Message(
            "“{name}” has more than {most:,} cells, too many for a document.", name=name, most=MOST_CELLS
        ),
        Message("Save the rows that matter as a file of their own, or the sheet as CSV, and open that."),
    )


def _tables(rows: Mapping[int, Words], spans: Spans) -> Iterator[_Table]:
    """The tables of a sheet, from top to bottom; the last may have only titles, those below all tables."""
    if len({column for row in rows.values() for column in row}) < 2:
        yield _Table([], list(rows))
        return
    table = _Table([])
    single: list[int] = []
    for group in _consecutive(rows):
        begin = next((at for at, number in enumerate(group) if len(rows[number]) > 1), len(group))
        titles, below = [*single, *group[:begin]], group[begin:]
        single = []
        if not below:
            single = titles
        elif not table.rows:
            table = _Table(titles, below)
        elif len(below) > 2 and _header_rows({number: rows[number] for number in below}, spans):
            yield table
            table = _Table(titles, below)
        else:
            table.rows += [*titles, *below]
    if table.rows:
        yield table
        yield _Table(single)
    else:
        yield _Table([], single)


def _consecutive(numbers: Iterable[int]) -> Iterator[list[int]]:
    """The numbers in runs without a gap."""
    group: list[int] = []
    for number in numbers:
        if group and number != group[-1] + 1:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _header_rows(rows: Mapping[int, Words], spans: Spans, headed: bool = False) -> int:
    """The number of header rows of a table: two where a merged cell of the first one spans several columns."""
    sample = list(rows.values())[:_SAMPLE]
    number, first = next(iter(rows.items()))
    groups = {
        below: words
        for column, words in first.items()
        for below in range(
            column, min(spans.get((number, column), (0, column))[1], column + MOST_COLUMNS) + 1
        )
    }
    if len(groups) > len(first) and len(sample) > 1:
        names = dict(
            sorted(
                (groups | {at: f"{words} {groups.get(at, '')}" for at, words in sample[1].items()}).items()
            )
        )
        if _names_columns(names, sample[2:], headed):
            return 2
    return int(_names_columns(first, sample[1:], headed))


def _names_columns(names: Words, below: Sequence[Words], headed: bool) -> bool:
    """Whether a row is the header of the rows below: as in any table, or as words above columns of numbers."""
    places = {
        at: place for place, at in enumerate(sorted({*names, *(each for row in below for each in row)}))
    }
    cut = [{at: words[:_LONGEST_SAMPLE] for at, words in row.items()} for row in (names, *below)]
    found: list[Row] = []
    length = 0
    for row in cut:
        found.append({})
        for at, words in row.items():
            found[-1][places[at]] = Span(length, length + len(words))
            length += len(words) + 1
    if has_header("\n".join(words for row in cut for words in row.values()), found, len(places)):
        return True
    count = len(set(names.values()))
    if not below or count < max(2, len(names), len(places) / 2) or any(map(NUMBER.match, names.values())):
        return False
    values = [{row[at] for row in below if at in row} for at in names]
    if any(each and all(map(NUMBER.match, each)) for each in values):
        return True
    is_short = max(map(len, names.values())) <= _LONGEST_NAME
    return (
        headed
        and is_short
        and not any(name in each for name, each in zip(names.values(), values, strict=True))
    )


class Percentage(float):
    """A number that is displayed as a percentage: 0.125 as 12.5%."""


def shows_percentages(number_format: str) -> bool:
    """Whether an Excel number format displays percentages."""
    return "%" in _LITERAL.sub("", number_format)


def in_words(value: object) -> str:
    """A cell's value as text: "1234.5", "2026-11-26", "2026-11-26 14:30", "08:30", "TRUE"."""
    match value:
        case str():
            return value
        case bool():
            return "TRUE" if value else "FALSE"
        case Percentage():
            return f"{_number(100 * value)}%"
        case float():
            return _number(value)
        case datetime():
            day, hours = value.date().isoformat(), _hours(value.time())
            return f"{day} {hours}" if hours != "00:00" else day
        case date():
            return value.isoformat()
        case time():
            return _hours(value)
        case timedelta():
            return _duration(value)
        case None:
            return ""
    return str(value)


def _number(value: float) -> str:
    if not _SMALLEST <= abs(value) < _LARGEST:
        return "0" if not value else f"{value:.{_DIGITS}g}"
    return f"{Decimal(f'{value:.{_DIGITS}g}'):f}"


def _hours(value: time) -> str:
    return value.isoformat("seconds" if value.second else "minutes")


def _duration(value: timedelta) -> str:
    """A duration in hours and minutes, without days: "36:15"."""
    minutes, seconds = divmod(round(abs(value).total_seconds()), 60)
    words = f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    return f"-{words}" if value < timedelta() else words
