"""The style of a type's names: a background, a line in a pattern of its own, and a few letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.name_types import plain_type, short_types
from app.ui.kit.theme import Theme

COLOURS = 8
# Dashes and gaps in pen widths: a solid line, dashes, dots, dash and dot, long dashes; two lines for the last.
_PATTERNS: tuple[tuple[float, ...], ...] = ((), (3.5, 2), (1, 1.5), (4, 1.5, 1, 1.5), (8, 3))
_DOUBLE = len(_PATTERNS)


@dataclass(frozen=True, slots=True)
class NameStyle:
    """The style of a type's names: `letters` are written below a name, `plain` is the type's title.

    `number` is the type's index, by which the colour and the line are chosen.
    """

    label: str
    plain: str
    letters: str
    number: int

    @property
    def ground(self) -> str:
        """The theme's role of the background."""
        return f"name_{self.number % COLOURS + 1}"

    @property
    def line(self) -> str:
        """The theme's role of the line and the letters."""
        return f"{self.ground}_line"

    def draw_line(self, painter: QPainter, theme: Theme, box: QRectF, *, strong: bool = False) -> None:
        """Draw the line below a box."""
        kind = self.number % (_DOUBLE + 1)
        width = 2.5 if strong else 1.5
        pen = QPen(theme.colour(self.line), width if kind != _DOUBLE else width * 0.6)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if kind < _DOUBLE and _PATTERNS[kind]:
            pen.setDashPattern(list(_PATTERNS[kind]))
        painter.setPen(pen)
        for lower in (0.0, 2.5) if kind == _DOUBLE else (0.0,):
            y = box.bottom() + lower
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))


def styles_of(labels: Sequence[str]) -> tuple[NameStyle, ...]:
    """A style for each type, in their order; a pair of one of 8 colours and one of 6 lines repeats after 24 types."""
    letters = short_types(labels)
    return tuple(
        NameStyle(label, plain_type(label), letters[label], number) for number, label in enumerate(labels)
    )


class NameSwatch(QWidget):
    """A sample of a type's style: its background with its letters and line."""

    def __init__(self, theme: Theme, style: NameStyle) -> None:
        super().__init__()
        self._theme = theme
        self._style = style
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self._theme.font("tag"))
        return QSize(self._theme.step(9), round(metrics.height()) + self._theme.step(2))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_swatch(painter, self._theme, QRectF(self.rect()), self._style)


def draw_swatch(painter: QPainter, theme: Theme, rect: QRectF, style: NameStyle) -> None:
    """Draw a type's background with its letters and line in a rectangle."""
    box = rect.adjusted(0, 0, 0, -3)
    painter.fillRect(box, theme.colour(style.ground))
    painter.setFont(theme.font("tag"))
    painter.setPen(theme.colour(style.line))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, style.letters)
    style.draw_line(painter, theme, box)
