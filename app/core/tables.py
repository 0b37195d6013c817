"""Tables: their largest size, columns for the classes of texts, and safe CSV."""

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
# With an optional sign and percent sign; grouped by points, commas, spaces or apostrophes.
# Infinities are no numbers here: Excel takes “-inf” for a formula, and shows #NAME?.
_NUMBER = re.compile(r"[+-]?[0-9.,][0-9.,'’\u00a0\u202f ]*(?:[eE][+-]?[0-9]+)?\s?%?")
_MOST_CELLS = 20_000_000


def refuse_oversized(rows: int, columns: int, name: str) -> None:
    """Raise SpanlightError for a table with more cells, empty ones included, than memory should hold."""
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
    """Return a cell that no spreadsheet runs: an apostrophe precedes what looks like a formula and is no number."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def class_columns(
    columns: Sequence[str], labels: Sequence[str], problem: ProblemType = ProblemType.SINGLE_LABEL
) -> list[str]:
    """Return the columns' names followed by those for classes: label, probability, and `probability LABEL` for each.

    A regression head has only `value LABEL` for each label. A name that is taken gets a number.
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
    """Return a row's values for the added columns of `class_columns`, numbers with six decimals.

    For a multi-label head the label is all labels that reach one half, separated by semicolons, and the probability is
    the likeliest one's; both are empty if no label does.
    """
    values = [f"{score.probability:.6f}" for score in item.scores]
    if item.problem == ProblemType.REGRESSION:
        return values
    label = "; ".join(score.label for score in item.fitting)
    return [label, f"{item.probability:.6f}" if item.winner else "", *values]


def csv_lines(rows: Iterable[Sequence[str]], delimiter: str = ",") -> str:
    """Return rows as CSV, each ended by a line feed, values quoted where necessary and made `harmless`."""
    return "".join(_line(row, delimiter) for row in rows)


def _line(row: Sequence[str], delimiter: str) -> str:
    out = io.StringIO(newline="")
    # Before Python 3.13 only the characters of the line terminator cause quoting: a lone CR would not.
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerow([harmless(cell) for cell in row])
    return out.getvalue().removesuffix("\r\n") + "\n"
