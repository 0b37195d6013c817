"""Defines a page of a picture's file as parts of compressed pixels."""

from __future__ import annotations

from dataclasses import dataclass

# Bytes of pixels that are unpacked at once, at most.
MOST_UNPACKED = 700_000_000


class Damaged(Exception):
    """The file does not follow its format."""


class Unknown(Exception):
    """The file is of a `kind` that is not read, and sound as far as it was read."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Part:
    """Pixels from (`left`, `top`) on, as the dictionary and the data of an image stream in a PDF.

    `mask` are those of its opacity, if it has any.
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
    """A page's size in pixels, its parts, and its dots per inch across and down, 0 where the file has none.

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
