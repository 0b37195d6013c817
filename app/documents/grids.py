"""The rows and columns of a table's cells, with merged cells."""

from __future__ import annotations

from app.core.layout import Table

# No readable table has more columns; cells beyond are put into the last one.
MOST_COLUMNS = 1000


class Grid:
    """Places cells row by row into the next free column, like the table model of HTML 5.2 (section 4.9.12).

    The columns occupied by cells of earlier rows are bits of one number, so a row costs no more than its cells.
    """

    def __init__(self) -> None:
        self.row = -1
        self.column = -1
        self._columns = 0
        self._header_rows = 0
        self._taken = 0
        self._ends: dict[int, int] = {}
        self._merged: dict[tuple[int, int], tuple[int, int]] = {}
        self._next = 0

    def begin_row(self, header: bool = False, skip: int = 0) -> None:
        """Begin the next row; header rows are only recognised at the table's head."""
        self.row += 1
        self.column = -1
        self._taken &= ~self._ends.pop(self.row, 0)
        self._next = max(0, min(skip, MOST_COLUMNS - 1))
        if header and self._header_rows == self.row:
            self._header_rows += 1

    def begin_cell(self, rows: int = 1, columns: int = 1) -> int:
        """Place a cell; returns 1 if another one of its row is before it, else 0. 0 rows reach to the end."""
        before = self.column
        free = ~(self._taken >> self._next)
        column = self._next + (free & -free).bit_length() - 1
        self.column = min(column, MOST_COLUMNS - 1)
        columns = max(1, min(columns, MOST_COLUMNS - self.column))
        # Not over a column that is occupied from above.
        above = self._taken >> self.column
        if column == self.column and above:
            columns = min(columns, (above & -above).bit_length() - 1)
        columns = max(1, columns)
        if (rows != 1 or columns > 1) and column == self.column:
            self._merged[self.row, self.column] = (rows, columns)
        if rows != 1 and column == self.column:
            bits = ((1 << columns) - 1) << self.column
            self._taken |= bits
            if rows > 1:
                self._ends[self.row + rows] = self._ends.get(self.row + rows, 0) | bits
        self._next = self.column + columns
        self._columns = max(self._columns, self.column + 1)
        return int(-1 < before < self.column)

    def table(self) -> Table:
        """The table's shape; merged cells end with the table, and the last column is the last that a cell begins in."""
        rows = self.row + 1
        merged = {}
        for (row, column), (down, across) in self._merged.items():
            down = min(down, rows - row) if down else rows - row
            across = min(across, self._columns - column)
            if down > 1 or across > 1:
                merged[row, column] = (down, across)
        return Table(rows, self._columns, min(self._header_rows, rows), merged)
