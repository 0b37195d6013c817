"""The layout of a flowing document: parts below each other, built from its blocks, laid out when they are seen."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile

from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPainterPath,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextFrame,
    QTextLayout,
)

from app.core.layout import Block, BlockKind, Opened
from app.core.text import Span
from app.ui.document.flowing.rich_places import Piece, pieces_of
from app.ui.document.flowing.rich_table import Band, Grid
from app.ui.document.flowing.rich_text import Part, PlacedPiece, Setting

_MOST_MEASURED = 10_000
# The number of pieces built at a time: about a millisecond's work.
_AT_A_TIME = 24
# The number of a table's blocks from which its column widths are computed.
_SAMPLE = 600


def blocks_of(opened: Opened) -> Sequence[Block]:
    """Return the blocks of a document; where its reader gave none, its lines as paragraphs."""
    if opened.blocks:
        return opened.blocks
    found, at = [], 0
    for line in opened.document.text.split("\n"):
        if line.strip():
            found.append(Block(BlockKind.PARAGRAPH, Span(at, at + len(line))))
        at += len(line) + 1
    return found


class PartBuilder:
    """Builds pieces and parts from a document's blocks, in the order of the text, a few at a time."""

    def __init__(self, opened: Opened, setting: Setting) -> None:
        self._text = opened.document.text
        self._tables = opened.tables
        self._blocks = blocks_of(opened)
        self._setting = setting
        self._ready: list[Part] = []
        self._band: Band | None = None
        self._before: PlacedPiece | None = None
        self.grids: list[Grid] = []

    def steps(self) -> Iterator[tuple[list[Part], int]]:
        """Build a few pieces in each step; yields their parts, and the number of pieces that are in parts so far."""
        count = 0
        for number, block in enumerate(self._blocks):
            for piece in pieces_of(self._text, block):
                self._add_piece(number, piece)
                count += 1
                if count % _AT_A_TIME == 0:
                    yield self._take_ready()
        self._end_band()
        yield self._take_ready()

    def _take_ready(self) -> tuple[list[Part], int]:
        ready, self._ready = self._ready, []
        waiting = len(self._band.placed) if self._band is not None else 0
        return ready, len(self._setting.places.pieces) - waiting

    def _add_piece(self, number: int, piece: Piece) -> None:
        block = piece.block
        index = self._setting.places.add(piece)
        if 0 <= block.table < len(self._tables):
            self._add_cell(number, index, block)
            return
        self._end_band()
        placed = PlacedPiece(index, self._setting.looks.of(block))
        gap = self._gap(placed)
        before = self._block(self._before) if self._before is not None else None
        if gap and before is not None and block.kind is before.kind is BlockKind.QUOTE:
            placed.bar_reach, placed.bars = gap, before.level
        self._ready.append(Part([placed], gap))
        self._before = placed

    def _add_cell(self, number: int, index: int, block: Block) -> None:
        table, looks, band = self._tables[block.table], self._setting.looks, self._band
        placed = PlacedPiece(index, looks.of(block, block.row < table.header_rows))
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
        """The blocks from which a table's column widths are computed: the first ones, and some of the others."""
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

    def _gap(self, placed: PlacedPiece, least: int = 0) -> int:
        """Return the space above a piece: its own or that below the piece before, whichever is more."""
        before = self._before
        if before is None or not self._setting.places.pieces[placed.index].first:
            return 0
        after = before.look.after
        if self._block(before).kind is BlockKind.ITEM and self._block(placed).kind is not BlockKind.ITEM:
            after = round(self._setting.looks.em * 0.75)
        if self._block(before).table >= 0:
            after = round(self._setting.looks.em * 1.1)
        return max(least, after, placed.look.before)

    def _block(self, placed: PlacedPiece) -> Block:
        return self._setting.places.pieces[placed.index].block


class Heights:
    """The parts' heights in whole pixels, and their tops, which are summed up again below a change when needed."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._tops = [0]

    def __iter__(self) -> Iterator[int]:
        return iter(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def append(self, height: int) -> None:
        """Add a part's height below the others."""
        self._heights.append(height)

    def set(self, index: int, height: int) -> None:
        """Set a part's height."""
        if height != self._heights[index]:
            self._heights[index] = height
            del self._tops[index + 1 :]

    def tops(self) -> list[int]:
        """Return where each part begins, and where the last one ends."""
        known = len(self._tops) - 1
        if known < len(self._heights):
            self._tops[known:] = accumulate(self._heights[known:], initial=self._tops[known])
        return self._tops

    def at(self, y: float) -> int:
        """Return the index of the part at a height, beyond the ends the first or last; -1 without any."""
        return min(max(0, bisect_right(self.tops(), y) - 1), len(self._heights) - 1)


class RichLayout(QAbstractTextDocumentLayout):
    """Lays out a document part by part; the height of a part that was not visible yet is an estimate.

    `selected` are the Qt positions between which the selection is drawn.

    To show a place, Qt's own layout lays out everything before it, and all of a table. Measured with QTextTable: the
    end of RFC 9110 (HTML, 13 tables) and of the OWASP ASVS 5.0.0 (DOCX, 98 tables) is shown after 1.1 s, here after a
    few milliseconds; a step of resizing takes up to 1.1 s, here 0.05 s; a table of 2,500 rows of ten cells takes 45 s.
    Qt also selects cells as a rectangle, which is not the text between two positions.
    """

    def __init__(self, document: QTextDocument, setting: Setting) -> None:
        super().__init__(document)
        self.setting = setting
        self.grids: list[Grid] = []
        self.selected = (0, 0)
        self._margin = 0
        self._parts: list[Part] = []
        self._heights = Heights()
        self._placed: list[PlacedPiece] = []
        self._measured = 0

    def begin(self, setting: Setting, grids: list[Grid]) -> list[Part]:
        """Remove and return all parts; the new ones will use `setting`, and those of tables `grids`."""
        former = self._parts
        self.setting, self.grids = setting, grids
        self._parts, self._heights, self._placed = [], Heights(), []
        self._measured = 0
        return former

    def append(self, part: Part) -> None:
        """Add the next part, whose pieces are in the document already."""
        for placed in part.placed:
            placed.part = len(self._parts)
        self._placed += part.placed
        self._parts.append(part)
        self._heights.append(part.guess(self.setting))

    def forget_last(self) -> None:
        """Have the last part laid out again: Qt drops its lines when text is inserted behind it."""
        if self._parts:
            self._parts[-1].laid = False
            self._measured = min(self._measured, len(self._parts) - 1)

    def fit(self, outer: int, margin: int) -> None:
        """Set the width of the page and of its margins; parts are laid out again when they become visible."""
        setting = self.setting
        before = setting.width
        self._margin = margin
        setting.outer, setting.left, setting.width = outer, margin, max(40, outer - 2 * margin)
        for grid in self.grids:
            grid.fit(setting)
        share = before / setting.width
        self._heights = Heights(max(1, round(height * share)) for height in self._heights)
        for part in self._parts:
            part.laid = False
        self._measured = 0

    def lay(self, index: int) -> None:
        """Lay out a part unless that is done."""
        part = self._parts[index]
        if not part.laid:
            self._heights.set(index, part.lay(self.setting))
            part.laid = True

    def is_laid(self, index: int) -> bool:
        """Whether a part is laid out, so that its height is known."""
        return self._parts[index].laid

    def measure(self, seconds: float) -> bool:
        """Lay out parts from the top down for this many seconds; returns whether any are left.

        Very many parts are left as they are: their estimated heights will do, and each layout takes memory.
        """
        if len(self._parts) > _MOST_MEASURED:
            return False
        until = time.perf_counter() + seconds
        while self._measured < len(self._parts) and time.perf_counter() < until:
            self.lay(self._measured)
            self._measured += 1
        return self._measured < len(self._parts)

    def part_at(self, y: float) -> int:
        """Return the index of the part at a height; -1 without any."""
        return self._heights.at(y - self._margin)

    def part_of(self, position: int) -> int:
        """Return the index of the part of a position; -1 without any."""
        number = self.document().findBlock(position).blockNumber()
        return self._placed[number].part if 0 <= number < len(self._placed) else -1

    def top_of(self, index: int) -> int:
        """Return where a part begins."""
        return self._margin + self._heights.tops()[index]

    def height(self) -> int:
        """Return the height of the whole page, part of which is estimated."""
        return self._heights.tops()[-1] + 2 * self._margin

    def parts_in(self, top: float, bottom: float) -> Iterator[int]:
        """The indices of the parts that reach between two heights."""
        index = max(0, self.part_at(top))
        y = self.top_of(index) if self._parts else 0
        while index < len(self._parts) and y < bottom:
            yield index
            y += self._heights[index]
            index += 1

    def placed_in(self, top: float, bottom: float) -> Iterator[tuple[PlacedPiece, float]]:
        """The pieces that are laid out and reach between two heights, each with the top of its part."""
        for index in self.parts_in(top, bottom):
            start = self.top_of(index)
            if self._parts[index].laid:
                for placed in self._parts[index].placed:
                    if start + placed.y < bottom and start + placed.y + placed.height > top:
                        yield placed, start

    def line_top(self, position: int) -> tuple[float, float]:
        """Lay out a position's part, and return the top and bottom of the position's line on the page."""
        index = self.part_of(position)
        if index < 0:
            return 0.0, 0.0
        self.lay(index)
        block = self.document().findBlock(position)
        placed = self._placed[block.blockNumber()]
        line = block.layout().lineForTextPosition(position - block.position())
        top = self.top_of(index) + placed.y + (line.y() if line.isValid() else 0.0)
        return top, top + (line.height() if line.isValid() else 0.0)

    def share_of(self, position: int) -> float:
        """Return the share of the document's height above a position, 0 to 1, as far as it is known."""
        index = self.part_of(position)
        if index < 0:
            return 0.0
        if self._parts[index].laid:
            top, bottom = self.line_top(position)
            return (top + bottom) / 2 / max(1, self.height())
        block = self.document().findBlock(position)
        inside = (position - block.position()) / max(1, block.length())
        return (self.top_of(index) + inside * self._heights[index]) / max(1, self.height())

    def position_near(self, x: float, y: float) -> int:
        """Return the position where the first line at a height, or just below it, begins."""
        index = self.part_at(y)
        if index < 0:
            return 0
        self.lay(index)
        top = self.top_of(index)
        placed = self._parts[index].near(x, y - top)
        block = self.setting.block(placed.index)
        lines = map(block.layout().lineAt, range(block.layout().lineCount()))
        below = (line.textStart() for line in lines if top + placed.y + line.y() + line.height() > y + 0.5)
        return block.position() + next(below, block.length() - 1)

    def draw_under(self, painter: QPainter, top: float, bottom: float) -> None:
        """Draw what lies under the text, in the page's own pixels."""
        for index in self.parts_in(top, bottom):
            self._parts[index].draw_under(painter, self.setting, self.top_of(index))
        for placed, start in self.placed_in(top, bottom):
            placed.draw_under(painter, self.setting, start)

    def draw(self, painter: QPainter, context: QAbstractTextDocumentLayout.PaintContext) -> None:
        clip = QRectF(context.clip)
        for placed, start in self.placed_in(clip.top(), clip.bottom()):
            placed.draw(painter, self.setting, start, self._selected_in(self.setting.block(placed.index)))

    def _selected_in(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        """Return the selection in a Qt block; the block's end counts, which shows that the selection continues."""
        low = max(self.selected[0] - block.position(), 0)
        high = min(self.selected[1] - block.position(), block.length())
        if low >= high:
            return []
        selected = QTextLayout.FormatRange()
        selected.start, selected.length = low, high - low
        form = QTextCharFormat()
        form.setBackground(self.setting.theme.colour("selection"))
        form.setForeground(self.setting.theme.colour("selection_ink"))
        selected.format = form
        return [selected]

    def hitTest(self, point: QPointF | QPoint | QPainterPath.Element, accuracy: Qt.HitTestAccuracy) -> int:
        point = QPointF(point.x, point.y) if isinstance(point, QPainterPath.Element) else QPointF(point)
        index = self.part_at(point.y())
        if index < 0:
            return -1
        self.lay(index)
        top = self.top_of(index)
        placed = self._parts[index].near(point.x(), point.y() - top)
        line = placed.line_near(self.setting, point.y() - top - placed.y)
        if line is None:
            return -1
        if accuracy == Qt.HitTestAccuracy.ExactHit:
            box = line.naturalTextRect().translated(placed.origin(top))
            if not box.contains(point):
                return -1
        return self.setting.block(placed.index).position() + line.xToCursor(point.x() - placed.x)

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        number = block.blockNumber()
        if not 0 <= number < len(self._placed):
            return QRectF()
        placed = self._placed[number]
        top = self.top_of(placed.part)
        return QRectF(placed.x, top + placed.y, placed.width, placed.height)

    def documentSize(self) -> QSizeF:
        return QSizeF(self.setting.outer, self.height())

    def frameBoundingRect(self, frame: QTextFrame) -> QRectF:
        return QRectF(QPointF(0, 0), self.documentSize())

    def pageCount(self) -> int:
        return 1

    def documentChanged(self, start: int, removed: int, added: int) -> None:
        """Do nothing: additions to the document come with their parts."""
