"""The layout of a document's pages: one below the other, centred, in the screen's own pixels."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QRect

from app.core.page_runs import Box


class Spot(NamedTuple):
    """A spot on a page, from 0: `x` and `y` in points from its upper left corner; it may lie outside the page."""

    page: int
    x: float
    y: float


class PageStack:
    """Pages in one column; every look-up takes time logarithmic in their number.

    `sizes` are widths and heights in points, `scale` is in pixels per point; in pixels, `gap` is the space above,
    between and below the pages, `aside` the least space on either side, `room` the width in which they are centred.
    """

    def __init__(
        self, sizes: Sequence[tuple[float, float]], scale: float, gap: int = 0, aside: int = 0, room: int = 0
    ) -> None:
        self.scale = scale
        self._widths = [_pixels(width, scale) for width, _ in sizes]
        self._heights = [_pixels(height, scale) for _, height in sizes]
        self._tops = list(accumulate((height + gap for height in self._heights), initial=gap))[:-1]
        self.width = max(room, max(self._widths, default=0) + 2 * aside)
        self.height = self._tops[-1] + self._heights[-1] + gap if sizes else 0

    def __len__(self) -> int:
        return len(self._tops)

    def rect(self, page: int) -> QRect:
        """Return the rectangle of a page."""
        width = self._widths[page]
        return QRect((self.width - width) // 2, self._tops[page], width, self._heights[page])

    def in_view(self, view: QRect) -> range:
        """Return the pages that reach into the height of a part of the column."""
        top, bottom = view.y(), view.y() + view.height()
        first = max(0, bisect_right(self._tops, top) - 1)
        if first < len(self) and self._tops[first] + self._heights[first] <= top:
            first += 1
        return range(first, max(first, bisect_left(self._tops, bottom)))

    def page_at(self, y: float) -> int:
        """Return the page nearest to a height; 0 where there are no pages."""
        page = max(0, bisect_right(self._tops, y) - 1)
        if page + 1 < len(self) and self._tops[page + 1] - y < y - self._tops[page] - self._heights[page]:
            page += 1
        return page

    def spot(self, x: float, y: float) -> Spot:
        """Return the spot on the nearest page at a point of the column."""
        page = self.page_at(y)
        rect = self.rect(page)
        return Spot(page, (x - rect.x()) / self.scale, (y - rect.y()) / self.scale)

    def pixels(self, spot: Spot) -> tuple[float, float]:
        """Return the point of the column at a spot."""
        rect = self.rect(spot.page)
        return rect.x() + spot.x * self.scale, rect.y() + spot.y * self.scale

    def share(self, page: int, y: float) -> float:
        """Return the share, 0 to 1, of the column's height above a height of a page, in points."""
        return min(1.0, max(0.0, (self._tops[page] + y * self.scale) / max(1, self.height)))

    def box(self, page: int, box: Box) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a box of a page."""
        left, top = self.pixels(Spot(page, box.left, box.top))
        right, bottom = self.pixels(Spot(page, box.right, box.bottom))
        return left, top, right, bottom


def _pixels(points: float, scale: float) -> int:
    return max(1, round(points * scale))
