"""One piece of a flowing document: its lines, their layout, and the drawing around them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QTextBlock,
    QTextDocument,
    QTextLayout,
    QTextLine,
    QTextOption,
)

from app.core.layout import BlockKind
from app.ui.document.flowing.rich_look import Look, Looks
from app.ui.document.flowing.rich_places import Places
from app.ui.kit.page_layout import line_boxes
from app.ui.kit.theme import Theme

# Letters of these scripts are as wide as they are high.
_WIDE = "\u2e80"


@dataclass(slots=True)
class Setting:
    """The measures of one page's parts; `left` and `width` of its lines, `outer` the page's own width."""

    document: QTextDocument
    places: Places
    looks: Looks
    theme: Theme
    left: int = 0
    width: int = 600
    outer: int = 700

    def block(self, index: int) -> QTextBlock:
        """The Qt block of a piece."""
        return self.document.findBlockByNumber(index)


@dataclass(slots=True)
class Placed:
    """A piece on the page: the box of its lines, from the upper left corner of its `part`, an index.

    `bar_reach` is the height by which the bars beside a quotation reach up to the piece above, `bars` the number of
    those that do. `leftwards`: a right-to-left paragraph; `leaning`: one that is so unless its words decide otherwise
    (figures in a table that runs to the left).
    """

    index: int
    look: Look
    part: int = -1
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    bar_reach: int = 0
    bars: int = 0
    leftwards: bool = False
    leaning: bool = False

    def set_lines(self, setting: Setting) -> int:
        """Lay out the lines in the box's width; returns their height."""
        piece, look = setting.places.pieces[self.index], self.look
        block = setting.block(self.index)
        layout = block.layout()
        self.leftwards = block.textDirection() == Qt.LayoutDirection.RightToLeft and not look.mono
        if self.leaning and not self.leftwards:
            self.leftwards = direction(setting.places.words(self.index)) == 0
        layout.setTextOption(_option(self.leftwards, look))
        layout.setFormats(setting.looks.formats(setting.places, self.index, look))
        room = max(look.size * 2, self.width - look.indent - 2 * look.pad)
        left = look.pad if self.leftwards else look.indent + look.pad
        above = look.pad if piece.first else 0
        below = look.pad if piece.last else 0
        self.height = round(above + _set_lines(layout, look, left, above, room) + below)
        return self.height

    def guess(self, setting: Setting) -> int:
        """The estimated height of the lines, without laying them out."""
        piece, look = setting.places.pieces[self.index], self.look
        length = piece.end - piece.start
        wide = setting.places.letter(self.index) >= _WIDE
        letter = look.size * (1.0 if wide else setting.looks.letter)
        room = max(look.size * 2, self.width - look.indent - 2 * look.pad)
        lines = max(
            1, -int(-length * letter // room) + (setting.places.lines(self.index) - 1 if look.mono else 0)
        )
        return lines * look.line + 2 * look.pad

    def origin(self, top: float) -> QPointF:
        """Where the lines are counted from, for a part that begins at `top`."""
        return QPointF(self.x, top + self.y)

    def draw_under(self, painter: QPainter, setting: Setting, top: float) -> None:
        """Draw the grounds under the letters: the ground of code, the bar beside a quotation."""
        piece, theme = setting.places.pieces[self.index], setting.theme
        box = QRectF(self.x, top + self.y - self.bar_reach, self.width, self.height + self.bar_reach)
        match piece.block.kind:
            case BlockKind.CODE:
                painter.fillRect(box.adjusted(self.look.indent, 0, 0, 0), theme.colour("desk"))
            case BlockKind.QUOTE:
                for level in range(max(1, piece.block.level)):
                    off = round((0.35 + 1.4 * level) * setting.looks.em)
                    x = box.right() - off - 3 if self.leftwards else box.left() + off
                    top_of_bar = box.top() if level < self.bars else box.top() + self.bar_reach
                    painter.fillRect(
                        QRectF(x, top_of_bar, 3, box.bottom() - top_of_bar), theme.colour("line")
                    )
        for start, end in setting.looks.code_ranges(setting.places, self.index):
            layout = setting.block(self.index).layout()
            for line in map(layout.lineAt, range(layout.lineCount())):
                for around in line_boxes(line, start, end):
                    # As high as the usual letters, whatever else is in the line.
                    around.setTop(line.y() + line.ascent() - self.look.ascent)
                    around.setHeight(self.look.ascent + self.look.descent)
                    ground = around.translated(self.origin(top)).adjusted(-2, 0, 2, 1)
                    painter.fillRect(ground, theme.colour("desk"))

    def draw(
        self, painter: QPainter, setting: Setting, top: float, selections: list[QTextLayout.FormatRange]
    ) -> None:
        """Draw the letters, and the marker before an item."""
        piece = setting.places.pieces[self.index]
        layout = setting.block(self.index).layout()
        origin = self.origin(top)
        painter.setPen(setting.theme.colour("ink"))
        layout.draw(painter, origin, selections)
        if piece.block.marker and piece.first and layout.lineCount():
            font = setting.looks.font_of(self.look)
            painter.setFont(font)
            painter.setPen(setting.theme.colour("ink_quiet"))
            line = layout.lineAt(0)
            gap = round(self.look.size * 0.5)
            wide = QFontMetricsF(font).horizontalAdvance(piece.block.marker)
            x = self.width - self.look.indent + gap if self.leftwards else self.look.indent - gap - wide
            painter.drawText(
                QPointF(origin.x() + x, origin.y() + line.y() + line.ascent()), piece.block.marker
            )

    def line_near(self, setting: Setting, y: float) -> QTextLine | None:
        """The line nearest to a height inside the box."""
        layout = setting.block(self.index).layout()
        lines = [layout.lineAt(number) for number in range(layout.lineCount())]
        return min(lines, key=lambda line: abs(line.y() + line.height() / 2 - y), default=None)


class Part:
    """One of the parts below each other on a page: a paragraph, a heading, an item; heights include its `gap` above."""

    def __init__(self, placed: list[Placed], gap: int) -> None:
        self.gap = gap
        self.laid = False
        self.placed = placed

    def guess(self, setting: Setting) -> int:
        """The estimated height, without laying it out."""
        return self.gap + self._box(setting).guess(setting)

    def lay(self, setting: Setting) -> int:
        """Lay out its lines; returns its height."""
        return self.gap + self._box(setting).set_lines(setting)

    def near(self, x: float, y: float) -> Placed | None:
        """Its piece nearest to a place."""
        return self.placed[0]

    def draw_under(self, painter: QPainter, setting: Setting, top: float) -> None:
        """Draw the grounds and lines under its letters, but for those of its pieces."""

    def _box(self, setting: Setting) -> Placed:
        placed = self.placed[0]
        placed.x, placed.y, placed.width = setting.left, self.gap, setting.width
        return placed


@cache
def _option(leftwards: bool, look: Look) -> QTextOption:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setTextDirection(Qt.LayoutDirection.RightToLeft if leftwards else Qt.LayoutDirection.LeftToRight)
    option.setAlignment(Qt.AlignmentFlag.AlignRight if leftwards else Qt.AlignmentFlag.AlignLeft)
    option.setTabStopDistance(look.size * (4 * 0.6 if look.mono else 2))
    return option


def _set_lines(layout: QTextLayout, look: Look, left: float, top: float, width: float) -> float:
    """Set all lines of a layout below each other, their baselines evenly spaced; returns their height."""
    y = top
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        # Letters of another font may be higher than the line, which then takes their height.
        room = max(look.line, line.height())
        over = (look.line - look.ascent - look.descent) / 2 + look.ascent - line.ascent()
        line.setPosition(QPointF(left, y + min(max(0.0, over), room - line.height())))
        y += room
    layout.endLayout()
    return y - top


def direction(words: str) -> int:
    """1 for words that run to the right, -1 for those that run to the left, 0 for neither."""
    for letter in words[:80]:
        match unicodedata.bidirectional(letter):
            case "L":
                return 1
            case "R" | "AL":
                return -1
    return 0
