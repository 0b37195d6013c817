"""Draws the cells of a table of answers."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.ui.kit.page_layout import line_pen
from app.ui.kit.theme import Theme
from app.ui.table.answer_model import AnswerModel, Index
from app.ui.table.cells import CellWords, Look

LEFT_MIDDLE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MOST_LINES = 2  # of a cell's words
_MOST_CACHED = 40_000
_PALE = 0.45  # of cells that the filter does not look for
_INKS = {Look.ABSENT: "ink_quiet", Look.UNREAD: "ink_quiet", Look.FAULT: "fault"}


class Lines:
    """Words broken into lines for a width, the last one elided; all is kept that painting asks for again."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._fonts: dict[str, tuple[QFont, QFontMetrics]] = {}
        self._broken: dict[tuple[str, str, int], tuple[str, ...]] = {}
        self._wide: dict[tuple[str, str], int] = {}
        self._inks: dict[str, QColor] = {}

    def forget(self) -> None:
        """Forget everything, after the fonts or the colours changed."""
        self._fonts.clear()
        self._inks.clear()
        self._broken.clear()
        self._wide.clear()

    def font(self, use: str) -> QFont:
        """The font of a use; "absent" is the usual one in italics."""
        return self._font(use)[0]

    def ink(self, role: str) -> QColor:
        if role not in self._inks:
            self._inks[role] = self._theme.colour(role)
        return self._inks[role]

    def height(self, use: str) -> int:
        return self._font(use)[1].height()

    def width(self, words: str, use: str) -> int:
        """How wide words are on one line, in pixels."""
        key = words, use
        if key not in self._wide:
            if len(self._wide) > _MOST_CACHED:
                self._wide.clear()
            self._wide[key] = self._font(use)[1].horizontalAdvance(words)
        return self._wide[key]

    def broken(self, words: str, use: str, width: int, most: int = _MOST_LINES) -> tuple[str, ...]:
        """The lines of words, at most `most`."""
        key = words, use, width * 8 + most
        lines = self._broken.get(key)
        if lines is None:
            if len(self._broken) > _MOST_CACHED:
                self._broken.clear()
            lines = self._broken[key] = self._break(words, use, width, most)
        return lines

    def _break(self, words: str, use: str, width: int, most: int) -> tuple[str, ...]:
        font, metrics = self._font(use)
        if self.width(words, use) <= width:
            return (words,)
        shown = words[:2000]  # more cannot stand in a cell
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
        """Draw lines from the top of a rectangle on, in the font of a use and the colour of a role; their bottom."""
        painter.setFont(self.font(use))
        painter.setPen(self.ink(ink))
        high, top = self.height(use), inner.top()
        for line in lines:
            painter.drawText(QRectF(inner.left(), top, inner.width() + 2, high), int(LEFT_MIDDLE), line)
            top += high
        return top

    def _font(self, use: str) -> tuple[QFont, QFontMetrics]:
        if use not in self._fonts:
            font = self._theme.font("ui" if use == "absent" else use)
            font.setItalic(use == "absent")
            self._fonts[use] = font, QFontMetrics(font)
        return self._fonts[use]


def font_of(look: Look) -> str:
    """The use of the font that words of this look are drawn in."""
    return "quote" if look in (Look.ANSWER, Look.LOW) else "small" if look is Look.FAULT else "absent"


class AnswerDelegate(QStyledItemDelegate):
    """Draws a cell: the words in one or two lines, a verdict's sign, and how sure the reader is and where."""

    def __init__(self, theme: Theme, lines: Lines) -> None:
        super().__init__()
        self._theme = theme
        self._lines = lines

    def height_for(self, words: int) -> int:
        """The height of a row whose cells have at most so many lines of words."""
        lines, step = self._lines, self._theme.step
        return words * max(lines.height("quote"), lines.height("absent")) + lines.height("small") + step(5)

    def room(self, width: int) -> int:
        """The width that words have in a column of this width."""
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
            # It stays in view while its row, which is as wide as all columns, is scrolled sideways.
            seen = QRectF(view.viewport().rect()) if isinstance(view, QTableView) else rect
            pad = theme.step(2.5)
            inner.setLeft(max(inner.left(), seen.left() + pad))
            inner.setRight(max(inner.left() + 40, min(inner.right(), seen.right() - pad)))
            lines = self._lines.broken(row.message, "small", int(inner.width()))
            self._lines.draw(painter, inner, lines, "small", "fault")
        else:
            # Asked directly: through `data` both would be converted for every cell of every frame.
            words = model.words(index.row(), index.column())
            if not model.fits(index.row(), index.column()):
                painter.setOpacity(_PALE)
            spare = rect.height() >= self.height_for(_MOST_LINES) - 1  # less the grid's line
            self._draw_cell(painter, inner, words, self.room(int(rect.width())), _MOST_LINES if spare else 1)
        painter.setOpacity(1)
        if current:
            wide = 2 if option.state & QStyle.StateFlag.State_HasFocus else 1
            painter.setPen(QPen(self._lines.ink("accent" if wide == 2 else "line_strong"), wide))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2))
        painter.restore()

    def _draw_cell(self, painter: QPainter, inner: QRectF, words: CellWords, room: int, most: int) -> None:
        """Draw a cell in a row with room for `most` lines of words; what the words leave the line below may take."""
        theme, use = self._theme, font_of(words.look)
        lines = self._lines.broken(words.words, use, room, most)
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
            theme.icon(words.sign, "likely" if words.sign == "check" else "fault").paint(painter, sign)
            line.setLeft(line.left() + side + theme.step(0.75))
        below = self._lines.broken(words.below, "small", int(line.width()), 1 + most - len(lines))
        self._lines.draw(painter, line, below, "small", "ink_quiet")
