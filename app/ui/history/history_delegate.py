"""The delegate that draws the rows of the history."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from app.ui.history.history_model import ROW, Index, Row
from app.ui.kit.page_layout import line_pen
from app.ui.kit.theme import Theme

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
_APART = "  ·  "
_LEAST_OF_NAME = 0.75  # of the room that the name shares with the note on the part that was read
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.TextFlag.TextWordWrap


def fitted(row: Row, metrics: QFontMetrics, room: int) -> str:
    """Where an answer is, fitted into `room` pixels: the page or line in full, and both ends of the name.

    File names often differ in their ends. The note on the part that was read is shortened first; it is left out if less
    than half of it would be visible.
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


class HistoryDelegate(QStyledItemDelegate):
    """A day's entries as one card; an entry: the question, its highlighted answer, likelihood, place, and time.

    `width` is the rows' width, at which the news below an entry is wrapped; `tools` is the width of the buttons at the
    right end of the row under the mouse.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.width = 0
        self.tools = 0
        self._highs: dict[str, int] = {}

    def restyle(self) -> None:
        """Cache the theme's sizes, which are needed for every row."""
        self._highs.clear()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        theme = self._theme
        row: Row = index.data(ROW)
        if row.entry is None:
            above = theme.step(6) if index.row() else theme.step(1)
            return QSize(1, above + self._high("small_strong") + theme.step(2))
        news = self._news_height(row) + theme.step(2) if row.news else 0
        return QSize(1, self.height_of_entry() + news)

    def height_of_entry(self) -> int:
        """The height of an entry's row without the news below it."""
        if "entry" not in self._highs:
            lines = self._high("strong") + self._high("quote") + self._high("small")
            self._highs["entry"] = lines + self._theme.step(9)
        return self._highs["entry"]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        if row.entry is None:
            self._draw_heading(painter, rect, row)
        else:
            self._draw_card(painter, rect, row, option)
            self._draw_entry(painter, rect, row)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Show the document's full path, and the part that was read, as the tool tip of its name."""
        row: Row | None = index.data(ROW)
        line = QRect(option.rect)
        line.setTop(option.rect.top() + self.height_of_entry() - self._high("small") - self._theme.step(4))
        if row is None or row.entry is None or not line.contains(event.pos()):
            QToolTip.hideText()
            return False
        QToolTip.showText(event.globalPos(), row.tip, view.viewport(), line)
        return True

    def _draw_heading(self, painter: QPainter, rect: QRectF, row: Row) -> None:
        theme = self._theme
        high = self._high("small_strong")
        line = QRectF(rect.left(), rect.bottom() - high - theme.step(2), rect.width(), high)
        painter.setPen(theme.colour("ink_quiet"))
        painter.setFont(theme.font("small_strong"))
        painter.drawText(line.adjusted(theme.step(1), 0, 0, 0), _LEFT, row.title)

    def _draw_card(self, painter: QPainter, rect: QRectF, row: Row, option: QStyleOptionViewItem) -> None:
        theme = self._theme
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hover = bool(option.state & QStyle.StateFlag.State_MouseOver)
        edge = QPen(theme.colour("line"), 1)
        # Drawn beyond the row if the card continues, so that its sides join and only its outer corners are round.
        round_by = theme.step(2.5)
        above, below = (0.5 if row.first else -2 * round_by), (0.5 if row.last else -2 * round_by)
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
                painter.fillRect(bar, theme.colour("accent"))
            painter.setClipRect(rect)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(card, round_by, round_by)
            if option.state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(theme.colour("focus"), 1))
                inset = theme.step(0.75)
                painter.drawRoundedRect(rect.adjusted(inset + 0.5, 2.5, -inset - 0.5, -1.5), inset, inset)
        if not row.first:
            painter.setPen(edge)
            top = rect.top() + 0.5
            painter.drawLine(QPointF(rect.left() + 1, top), QPointF(rect.right() - 1, top))
        painter.setClipping(False)

    def _draw_entry(self, painter: QPainter, rect: QRectF, row: Row) -> None:
        theme = self._theme
        inner = rect.adjusted(theme.step(4), theme.step(2.5), -theme.step(4), 0)
        small = QFontMetrics(theme.font("small"))
        time = QRectF(inner.right() - small.horizontalAdvance("00:00"), inner.top(), 0, self._high("strong"))
        time.setRight(inner.right())
        # Questions and answers are in any script; the line below them is English with names.
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        line = QRectF(inner.left(), inner.top(), time.left() - inner.left() - theme.step(3), time.height())
        self._draw_line(painter, line, "strong", "ink", row.title)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink_quiet"))
        painter.drawText(time, _RIGHT, row.time)
        line = QRectF(inner.left(), line.bottom() + theme.step(1.5), inner.width(), self._high("quote"))
        if row.entry is not None and row.entry.shown is not None:
            self._draw_lit(
                painter, line.adjusted(0, 0, -self.tools, 0), row.answer, faint=row.entry.best is None
            )
        else:
            self._draw_line(painter, line.adjusted(0, 0, -self.tools, 0), "quote", "ink_quiet", row.answer)
        line = QRectF(inner.left(), line.bottom() + theme.step(1.5), inner.width(), self._high("small"))
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        role = "ink"
        if row.entry is not None and row.entry.shown is not None:
            sure = row.likely.startswith("Very likely")
            role = "accent" if row.entry.best is None else "likely" if sure else "ink"
        use = "small" if role == "ink" else "small_strong"
        used = self._draw_line(painter, line, use, role, row.likely)
        rest = line.adjusted(used, 0, -self.tools, 0)
        where = fitted(row, QFontMetrics(theme.font("small")), int(rest.width()))
        self._draw_line(painter, rest, "small", "ink_quiet", where)
        if row.news:
            self._draw_news(
                painter, QRectF(inner.left(), line.bottom() + theme.step(2), inner.width(), 0), row
            )

    def _draw_lit(self, painter: QPainter, line: QRectF, words: str, *, faint: bool) -> None:
        """Draw words highlighted as on their page: with a background and a line under them, dashed if `faint`."""
        theme = self._theme
        font = theme.font("quote")
        metrics = QFontMetrics(font)
        pad = theme.step(0.75)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(line.width() - 2 * pad))
        box = QRectF(line.left(), line.top(), metrics.horizontalAdvance(shown) + 2 * pad, line.height())
        painter.fillRect(box, theme.colour("other_ground" if faint else "answer_ground"))
        painter.setPen(line_pen(theme.colour("answer_line"), True, faint))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.setFont(font)
        painter.setPen(theme.colour("ink"))
        painter.drawText(box.adjusted(pad, 0, pad, 0), _LEFT, shown)

    def _draw_line(self, painter: QPainter, line: QRectF, use: str, role: str, words: str) -> float:
        """Draw a line of words, elided if there is no room; returns its width."""
        font: QFont = self._theme.font(use)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(line.width()))
        painter.setFont(font)
        painter.setPen(self._theme.colour(role))
        painter.drawText(line, _LEFT, shown)
        return metrics.horizontalAdvance(shown)

    def _draw_news(self, painter: QPainter, place: QRectF, row: Row) -> None:
        theme = self._theme
        height = self._news_height(row)
        bar = QRectF(place.left(), place.top(), theme.step(0.5), height)
        painter.fillRect(bar, theme.colour("accent" if row.changed else "line_strong"))
        words = QRectF(place.left() + theme.step(2.5), place.top(), place.width() - theme.step(2.5), height)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("ink" if row.changed else "ink_quiet"))
        painter.drawText(words, _WRAPPED, row.news)

    def _news_height(self, row: Row) -> int:
        theme = self._theme
        room = QRect(0, 0, max(40, self.width - theme.step(10.5)), 10_000)
        return QFontMetrics(theme.font("small")).boundingRect(room, _WRAPPED, row.news).height()

    def _high(self, use: str) -> int:
        if use not in self._highs:
            self._highs[use] = QFontMetrics(self._theme.font(use)).height()
        return self._highs[use]
