"""Makes the view in which a model reads a PDF: aligned rows as tables, paragraphs and cells as bounds, headings."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from app.core.layout import PageText
from app.core.text import Replacement, Span, View
from app.core.view import NUMBER, Row, caption_of, nested_headings, replacements_of_rows
from app.documents.pdf.characters import Word
from app.documents.pdf.lines import Line, distance
from app.documents.pdf.paragraphs import CAPTION, Block

# In em: the narrowest gap between two columns, in a monospaced font, and between two numbers.
_GAP, _FIXED_GAP, _NUMBERS_GAP = 0.6, 1.0, 0.2
_ALIGNED = 0.6
# A row that is recognised in a paragraph between rows has at most this many lines and code points.
_MOST_LINES, _LONGEST = 4, 300
_LONGEST_SECTION = 80
_MOST_HEADERS = 4
# More pieces side by side are not a table's cells.
_MOST_COLUMNS = 60
# One in this many rows may run over the gap between two columns.
_ROWS_ACROSS = 10
# The share of the largest number of columns that a row needs to determine their places.
_FULL = 0.7
_NUMBER = re.compile(r"[-−+]?\d+(?:\.\d+)?%?")
_THOUSANDS = re.compile(r"\d{3}(?:\.\d+)?")


@dataclass(slots=True)
class _Piece:
    """Words of a line without a wide gap between them: their span, and their start and end in reading direction."""

    span: Span
    start: float
    end: float
    size: float
    bold: bool


@dataclass(slots=True)
class _TableRow:
    """The pieces of a row in the order of the text; `is_certain` tells whether its cells are side by side."""

    pieces: list[_Piece]
    is_certain: bool = True

    @property
    def is_bold(self) -> bool:
        return all(piece.bold for piece in self.pieces)


@dataclass(slots=True)
class _Run:
    """Consecutive rows, and the number of the first one's block."""

    first: int
    rows: list[_TableRow] = field(default_factory=list)
    second: float = inf  # where the cells after a row's first begin

    def add(self, rows: Sequence[_TableRow]) -> None:
        self.rows += rows
        self.second = min(self.second, *(row.pieces[1].start for row in rows if len(row.pieces) > 1), inf)


def view_of_pages(
    text: str,
    blocks: Sequence[Block],
    spans: Sequence[Span],
    levels: Mapping[int, int],
    pages: Sequence[PageText],
) -> View:
    """The view of a PDF; `spans` are those of the blocks, `levels` those of headings by the numbers of their blocks."""
    replacements: list[Replacement] = []
    bounds = {span.start for span in spans if len(span)}
    for block, span in zip(blocks, spans, strict=True):
        if block.is_row:
            bounds.update(span.start + tab.end() for tab in re.finditer("\t", span.of(text)))
    captions: list[tuple[Span, str]] = []
    for run in _runs(text, blocks, spans, levels, pages):
        found, cells = _table(text, run.rows)
        replacements += found
        bounds.update(cells)
        if found and (caption := _caption(text, blocks, spans, levels, run.first)):
            captions.append(
                (Span(run.rows[0].pieces[0].span.start, run.rows[-1].pieces[-1].span.end), caption)
            )
    headings = (
        (spans[number].start, level, spans[number].of(text))
        for number, level in sorted(levels.items())
        if len(spans[number])
    )
    return View(tuple(replacements), array("i", sorted(bounds)), nested_headings(headings, captions))


def _caption(
    text: str, blocks: Sequence[Block], spans: Sequence[Span], levels: Mapping[int, int], first: int
) -> str:
    above: list[str] = []
    for number in range(max(0, first - 2), first):
        block = blocks[number]
        fits = not (block.is_row or block.is_item or block.is_furniture or number in levels)
        near = block.lines[-1].page == blocks[first].lines[0].page
        above.append(spans[number].of(text) if fits and near else "")
    return caption_of(above)


def _runs(
    text: str,
    blocks: Sequence[Block],
    spans: Sequence[Span],
    levels: Mapping[int, int],
    pages: Sequence[PageText],
) -> Iterator[_Run]:
    """Runs of consecutive rows, including probable rows between others, such as a section's line."""
    run: _Run | None = None
    waiting: list[_TableRow] = []
    for number, (block, span) in enumerate(zip(blocks, spans, strict=True)):
        if block.is_furniture or not len(span):
            continue
        is_code = 2 * sum(line.code for line in block.lines) > len(block.lines)
        if block.is_row and (run or not is_code):
            row = _TableRow([piece for line in _lines(text, block, span, pages) for piece in line])
            if not row.pieces:
                continue
            if run and _is_other_header(text, row, run.rows):
                yield run
                run, waiting = None, []
            run = run or _Run(number)
            run.add([*waiting, row])
            waiting = []
        elif run:
            rows = [] if is_code or number in levels else _rows_between(text, block, span, pages, run.second)
            waiting += rows
            if not rows or len(waiting) > _MOST_LINES:
                run.add(_first_of_several_pieces(waiting[: len(waiting) - len(rows)]))
                yield run
                run, waiting = None, []
    if run:
        run.add(_first_of_several_pieces(waiting))
        yield run


def _is_other_header(text: str, row: _TableRow, rows: Sequence[_TableRow]) -> bool:
    """Whether a row begins another table: a bold row of words that does not repeat the table's header."""
    return (
        row.is_bold
        and not rows[-1].is_bold
        and not any(NUMBER.match(text, piece.span.start) for piece in row.pieces)
        and [piece.span.of(text) for piece in row.pieces] != [piece.span.of(text) for piece in rows[0].pieces]
    )


def _first_of_several_pieces(rows: Sequence[_TableRow]) -> list[_TableRow]:
    """The rows after a table's last certain one, up to the first with a single piece."""
    single_piece = next((at for at, row in enumerate(rows) if len(row.pieces) < 2), len(rows))
    return list(rows[:single_piece])


def _rows_between(
    text: str, block: Block, span: Span, pages: Sequence[PageText], second: float
) -> list[_TableRow]:
    """The rows of a table that a block may be although it was not recognised as a row; none if it is no such block.

    It may be closely set rows, a section's line, or the continuation of a cell after the first column.
    """
    if len(block.lines) > _MOST_LINES or len(span) > _LONGEST or CAPTION.match(text, span.start):
        return []
    rows: list[_TableRow] = []
    for line in _lines(text, block, span, pages):
        if len(line) > 1 or not rows:
            rows.append(_TableRow(line, is_certain=False))
        else:
            rows[-1].pieces += line
    if len(rows) > 1 or not rows:
        return rows if rows and len(rows[0].pieces) > 1 else []
    if all(piece.start >= second - _ALIGNED * piece.size for piece in rows[0].pieces):
        return rows
    words = span.of(text)
    is_section = len(words) <= _LONGEST_SECTION and not words.endswith((".", "!", "?", ";", ","))
    if len(rows[0].pieces) > 1 or (is_section and any(map(str.isalnum, words))):
        return rows
    return []


def _lines(text: str, block: Block, span: Span, pages: Sequence[PageText]) -> Iterator[list[_Piece]]:
    """The pieces of each of a block's lines; none for a block on two pages."""
    number = block.lines[0].page
    if block.lines[-1].page != number:
        return
    page = pages[number]
    index = page.index[span.start - page.span.start : span.end - page.span.start]
    last = {character: span.start + place for place, character in enumerate(index)}
    first = {character: span.end - 1 - place for place, character in enumerate(reversed(index))}
    for line in block.lines:
        if pieces := list(_pieces(text, line, first, last)):
            yield pieces


def _pieces(text: str, line: Line, first: Mapping[int, int], last: Mapping[int, int]) -> Iterator[_Piece]:
    piece: _Piece | None = None
    is_number = False
    for before, word in zip([None, *line.words], line.words, strict=False):
        start, end = _range_in_text(word, first, last)
        if start == end:
            continue
        left, right = (word.left, word.right) if line.rightwards else (-word.right, -word.left)
        was_number, is_number = is_number, _NUMBER.fullmatch(text, start, end) is not None
        if piece and before:
            narrowest = _FIXED_GAP if word.fixed else _GAP
            if was_number and is_number and not _THOUSANDS.fullmatch(text, start, end):
                narrowest = _NUMBERS_GAP
            if not word.gap or distance(before, word) < narrowest * word.size or start < piece.span.end:
                piece.span = Span(min(start, piece.span.start), max(end, piece.span.end))
                piece.start, piece.end = min(left, piece.start), max(right, piece.end)
                piece.bold = piece.bold and word.bold
                continue
            yield piece
        piece = _Piece(Span(start, end), left, right, word.size, word.bold)
    if piece:
        yield piece


def _range_in_text(word: Word, first: Mapping[int, int], last: Mapping[int, int]) -> tuple[int, int]:
    """The start and end of a word in the text; (0, 0) for one that was not written."""
    if word.order is None and word.first in first and word.last - 1 in last:
        return first[word.first], last[word.last - 1] + 1
    written = [each for each in word.characters() if each in first]
    return min(map(first.__getitem__, written), default=0), max(
        (last[each] + 1 for each in written), default=0
    )


def _table(text: str, rows: Sequence[_TableRow]) -> tuple[list[Replacement], list[int]]:
    """The replacements in rows that are aligned as a table, and where its cells begin; none for any other rows."""
    columns = _columns(rows)
    if not 1 < len(columns) <= _MOST_COLUMNS:
        return [], []
    placed: list[Row] = []
    merged: dict[tuple[int, int], tuple[int, int]] = {}
    kept_rows: list[_TableRow] = []
    for row in rows:
        cells, across = _placed(text, row, columns)
        if not cells:
            continue
        # A single piece next to the middle of its rows is not a section's line above them.
        if kept_rows and not (kept_rows[-1].is_certain or 0 in cells) and len(kept_rows[-1].pieces) == 1:
            kept_rows.pop()
            placed.pop()
        merged |= {(len(placed), column): (1, wide) for column, wide in across.items()}
        placed.append(cells)
        kept_rows.append(row)
    if sum(row.is_certain for row in kept_rows) < 2 or 2 * len(placed) < len(rows):
        return [], []
    header_rows = _header_rows(text, placed, kept_rows)
    # Two headers over one column mean that columns were not found.
    if any("\t" in span.of(text) for cells in placed[: header_rows or 1] for span in cells.values()):
        return [], []
    bounds = [span.start for cells in placed for span in cells.values()]
    return list(replacements_of_rows(text, placed, len(columns), header_rows, merged)), bounds


def _columns(rows: Sequence[_TableRow]) -> list[tuple[float, float]]:
    """The start and end of each column; few rows run over the gaps between columns, and a header may stand alone."""
    certain = [row for row in rows if row.is_certain and len(row.pieces) > 1]
    if not certain:
        return []
    breadths = [_breadth(row) for row in certain]
    broad = _FULL * sorted(breadths)[-1 - len(breadths) // 5]
    body = [row for at, row in enumerate(certain) if breadths[at] >= broad and (at or len(certain) < 3)]
    edges = sorted(
        edge for row in body for piece in row.pieces for edge in ((piece.start, 1), (piece.end, -1))
    )
    across = len(body) // _ROWS_ACROSS
    columns: list[tuple[float, float]] = []
    begun, covered = 0.0, 0
    for place, step in edges:
        if step > 0 and covered == across:
            begun = place
        covered += step
        if step < 0 and covered == across and place > begun:
            columns.append((begun, place))
    for piece in certain[0].pieces:
        if all(piece.end <= start or end <= piece.start for start, end in columns):
            columns.append((piece.start, piece.end))
    return sorted(columns)


def _breadth(row: _TableRow) -> int:
    """The number of a row's pieces that are side by side."""
    count, reached = 0, -inf
    for piece in sorted(row.pieces, key=lambda each: each.end):
        if piece.start >= reached:
            count, reached = count + 1, piece.end
    return count


def _placed(text: str, row: _TableRow, columns: Sequence[tuple[float, float]]) -> tuple[Row, dict[int, int]]:
    """A row's cells by their columns, and how many columns the wide ones among them span.

    Both are empty for a row that does not fit the columns.
    """
    cells: Row = {}
    across: dict[int, int] = {}
    for piece in row.pieces:
        column = bisect_right(columns, piece.start, key=lambda each: each[1])
        wide = bisect_left(columns, piece.end, key=lambda each: each[0]) - column
        last = max(cells, default=0)
        is_loose = not row.is_certain and len(row.pieces) > 1
        if wide < 1 or column < last or (is_loose and (wide > 1 or not _is_aligned(piece, *columns[column]))):
            return {}, {}
        if column in cells:
            cells[column] = Span(cells[column].start, piece.span.end)
        elif cells and not text[cells[last].end : piece.span.start].isspace():
            return {}, {}
        else:
            cells[column] = piece.span
        if wide > 1:
            across[column] = wide
    return cells, across


def _is_aligned(piece: _Piece, start: float, end: float) -> bool:
    """Whether a piece is aligned with a column's start, end or middle."""
    off = (piece.start - start, piece.end - end, (piece.start + piece.end - start - end) / 2)
    return min(map(abs, off)) <= _ALIGNED * piece.size


def _header_rows(text: str, cells: Sequence[Row], rows: Sequence[_TableRow]) -> int | None:
    """The number of header rows: bold rows at the top, or rows of words above a column of numbers; None if unknown."""
    bold = next((at for at, row in enumerate(rows) if not row.is_bold), len(rows))
    if 0 < bold < len(rows):
        return bold
    most = 0
    first = next(
        (at for at, row in enumerate(cells) if any(_is_number(text, span) for span in row.values())), 0
    )
    for column in {column for row in cells for column in row}:
        numeric = [_is_number(text, row[column]) if column in row else None for row in cells]
        words = max((at + 1 for at in range(first) if numeric[at] is False), default=0)
        if False not in numeric[words:] and numeric.count(True) >= words:
            most = max(most, words)
    return most if 0 < most <= _MOST_HEADERS else None


def _is_number(text: str, span: Span) -> bool:
    return NUMBER.match(text, span.start, span.end) is not None
