"""Paints the cells of a table of answers."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.ui.kit.flow_text import line_pen
from app.ui.kit.theme import Theme
from app.ui.table.answer_model import AnswerModel, Index
from app.ui.table.cells import CellWords, Look

LEFT_MIDDLE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MOST_LINES = 2  # of the words in a cell
_MOST_CACHED = 40_000
_LONGEST = 2_000  # characters: more do not fit a cell
_PALE = 0.45  # the opacity of cells that do not match the filter
_INKS = {Look.ABSENT: "ink_quiet", Look.UNREAD: "ink_quiet", Look.FAULT: "fault"}


class LineCache:
    """Breaks words into lines for a width, the last one elided, and caches what painting asks for again and again.

    `ink` gives a colour of the theme, `width` the pixels of words on one line, `lines_of` the words in at most so many
    lines of a width in pixels.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.ink = lru_cache(theme.colour)
        self._font = lru_cache(self._find_font)
        self.width = lru_cache(_MOST_CACHED)(self._measure)
        self.lines_of = lru_cache(_MOST_CACHED)(self._break)

    def forget(self) -> None:
        """Forget everything, after the fonts or the colours have changed."""
        for cached in (self.ink, self._font, self.width, self.lines_of):
            cached.cache_clear()

    def height(self, use: str) -> int:
        return self._font(use)[1].height()

    def _find_font(self, use: str) -> tuple[QFont, QFontMetrics]:
        """The font of a use of the theme, or the usual one in italics for "absent"."""
        font = self._theme.font("ui" if use == "absent" else use)
        font.setItalic(use == "absent")
        return font, QFontMetrics(font)

    def _measure(self, words: str, use: str) -> int:
        return self._font(use)[1].horizontalAdvance(words)

    def _break(self, words: str, use: str, width: int, most: int = _MOST_LINES) -> tuple[str, ...]:
        font, metrics = self._font(use)
        if self.width(words, use) <= width:
            return (words,)
        shown = words[:_LONGEST]
        layout = QTextLayout(shown, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        lines: list[str] = []
        units = shown.encode("utf-16-le", "surrogatepass")
        while len(lines) < most:
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(width)
            start = line.textStart()
            end = len(units) // 2 if len(lines) == most - 1 else start + line.textLength()
            part = units[2 * start : 2 * end].decode("utf-16-le", "replace").strip()
            lines.append(metrics.elidedText(part, Qt.TextElideMode.ElideRight, width + 1))
        layout.endLayout()
        return tuple(lines)

    def draw(self, painter: QPainter, inner: QRectF, lines: tuple[str, ...], use: str, ink: str) -> float:
        """Paint lines from the top of a rectangle, in a font and a colour of the theme; returns their bottom."""
        painter.setFont(self._font(use)[0])
        painter.setPen(self.ink(ink))
        high, top = self.height(use), inner.top()
        for line in lines:
            painter.drawText(QRectF(inner.left(), top, inner.width() + 2, high), int(LEFT_MIDDLE), line)
            top += high
        return top


def font_of(look: Look) -> str:
    """The use of the font for words of this look."""
    return "quote" if look in (Look.ANSWER, Look.LOW) else "small" if look is Look.FAULT else "absent"


class AnswerDelegate(QStyledItemDelegate):
    """Paints a cell: its words in one or two lines, and below them the verdict's icon and the cell's lower line."""

    def __init__(self, theme: Theme, lines: LineCache) -> None:
        super().__init__()
        self._theme = theme
        self._lines = lines

    def height_for(self, count: int) -> int:
        """The height of a row whose cells have at most `count` lines of words."""
        lines, step = self._lines, self._theme.step
        return count * max(lines.height("quote"), lines.height("absent")) + lines.height("small") + step(5)

    def room(self, width: int) -> int:
        """The width left for words in a column of this width."""
        return max(20, width - self._theme.step(5) - 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        theme, rect, model = self._theme, QRectF(option.rect), index.model()
        assert isinstance(model, AnswerModel)
        view = option.widget
        current = isinstance(view, QTableView) and view.currentIndex() == index
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._lines.ink("accent_ground"))
        row = model.rows[index.row()]
        inner = rect.adjusted(theme.step(2.5), theme.step(2), -theme.step(2.5), 0)
        if row.message:
            # The message stays in view while its row, which spans all columns, is scrolled sideways.
            visible = QRectF(view.viewport().rect()) if isinstance(view, QTableView) else rect
            pad = theme.step(2.5)
            inner.setLeft(max(inner.left(), visible.left() + pad))
            inner.setRight(max(inner.left() + 40, min(inner.right(), visible.right() - pad)))
            lines = self._lines.lines_of(row.message, "small", int(inner.width()))
            self._lines.draw(painter, inner, lines, "small", "fault")
        else:
            # Not through `data`: Qt would convert the words for every cell of every frame.
            words = model.words(index.row(), index.column())
            if not model.matches(index.row(), index.column()):
                painter.setOpacity(_PALE)
            is_high = rect.height() >= self.height_for(_MOST_LINES) - 1  # less the grid's line
            self._draw_cell(
                painter, inner, words, self.room(int(rect.width())), _MOST_LINES if is_high else 1
            )
        painter.setOpacity(1)
        if current:
            wide = 2 if option.state & QStyle.StateFlag.State_HasFocus else 1
            painter.setPen(QPen(self._lines.ink("accent" if wide == 2 else "line_strong"), wide))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2))
        painter.restore()

    def _draw_cell(self, painter: QPainter, inner: QRectF, words: CellWords, room: int, most: int) -> None:
        """Paint a cell in a row with room for `most` lines of words; the lower line may wrap into lines they leave."""
        theme, use = self._theme, font_of(words.look)
        lines = self._lines.lines_of(words.words, use, room, most)
        bottom = self._lines.draw(painter, inner, lines, use, _INKS.get(words.look, "ink"))
        if words.look is Look.LOW:
            painter.setPen(line_pen(self._lines.ink("mark"), True, True))
            high = self._lines.height(use)
            for at, shown in enumerate(lines):
                y = inner.top() + (at + 1) * high - 1
                painter.drawLine(
                    int(inner.left()), int(y), int(inner.left()) + self._lines.width(shown, use), int(y)
                )
        if not words.below:
            return
        high = self._lines.height("small")
        line = QRectF(inner.left(), bottom + theme.step(0.5), inner.width(), high)
        if words.sign:
            side = theme.step(3.5)
            sign = QRect(int(line.left()), int(line.top() + (high - side) / 2), side, side)
            theme.icon(words.sign, "likely").paint(painter, sign)
            line.setLeft(line.left() + side + theme.step(0.75))
        below = self._lines.lines_of(words.below, "small", int(line.width()), 1 + most - len(lines))
        self._lines.draw(painter, line, below, "small", "ink_quiet")
