"""Repairs truncated PDFs: keeps their complete objects, with a new cross-reference table (ISO 32000-1, 7.5)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

_OBJECT = re.compile(rb"(?<!\d)(\d{1,7})\s{1,8}(\d{1,5})\s{1,8}obj\b")
_STREAM = re.compile(rb"stream\r?\n")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_CATALOGUE = re.compile(rb"/Type\s*/Catalog\b")
_TREE = re.compile(rb"/Pages\s+(\d{1,7})\s+\d{1,5}\s+R")
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_PACKED_COUNT = re.compile(rb"/N\s+(\d{1,7})\b")
_PACKED_FIRST = re.compile(rb"/First\s+(\d{1,9})\b")
_LOCKED = re.compile(rb"/Encrypt\b")

# Limit of bytes unpacked from object streams altogether, against decompression bombs.
_MOST_UNPACKED = 100_000_000
_MOST_PACKED = 100_000


def salvage(data: bytes) -> bytes:
    """The complete objects in a PDF's bytes as a valid PDF; empty if there is no page among them.

    Its pages are those of its catalogue if that and the root of the page tree exist, else every page found, in file
    order. An encrypted file cannot be repaired: its encryption dictionary is at the end.
    """
    if _LOCKED.search(data):
        return b""
    places: dict[int, int] = {}
    heads: dict[int, bytes] = {}
    packed: dict[int, bytes] = {}
    end = unpacked = 0
    for number, start, head, stream, behind in _objects(data):
        places[number], heads[number], end = start, head, behind
        packed.pop(number, None)
        if stream and _PACKED.search(head):
            for inner, body in _unpacked(head, stream, _MOST_UNPACKED - unpacked):
                unpacked += len(body)
                if inner not in places:
                    packed[inner] = body
    heads.update(packed)
    pages = [number for number, head in heads.items() if _PAGE.search(head)]
    if not pages:
        return b""
    out = bytearray(data[:end])
    for number, body in packed.items():
        places[number] = _append(out, number, body)
    root = _catalogue(heads)
    if not root:
        tree, root = max(places) + 1, max(places) + 2
        kids = b" ".join(b"%d 0 R" % page for page in pages)
        body = b"<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 612 792] >>" % (len(pages), kids)
        places[tree] = _append(out, tree, body)
        places[root] = _append(out, root, b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    start = len(out) + 1
    out += b"\nxref\n0 1\n0000000000 65535 f \n"
    for number, place in sorted(places.items()):
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    out += b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (max(places) + 1, root, start)
    return bytes(out)


def _objects(data: bytes) -> Iterator[tuple[int, int, bytes, bytes, int]]:
    """Each complete object: its number, its start, the part before its stream, the stream, and its end."""
    place = 0
    while found := _OBJECT.search(data, place):
        end = data.find(b"endobj", found.end())
        if end < 0:
            return
        stream = _STREAM.search(data, found.end(), end)
        inside = b""
        head = data[found.end() : stream.start() if stream else end]
        if stream:
            close = data.find(b"endstream", stream.end())
            if close < 0:
                return
            inside = data[stream.end() : close]
            end = data.find(b"endobj", close)
            if end < 0:
                return
        place = end + len(b"endobj")
        yield int(found[1]), found.start(), head, inside, place


def _unpacked(head: bytes, stream: bytes, room: int) -> Iterator[tuple[int, bytes]]:
    """The objects in an object stream, each with its number; none if it is damaged or too large."""
    count, first = _PACKED_COUNT.search(head), _PACKED_FIRST.search(head)
    if not count or not first or int(count[1]) > _MOST_PACKED or room <= 0:
        return
    try:
        unpacker = zlib.decompressobj()
        inside = unpacker.decompress(stream, room) if b"FlateDecode" in head else stream
        numbers = [int(word) for word in inside[: int(first[1])].split()[: 2 * int(count[1])]]
    except (zlib.error, ValueError):
        return
    starts = [int(first[1]) + start for start in numbers[1::2]]
    for number, start, end in zip(numbers[0::2], starts, [*starts[1:], len(inside)], strict=False):
        if 0 < number < 10_000_000 and start < end:
            yield number, inside[start:end]


def _append(out: bytearray, number: int, body: bytes) -> int:
    """Append an object; return where it starts."""
    out += b"\n"
    place = len(out)
    out += b"%d 0 obj\n%s\nendobj" % (number, body)
    return place


def _catalogue(heads: dict[int, bytes]) -> int:
    """The number of the last catalogue whose page tree exists; 0 if there is none."""
    for number, head in reversed(heads.items()):
        tree = _TREE.search(head) if _CATALOGUE.search(head) else None
        if tree and int(tree[1]) in heads:
            return number
    return 0
