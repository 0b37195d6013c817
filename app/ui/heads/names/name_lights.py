"""Highlights of names on a page in the style of their type; only visible ones are drawn, out of thousands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.core.positions import Offsets
from app.core.text import Span
from app.ui.document.marks.highlights import Blocks, HighlightRange, Highlights
from app.ui.heads.names.name_styles import NameStyle
from app.ui.kit.page_layout import line_boxes
from app.ui.kit.theme import Theme

# The background begins this far below a line's top, above the letters, where the type letters of the line above are.
_TRIM = 2.5


@dataclass(frozen=True, slots=True)
class HighlightedName:
    """A name's span, its expected words, and the number of its style."""

    span: Span
    words: str
    kind: int


class NameHighlights(Highlights):
    """The names of one page in text order, without overlaps; `hidden` types are not drawn.

    `mates` are the occurrences of the same name as the chosen one.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._names: tuple[HighlightedName, ...] = ()
        self._styles: tuple[NameStyle, ...] = ()
        self._starts: list[int] = []
        self._boxes: list[tuple[int, QRectF, bool]] = []
        self.mates: tuple[int, ...] = ()
        self.hidden: frozenset[int] = frozenset()

    def set_names(
        self, text: str, offsets: Offsets, names: Sequence[HighlightedName], styles: Sequence[NameStyle]
    ) -> list[bool]:
        """Set the names; returns for each whether the page's text has its words there."""
        self.clear()
        self._names, self._styles = tuple(names), tuple(styles)
        for name in names:
            start, end = offsets.span_to_qt(name.span)
            self.places.append(HighlightRange(start, end, start < end and name.span.of(text) == name.words))
        self._starts = [light.start for light in self.places]
        return [light.shown for light in self.places]

    def clear(self) -> None:
        """Remove all highlights."""
        super().clear()
        self._names, self._styles, self._starts, self._boxes = (), (), [], []
        self.mates = ()

    def get(self, index: int) -> HighlightRange | None:
        """A highlighted name, or None if there is none of that index or it is not shown."""
        known = 0 <= index < len(self._names)
        return super().get(index) if known and self._names[index].kind not in self.hidden else None

    def at(self, position: int) -> int:
        """The index of the highlighted name around one of Qt's positions, -1 without one."""
        index = bisect_right(self._starts, position) - 1
        light = self.get(index)
        return index if light is not None and position < light.end else -1

    def draw_grounds(self, painter: QPainter, blocks: Blocks) -> None:
        """Draw the backgrounds of the visible names, and a frame around the chosen one."""
        self._boxes = list(self._in_sight(blocks, painter.device().height()))
        for index, box, _ in self._boxes:
            painter.fillRect(box.adjusted(-1, _TRIM, 1, 1), self._theme.colour(self._style(index).ground))
            if self._strong(index):
                painter.setPen(QPen(self._theme.colour("focus"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(-1, _TRIM - 1, 1, 2))

    def draw_lines(self, painter: QPainter, blocks: Blocks) -> None:
        """Draw the lines under the visible names, and their types' letters below."""
        theme = self._theme
        font = theme.font("tag")
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        for index, box, first in self._boxes:
            style, strong = self._style(index), self._strong(index)
            low = box.adjusted(-1, 0, 1, 1)
            style.draw_line(painter, theme, low, strong=strong)
            if first:
                # Short names have room for one letter only.
                fits = metrics.horizontalAdvance(style.letters) <= box.width() + 3
                painter.setPen(theme.colour(style.line))
                base = QPointF(box.left(), low.bottom() + 3 + metrics.capHeight())
                painter.drawText(base, style.letters if fits else style.letters[:1])

    def _style(self, index: int) -> NameStyle:
        return self._styles[self._names[index].kind]

    def _in_sight(self, blocks: Blocks, height: int) -> Iterator[tuple[int, QRectF, bool]]:
        """The names' boxes in the visible lines, and whether each is its name's first."""
        for block, offset in blocks:
            begins, layout = block.position(), block.layout()
            low = max(0, bisect_right(self._starts, begins) - 1)
            if bisect_left(self._starts, begins + block.length()) <= low and low < len(self._starts):
                continue
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                if offset.y() + line.y() > height or offset.y() + line.y() + line.height() < 0:
                    continue
                from_unit = begins + line.textStart()
                first = max(0, bisect_right(self._starts, from_unit) - 1)
                for index in range(first, bisect_left(self._starts, from_unit + line.textLength())):
                    light = self.get(index)
                    if light is None or light.end <= from_unit:
                        continue
                    for box in line_boxes(line, light.start - begins, light.end - begins):
                        yield index, box.translated(offset), light.start >= from_unit
