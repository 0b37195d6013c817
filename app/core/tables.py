"""Tables: how much one may hold, and texts with their classes as CSV, the same wherever one is written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import ProblemType
from app.core.results import Classification
from app.core.wording import free_name

# A spreadsheet treats a cell that begins like this as a formula (OWASP, CSV injection).
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
# With a sign before it, or a percent sign after it; grouped by points, commas, blanks or apostrophes.
_NUMBER = re.compile(r"[+-]?[0-9.,][0-9.,'’\u00a0\u202f ]*(?:[eE][+-]?[0-9]+)?\s?%?")
_MOST_CELLS = 20_000_000


def refuse_oversized(rows: int, columns: int, name: str) -> None:
    """Raises SpanlightError for a table with more cells, empty ones too, than memory should hold."""
    if rows * columns > _MOST_CELLS:
        raise SpanlightError(
            Message(
                "“{name}” has {rows} and {columns}: too much for a table.",
                name=name,
                rows=Message("{n:,} row", "{n:,} rows", n=rows),
                columns=Message("{n:,} column", "{n:,} columns", n=columns),
            ),
            Message("Split it into parts."),
        )


def harmless(cell: str) -> str:
    """The cell made safe for a spreadsheet: one that looks like a formula gets an apostrophe before it.

    Numbers are unchanged.
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def class_columns(
    columns: Sequence[str], labels: Sequence[str], problem: ProblemType = ProblemType.SINGLE_LABEL
) -> list[str]:
    """The columns' names followed by those of the classes: label, probability, and `probability LABEL` for each label.

    For a regression head only `value LABEL` for each. A name that is in use gets a number.
    """
    if problem is ProblemType.REGRESSION:
        added = [f"value {label}" for label in labels]
    else:
        added = ["label", "probability", *(f"probability {label}" for label in labels)]
    names = list(columns)
    for name in added:
        names.append(free_name(name, names.__contains__))
    return names


def class_values(item: Classification) -> list[str]:
    """A row's values under the columns of the classes, numbers with six decimals.

    The label of a multi-label head is all labels that reach one half, separated by semicolons, and the probability the
    likeliest one's; both are empty if none does.
    """
    values = [f"{score.probability:.6f}" for score in item.scores]
    if item.problem == ProblemType.REGRESSION:
        return values
    label = "; ".join(score.label for score in item.fitting)
    return [label, f"{item.probability:.6f}" if item.winner else "", *values]


def csv_lines(rows: Iterable[Sequence[str]], delimiter: str = ",") -> str:
    """Rows as CSV, each ended by a line feed, values quoted where necessary and made harmless."""
    return "".join(_line(row, delimiter) for row in rows)


def _line(row: Sequence[str], delimiter: str) -> str:
    out = io.StringIO(newline="")
    # Before Python 3.13 only the characters of the line terminator cause quoting: a lone CR would not.
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerow([harmless(cell) for cell in row])
    return out.getvalue().removesuffix("\r\n") + "\n"
