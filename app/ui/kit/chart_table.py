"""The numbers of a chart: named columns and rows, as CSV too."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.tables import csv_lines

Cell = str | int | float


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name and rows of as many cells; numbers stay numbers."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def csv(self, delimiter: str = ",") -> str:
        """The table with its heading, numbers to nine digits: as many as tell any float32 from the next."""
        lines = [self.columns, *(tuple(plain(cell) for cell in row) for row in self.rows)]
        return csv_lines(lines, delimiter)


def plain(cell: Cell) -> str:
    """A cell as a file holds it."""
    return f"{cell:.9g}" if isinstance(cell, float) else str(cell)


def shown(cell: Cell) -> str:
    """A cell as a person reads it."""
    return number(cell) if isinstance(cell, float) else str(cell)


def number(value: float) -> str:
    """A number to three or four digits with a true minus sign: "6.31", "−0.052", "6.0e−8", "0"."""
    size = abs(value)
    if value == 0 or size >= 1e6 or size < 1e-3:
        said = "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")
    elif size >= 100:
        said = f"{value:.0f}"
    else:
        said = f"{value:.2f}" if size >= 0.0995 else f"{value:.3f}" if size >= 0.00995 else f"{value:.4f}"
    return said.replace("-", "−")


def signed(value: float) -> str:
    """A number with its sign, a plus too: "+0.31"."""
    said = number(value)
    return f"+{said}" if value > 0 else said


def summed(one: float, other: float) -> str:
    """Two numbers and their sum: "6.31 − 2.10 = 4.21"."""
    sign = "−" if other < 0 else "+"
    return f"{number(one)} {sign} {number(abs(other))} = {number(one + other)}"
