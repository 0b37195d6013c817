"""Figures of one or two models side by side, each as a number with a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.ui.kit.score_bars import draw_bar
from app.ui.kit.theme import Theme


@dataclass(frozen=True, slots=True)
class PairCell:
    """A model's number in words, its share of the bar (0 to 1, None for no bar), and whether it is the better one."""

    number: str
    fraction: float | None
    better: bool = False


@dataclass(frozen=True, slots=True)
class PairRow:
    """A figure's title, what it means, and a cell for each model; None where a model has no such figure."""

    title: str
    tip: str
    cells: tuple[PairCell | None, ...]


class MeasurePairs(QWidget):
    """A row for each figure, below a heading with the models' names where there are two.

    Ctrl+C copies all as lines with tabs.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._names: tuple[str, ...] = ()
        self._rows: tuple[PairRow, ...] = ()
        self.setAccessibleName("Figures side by side")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_rows(self, names: Sequence[str], rows: Sequence[PairRow]) -> None:
        """Show these figures of the models of these names."""
        self._names, self._rows = tuple(names), tuple(rows)
        self.setAccessibleDescription(self.text().replace("\t", " ").replace("\n", ", "))
        self.updateGeometry()
        self.update()

    def rows(self) -> tuple[PairRow, ...]:
        """What is shown."""
        return self._rows

    def text(self) -> str:
        """All numbers, a line for each figure, with tabs between."""
        lines = ["\t".join(("", *self._names))]
        for row in self._rows:
            lines.append("\t".join((row.title, *(cell.number if cell else "" for cell in row.cells))))
        return "\n".join(lines)

    def sizeHint(self) -> QSize:
        """The size that fits, in pixels."""
        high = (self._headings() + len(self._rows)) * self._row_height() + self._theme.step(2)
        return QSize(self._theme.step(40 + 40 * len(self._names)), high)

    def minimumSizeHint(self) -> QSize:
        """The least size, in pixels."""
        return QSize(self._theme.step(34 + 22 * len(self._names)), self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.text() + "\n")
            event.accept()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say under the pointer what a figure means, or a name whole."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = (event.pos().y() - self._theme.step(1)) // self._row_height() - self._headings()
            tip = ", ".join(self._names) if at < 0 else self._rows[at].tip if at < len(self._rows) else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw in the theme's colours."""
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = theme.step(1)
        if self.hasFocus():
            painter.setPen(theme.colour("focus"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), edge, edge)
        high = self._row_height()
        whole = QRectF(edge, edge, self.width() - 2 * edge, high)
        if self._headings():
            for at, name in enumerate(self._names):
                self._write(painter, self._cell(whole, at), name, "strong", "ink")
            whole.translate(0, high)
        for row in self._rows:
            title = QRectF(whole.left(), whole.top(), self._title_width() - theme.step(2), high)
            self._write(painter, title, row.title, "ui", "ink_quiet")
            for at, cell in enumerate(row.cells):
                if cell is not None:
                    self._paint_cell(painter, self._cell(whole, at), cell)
            whole.translate(0, high)

    def _headings(self) -> int:
        return int(len(self._names) > 1)

    def _paint_cell(self, painter: QPainter, place: QRectF, cell: PairCell) -> None:
        theme = self._theme
        number = QRectF(place.left(), place.top(), self._number_width(), place.height())
        self._write(painter, number, cell.number, "strong" if cell.better else "ui", "ink")
        left = number.right() + theme.step(2)
        if cell.fraction is not None and place.right() - left > theme.step(6):
            bar = QRectF(left, place.center().y() - theme.step(0.875), place.right() - left, theme.step(1.75))
            fill = theme.colour("mark" if cell.better or len(self._names) < 2 else "mark_faint")
            draw_bar(painter, bar, cell.fraction, theme.colour("track"), fill)

    def _write(self, painter: QPainter, place: QRectF, words: str, font: str, ink: str) -> None:
        painter.setFont(self._theme.font(font))
        painter.setPen(self._theme.colour(ink))
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _cell(self, row: QRectF, at: int) -> QRectF:
        left = self._title_width()
        gap = self._theme.step(5)
        wide = (row.width() - left - gap * (len(self._names) - 1)) / max(1, len(self._names))
        return QRectF(row.left() + left + at * (wide + gap), row.top(), wide, row.height())

    def _title_width(self) -> float:
        metrics = QFontMetrics(self._theme.font("ui"))
        return max(
            (metrics.horizontalAdvance(row.title) for row in self._rows), default=0
        ) + self._theme.step(4)

    def _number_width(self) -> float:
        metrics = QFontMetrics(self._theme.font("strong"))
        numbers = [cell.number for row in self._rows for cell in row.cells if cell is not None]
        return max(map(metrics.horizontalAdvance, numbers), default=0) + self._theme.step(1)

    def _row_height(self) -> int:
        return QFontMetrics(self._theme.font("strong")).height() + self._theme.step(2.5)

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
