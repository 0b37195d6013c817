"""Pictures of parts of pages: which ones are wanted, and which are held."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtGui import QImage

from app.core.layout import Picture
from app.ui.document.pdf.page_stack import PageStack, Rect

# The most pixels of a tile: large enough that few are drawn, small enough to come soon. It is as wide as its page where
# that can be, so that no seam goes through the lines.
_AREA = 1 << 20
_LONGEST = 2048
# The longest side of the coarse picture of a whole page, which stands in where no better one is held.
_COARSE = 480
_PIXEL = 4


class Tile(NamedTuple):
    """A part of a page drawn at `scale` pixels per point: pixels from the page's upper left corner."""

    page: int
    scale: float
    left: int
    top: int
    width: int
    height: int

    @property
    def rect(self) -> Rect:
        """Its place on the page drawn at its scale."""
        return Rect(self.left, self.top, self.width, self.height)


class Patch(NamedTuple):
    """A part of a held picture (`source`) that stands in for a part of a page (`target`, the page's pixels)."""

    image: QImage
    source: tuple[float, float, float, float]
    target: tuple[float, float, float, float]


def tiles(stack: PageStack, page: int, part: Rect) -> list[Tile]:
    """The tiles of a page that a part of it, in the page's pixels, needs."""
    rect = stack.rect(page)
    part = part.cut(Rect(0, 0, rect.width, rect.height))
    if not part.area:
        return []
    columns = -(-rect.width // _LONGEST)
    rows = -(-rect.height // min(_LONGEST, max(1, _AREA * columns // rect.width)))
    return [
        Tile(page, stack.scale, left, top, right - left, bottom - top)
        for top, bottom in _steps(rect.height, rows, part.top, part.bottom)
        for left, right in _steps(rect.width, columns, part.left, part.right)
    ]


def coarse(stack: PageStack, page: int) -> Tile:
    """The whole page as one small picture, at a scale that depends on the page alone."""
    rect = stack.rect(page)
    points = max(rect.width, rect.height) / stack.scale
    scale = _COARSE / max(1.0, round(points))
    return Tile(
        page,
        scale,
        0,
        0,
        max(1, round(rect.width * scale / stack.scale)),
        max(1, round(rect.height * scale / stack.scale)),
    )


def _steps(length: int, count: int, first: int, end: int) -> list[tuple[int, int]]:
    """Those of `count` even parts of a length that overlap `first` to `end`."""
    low, high = first * count // length, min(count - 1, end * count // length)
    edges = [(step * length // count, (step + 1) * length // count) for step in range(low, high + 1)]
    return [(near, far) for near, far in edges if near < end and far > first]


class TileShelf:
    """The pictures held: at most `budget` bytes of them, those seen longest ago let go first."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.bytes = 0
        # QImage looks at the bytes and does not own them.
        self._held: OrderedDict[Tile, tuple[QImage, bytes]] = OrderedDict()
        self._pages: dict[int, list[Tile]] = {}

    def __contains__(self, tile: Tile) -> bool:
        return tile in self._held

    def tiles(self) -> tuple[Tile, ...]:
        """What is held, seen longest ago first."""
        return tuple(self._held)

    def put(self, tile: Tile, picture: Picture) -> None:
        """Hold a picture, and let go what is then too much; raises ValueError for one of another size."""
        if (picture.width, picture.height) != (tile.width, tile.height):
            raise ValueError(f"{picture.width} x {picture.height} pixels for {tile}")
        if len(picture.pixels) != picture.width * picture.height * _PIXEL:
            raise ValueError(f"{len(picture.pixels)} bytes for {tile}")
        self._drop(tile)
        image = QImage(
            picture.pixels,
            picture.width,
            picture.height,
            picture.width * _PIXEL,
            QImage.Format.Format_RGB32,
        )
        self._held[tile] = (image, picture.pixels)
        self._pages.setdefault(tile.page, []).append(tile)
        self.bytes += len(picture.pixels)
        while self.bytes > self.budget and len(self._held) > 1:
            self._drop(next(iter(self._held)))

    def image(self, tile: Tile) -> QImage | None:
        """The picture of a tile."""
        held = self._held.get(tile)
        return held[0] if held is not None else None

    def see(self, seen: Iterable[Tile]) -> None:
        """Note that tiles are seen, the most important one last."""
        for tile in seen:
            if tile in self._held:
                self._held.move_to_end(tile)

    def keep(self, wanted: Iterable[Tile]) -> None:
        """Let go everything but these."""
        kept = set(wanted)
        for tile in [tile for tile in self._held if tile not in kept]:
            self._drop(tile)

    def clear(self) -> None:
        """Let go everything."""
        self.keep(())

    def stand_ins(self, tile: Tile) -> list[Patch]:
        """What is held of a missing tile's part of the page at other scales, the best on top, that is last.

        As much of it as is needed to cover the part: the scale that is nearest first.
        """
        by_scale: dict[float, list[Tile]] = {}
        for held in self._pages.get(tile.page, ()):
            by_scale.setdefault(held.scale, []).append(held)
        by_scale.pop(tile.scale, None)
        found: list[Patch] = []
        for scale in sorted(by_scale, key=lambda scale: max(scale / tile.scale, tile.scale / scale)):
            covered = 0.0
            factor = tile.scale / scale
            for held in by_scale[scale]:
                left, right = max(tile.left, held.left * factor), (held.left + held.width) * factor
                top, bottom = max(tile.top, held.top * factor), (held.top + held.height) * factor
                right, bottom = min(right, tile.left + tile.width), min(bottom, tile.top + tile.height)
                if left >= right or top >= bottom:
                    continue
                covered += (right - left) * (bottom - top)
                source = (left / factor - held.left, top / factor - held.top, right / factor - held.left)
                patch = Patch(
                    self._held[held][0],
                    (*source, bottom / factor - held.top),
                    (left, top, right, bottom),
                )
                found.append(patch)
            if covered >= tile.width * tile.height * 0.995:
                break
        return found[::-1]

    def _drop(self, tile: Tile) -> None:
        held = self._held.pop(tile, None)
        if held is not None:
            self.bytes -= len(held[1])
            self._pages[tile.page].remove(tile)
            if not self._pages[tile.page]:
                del self._pages[tile.page]


def wanted_tiles(stack: PageStack, view: Rect, downwards: bool, budget: int) -> tuple[list[Tile], list[Tile]]:
    """The tiles that a view needs, most visible first, and those to have beside them, as far as a budget reaches.

    These are the next screen in the direction of scrolling, and a coarse picture of every page seen. `view` is a part
    of the stack; the time it takes does not depend on the number of pages.
    """
    seen: list[tuple[int, Tile]] = []
    pages = stack.between(view.top, view.bottom)
    for page in pages:
        rect = stack.rect(page)
        part = rect.cut(view).moved(-rect.left, -rect.top)
        seen += [(-tile.rect.cut(part).area, tile) for tile in tiles(stack, page, part)]
    first = [tile for _, tile in sorted(seen)]
    ahead = view.moved(0, view.height if downwards else -view.height)
    further: list[Tile] = [coarse(stack, page) for page in pages]
    turned = stack.between(ahead.top, ahead.bottom)
    for page in turned if downwards else reversed(turned):
        rect = stack.rect(page)
        further += tiles(stack, page, rect.cut(ahead).moved(-rect.left, -rect.top))
    spare = budget - sum(_bytes(tile) for tile in first)
    beside: list[Tile] = []
    for tile in further:
        spare -= _bytes(tile)
        if tile not in first and spare >= 0:
            beside.append(tile)
    return first, beside


def _bytes(tile: Tile) -> int:
    return tile.width * tile.height * _PIXEL
