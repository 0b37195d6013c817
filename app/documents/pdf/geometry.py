"""Converts coordinates of a PDF's page: its own space, the page as shown, frames in which rotated text is level."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from math import isfinite

import pypdfium2

# No real page is larger; coordinates of a broken or hostile file are limited to this, in points.
FARTHEST = 1e6


def near(value: float) -> float:
    """A coordinate limited to `FARTHEST`; 0 for NaN."""
    return max(-FARTHEST, min(FARTHEST, value)) if isfinite(value) else 0.0


@dataclass(frozen=True, slots=True)
class ShownPart:
    """The part of a page's own space that is shown, and its rotation in quarter turns clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    def boxes(self, corners: array[float]) -> array[float]:
        """Convert boxes of the page's own space to boxes of the page as shown, counted from its upper left corner."""
        left, top, right, bottom = corners[0::4], corners[1::4], corners[2::4], corners[3::4]
        # The sides that become left, top, right and bottom, and what each is measured from, in which direction.
        sides, (across, step_across), (down, step_down) = (
            ((left, top, right, bottom), (-self.left, 1), (self.top, -1)),
            ((bottom, left, top, right), (-self.bottom, 1), (-self.left, 1)),
            ((right, bottom, left, top), (self.right, -1), (-self.bottom, 1)),
            ((top, right, bottom, left), (self.top, -1), (self.right, -1)),
        )[self.turns]
        shown = array("f", bytes(4 * len(corners)))
        shown[0::4] = array("f", [across + step_across * each for each in sides[0]])
        shown[1::4] = array("f", [down + step_down * each for each in sides[1]])
        shown[2::4] = array("f", [across + step_across * each for each in sides[2]])
        shown[3::4] = array("f", [down + step_down * each for each in sides[3]])
        return shown

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point of the page's own space to one of the page as shown."""
        return (
            (x - self.left, self.top - y),
            (y - self.bottom, x - self.left),
            (self.right - x, y - self.bottom),
            (self.top - y, self.right - x),
        )[self.turns]

    def own_point(self, x: float, y: float) -> tuple[float, float]:
        """Convert a point of the page as shown to one of the page's own space: the inverse of `point`."""
        return (
            (self.left + x, self.top - y),
            (self.left + y, self.bottom + x),
            (self.right - x, self.bottom + y),
            (self.right - y, self.top - x),
        )[self.turns]


def load_page(document: pypdfium2.PdfDocument, number: int) -> pypdfium2.PdfPage:
    """Load page `number`, from 0, which the caller closes; one that is cropped to nothing is shown whole.

    Raises pypdfium2.PdfiumError for a page that the engine cannot load.
    """
    page = document[number]
    if min(page.get_size()) <= 0:  # its crop box is outside its media box
        page.set_cropbox(*page.get_mediabox())
    return page


def shown_part(page: pypdfium2.PdfPage) -> ShownPart:
    """The part of a page that is shown, and its rotation."""
    left, bottom, right, top = page.get_bbox()
    return ShownPart(left, bottom, right, top, page.get_rotation() // 90 % 4)


def level_sides(left: float, top: float, right: float, bottom: float, quarter: int) -> tuple[float, float]:
    """The left and right edges of a box in the frame in which text turned by `quarter` quarter turns is level."""
    return ((left, right), (-bottom, -top), (-right, -left), (top, bottom))[quarter]


def in_frame(
    ends: array[float], origin: tuple[float, float], quarter: int
) -> tuple[float, float, float, float]:
    """Left, right, base line and height of a word in the frame in which it is level."""
    lefts, tops, rights, bottoms = ends[0::4], ends[1::4], ends[2::4], ends[3::4]
    left, top, right, bottom = min(lefts), min(tops), max(rights), max(bottoms)
    height = right - left if quarter % 2 else bottom - top
    x, y = origin
    return *level_sides(left, top, right, bottom, quarter), (y, x, -y, -x)[quarter], height
