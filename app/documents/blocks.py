"""Builds the text, blocks, headings and tables of a flowing document, or of slides, from its words in reading order."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.core.layout import Block, BlockKind, Heading, Style, Styled, Table
from app.core.text import Replacement, Span, View
from app.core.view import Row, caption_of, nested_headings, replacements_of_rows
from app.documents.block_words import PLAIN, OpenBlock, Styles
from app.documents.parts import Parts

LINE_BREAK = "\n"
# No readable table has more columns; cells beyond are put into the last one.
MOST_COLUMNS = 1000
# Up to this many short paragraphs directly above a table are its title and its unit.
_MOST_ABOVE = 2
# Controls that no font draws, surrogates, and code points that are never characters.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
# Lines up to the next empty one.
_PARAGRAPH = re.compile(r"\S.*(?:\n[^\S\n]*\S.*)*")
_SLIDE_NUMBER = re.compile(r"Slide \d+( \(hidden\))?")


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

    def begin_cell(self, rows: int = 1, columns: int = 1, at: int = 0) -> int:
        """Place a cell in the first free column from `at` on; a cell of 0 rows reaches to the table's end.

        Returns how many tabs separate it from what is before it in its row: one from another cell, and one for each
        column that `at` passes over.
        """
        before = self.column
        passed = max(0, min(at, MOST_COLUMNS - 1) - self._next)
        self._next += passed
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
        return int(-1 < before < self.column) + passed

    def table(self) -> Table:
        """The table's shape; merged cells end with the table, whose last column is the last in which a cell begins."""
        rows = self.row + 1
        merged = {}
        for (row, column), (down, across) in self._merged.items():
            down = min(down, rows - row) if down else rows - row
            across = min(across, self._columns - column)
            if down > 1 or across > 1:
                merged[row, column] = (down, across)
        return Table(rows, self._columns, min(self._header_rows, rows), merged)


class Blocks:
    """Collects words into blocks by the conventions of `Document.text`, and returns them as `Parts`.

    Words are added as they come; their blanks are collapsed as in a browser, except in CODE. Paragraphs are separated
    by an empty line, items and code lines by a newline, a table's rows by a newline and its cells by a tab. A cell's
    own blocks and lines are separated by newlines too. A block without visible content is left out.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._headings: list[Heading] = []
        self._tables: list[Table] = []
        self._grid: Grid | None = None
        self._tabs = 0
        self._open: OpenBlock | None = None
        self._line = 0
        self._lines = array("i")

    @property
    def is_open(self) -> bool:
        """Whether a block is open, into which words go."""
        return self._open is not None

    @property
    def length(self) -> int:
        """The number of code points so far, without the open block."""
        return self._length

    @property
    def in_table(self) -> bool:
        """Whether a table is open."""
        return self._grid is not None

    def begin(self, kind: BlockKind, level: int = 0, marker: str = "") -> None:
        """Begin a block and end the open one. A table's block is in a cell, the first if none has begun."""
        self.end()
        if self._grid is not None and self._grid.column < 0:
            self.cell()
        self._open = OpenBlock(kind, level, marker)
        self._open.from_line(self._line)

    def begin_paragraph(
        self, level: int = 0, marker: str | None = None, depth: int = 1, *, quoted: bool = False
    ) -> None:
        """Begin a heading of this level, else an item at this depth if there is a marker, a quote or a paragraph."""
        if level:
            self.begin(BlockKind.HEADING, level, marker or "")
        elif marker is not None:
            self.begin(BlockKind.ITEM, depth, marker)
        else:
            self.begin(BlockKind.QUOTE if quoted else BlockKind.PARAGRAPH, int(quoted))

    def code_line(self) -> None:
        """Begin a line of code, in the open block if that is code."""
        if self._open is not None and self._open.kind is BlockKind.CODE:
            self.line_break()
        else:
            self.begin(BlockKind.CODE)

    def from_line(self, number: int) -> None:
        """Set the line of the file, counted from 1, for what is added from now on."""
        self._line = number
        if self._open is not None:
            self._open.from_line(number)

    def words(self, text: str, styles: Styles = PLAIN) -> None:
        """Add words to the open block, or to a new paragraph if none is open and the words are not blank."""
        if self._open is None:
            if not text.strip():
                return
            self.begin(BlockKind.PARAGRAPH)
        assert self._open is not None
        self._open.add(_UNSEEN.sub("", text), styles)

    def runs(self, runs: Iterable[tuple[str, Styles]]) -> None:
        """Add words with their styles to the open block; a LINE_BREAK among them is a line's end."""
        for text, styles in runs:
            if text == LINE_BREAK:
                self.line_break()
            else:
                self.words(text, styles)

    def line_break(self) -> None:
        """Add a forced line break to the open block, if any."""
        if self._open is not None:
            self._open.line_break()

    def end(self) -> bool:
        """End the open block; returns whether it had visible content and so is in the text."""
        block, self._open = self._open, None
        if block is None:
            return False
        words, styles, lines = block.finish()
        if not words:
            return False
        start = self._separate(block.kind)
        self._put(words)
        for offset, number in lines:
            self._lines.extend([start + offset] * (number - len(self._lines)))
        span = Span(start, self._length)
        grid = self._grid
        table, row, column = (len(self._tables), grid.row, grid.column) if grid else (-1, -1, -1)
        kind = BlockKind.CELL if grid and block.kind is BlockKind.PARAGRAPH else block.kind
        styled = tuple(
            Styled(Span(start + first, start + last), style)
            for first, last, style in styles
            # A heading is strong anyway.
            if not (kind is BlockKind.HEADING and style is Style.STRONG and last - first == len(words))
        )
        self._blocks.append(Block(kind, span, block.level, block.marker, styled, table, row, column))
        if kind is BlockKind.HEADING:
            self._headings.append(Heading(span, block.level))
        return True

    def block(
        self, kind: BlockKind, words: str, level: int = 0, marker: str = "", styles: Styles = PLAIN
    ) -> bool:
        """Add a block of these words; returns whether they have visible content."""
        self.begin(kind, level, marker)
        self.words(words, styles)
        return self.end()

    def begin_table(self) -> None:
        """Begin a table; tables must not be nested."""
        assert self._grid is None
        self.end()
        self._grid = Grid()

    def row(self, header: bool = False, skip: int = 0) -> None:
        """Begin a row, with its first `skip` columns empty."""
        assert self._grid is not None
        self.end()
        self._grid.begin_row(header, skip)
        self._tabs = 0

    def cell(self, rows: int = 1, columns: int = 1, at: int = 0) -> None:
        """Begin a cell in the first free column from `at` on; one of 0 rows reaches to the table's end."""
        assert self._grid is not None
        if self._grid.row < 0:
            self.row()
        self.end()
        self._tabs += self._grid.begin_cell(rows, columns, at)

    def end_table(self) -> None:
        """End the table; one without visible content is left out."""
        self.end()
        grid, self._grid = self._grid, None
        if grid and self._blocks and self._blocks[-1].table == len(self._tables):
            self._tables.append(grid.table())

    def add(self, parts: Parts, deeper: int = 0) -> None:
        """Add what another reader returned, its headings `deeper` levels down; not within a table.

        The text of what has no blocks, such as a PDF, is added as paragraphs, which empty lines separate.
        """
        assert self._grid is None
        if not parts.blocks:
            self._add_text(parts, deeper)
            return
        self.end()
        first = parts.blocks[0].span.start
        at = self._separate(parts.blocks[0].kind) - first
        for block in parts.blocks:
            is_heading = block.kind is BlockKind.HEADING
            moved = replace(
                block,
                span=_moved(block.span, at),
                level=block.level + deeper if is_heading else block.level,
                styles=tuple(Styled(_moved(each.span, at), each.style) for each in block.styles),
                table=block.table + len(self._tables) if block.table >= 0 else -1,
            )
            self._blocks.append(moved)
            if is_heading:
                self._headings.append(Heading(moved.span, moved.level))
        self._tables += parts.tables
        self._put(parts.text[first : parts.blocks[-1].span.end])

    def _add_text(self, parts: Parts, deeper: int) -> None:
        levels = {heading.span.start: heading.level for heading in parts.headings}
        for found in _PARAGRAPH.finditer(parts.text):
            level = levels.get(found.start())
            self.begin(BlockKind.HEADING if level else BlockKind.PARAGRAPH, level + deeper if level else 0)
            for line in found[0].split("\n"):
                self.words(line)
                self.line_break()
        self.end()

    def parts(self, notes: Iterable[str] = ()) -> Parts:
        """Everything that was added, with the view of it."""
        if self._grid is not None:
            self.end_table()
        self.end()
        text = "".join(self._pieces)
        return Parts(
            text,
            headings=tuple(self._headings),
            blocks=tuple(self._blocks),
            tables=tuple(self._tables),
            lines=self._lines,
            notes=tuple(notes),
            view=_view(text, self._blocks, self._tables),
        )

    def _separate(self, kind: BlockKind) -> int:
        """Add the separator between the last block and the next; returns where the next starts."""
        last, grid = self._blocks[-1] if self._blocks else None, self._grid
        if last is None:
            between = ""
        elif grid is None:
            between = "\n" if kind is last.kind is BlockKind.ITEM and last.table < 0 else "\n\n"
        elif last.table < len(self._tables):
            between = "\n\n"
        else:
            between = "\n" if last.row < grid.row or last.column == grid.column else ""
        if grid is not None:
            between += "\t" * self._tabs
            self._tabs = 0
        self._put(between)
        return self._length

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _view(text: str, blocks: Sequence[Block], tables: Sequence[Table]) -> View:
    """The view of a document: the headers of its tables, its blocks as bounds, its headings and captions."""
    replacements: list[Replacement] = []
    headings: list[tuple[int, int, str]] = []
    captions: list[tuple[Span, str]] = []
    at = 0
    while at < len(blocks):
        first, block = at, blocks[at]
        at += 1
        if block.table < 0:
            if block.kind is BlockKind.HEADING:
                headings.append((block.span.start, block.level, block.span.of(text)))
            continue
        while at < len(blocks) and blocks[at].table == block.table:
            at += 1
        table_blocks = blocks[first:at]
        replacements += _replacements_of_table(text, table_blocks, tables[block.table])
        above = [
            each.span.of(text) if each.kind is BlockKind.PARAGRAPH else ""
            for each in blocks[max(0, first - _MOST_ABOVE) : first]
        ]
        if caption := caption_of(above):
            captions.append((Span(table_blocks[0].span.start, table_blocks[-1].span.end), caption))
    bounds = array("i", (block.span.start for block in blocks))
    return View(tuple(replacements), bounds, nested_headings(headings, captions))


def _replacements_of_table(text: str, blocks: Sequence[Block], table: Table) -> list[Replacement]:
    """The replacements of a table, whose cells may have several blocks."""
    rows: list[Row] = [{} for _ in range(table.rows)]
    plain: set[int] = set()  # rows with words that are not set like headers
    for block in blocks:
        row = rows[block.row]
        begun = row.get(block.column)
        row[block.column] = Span(begun.start, block.span.end) if begun else block.span
        if not any(each.style is Style.STRONG and each.span == block.span for each in block.styles):
            plain.add(block.row)
    header_rows = table.header_rows or None
    if header_rows is None and plain:
        # Many tables do not mark their header rows, but set them in bold.
        strong = next(number for number, row in enumerate(rows) if number in plain)
        header_rows = strong if any(rows[:strong]) else None
    return list(replacements_of_rows(text, rows, table.columns, header_rows, table.merged))


class Slides(Blocks):
    """Builds a presentation slide by slide; each begins with a heading."""

    def begin_slide(self, number: int, title: Iterable[tuple[str, Styles]], *, hidden: bool) -> None:
        """Begin with the heading "Slide 3: Title" or "Slide 3 (hidden)"; numbers count from 1, hidden ones too."""
        words = [(" " if text == LINE_BREAK else text, styles) for text, styles in title]
        self.begin(BlockKind.HEADING, 1)
        self.words(f"Slide {number}{' (hidden)' if hidden else ''}")
        if any(text.strip() for text, _ in words):
            self.words(": ")
            self.runs(words)
        self.end()

    def begin_notes(self) -> None:
        """Begin the slide's notes, with a bold line rather than a heading, so that they stand under the slide's."""
        self.block(BlockKind.PARAGRAPH, "Notes", styles=frozenset([Style.STRONG]))

    def parts(self, notes: Iterable[str] = ()) -> Parts:
        """The slides that were added; no text if they have nothing but their numbers."""
        parts = super().parts(notes)
        only_numbers = all(_SLIDE_NUMBER.fullmatch(block.span.of(parts.text)) for block in parts.blocks)
        return Parts("") if only_numbers else parts
