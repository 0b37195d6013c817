"""CSV files with a column of texts."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.message import Message
from app.core.tables import refuse_oversized
from app.documents.plain_text import decode

MOST_TABLE = 200_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file: its columns, its rows, padded to the columns, the index of the texts' column, and the delimiter."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    column: int
    delimiter: str = ","


def read_table(path: Path, column: str) -> Table:
    """Read a CSV file with a header line, in any encoding of plain text, delimited by commas, semicolons or tabs.

    Raises SpanlightError where the file cannot be read, or has no such column.
    """
    table = read_columns(path)
    if column not in table.columns:
        columns = ", ".join(table.columns) or Message("none")
        raise SpanlightError(
            Message("“{file}” has no column “{column}”.", file=path.name, column=column),
            Message("Its columns are: {columns}.", columns=columns),
        )
    return replace(table, column=table.columns.index(column))


def read_columns(path: Path) -> Table:
    """Read a CSV file, taking the first column for that of the texts. Raises SpanlightError as `read_table` does."""
    text = decode(read_whole(path, MOST_TABLE), path.name)
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    lines = [row for row in csv_rows(text, delimiter, path.name) if row]
    columns = tuple(lines[0]) if lines else ()
    width = len(columns)
    refuse_oversized(len(lines), width, path.name)
    if width == 1:  # no delimiter separates anything
        lines = [[delimiter.join(row)] for row in lines]
    for number, row in enumerate(lines, start=1):
        if any(cell.strip() for cell in row[width:]):
            raise SpanlightError(
                Message(
                    "Row {number} of “{file}” has more values than there are columns.",
                    number=number,
                    file=path.name,
                ),
                Message("Put quotation marks around a text that holds the delimiter."),
            )
    rows = tuple(tuple((row + [""] * width)[:width]) for row in lines[1:])
    return Table(columns, rows, 0, delimiter)


def csv_rows(text: str, delimiter: str, name: str) -> list[list[str]]:
    """Parse CSV into rows. Raises SpanlightError, which names the file, for text that is not CSV."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as fault:
        raise SpanlightError(
            Message("“{file}” is not a CSV file: {fault}.", file=name, fault=str(fault)),
            Message("Save it as CSV again."),
        ) from fault
