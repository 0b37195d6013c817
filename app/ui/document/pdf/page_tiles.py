"""Tiles, the pictures of parts of pages: which are wanted, their cache, and their drawing in the screen's pixels."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QRegion

from app.core.layout import Picture
from app.ui.document.pdf.page_stack import PageStack

# The most pixels of a tile: large enough that few are needed, small enough that each is drawn fast. A tile is as wide
# as its page where possible, so that no seam goes through its lines.
_AREA = 1 << 20
_LONGEST = 2048
# The longest side of the coarse picture of a whole page, which is drawn where no better one is cached.
_COARSE = 480
_PIXEL = 4
# More pixels than this are scaled from stand-ins without smoothing, so that scrolling stays fast.
_SMOOTH = 1_500_000


class Tile(NamedTuple):
    """A part of a page drawn at `scale` pixels per point, in pixels from the page's upper left corner."""

    page: int
    scale: float
    left: int
    top: int
    width: int
    height: int

    @property
    def rect(self) -> QRect:
        """The tile's rectangle on the page drawn at its scale."""
        return QRect(self.left, self.top, self.width, self.height)


def tiles(stack: PageStack, page: int, part: QRect) -> list[Tile]:
    """Return the tiles of a page that cover a part of it, in the page's pixels."""
    width, height = stack.rect(page).width(), stack.rect(page).height()
    part = part.intersected(QRect(0, 0, width, height))
    if part.isEmpty():
        return []
    columns = -(-width // _LONGEST)
    rows = -(-height // min(_LONGEST, max(1, _AREA * columns // width)))
    return [
        Tile(page, stack.scale, left, top, right - left, bottom - top)
        for top, bottom in _overlapping_parts(height, rows, part.y(), part.y() + part.height())
        for left, right in _overlapping_parts(width, columns, part.x(), part.x() + part.width())
    ]


def area(rect: QRect) -> int:
    """Return the number of pixels of a rectangle."""
    return 0 if rect.isEmpty() else rect.width() * rect.height()


def coarse(stack: PageStack, page: int) -> Tile:
    """Return the whole page as one small tile, at a scale that depends on the page alone."""
    sides = stack.rect(page).width(), stack.rect(page).height()
    scale = _COARSE / max(1.0, round(max(sides) / stack.scale))
    width, height = (max(1, round(side * scale / stack.scale)) for side in sides)
    return Tile(page, scale, 0, 0, width, height)


def _overlapping_parts(length: int, count: int, first: int, end: int) -> list[tuple[int, int]]:
    """Return those of `count` even parts of a length that overlap the range from `first` to `end`."""
    low, high = first * count // length, min(count - 1, end * count // length)
    edges = [(step * length // count, (step + 1) * length // count) for step in range(low, high + 1)]
    return [(near, far) for near, far in edges if near < end and far > first]


class TileShelf:
    """A cache of tiles' pictures, of at most `budget` bytes; the least recently seen are dropped first."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.bytes = 0
        # QImage refers to the bytes and does not own them.
        self._cached: OrderedDict[Tile, tuple[QImage, bytes]] = OrderedDict()
        self._pages: dict[int, list[Tile]] = {}

    def __contains__(self, tile: Tile) -> bool:
        return tile in self._cached

    def put(self, tile: Tile, picture: Picture) -> None:
        """Cache a picture, and drop others to keep to the budget; raises ValueError for a picture of another size."""
        if (picture.width, picture.height) != (tile.width, tile.height):
            raise ValueError(f"{picture.width} x {picture.height} pixels for {tile}")
        if len(picture.pixels) != picture.width * picture.height * _PIXEL:
            raise ValueError(f"{len(picture.pixels)} bytes for {tile}")
        self._drop(tile)
        stride = picture.width * _PIXEL
        image = QImage(picture.pixels, picture.width, picture.height, stride, QImage.Format.Format_RGB32)
        self._cached[tile] = (image, picture.pixels)
        self._pages.setdefault(tile.page, []).append(tile)
        self.bytes += len(picture.pixels)
        while self.bytes > self.budget and len(self._cached) > 1:
            self._drop(next(iter(self._cached)))

    def image(self, tile: Tile) -> QImage | None:
        """Return the picture of a tile, None where it is not cached."""
        cached = self._cached.get(tile)
        return cached[0] if cached is not None else None

    def see(self, seen: Iterable[Tile]) -> None:
        """Note that tiles are seen, the most important one last."""
        for tile in seen:
            if tile in self._cached:
                self._cached.move_to_end(tile)

    def keep(self, wanted: Iterable[Tile]) -> None:
        """Drop all other tiles."""
        remaining = set(wanted)
        for tile in [tile for tile in self._cached if tile not in remaining]:
            self._drop(tile)

    def clear(self) -> None:
        """Drop all tiles."""
        self.keep(())

    def stand_ins(self, tile: Tile) -> list[tuple[QImage, QRectF]]:
        """Return pictures of other scales for a missing tile, each with its rectangle on the page, the best last.

        There are as many as cover the tile, of the nearest scales.
        """
        by_scale: dict[float, list[Tile]] = {}
        for cached in self._pages.get(tile.page, ()):
            by_scale.setdefault(cached.scale, []).append(cached)
        by_scale.pop(tile.scale, None)
        found: list[tuple[QImage, QRectF]] = []
        for scale in sorted(by_scale, key=lambda scale: max(scale / tile.scale, tile.scale / scale)):
            covered, factor = 0.0, tile.scale / scale
            for cached in by_scale[scale]:
                sides = (cached.left, cached.top, cached.width, cached.height)
                place = QRectF(*(side * factor for side in sides))
                part = place.intersected(QRectF(tile.rect))
                if not part.isEmpty():
                    covered += part.width() * part.height()
                    found.append((self._cached[cached][0], place))
            if covered >= tile.width * tile.height * 0.995:
                break
        return found[::-1]

    def _drop(self, tile: Tile) -> None:
        cached = self._cached.pop(tile, None)
        if cached is not None:
            self.bytes -= len(cached[1])
            self._pages[tile.page].remove(tile)
            if not self._pages[tile.page]:
                del self._pages[tile.page]


def wanted_tiles(
    stack: PageStack, view: QRect, downwards: bool, budget: int
) -> tuple[list[Tile], list[Tile]]:
    """Return the tiles that a view needs, the most visible first, and further ones within a budget of bytes.

    The further ones are a coarse picture of every visible page, and the next screen in the direction of scrolling.
    `view` is a part of the stack; the time does not depend on the number of pages.
    """
    seen: list[tuple[int, Tile]] = []
    pages = stack.in_view(view)
    for page in pages:
        rect = stack.rect(page)
        part = rect.intersected(view).translated(-rect.topLeft())
        seen += [(-area(tile.rect.intersected(part)), tile) for tile in tiles(stack, page, part)]
    first = [tile for _, tile in sorted(seen)]
    ahead = view.translated(0, view.height() if downwards else -view.height())
    further: list[Tile] = [coarse(stack, page) for page in pages]
    turned = stack.in_view(ahead)
    for page in turned if downwards else reversed(turned):
        rect = stack.rect(page)
        further += tiles(stack, page, rect.intersected(ahead).translated(-rect.topLeft()))
    spare = budget - sum(_bytes(tile) for tile in first)
    extra: list[Tile] = []
    for tile in further:
        spare -= _bytes(tile)
        if tile not in first and spare >= 0:
            extra.append(tile)
    return first, extra


def _bytes(tile: Tile) -> int:
    return tile.width * tile.height * _PIXEL


def in_pixels(painter: QPainter, ratio: float) -> None:
    """Have a painter count in whole pixels of the screen, even where a widget begins between two of them."""
    origin = painter.deviceTransform().map(QRectF(0, 0, 1, 1).topLeft())
    painter.translate(
        (round(origin.x()) - origin.x()) / ratio,
        (round(origin.y()) - origin.y()) / ratio,
    )
    painter.scale(1 / ratio, 1 / ratio)


def draw_desk(painter: QPainter, stack: PageStack, view: QRect, colour: QColor) -> None:
    """Draw the desk around the pages that are in view."""
    desk = QRegion(view)
    for page in stack.in_view(view):
        desk = desk.subtracted(stack.rect(page))
    desk.translate(-view.topLeft())
    painter.save()
    painter.setClipRegion(desk, Qt.ClipOperation.IntersectClip)
    painter.fillRect(desk.boundingRect(), colour)
    painter.restore()


def draw_page(
    painter: QPainter, stack: PageStack, shelf: TileShelf, page: int, view: QRect, shade: QColor
) -> None:
    """Draw the visible part of a page; `view` is the part of the stack drawn at (0, 0), `shade` lies over the page.

    Where there is no picture, the page is white.
    """
    rect = stack.rect(page)
    seen = rect.intersected(view).translated(-rect.topLeft())
    corner = rect.topLeft() - view.topLeft()
    wanted = tiles(stack, page, seen)
    missing = [tile for tile in wanted if tile not in shelf]
    smooth = sum(area(tile.rect.intersected(seen)) for tile in missing) <= _SMOOTH
    # A page without a colour of its own is white, as it is printed, in either theme.
    for tile in missing:
        place = tile.rect.intersected(seen).translated(corner)
        painter.save()
        painter.setClipRect(place)
        painter.fillRect(place, Qt.GlobalColor.white)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        for picture, whole in shelf.stand_ins(tile):
            painter.drawImage(whole.translated(corner), picture)
        painter.restore()
    for tile in wanted:
        image = shelf.image(tile)
        if image is not None:
            part = tile.rect.intersected(seen)
            painter.drawImage(part.topLeft() + corner, image, part.translated(-tile.left, -tile.top))
    if shade.alpha():
        painter.fillRect(seen.translated(corner), shade)
