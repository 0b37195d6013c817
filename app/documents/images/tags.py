"""Reads the directories of TIFF files and of EXIF: numbered tags with values."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from app.documents.images.shown import Damaged

_FORMATS = {1: "B", 2: "B", 3: "H", 4: "I", 5: "II", 6: "b", 7: "B", 8: "h", 9: "i", 10: "ii"}
_MOST_PAGES, _MOST_VALUES = 2000, 4_000_000


class Tags:
    """The tags of one page."""

    def __init__(self, data: bytes, order: str, values: dict[int, tuple[int, int, int]]) -> None:
        self._data, self.order, self._values = data, order, values

    @staticmethod
    def all_of(data: bytes) -> Iterator[Tags]:
        """The tags of each page in turn. Raises Damaged where there is no page."""
        order = {b"II": "<", b"MM": ">"}.get(data[:2])
        if order is None or len(data) < 8:
            raise Damaged
        (at,) = struct.unpack_from(order + "I", data, 4)
        seen: set[int] = set()
        while at and at not in seen and len(seen) < _MOST_PAGES and at + 2 <= len(data):
            seen.add(at)
            (count,) = struct.unpack_from(order + "H", data, at)
            end = at + 2 + 12 * count
            if end > len(data):
                break
            values = {}
            for entry in range(at + 2, end, 12):
                tag, kind, number = struct.unpack_from(order + "HHI", data, entry)
                values[tag] = (kind, number, entry + 8)
            yield Tags(data, order, values)
            at = struct.unpack_from(order + "I", data, end)[0] if end + 4 <= len(data) else 0
        if not seen:
            raise Damaged

    def numbers(self, tag: int, default: tuple[float, ...] = ()) -> tuple[float, ...]:
        """The values of a tag; a fraction as its value."""
        found = self._place(tag)
        if found is None:
            return default
        form, count, place = found
        each = struct.unpack_from(f"{self.order}{len(form) * count}{form[0]}", self._data, place)
        if len(form) == 1:
            return each
        return tuple(one / other if other else 0.0 for one, other in zip(each[::2], each[1::2], strict=True))

    def number(self, tag: int, default: int = 0) -> int:
        """The first value of a tag."""
        found = self.numbers(tag)
        return int(found[0]) if found else default

    def content(self, tag: int) -> bytes:
        """The bytes of a tag; empty where it is missing."""
        found = self._place(tag)
        return self._data[found[2] : found[2] + found[1]] if found else b""

    def _place(self, tag: int) -> tuple[str, int, int] | None:
        """The format of a tag's values, how many there are, and where they begin."""
        if tag not in self._values:
            return None
        kind, count, place = self._values[tag]
        form = _FORMATS.get(kind)
        if form is None or not 0 < count <= _MOST_VALUES:
            return None
        size = struct.calcsize(f"={form}") * count
        if size > 4:
            (place,) = struct.unpack_from(self.order + "I", self._data, place)
        if place + size > len(self._data):
            raise Damaged
        return form, count, place
