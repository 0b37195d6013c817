"""The look of a flowing document's blocks, and its pieces: their lines, layout and drawing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QPainter,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)

from app.core.layout import Block, BlockKind, Style
from app.core.text import Span
from app.ui.document.flowing.rich_places import Places
from app.ui.document.pane import MEASURE, comfortable
from app.ui.kit.flow_text import line_boxes
from app.ui.kit.theme import Theme

_LEADING = 1.55
_HEADINGS = (1.8, 1.42, 1.2, 1.08, 1.0, 1.0)
_HEADING_LEADING = 1.3
CODE, _TABLE = 0.86, 0.92
_DEEPEST = 8
_MONO = (
    "JetBrains Mono", "Source Code Pro", "Cascadia Mono", "Menlo", "Consolas", "Noto Sans Mono", "DejaVu Sans Mono",
    "Liberation Mono",
)  # fmt: skip
# Letters from here on are taken to be as wide as they are high: CJK.
_WIDE = "\u2e80"


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a block, in pixels: the `size`, `ascent` and `descent` of its font, and the height of a `line`.

    `indent` is where its text begins, `before` and `after` are the spaces above and below it, `pad` is the space
    between its background and its text.
    """

    size: int
    line: int
    ascent: float
    descent: float
    bold: bool = False
    mono: bool = False
    indent: int = 0
    before: int = 0
    after: int = 0
    pad: int = 0


class Looks:
    """The looks of all kinds of blocks in a theme's present font and text size, cached."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.font = theme.font("document")
        self.em = self.font.pixelSize()
        # The width of a usual letter, as a share of the font's size.
        self.letter = comfortable(self.font) / MEASURE / self.em
        self.mono = fixed_families()
        self._styles: dict[tuple[Style, int, bool], QTextCharFormat] = {}
        self._metrics: dict[tuple[bool, bool], QFontMetricsF] = {}
        self._looks: dict[tuple[BlockKind, int, bool, bool], Look] = {}

    def of(self, block: Block, header: bool = False) -> Look:
        """Return the look of a block; `header`: it is in one of a table's header rows."""
        key = (block.kind, min(block.level, _DEEPEST), block.table >= 0, header)
        if key not in self._looks:
            self._looks[key] = self._make(*key)
        return self._looks[key]

    def font_of(self, look: Look) -> QFont:
        """Return the font of a look."""
        font = QFont(self.font)
        font.setPixelSize(look.size)
        if look.bold:
            font.setWeight(QFont.Weight.Bold)
        if look.mono:
            font.setFamilies([*self.mono, *self.font.families()])
        return font

    def cell_metrics(self, bold: bool, mono: bool) -> QFontMetricsF:
        """Return the font metrics in a table's cells."""
        key = bold, mono
        if key not in self._metrics:
            look = replace(self.of(Block(BlockKind.CELL, Span(0, 0), table=0)), bold=bold, mono=mono)
            if mono:
                look = replace(look, size=round(look.size * CODE))
            self._metrics[key] = QFontMetricsF(self.font_of(look))
        return self._metrics[key]

    def formats(self, places: Places, index: int, look: Look) -> list[QTextLayout.FormatRange]:
        """Return the formats in which a piece differs from the document's font."""
        piece = places.pieces[index]
        ranges = []
        if look.size != self.em or look.bold or look.mono:
            whole = QTextCharFormat()
            whole.setProperty(QTextFormat.Property.FontPixelSize, look.size)
            if look.bold:
                whole.setFontWeight(QFont.Weight.Bold)
            if look.mono:
                whole.setFontFamilies([*self.mono, *self.font.families()])
            ranges.append(_range(0, 1 << 30, whole))
        for styled in piece.block.styles:
            start, length = places.ranges_in(index, styled.span)
            if length:
                key = (styled.style, look.size, look.mono)
                if key not in self._styles:
                    self._styles[key] = self._styled(styled.style, look)
                ranges.append(_range(start, length, self._styles[key]))
        return ranges

    def code_ranges(self, places: Places, index: int) -> Iterator[tuple[int, int]]:
        """The ranges of inline code in a piece, as start and end in UTF-16 units."""
        piece = places.pieces[index]
        if piece.block.kind is BlockKind.CODE:
            return
        for styled in piece.block.styles:
            if styled.style is Style.CODE:
                start, length = places.ranges_in(index, styled.span)
                if length:
                    yield start, start + length

    def _styled(self, style: Style, look: Look) -> QTextCharFormat:
        form = QTextCharFormat()
        match style:
            case Style.STRONG:
                form.setFontWeight(QFont.Weight.Bold)
            case Style.EMPHASIS:
                form.setFontItalic(True)
            case Style.CODE:
                form.setFontFamilies([*self.mono, *self.font.families()])
                form.setProperty(
                    QTextFormat.Property.FontPixelSize, round(look.size * (1 if look.mono else CODE))
                )
            case Style.STRUCK:
                form.setFontStrikeOut(True)
            case Style.UNDERLINED:
                form.setFontUnderline(True)
            case Style.RAISED:
                form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
            case Style.LOWERED:
                form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSubScript)
            case Style.LINK:
                form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
                # A page may be full of links, so their line is unobtrusive.
                colour = self._theme.colour("line_strong")
                colour.setAlphaF(0.55)
                form.setUnderlineColor(colour)
        return form

    def _make(self, kind: BlockKind, level: int, cell: bool, header: bool) -> Look:
        em = self.em
        base = em * _TABLE if cell else em
        size, leading, indent, before, after, pad = base, _LEADING, 0.0, 0.0, 0.75, 0.0
        bold, mono = header, False
        match kind:
            case BlockKind.HEADING:
                bold = True
                if not cell:
                    size = em * _HEADINGS[min(max(level, 1), len(_HEADINGS)) - 1]
                    leading, before, after = _HEADING_LEADING, 1.1 + 0.5 * size / em, 0.55
            case BlockKind.ITEM:
                indent, after = 1.7 * max(level, 1), 0.3
            case BlockKind.QUOTE:
                indent = 1.4 * max(level, 1)
            case BlockKind.CODE:
                size, mono, leading, pad, indent = base * CODE, True, 1.45, 0.0 if cell else 0.9, 1.7 * level
            case BlockKind.PARAGRAPH:
                indent = 1.7 * level
        if cell:
            leading, before, after, indent = min(leading, 1.42), 0.0, 0.35, indent * 0.8
        pixels = round(size)
        look = Look(
            size=pixels, line=round(pixels * leading), ascent=0.0, descent=0.0, bold=bold, mono=mono,
            indent=round(indent * em), before=round(before * em), after=round(after * em), pad=round(pad * em),
        )  # fmt: skip
        metrics = QFontMetricsF(self.font_of(look))
        return replace(look, ascent=metrics.ascent(), descent=metrics.descent())


def _range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, form
    return found


def fixed_families() -> list[str]:
    """Return the monospaced font families for code, the best one first."""
    installed = set(QFontDatabase.families())
    found = [family for family in _MONO if family in installed][:1]
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return [*found, system.family()]


@dataclass(slots=True)
class Setting:
    """What a page's parts are laid out with: `left` and `width` of its lines, and its `outer` width, in pixels."""

    document: QTextDocument
    places: Places
    looks: Looks
    theme: Theme
    left: int = 0
    width: int = 600
    outer: int = 700

    def block(self, index: int) -> QTextBlock:
        """Return the Qt block of a piece."""
        return self.document.findBlockByNumber(index)


@dataclass(slots=True)
class PlacedPiece:
    """A piece on the page: the box of its lines, relative to the upper left corner of the part with the index `part`.

    `bar_reach` is how far the bars beside a quotation reach up to the piece above, `bars` the number of bars that do.
    `leftwards`: the paragraph runs right to left; `leaning`: it does so unless its text has a direction (numbers in a
    table that runs right to left).
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
        """Return the estimated height of the lines, without laying them out."""
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
        """Return the point that the lines are relative to, for a part that begins at `top`."""
        return QPointF(self.x, top + self.y)

    def draw_under(self, painter: QPainter, setting: Setting, top: float) -> None:
        """Draw what lies under the text: the background of code, the bars beside a quotation."""
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
                    # As high as the usual font, whatever else is in the line.
                    around.setTop(line.y() + line.ascent() - self.look.ascent)
                    around.setHeight(self.look.ascent + self.look.descent)
                    ground = around.translated(self.origin(top)).adjusted(-2, 0, 2, 1)
                    painter.fillRect(ground, theme.colour("desk"))

    def draw(
        self, painter: QPainter, setting: Setting, top: float, selections: list[QTextLayout.FormatRange]
    ) -> None:
        """Draw the text, and the marker of a list item."""
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
        """Return the line nearest to a height inside the box."""
        layout = setting.block(self.index).layout()
        lines = [layout.lineAt(number) for number in range(layout.lineCount())]
        return min(lines, key=lambda line: abs(line.y() + line.height() / 2 - y), default=None)


class Part:
    """A part of the page, such as a paragraph, a heading or a list item; its height includes the `gap` above it."""

    def __init__(self, placed: list[PlacedPiece], gap: int) -> None:
        self.gap = gap
        self.laid = False
        self.placed = placed

    def guess(self, setting: Setting) -> int:
        """Return the estimated height, without laying the part out."""
        return self.gap + self._box(setting).guess(setting)

    def lay(self, setting: Setting) -> int:
        """Lay out the lines; returns the part's height."""
        return self.gap + self._box(setting).set_lines(setting)

    def near(self, x: float, y: float) -> PlacedPiece:
        """Return the part's piece nearest to a point."""
        return self.placed[0]

    def draw_under(self, painter: QPainter, setting: Setting, top: float) -> None:
        """Draw what lies under the part's text, apart from what its pieces draw."""

    def _box(self, setting: Setting) -> PlacedPiece:
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
    """Lay out all lines below each other with evenly spaced baselines; returns their height."""
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
    """Return the direction of a text: 1 for left to right, -1 for right to left, 0 for neither."""
    for letter in words[:80]:
        match unicodedata.bidirectional(letter):
            case "L":
                return 1
            case "R" | "AL":
                return -1
    return 0
