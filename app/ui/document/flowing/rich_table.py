"""The tables of a flowing document: their columns, and their rows as parts of the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.core.layout import Block, BlockKind, Style, Table
from app.ui.document.flowing.rich_text import Looks, Part, PlacedPiece, Setting, direction

_TALLEST_SPAN = 200
# The share of the page's width that one word may take, the letters that it gets in any table, and those of the widest
# cell that is not wrapped.
_WIDEST_WORD, _LONGEST_WORD, _WIDEST_CELL = 0.4, 24, 60
_NARROWEST = 2.0
_FULL_ROW = 48
# Only words and cells with nearly as many letters as the longest one in their column are measured.
_NEARLY, _MOST_MEASURED = 0.6, 100


def spanned(table: Table, row: int, column: int) -> tuple[int, int]:
    """Return the rows and columns that a cell spans, within its table and up to a limit."""
    rows, columns = table.merged.get((row, column), (1, 1))
    return max(1, min(rows, table.rows - row, _TALLEST_SPAN)), max(1, min(columns, table.columns - column))


class _Column:
    """The content of a column: the widths in pixels of its widest `word`, and of its widest cell as a `whole`."""

    def __init__(self) -> None:
        self.word = self.whole = 0.0
        # The letters of words and of short cells, by text and look: bold, monospaced.
        self.words: dict[tuple[str, bool, bool], float] = {}
        self.cells: dict[tuple[str, bool, bool], float] = {}

    def measure(self, looks: Looks) -> None:
        """Measure the widest of the words and of the cells."""
        self.word = max(self.word, _widest(self.words, looks))
        self.whole = max(self.whole, _widest(self.cells, looks))
        self.words, self.cells = {}, {}


class Grid:
    """The left edges and widths of a table's columns; `mirrored` where its text runs right to left.

    `stacked`: there are too many columns for the page, and the cells of a row stand below each other.
    """

    def __init__(self, table: Table, text: str, sample: Iterable[Block], looks: Looks) -> None:
        self.table = table
        self.lefts: list[int] = []
        self.widths: list[int] = []
        self.stacked = False
        self._columns = [_Column() for _ in range(max(1, table.columns))]
        letter, balance = looks.letter * looks.em, 0
        for block in sample:
            words = block.span.of(text)[:1000]
            balance += direction(words)
            if not 0 <= block.column < table.columns:
                continue
            over = spanned(table, block.row, block.column)[1]
            longest = max(words.split(), key=_letters, default="")
            if over == 1:
                styles = {one.style for one in block.styles}
                bold = block.row < table.header_rows or Style.STRONG in styles
                mono = block.kind is BlockKind.CODE or Style.CODE in styles
                self._columns[block.column].words[longest, bold, mono] = _letters(longest)
                if _letters(words) <= _WIDEST_CELL:
                    self._columns[block.column].cells[words, bold, mono] = _letters(words)
            for column in self._columns[block.column : block.column + over]:
                if over > 1:
                    column.word = max(column.word, _letters(longest) / over * letter * 1.1)
                column.whole = max(column.whole, min(_letters(words), _WIDEST_CELL * over) / over * letter)
        for column in self._columns:
            column.measure(looks)
        self.mirrored = balance < 0

    def fit(self, setting: Setting) -> None:
        """Distribute the page's width among the columns by their content."""
        looks = setting.looks
        pad = 2 * padding(looks)
        # A wide table may extend into the page's margins.
        wide = max(setting.width, setting.outer - 2 * setting.theme.step(6))
        long, longest = _LONGEST_WORD * looks.letter * looks.em, _WIDEST_WORD * setting.width
        least = [min(column.word, max(long, longest)) + pad for column in self._columns]
        if sum(least) > wide:
            least = [min(low, long + pad) for low in least]
        most = [max(low, column.whole + pad) for low, column in zip(least, self._columns, strict=True)]
        room = setting.width if sum(least) <= setting.width else wide
        self.stacked = len(least) * (_NARROWEST * looks.em + pad) > wide
        if sum(most) <= room:
            widths = most
        elif sum(least) <= room:
            spare = (room - sum(least)) / max(1.0, sum(most) - sum(least))
            widths = [low + (high - low) * spare for low, high in zip(least, most, strict=True)]
        else:
            widths = _shared(least, room)
        if self.stacked:
            widths = [float(setting.width)]
        self.widths = [round(width) for width in widths]
        total = sum(self.widths)
        left = setting.left
        if total > setting.width:
            left -= (total - setting.width) // 2
        elif self.mirrored:
            left += setting.width - total
        order = reversed(range(len(self.widths))) if self.mirrored else range(len(self.widths))
        self.lefts = [0] * len(self.widths)
        for column in order:
            self.lefts[column] = left
            left += self.widths[column]

    def across(self, column: int, columns: int) -> tuple[int, int]:
        """Return the left edge and the width of a cell that spans some columns."""
        of_it = range(column, column + columns)
        return min(self.lefts[each] for each in of_it), sum(self.widths[each] for each in of_it)


def padding(looks: Looks) -> int:
    """Return the space between a cell's border and its text."""
    return round(looks.em * 0.5)


@dataclass(slots=True)
class _Cell:
    row: int
    rows: int
    column: int
    columns: int
    placed: list[PlacedPiece] = field(default_factory=list)
    box: QRectF = field(default_factory=QRectF)

    def covered(self) -> Iterator[tuple[int, int]]:
        """The rows, counted from the band's first, and columns that the cell covers."""
        return product(range(self.row, self.row + self.rows), range(self.column, self.column + self.columns))


class Band(Part):
    """Rows of a table that make one part of the page: a single row, or several that a cell spans.

    `continued`: it is the rest of a row that is too large for one part.
    """

    def __init__(self, grid: Grid, row: int, gap: int, continued: bool = False) -> None:
        super().__init__([], gap)
        self.grid = grid
        self.row, self.rows = row, 1
        self._continued = continued
        self._cells: dict[tuple[int, int], _Cell] = {}

    @property
    def is_full(self) -> bool:
        """Whether it is a single row with so many pieces that further ones go into another part."""
        return self.rows == 1 and len(self.placed) >= _FULL_ROW

    def add(self, placed: PlacedPiece, row: int, column: int) -> None:
        """Add a piece to a cell, below the present ones."""
        table = self.grid.table
        column = min(max(0, column), max(0, table.columns - 1))
        if (row, column) not in self._cells:
            rows, columns = spanned(table, row, column)
            self._cells[row, column] = _Cell(row - self.row, rows, column, columns)
            self.rows = max(self.rows, row - self.row + rows)
        placed.leaning = self.grid.mirrored
        self._cells[row, column].placed.append(placed)
        self.placed.append(placed)

    def complete(self) -> None:
        """Add the empty cells, after the last piece was added."""
        covered = {place for cell in self._cells.values() for place in cell.covered()}
        for row in range(self.rows):
            for column in range(self.grid.table.columns):
                if (row, column) not in covered:
                    down, across = spanned(self.grid.table, self.row + row, column)
                    cell = _Cell(row, min(down, self.rows - row), column, across)
                    self._cells[self.row + row, column] = cell
                    covered.update(cell.covered())

    def guess(self, setting: Setting) -> int:
        return self._arrange(setting, PlacedPiece.guess)

    def lay(self, setting: Setting) -> int:
        return self._arrange(setting, PlacedPiece.set_lines)

    def _arrange(self, setting: Setting, high: Callable[[PlacedPiece, Setting], int]) -> int:
        pad = padding(setting.looks)
        line = round(setting.looks.em * 1.3)
        stacked = self.grid.stacked
        cells = sorted(self._cells.values(), key=lambda cell: (cell.row, cell.column))
        if stacked:
            for cell in cells:
                cell.box = QRectF()
            cells = [cell for cell in cells if cell.placed]
        count = len(cells) if stacked else self.rows
        rows = [float(line + 2 * pad)] * max(1, count)
        needs: list[tuple[_Cell, int, int, int]] = []
        for number, cell in enumerate(cells):
            first, over = (number, 1) if stacked else (cell.row, cell.rows)
            left, width = self.grid.across(0, 1) if stacked else self.grid.across(cell.column, cell.columns)
            y = pad
            for placed in cell.placed:
                placed.x, placed.y, placed.width = left + pad, y, max(1, width - 2 * pad)
                y += high(placed, setting) + placed.look.after
            y += pad - (cell.placed[-1].look.after if cell.placed else 0)
            cell.box = QRectF(left, 0, width, 0)
            needs.append((cell, first, over, y))
        for _, first, over, need in sorted(needs, key=lambda each: each[2]):
            rows[first + over - 1] += max(0.0, need - sum(rows[first : first + over]))
        tops = [float(self.gap)]
        for height in rows:
            tops.append(tops[-1] + round(height))
        for cell, first, over, _ in needs:
            cell.box.setTop(tops[first])
            cell.box.setBottom(tops[first + over])
            for placed in cell.placed:
                placed.y += round(tops[first])
        return round(tops[-1])

    def near(self, x: float, y: float) -> PlacedPiece:
        def away(placed: PlacedPiece) -> tuple[float, float]:
            across = max(placed.x - x, 0.0, x - placed.x - placed.width)
            down = max(placed.y - y, 0.0, y - placed.y - placed.height)
            return across, down

        boxed = [
            cell for cell in self._cells.values() if cell.box.top() <= y <= cell.box.bottom() and cell.placed
        ]
        inside = [placed for cell in boxed for placed in cell.placed]
        return min(inside or self.placed, key=away)

    def draw_under(self, painter: QPainter, setting: Setting, top: float) -> None:
        # The background of the header cells, and the borders of all cells.
        line = setting.theme.colour("line")
        for (row, _), cell in self._cells.items():
            box = cell.box.translated(0, top)
            if row < self.grid.table.header_rows and not box.isEmpty():
                painter.fillRect(box, setting.theme.colour("desk"))
        for cell in self._cells.values():
            box = cell.box.translated(0, top)
            if box.isEmpty():
                continue
            if not self._continued:
                painter.fillRect(QRectF(box.left(), box.top(), box.width() + 1, 1), line)
            painter.fillRect(QRectF(box.left(), box.bottom(), box.width() + 1, 1), line)
            painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), line)
            painter.fillRect(QRectF(box.right(), box.top(), 1, box.height()), line)


def _widest(letters: dict[tuple[str, bool, bool], float], looks: Looks) -> float:
    """Return the width in pixels of the widest of these texts, given with their letters."""
    longest = max(letters.values(), default=0.0)
    near = [key for key, count in letters.items() if count >= _NEARLY * longest]
    wide = (
        looks.cell_metrics(bold, mono).horizontalAdvance(words) for words, bold, mono in near[:_MOST_MEASURED]
    )
    return max((width + 2.0 for width in wide), default=0.0)


def _shared(wanted: list[float], room: float) -> list[float]:
    """Return widths that fill too little room: narrow columns get what they want, the others equal widths."""
    widths = list(wanted)
    for done, column in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        widths[column] = min(wanted[column], room / (len(wanted) - done))
        room -= widths[column]
    return widths


def _letters(words: str) -> float:
    """Return the width of a text in letters; CJK letters count twice."""
    if words.isascii():
        return len(words)
    return sum(2.0 if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in words)
