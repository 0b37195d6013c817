"""Builds the parts of a page from a flowing document, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from app.core.layout import Block, BlockKind, Opened
from app.core.text import Span
from app.ui.document.flowing.rich_places import Piece, pieces_of
from app.ui.document.flowing.rich_table import Band, Grid
from app.ui.document.flowing.rich_text import Part, Placed, Setting

# The number of pieces built at a time: about a millisecond's work.
_AT_A_TIME = 24
# The number of a table's blocks that its column widths are from.
_SAMPLE = 600


def blocks_of(opened: Opened) -> Sequence[Block]:
    """The blocks of a document; its lines as paragraphs where its reader gave none."""
    if opened.blocks:
        return opened.blocks
    found, at = [], 0
    for line in opened.document.text.split("\n"):
        if line.strip():
            found.append(Block(BlockKind.PARAGRAPH, Span(at, at + len(line))))
        at += len(line) + 1
    return found


class Building:
    """Builds pieces and parts from a document's blocks, in the order of the text."""

    def __init__(self, opened: Opened, setting: Setting) -> None:
        self._text = opened.document.text
        self._tables = opened.tables
        self._blocks = blocks_of(opened)
        self._setting = setting
        self._ready: list[Part] = []
        self._band: Band | None = None
        self._before: Placed | None = None
        self.grids: list[Grid] = []

    def steps(self) -> Iterator[tuple[list[Part], int]]:
        """Build a few pieces a step; yields their parts, and the number of pieces so far."""
        count = 0
        for number, block in enumerate(self._blocks):
            for piece in pieces_of(self._text, block):
                self._take(number, piece)
                count += 1
                if count % _AT_A_TIME == 0:
                    yield self._given()
        self._end_band()
        yield self._given()

    def _given(self) -> tuple[list[Part], int]:
        ready, self._ready = self._ready, []
        waiting = len(self._band.placed) if self._band is not None else 0
        return ready, len(self._setting.places.pieces) - waiting

    def _take(self, number: int, piece: Piece) -> None:
        block = piece.block
        index = self._setting.places.add(piece)
        if 0 <= block.table < len(self._tables):
            self._take_cell(number, index, block)
            return
        self._end_band()
        placed = Placed(index, self._setting.looks.of(block))
        gap = self._gap(placed)
        before = self._block(self._before) if self._before is not None else None
        if gap and before is not None and block.kind is before.kind is BlockKind.QUOTE:
            placed.bar_reach, placed.bars = gap, before.level
        self._ready.append(Part([placed], gap))
        self._before = placed

    def _take_cell(self, number: int, index: int, block: Block) -> None:
        table, looks, band = self._tables[block.table], self._setting.looks, self._band
        placed = Placed(index, looks.of(block, block.row < table.header_rows))
        if band is None or band.grid.table is not table:
            self._end_band()
            grid = Grid(table, self._text, self._sample(number), looks)
            grid.fit(self._setting)
            self.grids.append(grid)
            self._band = Band(grid, block.row, self._gap(placed, round(looks.em * 0.9)))
        elif not band.row <= block.row < band.row + band.rows or band.is_full:
            self._end_band()
            self._band = Band(band.grid, block.row, 0, continued=block.row == band.row)
        assert self._band is not None
        self._band.add(placed, block.row, block.column)
        self._before = placed

    def _sample(self, first: int) -> Iterator[Block]:
        """The blocks of a table that its column widths are from: the first ones, and some of the others."""
        blocks, table = self._blocks, self._blocks[first].table
        size = self._tables[table].rows * self._tables[table].columns
        near, end = min(first + _SAMPLE, len(blocks)), min(first + size, len(blocks))
        for chosen in (range(first, near), range(near, end, max(1, size // _SAMPLE))):
            yield from takewhile(lambda block: block.table == table, map(blocks.__getitem__, chosen))

    def _end_band(self) -> None:
        if self._band is not None:
            self._band.complete()
            self._ready.append(self._band)
            self._band = None

    def _gap(self, placed: Placed, least: int = 0) -> int:
        """The space above a piece: its own or that below the one before, whichever is more."""
        before = self._before
        if before is None or not self._setting.places.pieces[placed.index].first:
            return 0
        after = before.look.after
        if self._block(before).kind is BlockKind.ITEM and self._block(placed).kind is not BlockKind.ITEM:
            after = round(self._setting.looks.em * 0.75)
        if self._block(before).table >= 0:
            after = round(self._setting.looks.em * 1.1)
        return max(least, after, placed.look.before)

    def _block(self, placed: Placed) -> Block:
        return self._setting.places.pieces[placed.index].block
