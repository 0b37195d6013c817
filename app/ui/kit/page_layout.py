"""A text layout with line spacing, and the lines under highlighted words."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QTextBlock, QTextDocument, QTextLine
from PySide6.QtWidgets import QPlainTextDocumentLayout

_BLANK = 0.7  # the height of a blank line, as a share of a full one


class PageLayout(QPlainTextDocumentLayout):
    """Qt's plain text layout, which lays out only what is visible, with `leading` pixels between lines.

    Qt's own has no line spacing, and aligns right-to-left paragraphs to the left: a block's lines are moved when its
    rectangle is first requested. Half of the leading is above a line and half below.
    """

    def __init__(self, document: QTextDocument, leading: float) -> None:
        super().__init__(document)
        self.leading = leading

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        rect = super().blockBoundingRect(block)
        layout = block.layout()
        count = layout.lineCount()
        if not rect.isValid() or not count:
            return rect
        before = layout.boundingRect().bottom()
        top = 0.0 if block.length() == 1 else self.leading / 2
        # Qt stores positions in 64ths of a pixel.
        if abs(layout.lineAt(0).y() - top) > 0.1 or (
            count > 1 and self._touch(layout.lineAt(0), layout.lineAt(1))
        ):
            leftwards = block.textDirection() == Qt.LayoutDirection.RightToLeft
            for number in range(count):
                line = layout.lineAt(number)
                x = line.x()
                if leftwards:
                    x = self.document().documentMargin() + max(0.0, line.width() - line.naturalTextWidth())
                line.setPosition(QPointF(x, top))
                top += line.height() + self.leading
        last = layout.lineAt(count - 1)
        # A blank line separates paragraphs: less than a full line is enough.
        bottom = (
            last.height() * _BLANK if block.length() == 1 else last.y() + last.height() + self.leading / 2
        )
        # Qt adds the margin of the first and the last block around the lines.
        return QRectF(rect.x(), rect.y(), rect.width(), rect.height() - before + bottom)

    def on_line(self, point: QPointF, blocks: Iterable[tuple[QTextBlock, QPointF]]) -> QPointF:
        """Return a point moved vertically to the nearest line; each block is given with its position."""
        for block, offset in blocks:
            y = point.y() - offset.y()
            if y >= self.blockBoundingRect(block).height():
                continue
            layout = block.layout()
            middles = [line.y() + line.height() / 2 for line in map(layout.lineAt, range(layout.lineCount()))]
            near = min(middles, key=lambda middle: abs(middle - y), default=y)
            return QPointF(point.x(), offset.y() + near)
        return point

    def line_above(self, block: QTextBlock, y: float, room: float) -> int:
        """Return the number of the first line that begins at most `room` pixels above the position `y` in a block."""
        while y < room and block.previous().isValid():
            block = block.previous()
            y += self.blockBoundingRect(block).height()
        layout = block.layout()
        below = (n for n in range(layout.lineCount()) if layout.lineAt(n).y() >= y - room)
        return block.firstLineNumber() + (next(below, layout.lineCount()) if y > room else 0)

    def share_of(self, position: int) -> float:
        """Return how far down the text one of Qt's positions is, as a share (0 to 1) of its lines."""
        block = self.document().findBlock(position)
        within = 0
        if block.layout().lineCount():
            within = block.layout().lineForTextPosition(position - block.position()).lineNumber()
        return (block.firstLineNumber() + within + 0.5) / max(1, self.document().lineCount())

    def _touch(self, line: QTextLine, following: QTextLine) -> bool:
        return following.y() < line.y() + line.height() + self.leading - 0.1


def line_boxes(line: QTextLine, start: int, end: int) -> list[QRectF]:
    """Return the boxes of a block's characters `start` to `end` in a line, left to right, in block coordinates.

    There are several boxes where a line mixes scripts of both directions.
    """
    start = max(start, line.textStart())
    end = min(end, line.textStart() + line.textLength())
    if start >= end:
        return []
    # Cursor positions are ambiguous where the direction changes; the drawn glyphs are not.
    rects = [run.boundingRect() for run in line.glyphRuns(start, end - start)]
    right = line.naturalTextRect().right()
    spans = [(rect.left(), min(rect.right(), right)) for rect in rects]
    merged: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1] + 0.75:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        elif high > low:
            merged.append((low, high))
    return [QRectF(low, line.y(), high - low, line.height()) for low, high in merged]


def own_pen(colour: QColor, ratio: float = 1.0) -> QPen:
    """The pen for the line under words that the person chose: thin and solid; `ratio` is that of `line_pen`."""
    pen = QPen(colour, 1.25 * ratio)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def line_pen(colour: QColor, chosen: bool, faint: bool, ratio: float = 1.0) -> QPen:
    """The pen for the line under highlighted words: dotted; for chosen words thick, and dashed if they are `faint`.

    `ratio` is the number of screen pixels per unit.
    """
    pen = QPen(colour, (2.0 if chosen else 1.25) * ratio)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if not chosen:
        pen.setDashPattern([1.25, 1.75])
    elif faint:
        pen.setDashPattern([2.5, 1.5])
    return pen
