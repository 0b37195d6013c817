"""Packs a document's text, view and layout for storage: enough to read it and to quote an answer with its place."""

from __future__ import annotations

import bz2
import json
import zlib
from array import array
from itertools import accumulate, groupby, pairwise
from typing import Any

from app.core.layout import Block, BlockKind, Cells, Heading, Kind, Opened, PageText, Recognised
from app.core.plain import json_of
from app.core.text import Document, Replacement, Span, View

# From this many bytes on bzip2 compresses a text better than zlib, a long one by a seventh.
_LONG = 5000
_BZIP2 = b"BZh"


def deflate(text: str) -> bytes:
    """A text as compressed UTF-8; lone surrogates survive."""
    return _deflated(text.encode("utf-8", "surrogatepass"))


def inflate(deflated: bytes) -> str:
    """The text that `deflate` compressed."""
    return _inflated(deflated).decode("utf-8", "surrogatepass")


def pack_starts(starts: array[int]) -> bytes:
    """The starts of a text's passages, the first 0, stored as the compressed lengths of all but the last."""
    return _deflated(array("H", (end - start for start, end in pairwise(starts))).tobytes())


def unpack_starts(packed: bytes) -> array[int]:
    """The starts that `pack_starts` packed; those of an older Spanlight were stored as they are."""
    if packed.startswith(bytes(4)):
        return array("i", packed)
    return array("i", accumulate(array("H", _inflated(packed)), initial=0))


def pack_view(view: View) -> bytes:
    """A view as compressed JSON, with equal words of its replacements stored once."""
    words: dict[str, int] = {}
    replacements = [
        (one.start, one.end, words.setdefault(one.words, len(words))) for one in view.replacements
    ]
    return _pack([list(words), replacements, list(view.bounds), view.headings])


def unpack_view(packed: bytes) -> View:
    """The view that `pack_view` packed."""
    words, replacements, bounds, headings = _unpack(packed)
    return View(
        tuple(Replacement(start, end, words[number]) for start, end, number in replacements),
        array("i", bounds),
        tuple((point, heading) for point, heading in headings),
    )


def pack_layout(opened: Opened) -> bytes:
    """A document's headings, blocks without styles, pages without characters, lines and cells, as compressed JSON."""
    return _pack(
        [
            [(each.span.start, each.span.end, each.level) for each in opened.headings],
            [
                (each.kind, each.span.start, each.span.end, each.table, each.row, each.column)
                for each in opened.blocks
            ],
            [
                (
                    each.width,
                    each.height,
                    each.span.start,
                    each.span.end,
                    each.label,
                    *_pack_recognised(each.recognised),
                )
                for each in opened.pages
            ],
            list(opened.lines),
            (list(opened.cells.rows), list(opened.cells.columns), opened.cells.names),
        ]
    )


def unpack_layout(document: Document, kind: Kind, packed: bytes) -> Opened:
    """The document with the layout that `pack_layout` packed."""
    headings, blocks, pages, lines, *more = _unpack(packed)
    rows, columns, names = next(iter(more), ((), (), ()))  # an older Spanlight read no spreadsheets
    return Opened(
        document,
        kind,
        headings=tuple(Heading(Span(start, end), level) for start, end, level in headings),
        blocks=tuple(
            Block(BlockKind(name), Span(start, end), table=table, row=row, column=column)
            for name, start, end, table, row, column in blocks
        ),
        pages=tuple(
            PageText(width, height, Span(start, end), label=label, recognised=_unpack_recognised(recognised))
            for width, height, start, end, label, *recognised in pages
        ),
        lines=array("i", lines),
        cells=Cells(array("i", rows), array("i", columns), tuple(names)),
    )


def _pack_recognised(recognised: Recognised | None) -> list[Any]:
    """The language, and how sure the words are, run-length encoded; nothing for a page with its own text."""
    if recognised is None:
        return []
    return [recognised.language, [(sure, len(list(same))) for sure, same in groupby(recognised.sure)]]


def _unpack_recognised(packed: list[Any]) -> Recognised | None:
    if not packed:
        return None
    language, runs = packed
    return Recognised(language, array("B", [sure for sure, length in runs for _ in range(length)]))


def _pack(values: list[Any]) -> bytes:
    return _deflated(json_of(values, separators=(",", ":")).encode())


def _unpack(packed: bytes) -> list[Any]:
    values: list[Any] = json.loads(_inflated(packed))
    return values


def _deflated(content: bytes) -> bytes:
    return bz2.compress(content) if len(content) > _LONG else zlib.compress(content)


def _inflated(deflated: bytes) -> bytes:
    return bz2.decompress(deflated) if deflated.startswith(_BZIP2) else zlib.decompress(deflated)
