"""Puts JPEG files into a PDF, which takes them as they are."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from app.core.message import Message
from app.documents.images.shown import Damaged, Part, ShownPage, Unknown, image_head
from app.documents.images.tags import Tags

_FRAMES = frozenset((0xC0, 0xC1, 0xC2))
_RARE_FRAMES = frozenset((0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF))
_SPACES = {1: b"/DeviceGray", 3: b"/DeviceRGB", 4: b"/DeviceCMYK"}


class Frame(NamedTuple):
    """The properties of a JPEG's pixels; `is_adobe` tells whether an Adobe program wrote it, which inverts CMYK."""

    width: int
    height: int
    channels: int
    dpi: tuple[float, float] = (0.0, 0.0)
    orientation: int = 1
    is_adobe: bool = False


def jpeg_page(data: bytes) -> ShownPage:
    """The page of a JPEG. Raises Damaged, and Unknown for rare ways of compression."""
    frame = frame_of(data)
    part = jpeg_part(data, frame, 0, 0)
    return ShownPage(frame.width, frame.height, (part,), frame.dpi, frame.orientation)


def jpeg_part(data: bytes, frame: Frame, left: int, top: int, parameters: bytes = b"") -> Part:
    """A JPEG's pixels as a Part; `parameters` are those of the PDF's filter."""
    inverted = b"/Decode[1 0 1 0 1 0 1 0]" if frame.channels == 4 and frame.is_adobe else b""
    filtered = b"/Filter/DCTDecode" + parameters
    head = image_head(frame.width, frame.height, 8, _SPACES[frame.channels], filtered, inverted)
    return Part(left, top, frame.width, frame.height, head, data)


def frame_of(data: bytes) -> Frame:
    """The frame of a JPEG; raises as `jpeg_page` does."""
    dpi, orientation, is_adobe = (0.0, 0.0), 1, False
    for marker, content in _segments(data):
        if marker in _RARE_FRAMES:
            raise Unknown(Message("a JPEG that is compressed in a rare way"))
        if marker == 0xE0 and content.startswith(b"JFIF\0") and len(content) >= 12:
            unit = {1: 1.0, 2: 2.54}.get(content[7], 0.0)
            across, down = struct.unpack_from(">2H", content, 8)
            dpi = (unit * across, unit * down)
        elif marker == 0xE1 and content.startswith(b"Exif\0\0"):
            try:
                orientation = next(iter(Tags.all_of(content[6:]))).number(274, 1)
            except (Damaged, StopIteration, IndexError, ValueError):
                orientation = 1  # what a camera adds may be wrong where the picture is not
        elif marker == 0xEE and content.startswith(b"Adobe"):
            is_adobe = True
        elif marker in _FRAMES and len(content) >= 6:
            height, width = struct.unpack_from(">2H", content, 1)
            if content[0] != 8 or content[5] not in _SPACES or not width or not height:
                raise Damaged
            return Frame(width, height, content[5], dpi, orientation, is_adobe)
    raise Damaged


def _segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if length < 2 or marker == 0xDA:
            return
        yield marker, data[at + 4 : at + 2 + length]
        at += 2 + length
