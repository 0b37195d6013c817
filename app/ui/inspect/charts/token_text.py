"""The running text of a window, with each token shaded by a number and the current one outlined."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from app.core.inside import InputWindow, Part
from app.core.message import Message
from app.core.text import Offsets
from app.ui.inspect.charts.painting import blended, ink_on
from app.ui.inspect.charts.tokens import labels_of, part_names, parts_of, token_name
from app.ui.kit.chart import Cell, Chart, Table, signed
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised

_CORNER = 3.0
# Neither ink could be read on a stronger shade.
_STRONGEST = 0.92


class _Paragraph:
    """A paragraph of the text, and the ranges of its tokens in UTF-16 units, as Qt's layouts count."""

    def __init__(self, words: str, tokens: list[tuple[int, int, int]]) -> None:
        offsets = Offsets(words)
        self.words = words
        self.tokens = {index: (offsets.to_qt(start), offsets.to_qt(end)) for index, start, end in tokens}
        self.layout = QTextLayout()
        self.top = 0.0
        self.height = 0.0


class TextFlow:
    """The question and the text as running text, with special tokens as the vocabulary spells them.

    Rectangles and points are in pixels from the flow's top left corner.
    """

    def __init__(self, window: InputWindow, text: str, pair: str) -> None:
        self.source = (window, text, pair)
        self.height = 0.0
        self._window = window
        self._paragraphs = _paragraphs(window, text, pair)
        self._token_rects: dict[int, list[QRectF]] = {}

    def lay_out(self, theme: Theme, width: float, inks: Mapping[int, QColor] | None = None) -> None:
        """Break the text into lines of a width in pixels; `inks` are colours of single tokens' letters."""
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
        self._token_rects = {
            index: _rects(paragraph, *token_range)
            for paragraph in self._paragraphs
            for index, token_range in paragraph.tokens.items()
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
        """Draw the text in the theme's ink, and tokens with inks of their own in these."""
        painter.setPen(theme.colour("ink"))
        for paragraph in self._paragraphs:
            paragraph.layout.draw(painter, QPointF(0, paragraph.top))

    def rects(self, index: int) -> list[QRectF]:
        """A token's rectangles, one for each line that it is on."""
        return self._token_rects.get(index, [])

    def span_rects(self, first: int, last: int) -> list[QRectF]:
        """The rectangles of the text from one token to another, one for each line, with the spaces between tokens."""
        found = []
        for paragraph in self._paragraphs:
            inside = [each for index, each in paragraph.tokens.items() if first <= index <= last]
            if inside:
                found += _rects(paragraph, min(a for a, _ in inside), max(b for _, b in inside))
        return found

    def token_at(self, point: QPointF) -> int:
        """The token at a point; -1 for none."""
        for paragraph in self._paragraphs:
            if paragraph.top <= point.y() < paragraph.top + paragraph.height:
                for index in paragraph.tokens:
                    if any(rect.contains(point) for rect in self.rects(index)):
                        return index
        return -1

    def nearest_on_line(self, index: int, lines: int) -> int:
        """The token nearest to another, `lines` below it (above if negative); the same one if there is no such line."""
        token_rects = self._token_rects
        if not token_rects.get(index):
            return index
        here = token_rects[index][0]
        tops = sorted({round(rect.top()) for rects in token_rects.values() for rect in rects[:1]})
        line = bisect_right(tops, round(here.top())) - 1 + lines
        if not 0 <= line < len(tops):
            return index
        on_line = [at for at, rects in token_rects.items() if rects and round(rects[0].top()) == tops[line]]
        return min(on_line, key=lambda at: abs(token_rects[at][0].center().x() - here.center().x()))


def _paragraphs(window: InputWindow, text: str, pair: str) -> list[_Paragraph]:
    """The window's text as paragraphs, cut at line ends, and between the question and the text."""
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
            end()  # after the separator, which stays with what it ends
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
                # Pieces of one character share its range.
                begin = max(token.span.start, behind[part])
                start = len(words) - (begin - token.span.start) if tokens else len(words)
                start = max(0, start)
                words += _plain(source[begin : token.span.end])
                behind[part] = max(behind[part], token.span.end)
            tokens.append((index, start, len(words)))
    end()
    return paragraphs


def _plain(words: str) -> str:
    """The text, with spaces for the characters that Qt would drop or break lines at; the length stays."""
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
    found = []
    for at in range(layout.lineCount()):
        line = layout.lineAt(at)
        first, behind = line.textStart(), line.textStart() + line.textLength()
        begin, finish = max(start, first), min(end, behind)
        if begin < finish or (begin == finish == start == end):
            a, b = _x(line.cursorToX(begin)), _x(line.cursorToX(finish))
            rect = line.rect()
            top = paragraph.top + rect.top()
            found.append(QRectF(min(a, b), top, abs(b - a), rect.height()))
    return found


def _x(found: object) -> float:
    """The position in what cursorToX returned, to which PySide adds the cursor."""
    return float(found[0]) if isinstance(found, (tuple, list)) else float(found)  # type: ignore[arg-type]


class TokenText(Chart):
    """Running text, shaded amber where a token's number is above zero and blue where it is below, stronger for more.

    The chosen span is underlined, others have a dotted line.
    """

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme, title)
        self._window = InputWindow(())
        self._labels: tuple[str, ...] = ()
        self._values: tuple[float, ...] = ()
        self._largest = 0.0
        self._unit = ""
        self._span: tuple[int, int] | None = None
        self._others: tuple[tuple[int, int], ...] = ()
        self._marked: tuple[int, int] | None = None
        self._flow = TextFlow(InputWindow(()), "", "")

    def set_window(self, window: InputWindow, text: str, pair: str = "") -> None:
        """Show a window of the text, and of its question or second passage, without numbers."""
        self._window = window
        self._labels = labels_of(window, text, pair)
        self._values, self._span, self._others, self._marked = (), None, (), None
        self._flow = TextFlow(window, text, pair)
        self._lay_out()
        self.begin()

    def set_values(self, values: Sequence[float], unit: str) -> None:
        """Shade each token by its number; `unit` is what the numbers count."""
        self._values, self._unit = tuple(values), unit
        self._largest = max(map(abs, self._values), default=0.0)
        self._lay_out()
        if self._current >= 0:
            self.setAccessibleDescription(self.describe(self._current))
        self.update()

    @Slot(object, object)
    def set_spans(self, chosen: tuple[int, int] | None, others: Sequence[tuple[int, int]] = ()) -> None:
        """Underline the chosen span, given by its first and last token, and mark others with dotted lines."""
        self._span, self._others = chosen, tuple(others)
        self.update()

    @Slot(int, int)
    def mark_span(self, first: int, last: int) -> None:
        """Outline a span that is hovered elsewhere; none if its first token is below 0."""
        marked = (first, last) if first >= 0 else None
        if marked != self._marked:
            self._marked = marked
            self.update()

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        name = token_name(self._window, index, self._labels[index])
        return f"{name}: {signed(self._values[index])} {localised(self._unit)}" if self._values else name

    def table(self) -> Table:
        names = part_names(self._window)
        rows: list[tuple[Cell, ...]] = [
            (at + 1, token.piece, token.id, names[token.part]) for at, token in enumerate(self._window.tokens)
        ]
        columns = (Message("token"), Message("piece"), Message("id"), Message("part"))
        if not self._values:
            return Table(columns, tuple(rows))
        valued = tuple((*row, value) for row, value in zip(rows, self._values, strict=True))
        return Table((*columns, self._unit), valued)

    def place_at(self, point: QPointF) -> int:
        edge = self._edge()
        return self._flow.token_at(point - QPointF(edge, edge))

    def stepped(self, key: int, leap: bool) -> int | None:
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self._current >= 0:
            return self._flow.nearest_on_line(self._current, 1 if key == Qt.Key.Key_Down else -1)
        return super().stepped(key, leap)

    def sizeHint(self) -> QSize:
        return QSize(self.theme.step(160), self.heightForWidth(max(self.width(), self.theme.step(40))))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width == self.width() and self._flow.height:
            return round(self._flow.height + 2 * self._edge())
        flow = TextFlow(*self._flow.source)
        flow.lay_out(self.theme, width - 2 * self._edge())
        return round(flow.height + 2 * self._edge())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.step(40), self.sizeHint().height())

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        edge = self._edge()
        painter.save()
        painter.translate(edge, edge)
        theme, flow = self.theme, self._flow
        self._draw_shades(painter)
        if not self._values:
            # Only without shades do the spans have backgrounds of their own.
            for other in self._others:
                self._draw_span(painter, other, "other_ground")
            if self._span is not None:
                self._draw_span(painter, self._span, "answer_ground")
        flow.draw(painter, theme)
        for span in self._others:
            self._underline(painter, span, _dotted(theme.colour("other_line")))
        if self._span is not None:
            self._underline(painter, self._span, QPen(theme.colour("answer_line"), 2.0))
        if self._marked is not None and not whole:
            for rect in flow.span_rects(*self._marked):
                self.outline(painter, rect.adjusted(-2, -1, 2, 1), "ink_quiet", 1.0, _CORNER)
        if self._current >= 0 and not whole:
            for rect in flow.rects(self._current):
                self.outline(painter, rect.adjusted(-1, 0, 1, 0), "ink", 1.5, _CORNER)
        painter.restore()

    def shade(self, index: int) -> QColor | None:
        """A token's background by its number; None if the number is too small for a visible one."""
        if not self._values or not self._largest:
            return None
        share = self._values[index] / self._largest
        if abs(share) < 0.02:
            return None
        end = self.theme.colour("scale_high" if share > 0 else "scale_low")
        return blended(self.theme.colour("panel"), end, min(_STRONGEST, 0.06 + 0.86 * abs(share) ** 0.8))

    def _draw_shades(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for index in range(self.count()):
            shade = self.shade(index)
            if shade is not None:
                painter.setBrush(shade)
                for rect in self._flow.rects(index):
                    painter.drawRoundedRect(rect, _CORNER, _CORNER)

    def _inks(self) -> dict[int, QColor]:
        """The inks of shaded tokens that cannot keep their usual one: unreadable on the shade, or quiet (special)."""
        shades = {index: self.shade(index) for index in range(self.count())}
        inks = {index: ink_on(self.theme, shade) for index, shade in shades.items() if shade is not None}
        usual, special = self.theme.colour("ink"), Part.SPECIAL
        tokens = self._window.tokens
        return {at: ink for at, ink in inks.items() if ink != usual or tokens[at].part is special}

    def _draw_span(self, painter: QPainter, span: tuple[int, int], role: str) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour(role))
        for rect in self._flow.span_rects(*span):
            painter.drawRect(rect)

    def _underline(self, painter: QPainter, span: tuple[int, int], pen: QPen) -> None:
        painter.setPen(pen)
        for rect in self._flow.span_rects(*span):
            y = rect.bottom() + pen.widthF() / 2
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))

    def _edge(self) -> float:
        return float(self.theme.step(2))

    def _lay_out(self) -> None:
        self._flow.lay_out(self.theme, max(1.0, self.width() - 2 * self._edge()), self._inks())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()
            self.updateGeometry()

    @Slot()
    def restyle(self) -> None:
        self._lay_out()
        super().restyle()


def _dotted(colour: QColor) -> QPen:
    pen = QPen(colour, 1.5)
    pen.setDashPattern([1.0, 1.6])
    return pen
