"""Pages drawn from their cached pictures, in the screen's own pixels."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QRegion

from app.ui.document.pdf.page_stack import PageStack, Rect
from app.ui.document.pdf.page_tiles import TileShelf, tiles
from app.ui.kit.theme import Theme

# Beyond this number of pixels, stand-ins are drawn without smoothing, so that scrolling stays smooth.
_SMOOTH = 1_500_000


def in_pixels(painter: QPainter, ratio: float) -> None:
    """Have a painter count in the screen's own pixels, whole ones, also where a widget begins between two of them."""
    origin = painter.deviceTransform().map(QRectF(0, 0, 1, 1).topLeft())
    painter.translate(
        (round(origin.x()) - origin.x()) / ratio,
        (round(origin.y()) - origin.y()) / ratio,
    )
    painter.scale(1 / ratio, 1 / ratio)


class PagePainter:
    """Draws the paper of pages with their cached pictures."""

    def __init__(self, theme: Theme, shelf: TileShelf) -> None:
        self._theme = theme
        self._shelf = shelf

    def draw_desk(self, painter: QPainter, stack: PageStack, view: Rect) -> None:
        """Draw the desk around the pages of a part of the stack."""
        desk = QRegion(0, 0, view.width, view.height)
        for page in stack.between(view.top, view.bottom):
            rect = stack.rect(page).cut(view).moved(-view.left, -view.top)
            desk = desk.subtracted(QRegion(*rect))
        painter.save()
        painter.setClipRegion(desk, Qt.ClipOperation.IntersectClip)
        painter.fillRect(desk.boundingRect(), self._theme.colour("desk"))
        painter.restore()

    def draw(self, painter: QPainter, stack: PageStack, page: int, view: Rect) -> bool:
        """Draw a page where it can be seen; `view` is the visible part of the stack, drawn from (0, 0).

        Returns whether all of its pictures were cached. Parts without a picture are white paper.
        """
        rect = stack.rect(page)
        seen = rect.cut(view).moved(-rect.left, -rect.top)
        x, y = rect.left - view.left, rect.top - view.top
        wanted = tiles(stack, page, seen)
        missing = [tile for tile in wanted if tile not in self._shelf]
        smooth = sum(tile.rect.cut(seen).area for tile in missing) <= _SMOOTH
        for tile in missing:
            part = tile.rect.cut(seen)
            painter.save()
            painter.setClipRect(QRect(x + part.left, y + part.top, part.width, part.height))
            painter.fillRect(QRect(x + part.left, y + part.top, part.width, part.height), self._paper())
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            for patch in self._shelf.stand_ins(tile):
                painter.drawImage(_between(*patch.target, x, y), patch.image, _between(*patch.source))
            painter.restore()
        for tile in wanted:
            image = self._shelf.image(tile)
            if image is not None:
                part = tile.rect.cut(seen)
                source = QRect(part.left - tile.left, part.top - tile.top, part.width, part.height)
                painter.drawImage(QPoint(x + part.left, y + part.top), image, source)
        shade = self._theme.colour("print_shade")
        if shade.alpha():
            painter.fillRect(QRect(x + seen.left, y + seen.top, seen.width, seen.height), shade)
        return not missing

    def draw_edge(self, painter: QPainter, stack: PageStack, page: int, view: Rect, width: int) -> None:
        """Draw the line around a page's paper."""
        rect = stack.rect(page).moved(-view.left, -view.top)
        line = self._theme.colour("line")
        for edge in (
            QRect(rect.left - width, rect.top - width, rect.width + 2 * width, width),
            QRect(rect.left - width, rect.bottom, rect.width + 2 * width, width),
            QRect(rect.left - width, rect.top, width, rect.height),
            QRect(rect.right, rect.top, width, rect.height),
        ):
            painter.fillRect(edge, line)

    def _paper(self) -> Qt.GlobalColor:
        # A page without a colour of its own is white, as it is printed, in either theme.
        return Qt.GlobalColor.white


def _between(left: float, top: float, right: float, bottom: float, x: int = 0, y: int = 0) -> QRectF:
    return QRectF(left + x, top + y, right - left, bottom - top)
