"""The pieces of a flowing document: their positions in its text, and in the Qt document that shows them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from app.core.layout import Block, BlockKind
from app.core.text import Offsets, Span
from app.ui.document.text.hard_lines import RunningProse
from app.ui.document.text.long_lines import LIMIT, cuts

# The most characters in one piece of code: a piece for each line would make too many, one for all would be too large.
_CODE = 2_000
# Characters that Qt takes for block ends, marks of its own or byte order marks, replaced one for one to keep positions.
_SHOWN = {
    "\n": "\u2028", "\r": "\u2028", "\u2029": "\u2028", "\ufeff": "\u2060",
    "\ufdd0": "\ufffd", "\ufdd1": "\ufffd", "\ufffe": "\ufffd",
    **{chr(unit): "\ufffd" for unit in range(0xD800, 0xE000)},
}  # fmt: skip
_TO_SHOWN = str.maketrans(_SHOWN)


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of the document, or a part of a very long block, shown by one block of the Qt document.

    `start` and `end` are code points of the text; `first` and `last`: the block begins or ends with this piece.
    """

    start: int
    end: int
    block: Block
    first: bool = True
    last: bool = True


def pieces_of(text: str, block: Block) -> Iterator[Piece]:
    """Yield a block as pieces that Qt lays out fast; at most one blank or line end is between two of them."""
    words = block.span.of(text)
    if block.kind is BlockKind.CODE and len(words) > _CODE:
        parts = list(_lines(words))
    else:
        parts = cuts(words, LIMIT)
    for number, (start, end) in enumerate(parts):
        at = block.span.start
        yield Piece(at + start, at + end, block, number == 0, number == len(parts) - 1)


def shown(words: str) -> str:
    """Return a text as a block of the Qt document has it, code point for code point."""
    return words.translate(_TO_SHOWN)


def _lines(words: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of pieces of a long text of many lines, of whole lines where these are not too long."""
    start = 0
    while len(words) - start > _CODE:
        end = words.rfind("\n", start, start + _CODE)
        if end < 0:
            end = words.find("\n", start)
        if end < 0:
            break
        yield from ((start + one, start + two) for one, two in cuts(words[start:end], LIMIT))
        start = end + 1
    yield from ((start + one, start + two) for one, two in cuts(words[start:], LIMIT))


class Places:
    """Converts code points of a text to positions of a Qt document with its pieces, one in each block, and back.

    Paragraphs and quotes that were broken into lines of `width` code points are shown as `prose` that runs on.
    """

    def __init__(self, text: str, width: int = 0) -> None:
        self._text = text
        self.prose = RunningProse(text, width)
        self._offsets = Offsets(text)
        self._starts: list[int] = []
        self._positions: list[int] = []
        self.pieces: list[Piece] = []
        self.length = -1

    def add(self, piece: Piece) -> int:
        """Add the next piece; returns its index, which is the number of its Qt block."""
        self._starts.append(piece.start)
        self._positions.append(self.length + 1)
        self.pieces.append(piece)
        if piece.block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE):
            self.prose.piece(piece.start, piece.end)
        self.length += 1 + self._offsets.to_qt(piece.end) - self._offsets.to_qt(piece.start)
        return len(self.pieces) - 1

    def piece_at(self, point: int) -> int:
        """Return the index of the last piece that begins at or before a code point, else 0; -1 without any."""
        return max(0, bisect_right(self._starts, point) - 1) if self.pieces else -1

    def to_qt(self, point: int) -> int:
        """Return the position of a code point; between two pieces, that of the end of the first."""
        index = self.piece_at(point)
        if index < 0:
            return 0
        piece = self.pieces[index]
        inside = min(max(point, piece.start), piece.end)
        return self._positions[index] + self._units(piece.start, inside)

    def to_point(self, position: int) -> int:
        """Return the code point of a position."""
        index = bisect_right(self._positions, position) - 1
        if index < 0:
            return 0
        piece = self.pieces[index]
        start = self._offsets.to_qt(piece.start)
        return min(piece.end, self._offsets.to_point(start + position - self._positions[index]))

    def span_to_qt(self, span: Span) -> tuple[int, int]:
        """Return a span's start and end as positions, without blanks between two pieces at either end."""
        index = self.piece_at(span.start)
        start = self.to_qt(span.start)
        if index >= 0 and span.start > self.pieces[index].end and index + 1 < len(self.pieces):
            start = self._positions[index + 1]
        return start, max(start, self.to_qt(span.end))

    def parts_of(self, span: Span) -> list[tuple[int, int, Span]]:
        """Return the parts of a span that are in pieces, in order, each as its start and end position and its span."""
        found = []
        index = max(0, self.piece_at(span.start))
        while index < len(self.pieces) and self.pieces[index].start < span.end:
            piece = self.pieces[index]
            low, high = max(span.start, piece.start), min(span.end, piece.end)
            if low < high:
                start = self._positions[index] + self._units(piece.start, low)
                found.append((start, start + self._units(low, high), Span(low, high)))
            index += 1
        return found

    def words(self, index: int) -> str:
        """Return the text of a piece as the Qt document has it."""
        piece = self.pieces[index]
        return shown(self.prose.shown(Span(piece.start, piece.end)))

    def letter(self, index: int) -> str:
        """Return a letter from the middle of a piece, empty for an empty piece."""
        piece = self.pieces[index]
        return self._text[(piece.start + piece.end) // 2 : piece.end][:1]

    def lines(self, index: int) -> int:
        """Return the number of lines that a piece has by its own line ends."""
        piece = self.pieces[index]
        return self._text.count("\n", piece.start, piece.end) + 1

    def ranges_in(self, index: int, span: Span) -> tuple[int, int]:
        """Return the start and length of a span inside a piece, in UTF-16 units."""
        piece = self.pieces[index]
        low, high = max(span.start, piece.start), min(span.end, piece.end)
        return (self._units(piece.start, low), self._units(low, high)) if low < high else (0, 0)

    def _units(self, start: int, end: int) -> int:
        return self._offsets.to_qt(end) - self._offsets.to_qt(start)
