"""Icons of lines in the theme's ink, drawn when they are seen."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

# Drawn smaller, thin lines would lie between the pixels: it is drawn so large and made smaller.
_LEAST_ICON = 16
# Qt takes a clone, and nothing in Python would hold it.
_clones: list[QIconEngine] = []


@cache
def line_icon(svg: str, usual: str, switched_on: str, disabled: str) -> QIcon:
    """The icon of an SVG's text in three colours, one and the same for as long as the process lives.

    It must never be in a cycle that Python's collector takes apart: its engine would go before it, and it would then
    reach for what is gone.
    """
    return QIcon(LineIcon(svg, usual, switched_on, disabled))


class LineIcon(QIconEngine):
    """A line icon that is drawn when it is seen, in the size that is wanted: each of three colours a mode or a state.

    To draw every icon of a page in all modes and three sizes beforehand took 40 ms of the start.
    """

    def __init__(self, svg: str, usual: str, switched_on: str, disabled: str) -> None:
        super().__init__()
        self._svg = svg
        self._colours = usual, switched_on, disabled
        self._drawn: dict[tuple[int, int, str], QPixmap] = {}

    def clone(self) -> QIconEngine:
        clone = LineIcon(self._svg, *self._colours)
        _clones.append(clone)
        return clone

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        usual, switched_on, disabled = self._colours
        colour = usual
        if mode == QIcon.Mode.Disabled:
            colour = disabled
        elif state == QIcon.State.On and switched_on:
            colour = switched_on
        key = (size.width(), size.height(), colour)
        if key not in self._drawn:
            renderer = QSvgRenderer(QByteArray(self._svg.replace("currentColor", colour).encode()))
            large = drawn(renderer, max(_LEAST_ICON, size.width()))
            smooth = Qt.TransformationMode.SmoothTransformation
            self._drawn[key] = large.scaledToWidth(size.width(), smooth)
        return self._drawn[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))


def drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    """A picture of so many pixels a side."""
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
