"""A page of a picture's file, as the parts of compressed pixels that show it."""

from __future__ import annotations

from dataclasses import dataclass


class Damaged(Exception):
    """The file is not as its format says."""


class Unknown(Exception):
    """The file is sound as far as was read, and of a `kind` that is not read."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Part:
    """Pixels from (`left`, `top`) on: an image's stream in a PDF by its dictionary and its data.

    `mask` is that of its opacity, if it has one.
    """

    left: int
    top: int
    width: int
    height: int
    head: bytes
    data: bytes
    mask: tuple[bytes, bytes] | None = None


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page's size in pixels, its pixels an inch across and down (0 where it does not say), and its parts.

    `orientation` is as in EXIF: 1 upright, 6 to be turned right.
    """

    width: int
    height: int
    parts: tuple[Part, ...]
    dpi: tuple[float, float] = (0.0, 0.0)
    orientation: int = 1


def image_head(
    width: int, height: int, bits: int, space: bytes, filtered: bytes = b"", more: bytes = b""
) -> bytes:
    """The dictionary of an image in a PDF; `filtered` is its filter with its parameters."""
    return b"/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent %d/ColorSpace%s%s%s" % (
        width,
        height,
        bits,
        space,
        filtered,
        more,
    )
