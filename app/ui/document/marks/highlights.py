"""The highlights on a text edit: their ranges, whether the page has their words there, and how they are drawn."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextCursor, QTextDocument

from app.core.text import Offsets, Span
from app.ui.document.marks.searchable import text_at
from app.ui.document.text.hard_lines import NO_BLANK
from app.ui.kit.flow_text import line_boxes, line_pen, own_pen
from app.ui.kit.theme import Theme

Blocks = Sequence[tuple[QTextBlock, QPointF]]
# The most matches that are marked in view.
_MOST_MARKED = 2000


@dataclass(frozen=True, slots=True)
class HighlightRange:
    """A highlight from `start` to `end` in Qt's positions; not `shown` where the page has other words there."""

    start: int
    end: int
    shown: bool


class HighlightState:
    """The state that the highlights of every kind of document share.

    `chosen` is the index of the strong one, which `faint` makes pale and dashed; `own` is the index of the words that
    the person chose, -1 without any.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.clear()

    def clear(self) -> None:
        """Remove all highlights."""
        self.chosen = self.own = -1
        self.faint = False


class Highlights(HighlightState):
    """The highlights on a text edit."""

    def clear(self) -> None:
        super().clear()
        self.places: list[HighlightRange] = []

    def take(
        self, document: QTextDocument, offsets: Offsets, places: Sequence[tuple[Span, str]]
    ) -> list[bool]:
        """Set the spans to highlight, with their words; returns for each whether the page has the words there."""
        self.places = []
        for span, words in places:
            start, end = offsets.span_to_qt(span)
            inside = start < end <= offsets.units
            self.places.append(HighlightRange(start, end, inside and text_at(document, start, end) == words))
        return [light.shown for light in self.places]

    def take_spans(self, offsets: Offsets, spans: Sequence[Span]) -> None:
        """Set spans that were just found in the page's own text, so that nothing needs to be read back."""
        self.places = [HighlightRange(*offsets.span_to_qt(span), shown=True) for span in spans]

    def get(self, index: int) -> HighlightRange | None:
        """Return a highlight; None where there is none with this index, or it is not shown."""
        light = self.places[index] if 0 <= index < len(self.places) else None
        return light if light is not None and light.shown else None

    def at(self, position: int) -> int:
        """Return the index of the highlight at one of Qt's positions, -1 without one."""
        return next(
            (i for i, light in enumerate(self.places) if light.shown and light.start <= position < light.end),
            -1,
        )

    def boxes(self, index: int, blocks: Blocks) -> list[QRectF]:
        """Return the boxes of a highlight in these blocks, each of which is given with its position."""
        light = self.get(index)
        return boxes_between(blocks, light.start, light.end) if light is not None else []

    def draw_grounds(self, painter: QPainter, blocks: Blocks) -> None:
        """Draw the backgrounds of the highlights, under the text."""
        for index in self._order(blocks):
            usual = "answer_ground" if self._strong(index) else "other_ground"
            ground = self._theme.colour("own_ground" if index == self.own else usual)
            for box in self.boxes(index, blocks):
                painter.fillRect(box.adjusted(-1, -1, 1, 2), ground)

    def draw_lines(self, painter: QPainter, blocks: Blocks) -> None:
        """Draw the lines under the highlights: thick for the chosen one, dotted for the others."""
        for index in self._order(blocks):
            role = "answer_line" if index == self.chosen else "other_line"
            pen = line_pen(self._theme.colour(role), index == self.chosen, self.faint)
            painter.setPen(own_pen(self._theme.colour("own_line")) if index == self.own else pen)
            for box in self.boxes(index, blocks):
                painter.drawLine(
                    QPointF(box.left() - 1, box.bottom() + 2), QPointF(box.right() + 1, box.bottom() + 2)
                )

    def _strong(self, index: int) -> bool:
        return index == self.chosen and not self.faint

    def _order(self, blocks: Blocks) -> list[int]:
        """Return the highlights that reach into these blocks, in drawing order: the chosen one, the person's last."""
        low = min((block.position() for block, _ in blocks), default=0)
        high = max((block.position() + block.length() for block, _ in blocks), default=0)
        seen = [n for n, light in enumerate(self.places) if light.start < high and light.end > low]
        return sorted(seen, key=lambda index: (index == self.own, index == self.chosen))


def draw_found(painter: QPainter, blocks: Blocks, pattern: re.Pattern[str], theme: Theme) -> None:
    """Draw backgrounds for all matches of a pattern in these blocks, also across their ends."""
    text = "\n".join(block.text() for block, _ in blocks).replace(NO_BLANK, " ")
    found = [Span(*match.span()) for match in islice(pattern.finditer(text), _MOST_MARKED)]
    spans = deque(map(Offsets(text).span_to_qt, found))
    at = 0
    for block, offset in blocks:
        end = at + block.length()
        while spans and spans[0][1] <= at:
            spans.popleft()
        for low, high in spans:
            if low >= end:
                break
            for box in _boxes_in(block, offset, low - at, high - at):
                painter.fillRect(box, theme.colour("found_ground"))
        at = end


def draw_current(painter: QPainter, blocks: Blocks, cursor: QTextCursor, theme: Theme) -> None:
    """Draw a frame around the current match, which is the selection."""
    boxes = boxes_between(blocks, cursor.selectionStart(), cursor.selectionEnd())
    draw_frames(painter, boxes, theme.colour("found_line"))


def draw_frames(painter: QPainter, boxes: Sequence[QRectF], colour: QColor, ratio: float = 1.0) -> None:
    """Draw frames around boxes; `ratio` is the number of screen pixels per unit."""
    pen = QPen(colour, 2 * ratio)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for box in boxes:
        painter.drawRect(box.adjusted(-ratio, -ratio, ratio, ratio))


def boxes_between(blocks: Blocks, start: int, end: int) -> list[QRectF]:
    """Return the boxes between two of Qt's positions in these blocks, each of which is given with its position."""
    return [
        box
        for block, offset in blocks
        if start < block.position() + block.length() and end > block.position()
        for box in _boxes_in(block, offset, start - block.position(), end - block.position())
    ]


def _boxes_in(block: QTextBlock, offset: QPointF, start: int, end: int) -> Iterator[QRectF]:
    """The boxes of a part of a block, one or more for each line; `offset` is the block's position."""
    layout = block.layout()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        if line.textStart() < end and line.textStart() + line.textLength() > start:
            for box in line_boxes(line, start, end):
                yield box.translated(offset)
