"""The look of the blocks of a flowing document: fonts, indents, spaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QTextCharFormat,
    QTextFormat,
    QTextLayout,
)

from app.core.layout import Block, BlockKind, Style
from app.core.text import Span
from app.ui.document.flowing.rich_places import Places
from app.ui.document.pane import MEASURE, comfortable
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


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a block, in pixels: `size` of its letters, height of a `line`, `ascent` and `descent` of its font.

    `indent` is where its letters begin; `before` and `after` the space above and below; `pad` the space between
    its ground and its letters.
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
    """The looks of all kinds of blocks in a theme's present font and text size."""

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
        """The look of a block; `header` for one in a table's header rows."""
        key = (block.kind, min(block.level, _DEEPEST), block.table >= 0, header)
        if key not in self._looks:
            self._looks[key] = self._make(*key)
        return self._looks[key]

    def font_of(self, look: Look) -> QFont:
        """The font of a look."""
        font = QFont(self.font)
        font.setPixelSize(look.size)
        if look.bold:
            font.setWeight(QFont.Weight.Bold)
        if look.mono:
            font.setFamilies([*self.mono, *self.font.families()])
        return font

    def cell_metrics(self, bold: bool, mono: bool) -> QFontMetricsF:
        """The metrics of the letters in a table's cells."""
        key = bold, mono
        if key not in self._metrics:
            look = replace(self.of(Block(BlockKind.CELL, Span(0, 0), table=0)), bold=bold, mono=mono)
            if mono:
                look = replace(look, size=round(look.size * CODE))
            self._metrics[key] = QFontMetricsF(self.font_of(look))
        return self._metrics[key]

    def formats(self, places: Places, index: int, look: Look) -> list[QTextLayout.FormatRange]:
        """The formats in which a piece differs from the document's font."""
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
        """The ranges of code in a piece, as start and end in UTF-16 units."""
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
                # A page may be full of them: a thin line that is not obtrusive marks them.
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
    """The monospaced families to set code in, the best one first."""
    installed = set(QFontDatabase.families())
    found = [family for family in _MONO if family in installed][:1]
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return [*found, system.family()]
