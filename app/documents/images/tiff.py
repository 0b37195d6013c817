"""Puts TIFF files into a PDF: each strip or tile of pixels as it is compressed (TIFF 6.0; ISO 32000-1, 7.4)."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from app.core.message import Message
from app.documents.images.jpeg import frame_of, jpeg_part
from app.documents.images.shown import MOST_UNPACKED, Damaged, Part, ShownPage, Unknown, image_head
from app.documents.images.tags import Tags

_NONE, _FAX3, _FAX4, _LZW, _JPEG, _DEFLATE, _PACKED = 1, 3, 4, 5, 7, (8, 32946), 32773
_WHITE_IS_0, _BLACK_IS_0, _COLOURS, _PALETTE, _INKS, _YCBCR = 0, 1, 2, 3, 5, 6
_SPACES = {
    _WHITE_IS_0: b"/DeviceGray",
    _BLACK_IS_0: b"/DeviceGray",
    _COLOURS: b"/DeviceRGB",
    _INKS: b"/DeviceCMYK",
}
_CHANNELS = {_WHITE_IS_0: 1, _BLACK_IS_0: 1, _COLOURS: 3, _PALETTE: 1, _INKS: 4}
_MOST_PARTS = 20_000
_REVERSED = bytes(int(f"{each:08b}"[::-1], 2) for each in range(256))


def tiff_pages(data: bytes) -> Iterator[ShownPage]:
    """The pages of a TIFF, without previews of other pages. Raises Damaged and Unknown."""
    for tags in Tags.all_of(data):
        if not tags.number(254) & 1:  # a smaller copy
            yield _page(data, tags)


def _page(data: bytes, tags: Tags) -> ShownPage:
    width, height = tags.number(256), tags.number(257)
    if width <= 0 or height <= 0:
        raise Damaged
    unit = {2: 1.0, 3: 2.54}.get(tags.number(296, 2), 0.0)
    dpi = (unit * (tags.numbers(282) or (0.0,))[0], unit * (tags.numbers(283) or (0.0,))[0])
    parts = _Pixels(tags).parts(list(_pieces(data, tags, width, height)), width)
    return ShownPage(width, height, tuple(parts), dpi, tags.number(274, 1))


class _Piece(NamedTuple):
    """A strip or a tile of pixels, and its bytes."""

    left: int
    top: int
    width: int
    height: int
    content: bytes


def _pieces(data: bytes, tags: Tags, width: int, height: int) -> Iterator[_Piece]:
    tile = tags.number(322), tags.number(323)
    is_tiled = tile[0] > 0 and tile[1] > 0
    across, down = tile if is_tiled else (width, min(height, tags.number(278, height) or height))
    starts = tags.numbers(324 if is_tiled else 273)
    lengths = tags.numbers(325 if is_tiled else 279)
    if not starts or len(starts) != len(lengths) or len(starts) > _MOST_PARTS:
        raise Damaged
    columns = -(-width // across)
    for number, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        left, top = number % columns * across, number // columns * down
        if top < height:
            rows = down if is_tiled else min(down, height - top)
            yield _Piece(left, top, across, rows, data[int(start) : int(start + length)])


class _Pixels:
    """How the pixels of a page are compressed, and what they mean."""

    def __init__(self, tags: Tags) -> None:
        self._tags = tags
        self._how, self._meaning = tags.number(259, 1), tags.number(262, _BLACK_IS_0)
        self._bits, self._channels = tags.number(258, 1), tags.number(277, 1)
        self._predictor = tags.number(317, 1)
        if tags.number(284, 1) != 1 and self._channels > 1:
            raise Unknown(Message("a TIFF with its colours apart"))
        if self._how == _JPEG:
            return
        if self._bits not in (1, 2, 4, 8, 16) or self._channels != _CHANNELS.get(self._meaning):
            raise Unknown(Message("a TIFF with unusual colours"))
        if self._bits == 16 and (tags.order == "<" and self._how != _NONE):
            raise Unknown(Message("a TIFF with 16 bits a colour"))
        if self._predictor not in (1, 2):
            raise Unknown(Message("a TIFF that is compressed in a rare way"))

    def parts(self, pieces: list[_Piece], width: int) -> Iterator[Part]:
        """The parts of a page of this width; strips that Python can unpack, or need not, become one part."""
        are_strips = all(not piece.left and piece.width == width for piece in pieces)
        if pieces and are_strips and self._how in (_NONE, *_DEFLATE):
            yield self._joined(pieces, width)
            return
        for left, top, across, down, content in pieces:
            if self._how == _JPEG:
                yield self._jpeg(content, left, top)
            else:
                filtered = self._filter(across, down)
                head = image_head(across, down, self._bits, self._space(), filtered, self._decode())
                yield Part(left, top, across, down, head, self._in_order(content))

    def _joined(self, strips: list[_Piece], width: int) -> Part:
        row = (width * self._channels * self._bits + 7) // 8
        height = sum(strip.height for strip in strips)
        if row * height > MOST_UNPACKED:
            raise Unknown(Message("a very large TIFF"))
        packer, packed = zlib.compressobj(1), []
        for *_, down, content in strips:
            if self._how != _NONE:
                try:
                    content = zlib.decompressobj().decompress(content, row * down)
                except zlib.error as fault:
                    raise Damaged from fault
            content = content[: row * down].ljust(row * down, b"\0")
            packed.append(packer.compress(self._in_order(content)))
        packed.append(packer.flush())
        filtered = b"/Filter/FlateDecode" + self._parameters(width)
        head = image_head(width, height, self._bits, self._space(), filtered, self._decode())
        return Part(0, 0, width, height, head, b"".join(packed))

    def _jpeg(self, content: bytes, left: int, top: int) -> Part:
        tables = self._tags.content(347)
        if tables.endswith(b"\xff\xd9"):
            content = tables[:-2] + content[2:]
        plain = b"/DecodeParms<</ColorTransform 0>>" if self._meaning == _COLOURS else b""
        return jpeg_part(content, frame_of(content), left, top, plain)

    def _in_order(self, content: bytes) -> bytes:
        """The bytes in a PDF's order of bits and bytes."""
        if self._tags.number(266, 1) == 2 and self._how in (_FAX3, _FAX4):
            return content.translate(_REVERSED)
        if self._bits == 16 and self._tags.order == "<":
            words = array("H", content[: len(content) // 2 * 2])
            words.byteswap()
            return words.tobytes()
        return content

    def _space(self) -> bytes:
        if self._meaning != _PALETTE:
            return _SPACES[self._meaning]
        colours = self._tags.numbers(320)
        number = len(colours) // 3
        if not number or number > 256:
            raise Damaged
        table = bytes(
            int(colours[channel * number + at]) >> 8 for at in range(number) for channel in range(3)
        )
        return b"[/Indexed/DeviceRGB %d<%s>]" % (number - 1, table.hex().encode())

    def _decode(self) -> bytes:
        return b"/Decode[1 0]" if self._meaning == _WHITE_IS_0 and self._how not in (_FAX3, _FAX4) else b""

    def _filter(self, width: int, height: int) -> bytes:
        if self._how in (_FAX3, _FAX4):
            mixed = self._tags.number(292) & 1
            code = -1 if self._how == _FAX4 else mixed
            black = b"true" if self._meaning == _BLACK_IS_0 else b"false"
            return b"/Filter/CCITTFaxDecode/DecodeParms<</K %d/Columns %d/Rows %d/BlackIs1 %s>>" % (
                code,
                width,
                height,
                black,
            )
        if self._how == _LZW:
            return b"/Filter/LZWDecode" + self._parameters(width)
        if self._how == _PACKED:
            return b"/Filter/RunLengthDecode"
        if self._how in _DEFLATE:
            return b"/Filter/FlateDecode" + self._parameters(width)
        if self._how == _NONE:
            return b""
        raise Unknown(Message("a TIFF that is compressed in a rare way"))

    def _parameters(self, width: int) -> bytes:
        if self._predictor != 2:
            return b""
        return b"/DecodeParms<</Predictor 2/Colors %d/BitsPerComponent %d/Columns %d>>" % (
            self._channels,
            self._bits,
            width,
        )
