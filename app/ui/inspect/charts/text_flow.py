"""A window's text in lines, and the position of each token on them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextOption

from app.core.inside import InputWindow, Part
from app.core.positions import Offsets
from app.ui.inspect.charts.tokens import parts_of
from app.ui.kit.theme import Theme

_Source = tuple[InputWindow, str, str]


class _Paragraph:
    """A line of the text with the tokens in it: places in UTF-16 units, as Qt's layouts count."""

    def __init__(self, words: str, tokens: list[tuple[int, int, int]]) -> None:
        offsets = Offsets(words)
        self.words = words
        self.tokens = {index: (offsets.to_qt(start), offsets.to_qt(end)) for index, start, end in tokens}
        self.layout = QTextLayout()
        self.top = 0.0
        self.height = 0.0


class TextFlow:
    """Special tokens as they are spelled, the question and the text in running form, wrapped at a width.

    Places are in pixels from the flow's corner.
    """

    def __init__(self, window: InputWindow, text: str, pair: str) -> None:
        self.source: _Source = (window, text, pair)
        self.height = 0.0
        self._window = window
        self._paragraphs = _paragraphs(window, text, pair)
        self._places: dict[int, list[QRectF]] = {}

    def lay_out(self, theme: Theme, width: float, inks: Mapping[int, QColor] | None = None) -> None:
        """Break the text into lines of a width in pixels; some tokens may have inks of their own."""
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        font = theme.font("quote")
        leading = QFontMetricsF(font).height() * 0.42
        top = 0.0
        for paragraph in self._paragraphs:
            layout = QTextLayout(paragraph.words, font)
            layout.setTextOption(option)
            layout.setFormats(self._formats(paragraph, theme, inks or {}))
            layout.beginLayout()
            high = 0.0
            while (line := layout.createLine()).isValid():
                line.setLineWidth(max(1.0, width))
                line.setPosition(QPointF(0, high + leading / 2))
                high += line.height() + leading
            layout.endLayout()
            paragraph.layout, paragraph.top, paragraph.height = layout, top, high
            top += high
        self.height = top
        self._places = {
            index: _rects(paragraph, *place)
            for paragraph in self._paragraphs
            for index, place in paragraph.tokens.items()
        }

    def _formats(
        self, paragraph: _Paragraph, theme: Theme, inks: Mapping[int, QColor]
    ) -> list[QTextLayout.FormatRange]:
        formats = []
        for index, (start, end) in paragraph.tokens.items():
            look = QTextCharFormat()
            if self._window.tokens[index].part is Part.SPECIAL:
                look.setFont(theme.font("small"))
                look.setForeground(theme.colour("ink_quiet"))
            if index in inks:
                look.setForeground(inks[index])
            if not look.isEmpty():
                formats.append(_range(start, end, look))
        return formats

    def draw(self, painter: QPainter, theme: Theme) -> None:
        """Draw the text in the theme's ink and the tokens' own ones."""
        painter.setPen(theme.colour("ink"))
        for paragraph in self._paragraphs:
            paragraph.layout.draw(painter, QPointF(0, paragraph.top))

    def rects(self, index: int) -> list[QRectF]:
        """A token's rectangles, one for each line that it is on."""
        return self._places.get(index, [])

    def span_rects(self, first: int, last: int) -> list[QRectF]:
        """The rectangles of the words from one token to another, including the spaces between them."""
        found = []
        for paragraph in self._paragraphs:
            inside = [place for index, place in paragraph.tokens.items() if first <= index <= last]
            if inside:
                found += _rects(paragraph, min(a for a, _ in inside), max(b for _, b in inside))
        return found

    def token_at(self, point: QPointF) -> int:
        """The token at a place; -1 for none."""
        for paragraph in self._paragraphs:
            if paragraph.top <= point.y() < paragraph.top + paragraph.height:
                for index in paragraph.tokens:
                    if any(place.contains(point) for place in self.rects(index)):
                        return index
        return -1

    def nearest_on_line(self, index: int, lines: int) -> int:
        """The token nearest to one, `lines` below it (above if negative); the same one if there is no such line."""
        places = self._places
        if not places.get(index):
            return index
        here = places[index][0]
        tops = sorted({round(rect.top()) for rects in places.values() for rect in rects[:1]})
        line = bisect_right(tops, round(here.top())) - 1 + lines
        if not 0 <= line < len(tops):
            return index
        on_line = [at for at, rects in places.items() if rects and round(rects[0].top()) == tops[line]]
        return min(on_line, key=lambda at: abs(places[at][0].center().x() - here.center().x()))


def _paragraphs(window: InputWindow, text: str, pair: str) -> list[_Paragraph]:
    """The window's text cut at line ends, the question apart from the text."""
    paragraphs: list[_Paragraph] = []
    words = ""
    tokens: list[tuple[int, int, int]] = []

    def end() -> None:
        nonlocal words, tokens
        if tokens:
            paragraphs.append(_Paragraph(words, tokens))
        words, tokens = "", []

    behind = {Part.TEXT: -1, Part.PAIR: -1}
    seen: set[Part] = set()
    for part, first, last in parts_of(window):
        if part is not Part.SPECIAL and seen and part not in seen:
            # The separator stays with what it ends.
            end()
        if part is not Part.SPECIAL:
            seen.add(part)
        for index in range(first, last):
            token = window.tokens[index]
            source = pair if part is Part.PAIR else text
            if token.span is None or part is Part.SPECIAL:
                words += " " if words else ""
                start = len(words)
                words += token.piece
            else:
                gap = source[behind[part] : token.span.start] if behind[part] >= 0 else ""
                if "\n" in gap:
                    end()
                elif (gap and not gap.strip()) or (words and behind[part] < 0):
                    words += " "
                else:
                    words += gap
                # Pieces of one character share its place.
                begin = max(token.span.start, behind[part])
                start = len(words) - (begin - token.span.start) if tokens else len(words)
                start = max(0, start)
                words += _plain(source[begin : token.span.end])
                behind[part] = max(behind[part], token.span.end)
            tokens.append((index, start, len(words)))
    end()
    return paragraphs


def _plain(words: str) -> str:
    """The words with characters at which Qt would break lines, or which it drops, as spaces; of the same length."""
    return "".join(
        " " if each in "\r\n\t\u2028\u2029\ufeff\ufffe\x00" or "\ud800" <= each <= "\udfff" else each
        for each in words
    )


def _range(start: int, end: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    format_range = QTextLayout.FormatRange()
    format_range.start, format_range.length, format_range.format = start, end - start, look
    return format_range


def _rects(paragraph: _Paragraph, start: int, end: int) -> list[QRectF]:
    layout = paragraph.layout
    places = []
    for at in range(layout.lineCount()):
        line = layout.lineAt(at)
        first, behind = line.textStart(), line.textStart() + line.textLength()
        begin, finish = max(start, first), min(end, behind)
        if begin < finish or (begin == finish == start == end):
            a, b = _x(line.cursorToX(begin)), _x(line.cursorToX(finish))
            rect = line.rect()
            top = paragraph.top + rect.top()
            places.append(QRectF(min(a, b), top, abs(b - a), rect.height()))
    return places


def _x(found: object) -> float:
    """PySide gives cursorToX back with the cursor behind it."""
    return float(found[0]) if isinstance(found, (tuple, list)) else float(found)  # type: ignore[arg-type]
