"""Puts PNG files into a PDF, whose filter for pixels is that of PNG (ISO 32000-1, 7.4.4.4)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from app.core.message import Message
from app.documents.images.shown import MOST_UNPACKED, Damaged, Part, ShownPage, Unknown, image_head

_GREY, _COLOURS, _PALETTE, _GREY_ALPHA, _COLOURS_ALPHA = 0, 2, 3, 4, 6
_CHANNELS = {_GREY: 1, _COLOURS: 3, _PALETTE: 1, _GREY_ALPHA: 2, _COLOURS_ALPHA: 4}


def png_page(data: bytes) -> ShownPage:
    """The page of a PNG. Raises Damaged, and Unknown for one that is interlaced."""
    header, palette, dpi, packed = b"", b"", (0.0, 0.0), []
    for kind, content in _chunks(data):
        if kind == b"IHDR":
            header = content
        elif kind == b"PLTE":
            palette = content[: len(content) // 3 * 3][:768]
        elif kind == b"pHYs" and len(content) == 9 and content[8] == 1:
            across, down = struct.unpack_from(">2I", content)
            dpi = (across * 0.0254, down * 0.0254)
        elif kind == b"IDAT":
            packed.append(content)
    if len(header) != 13 or not packed:
        raise Damaged
    width, height, bits, colours, _, _, interlaced = struct.unpack(">2I5B", header)
    if colours not in _CHANNELS or bits not in (1, 2, 4, 8, 16) or not width or not height:
        raise Damaged
    if interlaced:
        raise Unknown(Message("an interlaced PNG"))
    pixels = b"".join(packed)
    if colours in (_GREY_ALPHA, _COLOURS_ALPHA):
        return ShownPage(width, height, (_without_opacity(pixels, width, height, bits, colours),), dpi)
    if colours == _PALETTE:
        if not palette:
            raise Damaged
        space = b"[/Indexed/DeviceRGB %d<%s>]" % (len(palette) // 3 - 1, palette.hex().encode())
    else:
        space = b"/DeviceRGB" if colours == _COLOURS else b"/DeviceGray"
    head = image_head(width, height, bits, space, _filter(_CHANNELS[colours], bits, width))
    return ShownPage(width, height, (Part(0, 0, width, height, head, pixels),), dpi)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length


def _filter(channels: int, bits: int, width: int) -> bytes:
    return b"/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors %d/BitsPerComponent %d/Columns %d>>" % (
        channels,
        bits,
        width,
    )


def _without_opacity(packed: bytes, width: int, height: int, bits: int, colours: int) -> Part:
    """The colours, with the opacity as their mask; both stay filtered, as PNG filters each channel by itself."""
    channels, size = _CHANNELS[colours], bits // 8
    if bits not in (8, 16):
        raise Damaged
    row = 1 + width * channels * size
    if row * height > MOST_UNPACKED:
        raise Unknown(Message("a very large one that is partly transparent"))
    try:
        rows = zlib.decompressobj().decompress(packed, row * height)
    except zlib.error as fault:
        raise Damaged from fault
    shown, opacity = zlib.compressobj(1), zlib.compressobj(1)
    shown_parts, opacity_parts = [], []
    for start in range(0, len(rows) - row + 1, row):
        whole = bytearray(rows[start : start + row])
        mask = bytearray(1 + width * size)
        mask[0] = whole[0]
        for byte in range(size):
            mask[1 + byte :: size] = whole[1 + (channels - 1) * size + byte :: channels * size]
        kept = bytearray(1 + width * (channels - 1) * size)
        kept[0] = whole[0]
        for byte in range((channels - 1) * size):
            kept[1 + byte :: (channels - 1) * size] = whole[1 + byte :: channels * size]
        shown_parts.append(shown.compress(kept))
        opacity_parts.append(opacity.compress(mask))
    space = b"/DeviceRGB" if channels == 4 else b"/DeviceGray"
    head = image_head(width, height, bits, space, _filter(channels - 1, bits, width))
    mask_head = image_head(width, height, bits, b"/DeviceGray", _filter(1, bits, width))
    masked = (mask_head, b"".join([*opacity_parts, opacity.flush()]))
    return Part(0, 0, width, height, head, b"".join([*shown_parts, shown.flush()]), masked)
