"""A document's view and layout as they are stored: enough to read it, and to quote an answer with its place."""

from __future__ import annotations

import json
import zlib
from array import array
from typing import Any

from app.core.layout import Block, BlockKind, Heading, Kind, Opened, PageText
from app.core.plain import json_of
from app.core.text import Document, Replacement, Span, View

# Most of the gain for a fifth of the default level's time.
_LEVEL = 1


def deflate(text: str) -> bytes:
    """A text as deflated UTF-8; lone surrogates survive."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def inflate(deflated: bytes) -> str:
    """The text of `deflate`."""
    return zlib.decompress(deflated).decode("utf-8", "surrogatepass")


def pack_view(view: View) -> bytes:
    """A view as deflated JSON; the words of its replacements, which are often repeated, once each."""
    words: dict[str, int] = {}
    replacements = [
        (one.start, one.end, words.setdefault(one.words, len(words))) for one in view.replacements
    ]
    return _pack([list(words), replacements, list(view.bounds), view.headings])


def unpack_view(packed: bytes) -> View:
    """The view of `pack_view`."""
    words, replacements, bounds, headings = _unpack(packed)
    return View(
        tuple(Replacement(start, end, words[number]) for start, end, number in replacements),
        array("i", bounds),
        tuple((point, heading) for point, heading in headings),
    )


def pack_layout(opened: Opened) -> bytes:
    """Headings, blocks without styles, pages without characters, and lines, as deflated JSON."""
    return _pack(
        [
            [(each.span.start, each.span.end, each.level) for each in opened.headings],
            [
                (each.kind, each.span.start, each.span.end, each.table, each.row, each.column)
                for each in opened.blocks
            ],
            [(each.width, each.height, each.span.start, each.span.end, each.label) for each in opened.pages],
            list(opened.lines),
        ]
    )


def unpack_layout(document: Document, kind: Kind, packed: bytes) -> Opened:
    """The document with the layout of `pack_layout`."""
    headings, blocks, pages, lines = _unpack(packed)
    return Opened(
        document,
        kind,
        headings=tuple(Heading(Span(start, end), level) for start, end, level in headings),
        blocks=tuple(
            Block(BlockKind(name), Span(start, end), table=table, row=row, column=column)
            for name, start, end, table, row, column in blocks
        ),
        pages=tuple(
            PageText(width, height, Span(start, end), label=label)
            for width, height, start, end, label in pages
        ),
        lines=array("i", lines),
    )


def _pack(values: list[Any]) -> bytes:
    return zlib.compress(json_of(values, separators=(",", ":")).encode(), _LEVEL)


def _unpack(packed: bytes) -> list[Any]:
    values: list[Any] = json.loads(zlib.decompress(packed))
    return values
