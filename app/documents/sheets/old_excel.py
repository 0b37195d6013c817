"""Finds the numbers of an old Excel workbook that are percentages, by the formats of its cells ([MS-XLS], BIFF8)."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from itertools import pairwise

from olefile import OleFileIO

from app.documents.sheets.rows import MOST_CELLS, PERCENT_FORMATS, shows_percentages

_STREAM = "Workbook"  # BIFF5 has "Book", and other records
_BEGIN, _END, _SHEET, _FORMAT, _STYLE = 0x809, 0x0A, 0x85, 0x41E, 0xE0
_NUMBER, _SHORT, _FORMULA, _SHORTS = 0x203, 0x27E, 0x06, 0xBD
_WIDE = 1  # of a text: two bytes a character

# A cell's row and column, from 0.
Place = tuple[int, int]


def percentages_of(data: bytes) -> dict[str, set[Place]]:
    """The cells of each sheet, by its name, whose numbers are percentages, as far as the file can be read."""
    found: dict[str, set[Place]] = {}
    try:
        with OleFileIO(io.BytesIO(data)) as file:
            stream = file.openstream(_STREAM).read() if file.exists(_STREAM) else b""
        percent, sheets = _styles_and_sheets(stream)
        # Many sheets may say that they begin at one place: each ends where the next begins.
        ordered = sorted(sheets.items(), key=lambda sheet: sheet[1])
        for (name, start), (_, end) in pairwise([*ordered, ("", len(stream))]):
            places = found[name] = set()
            for row, column, style in _numbers(stream, start, end):
                if style in percent and len(places) < MOST_CELLS:
                    places.add((row, column))
    except (OSError, ValueError, struct.error, IndexError):  # the library tells what is damaged
        pass
    return found


def _styles_and_sheets(stream: bytes) -> tuple[set[int], dict[str, int]]:
    """The numbers of the styles that show percentages, and where each sheet begins."""
    formats, styles, sheets = set(PERCENT_FORMATS), list[int](), dict[str, int]()
    for kind, content in _records(stream, 0, len(stream)):
        if kind == _FORMAT:
            number, length, flags = struct.unpack_from("<HHB", content)
            if shows_percentages(_text(content[5:], length, flags)):
                formats.add(number)
        elif kind == _STYLE:
            styles.append(struct.unpack_from("<2xH", content)[0])
        elif kind == _SHEET:
            start, length, flags = struct.unpack_from("<I2xBB", content)
            sheets.setdefault(_text(content[8:], length, flags), start)
    return {number for number, style in enumerate(styles) if style in formats}, sheets


def _numbers(stream: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The row, column and style of each number of a sheet."""
    for kind, content in _records(stream, start, end):
        if kind in (_NUMBER, _SHORT, _FORMULA):
            yield struct.unpack_from("<HHH", content)
        elif kind == _SHORTS:
            row, column = struct.unpack_from("<HH", content)
            for at in range(4, len(content) - 2, 6):
                yield row, column + (at - 4) // 6, struct.unpack_from("<H", content, at)[0]


def _records(stream: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The kinds and contents of a substream's records, up to `end` at most, without those of substreams in it."""
    depth = 0
    while start + 4 <= end:
        kind, length = struct.unpack_from("<HH", stream, start)
        depth += (kind == _BEGIN) - (kind == _END)
        if depth <= 0:
            return
        if depth == 1:
            yield kind, stream[start + 4 : start + 4 + length]
        start += 4 + length


def _text(content: bytes, length: int, flags: int) -> str:
    if flags & _WIDE:
        return content[: 2 * length].decode("utf-16-le", "replace")
    return content[:length].decode("latin-1")
