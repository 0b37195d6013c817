"""What must be true of every view and of every flowing document, and small Word files made from their XML."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from itertools import pairwise

from app.core.layout import BlockKind, Kind, Opened
from app.core.report import Report, Silent
from app.core.text import View
from app.documents.orders import Read
from app.documents.parts import Parts
from app.documents.reader import read


def check_view(text: str, view: View) -> None:
    """Fail where a view does not fit its text."""
    end = 0
    for said in view.replacements:
        assert end <= said.start <= said.end <= len(text)
        # Only blanks and separators are read as something else.
        assert not any(map(str.isalnum, text[said.start : said.end])), said
        end = said.end
    for points in (view.bounds, [point for point, _ in view.headings]):
        assert all(0 <= point <= len(text) for point in points)
        assert all(one < other for one, other in pairwise(points))
    assert all("\n" not in words and len(words) < 1000 for _, words in view.headings)


def as_read(text: str, view: View) -> str:
    """The text with what is said in it."""
    pieces, at = [], 0
    for said in view.replacements:
        pieces += [text[at : said.start], said.words]
        at = said.end
    return "".join([*pieces, text[at:]])


def lines_read(parts: Parts) -> list[str]:
    """The lines as a model reads them, without empty ones."""
    return [line.strip() for line in as_read(parts.text, parts.view).splitlines() if line.strip()]


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def check_parts(parts: Parts) -> None:
    """Fail where blocks, styles, headings, cells or the view do not fit the text."""
    check_view(parts.text, parts.view)
    assert [block.span.start for block in parts.blocks] == [*parts.view.bounds]
    text, end, last = parts.text, 0, None
    for block in parts.blocks:
        words = block.span.of(text)
        assert words.rstrip() == words
        if block.kind is BlockKind.CODE:
            assert words.strip("\n") == words
        else:
            assert words.strip() == words
        assert words.strip()
        assert block.span.start >= end
        between = text[end : block.span.start]
        if last is None:
            assert re.fullmatch("\t*", between)
        elif block.table >= 0 and last.table == block.table:
            same_row = last.row == block.row
            same_cell = same_row and last.column == block.column
            pattern = "\n" if same_cell else "\t+" if same_row else "\n\t*"
            assert re.fullmatch(pattern, between), (between, words)
        else:
            items = last.kind is block.kind is BlockKind.ITEM and last.table == block.table == -1
            assert re.fullmatch("\n" if items else "\n\n\t*", between), (between, words)
        for styled in block.styles:
            assert block.span.start <= styled.span.start < styled.span.end <= block.span.end
            assert styled.span.of(text).strip() == styled.span.of(text)
        by_style = [(styled.style, styled.span.start) for styled in block.styles]
        assert len(set(by_style)) == len(by_style)
        if block.table >= 0:
            table = parts.tables[block.table]
            assert 0 <= block.row < table.rows
            assert 0 <= block.column < table.columns
            assert block.kind is not BlockKind.PARAGRAPH
            if last is not None and last.table == block.table:
                assert (last.row, last.column) <= (block.row, block.column)
        else:
            assert block.table == block.row == block.column == -1
            assert block.kind is not BlockKind.CELL
        end, last = block.span.end, block
    assert end == len(text)
    headings = [(block.span, block.level) for block in parts.blocks if block.kind is BlockKind.HEADING]
    assert headings == [(heading.span, heading.level) for heading in parts.headings]
    assert all(level >= 1 for _, level in headings)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", text)
    numbers = [block.table for block in parts.blocks if block.table >= 0]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(len(parts.tables)))
    for table in parts.tables:
        assert 0 <= table.header_rows <= table.rows
        taken = set()
        for (row, column), (down, across) in table.merged.items():
            assert down * across > 1
            assert row + down <= table.rows
            assert column + across <= table.columns
            if down * across <= 10_000:
                cells = {(row + i, column + j) for i in range(down) for j in range(across)}
                assert not cells & taken
                taken |= cells


def checked(reader: Callable[[bytes, str, Report], Parts]) -> Callable[[str | bytes], Parts]:
    """A reader of one format, which fails where what it returns is not sound."""

    def read_checked(data: str | bytes) -> Parts:
        parts = reader(data.encode() if isinstance(data, str) else data, "a", Silent())
        check_parts(parts)
        return parts

    return read_checked


def opened(data: bytes, name: str, kind: Kind | None = None) -> Opened:
    """The document in a file's bytes; fails where it is of another kind than this one, or not sound."""
    found = read(Read("", name, data=data), Silent())
    assert kind in (None, found.kind)
    if found.blocks:
        check_parts(parts_of(found))
    return found


def parts_of(found: Opened) -> Parts:
    """What the reader of its format returned."""
    assert found.document.view is not None
    return Parts(found.document.text, found.headings, found.blocks, found.tables, view=found.document.view)


def words_of(parts: Parts) -> list[str]:
    """The words of each block."""
    return [block.span.of(parts.text) for block in parts.blocks]


def outline(parts: Parts) -> list[str]:
    """Each block in short: its kind, level and place, its marker and its words."""
    lines = []
    for block in parts.blocks:
        level = str(block.level) if block.level else ""
        place = f" {block.table}:{block.row},{block.column}" if block.table >= 0 else ""
        marker = f" {block.marker}" if block.marker else ""
        lines.append(f"{block.kind.value}{level}{place}{marker} | {block.span.of(parts.text)}")
    return lines


def styles(parts: Parts) -> list[tuple[str, str]]:
    """Each styled stretch: the style and the words."""
    return [
        (styled.style.value, styled.span.of(parts.text)) for block in parts.blocks for styled in block.styles
    ]


def cells(parts: Parts, table: int) -> dict[tuple[int, int], str]:
    """A table's words by row and column; a cell's blocks joined by newlines."""
    found: dict[tuple[int, int], str] = {}
    for block in parts.blocks:
        if block.table == table:
            key = (block.row, block.column)
            words = block.span.of(parts.text)
            found[key] = f"{found[key]}\n{words}" if key in found else words
    return found


def p(inside: str, properties: str = "") -> str:
    """A paragraph of a Word document's main part."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{inside}</w:p>"


def r(words: str, properties: str = "") -> str:
    """A run of a paragraph."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def document_xml(body: str, declaration: str = "", word: str = WORD) -> str:
    """The XML of a document's main part around a body."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{declaration}'
        f'<w:document xmlns:w="{word}" xmlns:r="{OFFICE}"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
        ' xmlns:v="urn:schemas-microsoft-com:vml"'
        ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
        f"<w:body>{body}</w:body></w:document>"
    )


def part_xml(name: str, inside: str) -> str:
    """The XML of another part: styles, numbering, footnotes."""
    return f'<w:{name} xmlns:w="{WORD}">{inside}</w:{name}>'


def zipped(entries: Mapping[str, str | bytes]) -> bytes:
    """A packed file with these entries in this order; one called mimetype is not compressed."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return output.getvalue()


def packed(entries: dict[str, str | bytes]) -> bytes:
    """A packed file with these entries, and Word's usual relationships and list of contents."""
    relations = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="a" Type="{OFFICE}/officeDocument"'
        ' Target="word/document.xml"/></Relationships>',
    }
    return zipped(relations | entries)


def changed_part(part: str, data: str | bytes | Callable[[str], str], file: bytes) -> bytes:
    """A packed file with another part in place of its own, or a change of that."""
    with zipfile.ZipFile(io.BytesIO(file)) as old:
        parts: dict[str, str | bytes] = {name: old.read(name) for name in old.namelist()}
    return zipped(parts | {part: data(str(parts[part], "utf-8")) if callable(data) else data})


def word_file(body: str, **parts: str) -> bytes:
    """A Word file with a body, and further parts by their names (styles, numbering, footnotes, endnotes)."""
    entries: dict[str, str | bytes] = {"word/document.xml": document_xml(body)}
    return packed(entries | {f"word/{name}.xml": part_xml(name, inside) for name, inside in parts.items()})
