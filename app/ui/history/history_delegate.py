"""The delegate that draws the rows of the history."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QToolTip

from app.ui.history.history_model import HistoryModel, Row
from app.ui.kit.parts import as_tip
from app.ui.kit.row_list import RIGHT, ROW, Index, RowDelegate
from app.ui.kit.theme import Theme

_APART = "  ·  "
_LEAST_OF_NAME = 0.75  # the name's least share of its room with the note on the part that was read
_MOST_SAID = 0.5  # the verdict's largest share of its room with the name
_VERY_LIKELY = 0.9


def elided_place(row: Row, metrics: QFontMetrics, room: int) -> str:
    """Return where an answer is, in `room` pixels: the page or line in full, and both ends of the document's name.

    File names often differ only at their ends. The note on the part that was read is shortened first, and left out if
    less than half of it would be visible.
    """
    room -= metrics.horizontalAdvance(f"{_APART}{row.place}")
    name, part = metrics.horizontalAdvance(row.name), metrics.horizontalAdvance(row.part)
    if name + part > room:
        name = min(name, max(room - part, int(room * _LEAST_OF_NAME)))
        if 2 * (room - name) < part:
            name, part = min(metrics.horizontalAdvance(row.name), room), 0
    # A pixel more: two rounded widths may exceed their rounded sum.
    shown = metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, name + 1)
    left = room - metrics.horizontalAdvance(shown)
    part_text = metrics.elidedText(row.part, Qt.TextElideMode.ElideRight, left) if part else ""
    return f"{_APART}{shown}{row.place}{part_text}"


class HistoryDelegate(RowDelegate):
    """Draws a day's entries as one card, each with its question, highlighted answer, probability, place, and time.

    `width` is the rows' width, at which the news below an entry is wrapped; `tools` is the width of the buttons at the
    right end of the row under the mouse.
    """

    MIRRORS = True

    def __init__(self, theme: Theme, model: HistoryModel) -> None:
        super().__init__(theme)
        self._model = model
        self.width = 0
        self.tools = 0

    def row_height(self, index: Index) -> int:
        theme = self._theme
        row: Row = index.data(ROW)
        if row.entry is None:
            above = theme.step(6) if index.row() else theme.step(1)
            return above + self.line_height("small_strong") + theme.step(2)
        news = self._news_height(row) + theme.step(2) if row.news else 0
        return self.height_of_entry() + news

    def height_of_entry(self) -> int:
        """Return the height of an entry's row without the news below it."""
        lines = self.line_height("strong") + self.line_height("quote") + self.line_height("small")
        return lines + self._theme.step(9)

    def draw(self, painter: QPainter, rect: QRectF, row: Row, option: QStyleOptionViewItem) -> None:
        if row.entry is None:
            step, high = self._theme.step, self.line_height("small_strong")
            line = QRectF(rect.left() + step(1), rect.bottom() - high - step(2), rect.width(), high)
            self.draw_text(painter, line, row.title, "small_strong", "ink_quiet")
        else:
            self._draw_card(painter, rect, option)
            self._draw_entry(painter, rect, row, option.direction)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show the document's full path, and the part of it that was read, as the tool tip of its name."""
        row: Row | None = index.data(ROW)
        line = QRect(option.rect)
        line.setTop(
            option.rect.top() + self.height_of_entry() - self.line_height("small") - self._theme.step(4)
        )
        if row is None or row.entry is None or not line.contains(event.pos()):
            QToolTip.hideText()
            return False
        QToolTip.showText(event.globalPos(), as_tip(row.tip), view.viewport(), line)
        return True

    def _draw_card(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem) -> None:
        theme = self._theme
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hover = bool(option.state & QStyle.StateFlag.State_MouseOver)
        edge = QPen(theme.colour("line"), 1)
        # Where the card continues, it is drawn beyond the row, so that only its outer corners are round.
        round_by = theme.step(2.5)
        first, last = self._model.edges(option.index.row())
        above, below = (0.5 if first else -2 * round_by), (0.5 if last else -2 * round_by)
        card = rect.adjusted(0.5, above, -0.5, -below)
        painter.setClipRect(rect)
        painter.setPen(edge)
        painter.setBrush(theme.colour("panel"))
        painter.drawRoundedRect(card, round_by, round_by)
        if chosen or hover:
            inside = QPainterPath()
            inside.addRoundedRect(card, round_by, round_by)
            painter.setClipPath(inside, Qt.ClipOperation.IntersectClip)
            painter.fillRect(rect.adjusted(1, 0, -1, 0), theme.colour("accent_ground" if chosen else "hover"))
            if chosen:
                bar = QRectF(rect.left() + 0.5, rect.top(), theme.step(0.75), rect.height())
                painter.fillRect(self.mirrored(bar), theme.colour("accent"))
            painter.setClipRect(rect)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(card, round_by, round_by)
            if option.state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(theme.colour("focus"), 1))
                inset = theme.step(0.75)
                painter.drawRoundedRect(rect.adjusted(inset + 0.5, 2.5, -inset - 0.5, -1.5), inset, inset)
        if not first:
            painter.setPen(edge)
            top = rect.top() + 0.5
            painter.drawLine(QPointF(rect.left() + 1, top), QPointF(rect.right() - 1, top))
        painter.setClipping(False)

    def _draw_entry(self, painter: QPainter, rect: QRectF, row: Row, direction: Qt.LayoutDirection) -> None:
        theme = self._theme
        inner = rect.adjusted(theme.step(4), theme.step(2.5), -theme.step(4), 0)
        painter.setLayoutDirection(direction)
        top = QRectF(inner.left(), inner.top(), inner.width(), self.line_height("strong"))
        used = self.draw_text(painter, top, row.time, "small", "ink_quiet", RIGHT)
        top.setRight(top.right() - used - theme.step(3))
        # Questions and answers follow their own script; the line below them follows the window's language.
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.draw_text(painter, top, row.title, "strong")
        middle = QRectF(
            inner.left(), top.bottom() + theme.step(1.5), inner.width(), self.line_height("quote")
        )
        answer = middle.adjusted(0, 0, -self.tools, 0)
        ink = "ink"
        if row.entry is not None and row.entry.shown is not None:
            best = row.entry.best
            self.draw_lit(painter, answer, row.answer, faint=best is None or not row.entry.complete)
            ink = "accent" if best is None else "likely" if best.probability >= _VERY_LIKELY else "ink"
        else:
            self.draw_text(painter, answer, row.answer, "quote", "ink_quiet")
        low = QRectF(
            inner.left(), middle.bottom() + theme.step(1.5), inner.width(), self.line_height("small")
        )
        painter.setLayoutDirection(direction)
        used = self.draw_text(painter, low, row.likely, "small" if ink == "ink" else "small_strong", ink)
        rest = low.adjusted(used, 0, -self.tools, 0)
        if row.said:
            rest.setLeft(self._draw_said(painter, rest, row))
        where = elided_place(row, QFontMetrics(theme.font("small")), int(rest.width()))
        self.draw_text(painter, rest, where, "small", "ink_quiet")
        if row.news:
            self._draw_news(
                painter, QRectF(inner.left(), low.bottom() + theme.step(2), inner.width(), 0), row
            )

    def _draw_said(self, painter: QPainter, line: QRectF, row: Row) -> float:
        """Draw the person's verdict with its icon; returns where it ends."""
        step, theme = self._theme.step, self._theme
        side, name = step(3.5), "check" if row.agreed else "pen"
        sign = QRectF(int(line.left() + step(3)), int(line.center().y() - side / 2), side, side)
        theme.icon(name, "likely").paint(painter, self.mirrored(sign).toRect())
        left = sign.right() - 1 + step(1.25)
        words = QRectF(left, line.top(), (line.right() - left) * _MOST_SAID, line.height())
        return left + self.draw_text(painter, words, row.said, "small_strong")

    def _draw_news(self, painter: QPainter, place: QRectF, row: Row) -> None:
        theme = self._theme
        height = self._news_height(row)
        bar = QRectF(place.left(), place.top(), theme.step(0.5), height)
        painter.fillRect(self.mirrored(bar), theme.colour("accent" if row.changed else "line_strong"))
        words = QRectF(place.left() + theme.step(2.5), place.top(), place.width() - theme.step(2.5), height)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink" if row.changed else "ink_quiet"))
        alignments = Qt.AlignmentFlag
        side = alignments.AlignRight if self.is_mirrored else alignments.AlignLeft
        flags = side | alignments.AlignAbsolute | Qt.TextFlag.TextWordWrap
        painter.drawText(self.mirrored(words), flags, row.news)

    def _news_height(self, row: Row) -> int:
        theme = self._theme
        room = QRect(0, 0, max(40, self.width - theme.step(10.5)), 10_000)
        return (
            QFontMetrics(theme.font("small")).boundingRect(room, Qt.TextFlag.TextWordWrap, row.news).height()
        )
