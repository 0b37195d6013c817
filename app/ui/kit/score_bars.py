"""Probabilities as bars and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.legible import legible
from app.ui.kit.parts import as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr


def nice_label(label: str) -> str:
    """A model's label in readable form: "Negative" for `negative`, "Very positive" for `very_positive`."""
    words = legible(label.replace("_", " "))
    if words.isupper() and len(words) > 3:
        words = words.lower()
    return words[:1].upper() + words[1:] if words else legible(label)


def breakable(text: str) -> str:
    """The text with zero-width spaces in its very long words, so that they can wrap."""
    return re.sub(r"\S{25,}", lambda word: "\u200b".join(re.findall(r".{1,4}", word.group())), text)


def draw_bar(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    fraction: float,
    *,
    faint: bool = False,
    from_right: bool = False,
) -> None:
    """Paint a rounded bar filled to `fraction` (0 to 1); any fraction above zero is visible."""
    rect = QRectF(rect.toRect())  # between two pixels its edge would be pale
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    radius = rect.height() / 2
    painter.setBrush(theme.colour("track"))
    painter.drawRoundedRect(rect, radius, radius)
    share = min(1.0, max(0.0, fraction))
    if share > 0:
        painter.save()
        wide = max(2.0, rect.width() * share)
        left = rect.right() - wide if from_right else rect.left()
        painter.setClipRect(QRectF(left, rect.top(), wide, rect.height()))
        painter.setBrush(theme.colour("mark_faint" if faint else "mark"))
        painter.setPen(QPen(theme.colour("answer_line"), 1))  # amber alone is too pale beside the track
        edge = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(edge, radius - 0.5, radius - 0.5)
        painter.restore()


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A name, how far its bar is filled (0 to 1, None for no bar), its number as text, and whether it is emphasised."""

    name: str
    fraction: float | None
    number: str
    best: bool = False


class PaintedRows(QWidget):
    """Painted rows, each with a tool tip, in a focus ring; Ctrl+C copies `text`."""

    ROLE = QAccessible.Role.Chart

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """All numbers, a line for each row, separated by tabs."""
        raise NotImplementedError

    def tip(self, at: int) -> str:
        """The tool tip of a row; empty for the index below the last row."""
        raise NotImplementedError

    def row_height(self) -> int:
        """The height of a row, in pixels."""
        raise NotImplementedError

    def draw_rows(self, painter: QPainter, whole: QRectF, shown: QRect) -> None:
        """Paint the rows into `whole`, at least those within `shown`."""
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.text())
            event.accept()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = (event.pos().y() - self._theme.step(1)) // self.row_height()
            QToolTip.showText(event.globalPos(), as_tip(self.tip(max(0, at))), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, edge = QPainter(self), self._theme.step(1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(self._theme.colour("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), edge, edge)
        self.draw_rows(painter, QRectF(self.rect()).adjusted(edge, edge, -edge, -edge), event.rect())


class ScoreBars(PaintedRows):
    """Rows of a name, a number and a bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Class probabilities"))
        self._rows: tuple[ScoreRow, ...] = ()

    def set_rows(self, rows: tuple[ScoreRow, ...]) -> None:
        """Show these rows in their order."""
        self._rows = tuple(
            replace(row, name=localised(row.name), number=localised(row.number)) for row in rows
        )
        self.setAccessibleDescription(", ".join(f"{row.name} {row.number}" for row in self._rows))
        self.updateGeometry()
        self.update()

    def rows(self) -> tuple[ScoreRow, ...]:
        """The shown rows."""
        return self._rows

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(50), max(1, len(self._rows)) * self.row_height() + self._theme.step(2))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(30), self.sizeHint().height())

    def text(self) -> str:
        return "\n".join(f"{row.name}\t{row.number}" for row in self._rows)

    def tip(self, at: int) -> str:
        return f"{self._rows[at].name}, {self._rows[at].number}" if at < len(self._rows) else ""

    def draw_rows(self, painter: QPainter, whole: QRectF, shown: QRect) -> None:
        high = self.row_height()
        for index, row in enumerate(self._rows):
            rect = QRectF(whole.left(), whole.top() + index * high, whole.width(), high)
            if rect.bottom() >= shown.top() and rect.top() <= shown.bottom():
                self._paint_row(painter, rect, row)

    def _paint_row(self, painter: QPainter, rect: QRectF, row: ScoreRow) -> None:
        theme = self._theme
        painter.setFont(theme.font("strong" if row.best else "ui"))
        metrics = painter.fontMetrics()
        line = QRectF(rect.left(), rect.top() + theme.step(1), rect.width(), metrics.height())
        painter.setPen(theme.colour("ink" if self.isEnabled() else "ink_disabled"))
        number_width = metrics.horizontalAdvance(row.number)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, row.number)
        room = int(line.width() - number_width - theme.step(3))
        name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        if row.fraction is not None:
            bar = QRectF(rect.left(), line.bottom() + theme.step(1.25), rect.width(), theme.step(1.75))
            faint = not (row.best and self.isEnabled())
            right = self.isRightToLeft()
            draw_bar(painter, theme, bar, row.fraction, faint=faint, from_right=right)

    def row_height(self) -> int:
        bars = any(row.fraction is not None for row in self._rows)
        return QFontMetrics(self._theme.font("strong")).height() + self._theme.step(6 if bars else 2)
