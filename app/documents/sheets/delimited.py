"""Reads tables in text files: CSV and TSV, with any of the usual delimiters, in any common encoding."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from app.core.layout import TOO_MANY_CELLS
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.text import normalise_newlines
from app.documents.parts import Parts
from app.documents.plain_text import decode, read_plain_text
from app.documents.sheets.rows import MOST_AREA, MOST_CELLS, SheetBlocks

_DELIMITERS, _NONE = "\t;|,", "\x1f"
_LEAST_SHARE = 0.5
_SAMPLE_ROWS, _SAMPLE = 100, 1 << 16
_CHECK_EVERY = 1000
_ESCAPED = re.compile(r'\\"[^\t;|,\n]')


def read_csv(data: bytes, name: str, report: Report) -> Parts:
    """The rows of a CSV file as one table or more, with the names of the columns.

    Encoding, delimiter and the escaping of quotation marks are guessed. A file with too many cells is read as plain
    text, and a note says so. Raises SpanlightError for bytes that are not text, and Stopped when the report says so.
    """
    rows = _table(normalise_newlines(decode(data, name)), report)
    if rows is None:
        return replace(read_plain_text(data, name, report), notes=(TOO_MANY_CELLS,))
    blocks = SheetBlocks(name, report)
    blocks.add(rows, headed=True)
    return blocks.parts(named=True)


def _table(text: str, report: Report) -> list[list[str]] | None:
    """The cells of all rows; None if they are too many."""
    # Excel may write a first line that names the delimiter.
    declared = text[4:5] if re.match(r"(?i)sep=[\t;|,]\n", text) else ""
    rows: list[list[str]] = []
    filled = cells = 0
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    for row in _rows(text, declared or _delimiter(text)):
        if len(rows) % _CHECK_EVERY == 0:
            report.check()
            report.progress(Progress(len(rows), 0, Message("Reading the table")))
        filled += len(row) - row.count("")
        cells += len(row)
        if filled > MOST_CELLS or cells > MOST_AREA:
            return None
        rows.append(row)
    return [[], *rows[1:]] if declared else rows


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    sample = text[:_SAMPLE]
    # MySQL and others write \" for a quotation mark in a cell instead of two of them; a folder's name may end a cell.
    escape = "\\" if _ESCAPED.search(sample) and '""' not in sample else None
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, escapechar=escape)


def _delimiter(text: str) -> str:
    """The delimiter that divides most of the first rows into the same number of cells, else an unused character.

    A comma may be that of a decimal fraction, so it comes last.
    """
    sample = text[: text.rfind("\n", 0, _SAMPLE) + 1] or text[:_SAMPLE]

    def share(delimiter: str) -> float:
        rows = [row for row in islice(_rows(sample, delimiter), _SAMPLE_ROWS) if any(row)]
        [(width, number)] = Counter(map(len, rows)).most_common(1) or [(0, 0)]
        return number / len(rows) if width > 1 else 0.0

    best = max(_DELIMITERS, key=share)
    return best if share(best) >= _LEAST_SHARE else _NONE
