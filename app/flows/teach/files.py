"""Reads tables of texts to label from CSV, TSV, XLSX, JSON Lines, or plain text with a text per line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import read_whole
from app.core.labels import MOST_LABELS, MOST_TEXTS
from app.core.message import Message
from app.core.report import Report
from app.core.rows import read_rows
from app.core.tables import refuse_oversized
from app.core.text import normalise_newlines
from app.documents.plain_text import decode
from app.flows.csv_files import MOST_TABLE, read_columns
from app.flows.workspace import Workspace

_LABELS = re.compile(
    r"(?:true |gold )?(?:labels?|categor(?:y|ies)|class(?:es)?|topics?|tags?|sentiment|codes?)", re.I
)
_TEXTS = re.compile(r"texts?|answers?|comments?|messages?|reviews?|sentences?|body|content|responses?", re.I)


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with its columns, its rows, padded to the columns, and the columns of texts and labels.

    `label_column` is -1 if no column looks like labels.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_column: int = 0
    label_column: int = -1

    def labels_in(self, column: int) -> tuple[str, ...]:
        """The distinct values of a column, most frequent first."""
        found = Counter(value for row in self.rows if (value := row[column].strip()))
        return tuple(value for value, _ in found.most_common())


def read_text_table(workspace: Workspace, path: Path, report: Report) -> TextTable:
    """Read the table in a file by its extension; in plain text each line is a text.

    Raises SpanlightError for a file that cannot be read, or holds no text, or too many; Stopped when cancelled.
    """
    columns, rows = _columns_and_rows(workspace, path, report)
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise SpanlightError(
            Message("“{file}” holds no texts.", file=path.name),
            Message("It needs a header and a row for each text."),
        )
    if len(rows) > MOST_TEXTS:
        raise SpanlightError(
            Message(
                "“{file}” has {number:,} rows: at most {most:,} can be labelled at once.",
                file=path.name,
                number=len(rows),
                most=MOST_TEXTS,
            ),
            Message("Split it into parts."),
        )
    return guess_columns(_unique_names(columns), rows)


def table_from_text(text: str) -> TextTable:
    """Make a table of a pasted text, each line of which is a text. Raises SpanlightError if all are blank."""
    lines = [(line.strip(),) for line in normalise_newlines(text).split("\n") if line.strip()]
    if not lines:
        raise SpanlightError(
            Message("There is no text to label."), Message("Paste a text with a line for each.")
        )
    if len(lines) > MOST_TEXTS:
        raise SpanlightError(
            Message("At most {most:,} texts can be labelled at once.", most=MOST_TEXTS),
            Message("Paste fewer."),
        )
    return TextTable(("text",), tuple(lines))


def column_of(table: TextTable, name: str, path: Path) -> int:
    """The index of the column with this name. Raises SpanlightError if there is none."""
    if name not in table.columns:
        raise SpanlightError(
            Message("“{file}” has no column “{name}”.", file=path.name, name=name),
            Message("Its columns are: {columns}.", columns=", ".join(table.columns)),
        )
    return table.columns.index(name)


def only_text_column(columns: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> int:
    """The index of the only column with a name like "text", or with several words in most of its cells.

    Raises SpanlightError if there is none, or more than one.
    """
    named = [at for at, name in enumerate(columns) if _TEXTS.fullmatch(name.strip())]
    cells = [[row[at] for row in rows[:500] if row[at].strip()] for at in range(len(columns))]
    wordy = [
        at for at, some in enumerate(cells) if 2 * sum(len(each.split()) > 1 for each in some) > len(some)
    ]
    found = next((each for each in (named, wordy, range(len(columns))) if len(each) == 1), None)
    if found is None:
        raise SpanlightError(
            Message("It is not clear which column of “{file}” holds the texts.", file=path.name),
            Message(
                "Add --column NAME; its columns are: {columns}.",
                columns=", ".join(columns) or Message("none"),
            ),
        )
    return found[0]


def guess_columns(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> TextTable:
    """Make a table, guessing which columns hold the texts and their labels."""
    lengths = [sum(len(row[at]) for row in rows[:500]) for at in range(len(columns))]
    named = [at for at, name in enumerate(columns) if _TEXTS.fullmatch(name.strip())]
    longest = max(range(len(columns)), key=lengths.__getitem__)
    text = next((at for at in named if 3 * lengths[at] >= lengths[longest]), longest)
    table = TextTable(tuple(columns), tuple(tuple(row) for row in rows), text)
    for at, name in enumerate(columns):
        if at != text and _LABELS.fullmatch(name.strip()) and 2 <= len(table.labels_in(at)) <= MOST_LABELS:
            return TextTable(table.columns, table.rows, text, at)
    return table


def _columns_and_rows(
    workspace: Workspace, path: Path, report: Report
) -> tuple[Sequence[str], list[Sequence[str]]]:
    kind = path.suffix.lower()
    if kind == ".xlsx":
        found = workspace.documents.rows(path, report)
        width = max(map(len, found), default=0)
        rows = [[*row, *[""] * (width - len(row))] for row in found]
        return (rows[0], [*rows[1:]]) if rows else ((), [])
    if kind in (".jsonl", ".xz"):
        values = [row.values for row in islice(read_rows(path), MOST_TEXTS + 1)]
        names = list(dict.fromkeys(name for each in values for name in each))
        refuse_oversized(len(values), len(names), path.name)
        return names, [[_cell(each.get(name)) for name in names] for each in values]
    if kind in (".csv", ".tsv"):
        table = read_columns(path)
        return table.columns, list(table.rows)
    text = normalise_newlines(decode(read_whole(path, MOST_TABLE), path.name))
    return ("text",), [(line,) for line in text.split("\n")]


def _cell(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _unique_names(columns: Sequence[str]) -> list[str]:
    """Make the columns' names unique; an empty one becomes "column" with its number."""
    names: list[str] = []
    for at, column in enumerate(columns, start=1):
        name = column.strip() or f"column {at}"
        names.append(name if name not in names else f"{name} {at}")
    return names
