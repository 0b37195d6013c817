"""Files made to stop, freeze or fool what reads them: a good one of each kind, changes to these, and crafted ones."""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cache
from typing import Literal

from openpyxl import Workbook

from tests.helpers.books import CONTAINER, book, chapter, navigation, ncx, packed_book, point
from tests.helpers.flowing import changed_part, document_xml, p, packed, part_xml, r, word_file
from tests.helpers.mails import Storage, binary, compound, mail, mailbox_of, outlook_parts, wide
from tests.helpers.office import (
    Slide,
    ap,
    box,
    frame,
    open_file,
    page,
    pptx_file,
    relations,
    shapes_xml,
    slide_table,
    tc,
    titled,
    zipped,
)
from tests.helpers.small_pdfs import Page, lines, pdf_of, small_pdf
from tests.helpers.spreadsheets import ods_of

WORDS = "The knave stole the tarts."
_TEXT = f"Chapter 1\n\n{WORDS} Déjà vu 👩‍👩‍👧 שלום 日本語.\r\n\r\nChapter 2\n\n\u202ethe end\u00ad\u0301\n"
_HTML = f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>t</title></head><body><h1>One</h1><p>{WORDS}
<b>bold <i>both</i></b> &amp; &#x1f600; &nbsp;<a href="#x">link</a></p><ul><li>a<ol start=3><li>b</ol></ul>
<table><caption>c</caption><tr><th rowspan=2>h<th>i<tr><td colspan="2">x<table><tr><td>in</table></table>
<pre>  code
 more</pre><blockquote>quoted</blockquote><p hidden>no<svg><text>t</text></svg><sup>1</sup></body></html>"""
_MARKDOWN = f"""---
title: t
---
# One

{WORDS} **bold _both_** `code` [link](http://x) ![p](y)

- a
  1. b

> quoted

| h | i |
|---|:-:|
| x | y **z** |

```
code
```
<div>raw &amp; <b>html</b></div>
"""
_BODY = (
    p(r("One"), '<w:pStyle w:val="Heading1"/>')
    + p(r(WORDS) + r("bold", "<w:b/>") + "<w:r><w:tab/><w:br/><w:noBreakHyphen/></w:r>")
    + p(r("item"), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    + '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    + p(r("cell"))
    + '</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
    + p(r("a"))
    + "</w:tc><w:tc>"
    + p(r("b"))
    + "</w:tc></w:tr></w:tbl>"
)
_NUMBERING = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="lowerRoman"/>'
    '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)
_SLIDES = [
    Slide(
        titled("One") + frame(ap(WORDS) + ap("b", level=1), 'idx="1"'), notes=frame(ap("said"), 'type="body"')
    ),
    Slide(slide_table([tc("a", 'gridSpan="2"') + tc("", 'hMerge="1"'), tc("b") + tc("c")]), more='show="0"'),
]
_LISTS = (
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="i"/>'
    "</text:list-style>"
    '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
)
_CELLS = "".join(f"<table:table-cell><text:p>{each}</text:p></table:table-cell>" for each in "ab")
_TABLE = (
    f'<table:table><table:table-row table:number-rows-repeated="2">{_CELLS}</table:table-row></table:table>'
)
_LIST = '<text:list text:style-name="N"><text:list-item><text:p>x</text:p></text:list-item></text:list>'
_NOTED = "<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note>"
_BOLD = '<text:span text:style-name="B">b</text:span>'
_FLOW = f"<text:h>One</text:h><text:p>{WORDS}{_NOTED}{_BOLD}</text:p>{_LIST}{_TABLE}"
_RTF = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset128 B;}}{\stylesheet{\s1\outlinelevel0 h;}}"
    rf"\pard\s1 One\par\pard {WORDS}{{\footnote note}} \'e9\u8364?{{\f1\'83\'65}}\par{{\listtext 1.\tab}}x\par"
    r"\trowd\cellx1\cellx2\intbl a\cell b\cell\row\pard{\v no}\line end\par}"
)
_ROWS = "".join(
    json.dumps(row, ensure_ascii=False) + "\n"
    for row in (
        {"id": 1, "context": WORDS, "question": "Who?", "answers": [{"text": "knave", "answer_start": 4}]},
        {"id": "b", "text": "déjà", "label": "a", "tokens": ["Al", "ran"], "tags": ["B-PER", "O"]},
    )
)
_CSV = 'question,context,answer,label,text\n"Who, then?",The knave.,knave,a,"two\nlines"\n;;,x,,b,\n'

_INNER = outlook_parts(html=_HTML.encode(), subject="Inner", head=24)


def _mail() -> EmailMessage:
    """A mail with a text, HTML, quotes, files and a mail attached."""
    message = mail(
        f"{WORDS}\n\n> quoted\n>> twice\n",
        html=_HTML,
        files={"a.md": _MARKDOWN.encode(), "b.png": b"\x89PNG"},
    )
    message.add_attachment(mail("Grüße 👩‍👩‍👧", subject="Déjà vu"))
    return message


def _book() -> bytes:
    """A book with both kinds of contents."""
    nav = navigation('<li><a href="1.xhtml">One</a><ol><li><a href="2.xhtml#x">Two</a></li></ol></li>')
    chapters = [chapter(f"<h1>One</h1><p>{WORDS}</p>"), chapter("<p>Two</p><ul><li>a</li></ul>")]
    return book(chapters, nav=nav, toc=ncx(point("One", "text/1.xhtml", point("Two", "text/2.xhtml"))))


@cache
def sheet(change: Callable[[Workbook], object] | None = None) -> bytes:
    """A spreadsheet; `change` does more to it."""
    book = Workbook()
    for row in (["question", "text", "label"], ["Who?", WORDS, "a"], ["=1+1", 3.5, None]):
        book.active.append(row)
    book.active["E9"] = "far"
    book.active.merge_cells("A3:B4")
    if change is not None:
        change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def whole() -> dict[str, bytes]:
    """A good file of each kind that is read, by its name."""
    return {
        "a.txt": _TEXT.encode(),
        "wide.txt": _TEXT.encode("utf-16"),
        "a.html": _HTML.encode(),
        "old.html": _HTML.replace("utf-8", "windows-1251").encode("cp1251", "xmlcharrefreplace"),
        "a.md": _MARKDOWN.encode(),
        "a.docx": word_file(_BODY, numbering=_NUMBERING),
        "a.odt": open_file("text", _FLOW, _LISTS),
        "a.rtf": _RTF.encode(),
        "a.pptx": pptx_file(_SLIDES),
        "a.odp": open_file(
            "presentation", page(box(_FLOW) + box(_TABLE), box("<text:p>said</text:p>")), _LISTS
        ),
        "a.pdf": small_pdf([Page(lines(f"{WORDS}\nand more")), Page(lines("Page two"))], [("One", 0, 1)]),
        "a.epub": _book(),
        "a.eml": bytes(_mail()),
        "a.mbox": mailbox_of([bytes(_mail()), bytes(mail(WORDS)), bytes(mail(html=_HTML))]),
        "a.msg": compound(outlook_parts(WORDS, files={"a.html": _HTML.encode()}, inner=[_INNER])),
        "a.csv": _CSV.encode(),
        "a.tsv": _CSV.replace(",", "\t").encode("cp1252", "replace"),
        "a.xlsx": sheet(),
        "a.jsonl": _ROWS.encode(),
        "a.jsonl.xz": lzma.compress(_ROWS.encode()),
        "a.json": json.dumps({"data": [{"paragraphs": [{"context": WORDS, "qas": []}]}]}).encode(),
        "a.conll": b"Al B-PER\nran O\n\n-DOCSTART- O\nto O\nParis B-LOC\n",
    }


TOKENS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\x1b[2J", b"<", b"</", b"<!--", b"]]>",
    b"&#1114112;", b"&#0;", b"&#xD800;", b"<td rowspan=65534 colspan=1000>", b"<table>", b'charset="idna"', b"|",
    b"> ", b"    ", b"```", b"[](", b"endstream", b"/Kids [2 0 R]", b"-1", b"99999999999999999999", b"1e999", b"NaN",
    b'"', b"\\ud800", b"{", b"[", b",", b"\t", b"\n\n", b"w:val=\"-1\"", b"<w:tbl>", b"PK\x01\x02",
    b"\xe2\x80\xae", b"%PDF-", b"\\cell ", b"\\bin9 ", b"{\\*\\x ", b"\\u-1 ", b"</a:p>", b"<a:tbl>", b"<text:p>",
    b'"1000000"',
)  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """A change to a file: what is done, where (a share of its length), how many bytes, and what is put there.

    `part` chooses the part of a packed file; beyond 0.7 the packed bytes themselves are changed.
    """

    deed: Literal["cut", "delete", "flip", "double", "put", "replace", "move"]
    at: float
    length: int
    token: bytes
    part: float


def changed(name: str, data: bytes, edits: Iterable[Edit]) -> bytes:
    """The file with all of these changes, one after the other."""
    for edit in edits:
        if edit.part < 0.7 and zipfile.is_zipfile(io.BytesIO(data)):
            data = _in_part(data, edit)
        elif edit.part < 0.7 and name.endswith(".xz"):
            with suppress(lzma.LZMAError):
                data = lzma.compress(_changed(lzma.decompress(data), edit))
        else:
            data = _changed(data, edit)
    return data


def _in_part(data: bytes, edit: Edit) -> bytes:
    file = io.BytesIO()
    try:
        with (
            zipfile.ZipFile(io.BytesIO(data)) as old,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            parts = [name for name in old.namelist() if name.endswith((".xml", ".xhtml", ".opf", ".ncx"))]
            chosen = parts[int(edit.part / 0.7 * len(parts))] if parts else ""
            for name in old.namelist():
                content = old.read(name)
                new.writestr(name, _changed(content, edit) if name == chosen else content)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError):
        return _changed(data, edit)
    return file.getvalue()


def _changed(data: bytes, edit: Edit) -> bytes:
    at = int(edit.at * len(data))
    before, there, after = data[:at], data[at : at + edit.length], data[at + edit.length :]
    match edit.deed:
        case "cut":
            return before
        case "delete":
            return before + after
        case "flip":
            return before + bytes(byte ^ 0x55 for byte in there) + after
        case "double":
            return before + there * 40 + after
        case "put":
            return before + edit.token * min(edit.length, 200) + there + after
        case "replace":
            return before + edit.token + after
        case "move":
            return before + after + there


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """A PDF's stream object."""
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def tree_pdf(
    kids: bytes, more: bytes = b"", content: bytes = b"BT /F 12 Tf 72 700 Td (words) Tj ET"
) -> bytes:
    """A PDF whose page tree has these entries; its page is object 3, the tree 2."""
    font = b"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s /Contents 4 0 R /Resources << %s >> >>"
    return pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R /Outlines 2 0 R /PageLabels 2 0 R >>",
            b"<< /Type /Pages %s /Nums [0 2 0 R] /First 2 0 R /Next 2 0 R >>" % kids,
            page % (more, font),
            stream(content),
        ]
    )


def lying_zip(data: bytes, size: int) -> bytes:
    """The packed file whose list of contents says that every part has this size."""
    found = bytearray(data)
    at = found.find(b"PK\x01\x02")
    while at >= 0:
        found[at + 24 : at + 28] = size.to_bytes(4, "little")
        at = found.find(b"PK\x01\x02", at + 4)
    return bytes(found)


# A document type whose entities grow without end, and lead out.
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY l0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">'
    + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    + "]>"
)


def _laughs(root: str) -> str:
    return f'{LAUGHS}<{root} a="&l8;">&l8;&f;</{root}>'


def _sheet_xml(inside: str, after: str = "", before: str = "") -> bytes:
    """A spreadsheet whose first sheet has this XML."""
    xml = (
        '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"{before}<sheetData>{inside}</sheetData>{after}</worksheet>"
    )
    return changed_part("xl/worksheets/sheet1.xml", xml, sheet())


def _nested(before: bytes, after: bytes = b"", depth: int = 100_000) -> bytes:
    return before * depth + WORDS.encode() + after * depth


_REPEATED_CELL = '<table:table-cell table:number-columns-repeated="99999"'


def _manifest(*places: str) -> str:
    """A package document of chapters at these places."""
    items = "".join(
        f'<item id="{n}" href="{place}" media-type="application/xhtml+xml"/>'
        for n, place in enumerate(places)
    )
    spine = "".join(f'<itemref idref="{n}"/>' for n in range(len(places)))
    return f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"


def _deep_mail(depth: int) -> bytes:
    inside = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(depth)
    )
    return b"From: a\nMIME-Version: 1.0\n" + inside + b"\n" + WORDS.encode()


def _matryoshka(depth: int) -> bytes:
    """Mails in mails, each as a file and as a mail."""
    message = mail(WORDS)
    for _ in range(depth):
        outer = mail(WORDS, files={"a.eml": bytes(message)})
        outer.add_attachment(message)
        message = outer
    return bytes(message)


def _other_table(change: Callable[[int], int]) -> bytes:
    """A mail of Outlook's whose table says of each sector that another one follows."""
    data = compound(outlook_parts(WORDS, files={"a.txt": WORDS.encode() * 1000}))
    table = b"".join(change(number).to_bytes(4, "little") for number in range(128))
    return data[:-512] + table


def _other_sizes(size: int) -> bytes:
    """A mail of Outlook's whose streams are said to have this size."""
    data = bytearray(compound(outlook_parts(WORDS)))
    at = data.find("__substg".encode("utf-16-le"))
    while at >= 0:
        data[at + 120 : at + 124] = size.to_bytes(4, "little")
        at = data.find("__substg".encode("utf-16-le"), at + 128)
    return bytes(data)


def _deep_storage(depth: int) -> Storage:
    storage = Storage()
    for _ in range(depth):
        storage = {"a": storage}
    return outlook_parts(WORDS) | storage


def _inner_mails(depth: int) -> Storage:
    parts = outlook_parts(WORDS, head=24)
    for _ in range(depth):
        parts = outlook_parts(WORDS, inner=[parts], head=24)
    return outlook_parts(WORDS, inner=[parts])


# A good packed file of each kind, and its part with the words.
PACKED = {
    "docx": (word_file(_BODY), "word/document.xml"),
    "pptx": (pptx_file(_SLIDES), "ppt/slides/slide1.xml"),
    "odt": (open_file("text", _FLOW), "content.xml"),
    "odp": (open_file("presentation", page(box(_FLOW))), "content.xml"),
    "epub": (_book(), "OEBPS/text/1.xhtml"),
    "xlsx": (sheet(), "xl/worksheets/sheet1.xml"),
    "ods": (ods_of({"a": [[WORDS]]}), "content.xml"),
}


def _attacks(kind: str, file: bytes, part: str) -> dict[str, Callable[[], bytes]]:
    """What is done to any packed file."""
    return {
        f"bomb.{kind}": lambda: changed_part(part, "<p>" * 20_000_000, file),
        f"laughs.{kind}": lambda: changed_part(part, _laughs("x"), file),
        f"outside.{kind}": lambda: changed_part("../../evil", b"x", file),
        f"small.{kind}": lambda: lying_zip(file, 1),
        f"large.{kind}": lambda: lying_zip(file, 2**32 - 1),
    }


_CELL = '<c r="{}" t="inlineStr"><is><t>words</t></is></c>'
DEEP = 100_000
CRAFTED: dict[str, Callable[[], bytes]] = {
    **{name: make for kind, (file, part) in PACKED.items() for name, make in _attacks(kind, file, part).items()},
    "blocks.html": lambda: b"<html>" + _nested(b"<div>"),
    "inline.html": lambda: b"<html><p>" + _nested(b"<span><b>", b"</b></span>", 50_000),
    "lists.html": lambda: b"<html>" + _nested(b"<ul><li>", b"</ul>", 20_000),
    "tables.html": lambda: b"<html>" + _nested(b"<table><tr><td>", b"</table>", 5_000),
    "quotes.html": lambda: b"<html>" + _nested(b"<blockquote>"),
    "fonts.html": lambda: b"<html>" + b"<p><font><i><a>x" * 5_000,
    "spans.html": lambda: b"<html><table>" + b"<tr><td rowspan=1000000 colspan=1000000>x" * 1_000,
    "cells.html": lambda: b"<html><table><tr>" + b"<td>x" * 200_000,
    "rows.html": lambda: b"<html><table>" + b"<tr><td>x" * 200_000,
    "entities.html": lambda: b"<html><p>" + b"&#x110000;&#55296;&#0;&nosuch;&" * 50_000,
    "declared.html": lambda: b"<html><!DOCTYPE x [<!ENTITY a 'b'>]><meta charset=idna><p>" + b"\xe9" * 10_000,
    "comment.html": lambda: b"<html><!--" + b"-" * 5_000_000,
    "svg.html": lambda: b"<html>" + _nested(b"<svg><math><mtext>", b"", 20_000),
    "starts.html": lambda: b"<html><ol start=99999999999999999999><li value=-99999999999999999999>x" * 100,
    "templates.html": lambda: b"<html>" + _nested(b"<template>", b"", 20_000),
    "quotes.md": lambda: _nested(b">"),
    "lists.md": lambda: b"".join(b" " * n + b"- a\n" for n in range(1_000)),
    "brackets.md": lambda: b"[" * DEEP + b"]" * DEEP,
    "links.md": lambda: b"[a](" * 30_000,
    "pictures.md": lambda: b"![" * DEEP,
    "stars.md": lambda: b"*a **b " * 30_000,
    "ticks.md": lambda: b"".join(b"`" * n + b"a" for n in range(1_000)),
    "pipes.md": lambda: b"|" * 50_000 + b"\n" + b"|-" * 50_000 + b"\n" + b"|x" * 50_000,
    "bars.md": lambda: b"|a|\n|-|\n" + b"|x|\n" * 100_000,
    "front.md": lambda: b"---\n" + b"a: " * DEEP,
    "html.md": lambda: b"<div>\n\n" * 20_000 + b"<!DOCTYPE html><meta charset=zlib_codec>",
    "marks.txt": lambda: ("\u202e\u0301\u200d" * DEEP + WORDS).encode(),
    "chapters.txt": lambda: b"Chapter 1\n\n" * 50_000,
    "line.txt": lambda: b"word " * 2_000_000,
    "lines.txt": lambda: b"\n" * 5_000_000 + WORDS.encode(),
    "breaks.txt": lambda: "\r\u2028\x85\v\f".encode() * DEEP,
    "lie.txt": lambda: b"\xff\xfe" + b"\xd8\x00" * 10_001 + b"x",
    "lie.html": lambda: b"\xef\xbb\xbf<html><meta charset=utf-16><p>\xff\xfe",
    "styles-laugh.docx": lambda: changed_part("word/styles.xml", _laughs("x"), word_file(_BODY)),
    "deep.docx": lambda: packed({"word/document.xml": document_xml("<w:tbl><w:tr><w:tc>" * 30_000)}),
    "controls.docx": lambda: word_file("<w:sdt><w:sdtContent>" * 200 + p(r(WORDS)) + "</w:sdtContent></w:sdt>" * 200),
    "spans.docx": lambda: word_file(
        "<w:tbl>"
        + ('<w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000"/><w:vMerge/></w:tcPr>' + p(r("x")) + "</w:tc></w:tr>") * 500
        + "</w:tbl>"
    ),
    "numbers.docx": lambda: word_file(
        p(r("x"), '<w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="-5"/></w:numPr>') * 50,
        numbering=_NUMBERING.replace('w:val="3"', 'w:val="99999999999999"'),
    ),
    "round.docx": lambda: word_file(
        p(r(WORDS), '<w:pStyle w:val="a"/>'),
        styles="".join(f'<w:style w:styleId="{a}"><w:basedOn w:val="{b}"/></w:style>' for a, b in ("ab", "ba")),
    ),
    "charset.docx": lambda: packed(
        {"word/document.xml": '<?xml version="1.0" encoding="punycode"?>' + document_xml(p(r(WORDS))).split("?>")[-1]}
    ),
    "twice.docx": lambda: word_file(_BODY) + word_file(_BODY),
    "notes.docx": lambda: packed({"word/document.xml": part_xml("document", ""), "word/footnotes.xml": b"\xff\xfe<"}),
    "deep.pptx": lambda: pptx_file(["<p:grpSp>" * 30_000]),
    "groups.pptx": lambda: pptx_file(["<p:grpSp>" * 200 + frame(ap(WORDS)) + "</p:grpSp>" * 200]),
    "formula.pptx": lambda: pptx_file([frame("<a:p><a14:m>" + "<m:r>" * 230 + "<m:t>x</m:t>")]),
    "same.pptx": lambda: pptx_file([frame(ap(WORDS) * 10_000)], order=[0] * 100_000),
    "notes.pptx": lambda: pptx_file(
        [Slide("", related=[("n", "notesSlide", "../notesSlides/one.xml")])] * 2_000,
        notesSlides__one=shapes_xml("notes", frame(ap(WORDS) * 20_000, 'type="body"')),
    ),
    "layouts.pptx": lambda: pptx_file(
        [Slide(frame(ap("x"), 'idx="1"'), related=[("l", "slideLayout", "../slideLayouts/one.xml")])] * 500,
        slideLayouts__one=shapes_xml("sldLayout", frame(ap("x"), 'idx="2"') * 5_000),
    ),
    "spans.pptx": lambda: pptx_file(
        [slide_table([tc("x", 'rowSpan="1000000" gridSpan="1000000"') * 10] * 500)]
    ),
    "cells.pptx": lambda: pptx_file([slide_table([tc("x") * 50_000])]),
    "round.pptx": lambda: changed_part(
        "ppt/_rels/presentation.xml.rels", relations(("rId0", "slide", "presentation.xml")), pptx_file(_SLIDES)
    ),
    "away.pptx": lambda: changed_part(
        "ppt/_rels/presentation.xml.rels", relations(("rId0", "slide", "../../../../etc/passwd")), pptx_file(_SLIDES)
    ),
    "levels.pptx": lambda: pptx_file([frame('<a:p><a:pPr lvl="-99999999999"/></a:p>' + ap("x", level=99999))]),
    "styles-laugh.odt": lambda: changed_part("styles.xml", _laughs("x"), open_file("text", _FLOW)),
    "deep.odt": lambda: open_file("text", "<table:table><table:table-row><table:table-cell>" * 30_000),
    "lists.odt": lambda: open_file("text", "<text:list><text:list-item>" * 110 + f"<text:p>{WORDS}</text:p>"),
    "sections.odt": lambda: open_file("text", "<text:section>" * 230 + f"<text:p>{WORDS}</text:p>"),
    "runs.odt": lambda: open_file("text", "<text:p>" + "<text:span>" * 230 + WORDS),
    "frames.odt": lambda: open_file("text", "<text:p><draw:frame><draw:text-box>" * 75 + f"<text:p>{WORDS}"),
    "tables.odt": lambda: open_file("text", ("<table:table><table:table-row><table:table-cell>") * 75 + "<text:p>x"),
    "note-in-note.odt": lambda: open_file("text", "<text:p>a<text:note><text:note-body>" * 75 + "<text:p>x"),
    "repeated.odt": lambda: open_file(
        "text", _TABLE.replace('="2"', '="99999999999"').replace("<table:table-cell", _REPEATED_CELL) * 1_000
    ),
    "spans.odt": lambda: open_file(
        "text", _TABLE.replace("<table:table-cell", '<table:table-cell table:number-rows-spanned="1000000"') * 1_000
    ),
    "round.odt": lambda: open_file(
        "text", '<text:p text:style-name="a">x</text:p>',
        "".join(
            f'<style:style style:name="{a}" style:family="paragraph" style:parent-style-name="{b}"/>'
            for a, b in ("ab", "ba")
        ),
    ),
    "blanks.odt": lambda: open_file("text", "<text:p>a" + '<text:s text:c="1000000000"/>' * 30_000 + "b</text:p>"),
    "numbers.odt": lambda: open_file(
        "text", _LIST.replace("<text:list-item>", '<text:list-item text:start-value="99999999999">') * 50,
        _LISTS.replace('text:level="1"', 'text:level="-1" text:display-levels="99999"'),
    ),
    "encrypted.odt": lambda: zipped(
        {"mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": "<encryption-data/>"}
    ),
    "deep.odp": lambda: open_file("presentation", "<draw:page>" + "<draw:g>" * 30_000),
    "groups.odp": lambda: open_file("presentation", "<draw:page>" + "<draw:g>" * 230 + box(_FLOW)),
    "frames.odp": lambda: open_file("presentation", "<draw:page>" + "<draw:frame><draw:text-box>" * 110 + "<text:p>x"),
    "pages.odp": lambda: open_file("presentation", page("") * 100_000 + page(box(_FLOW))),
    "titles.odp": lambda: open_file("presentation", page(box(_FLOW, 'presentation:class="title"') * 1_000)),
    "title.odp": lambda: open_file("presentation", page(box(_FLOW * 5_000, 'presentation:class="title"'))),
    "notes.odp": lambda: open_file("presentation", page("", page("", page("", box(_FLOW))))),
    "repeated.odp": lambda: open_file("presentation", page(box(_TABLE.replace('="2"', '="99999999"') * 1_000))),
    "text.odp": lambda: zipped({"mimetype": "application/vnd.oasis.opendocument.presentation", "content.xml": b"<a/>"}),
    "none.odp": lambda: zipped({"mimetype": "application/vnd.oasis.opendocument.presentation"}),
    "groups.rtf": lambda: b"{\\rtf1" + b"{" * DEEP,
    "closed.rtf": lambda: b"{\\rtf1" + b"}" * DEEP,
    "fields.rtf": lambda: b"{\\rtf1" + b"{\\field{\\*\\fldinst{ HYPERLINK " * 300 + b'"x"}}' * DEEP,
    "fonts.rtf": lambda: b"{\\rtf1{\\fonttbl" + b"{\\f1\\f2\\fcharset" * 900 + b"\\f1\\fcharset99999999999" * DEEP,
    "binary.rtf": lambda: b"{\\rtf1 a{\\pict\\bin999999999 " + b"\\bin-1 \\bin" * DEEP,
    "unicode.rtf": lambda: b"{\\rtf1 " + b"\\u-99999999999999 ?\\u55357?\\u64976?\\u0?" * DEEP,
    "skipped.rtf": lambda: b"{\\rtf1\\uc99999999999 " + b"\\u1 " * DEEP + WORDS.encode(),
    "cells.rtf": lambda: b"{\\rtf1\\trowd " + b"\\intbl x\\cell" * 200_000 + b"\\row",
    "rows.rtf": lambda: b"{\\rtf1" + b"\\trowd\\trhdr\\intbl x\\cell\\row" * 100_000,
    "notes.rtf": lambda: b"{\\rtf1 " + b"{\\footnote x" * 900 + b"{\\listtext " * 90,
    "codes.rtf": lambda: b"{\\rtf1{\\fonttbl{\\f1\\fcharset128 x;}}\\f1 " + b"\\'81\\'ff\xff" * DEEP,
    "words.rtf": lambda: b"{\\rtf1 " + b"\\" + b"a" * 5_000_000,
    "pictures.rtf": lambda: b"{\\rtf1 a{\\pict " + b"00ff" * 5_000_000 + b"}b}",
    "long.rtf": lambda: b"{\\rtf1 " + b"word " * 2_000_000,
    "longer.rtf": lambda: b"{\\rtf1 " + b"word " * 6_000_000,
    "half.rtf": lambda: b"{\\rtf",
    "tree.pdf": lambda: tree_pdf(b"/Count 3 /Kids [3 0 R 2 0 R 2 0 R]"),
    "million.pdf": lambda: tree_pdf(b"/Count 1000000 /Kids [3 0 R]"),
    "same.pdf": lambda: tree_pdf(b"/Count 20000 /Kids [%s]" % (b"3 0 R " * 20_000)),
    "none.pdf": lambda: tree_pdf(b"/Kids 2 0 R"),
    "negative.pdf": lambda: tree_pdf(b"/Count -99999999999 /Kids [3 0 R -1 0 R 999999999 0 R]"),
    "deep.pdf": lambda: tree_pdf(b"/Count 1 /Kids " + b"[" * DEEP),
    "boxes.pdf": lambda: tree_pdf(b"/Count 1 /Kids [3 0 R]", b"/CropBox [1e38 -1e38 nan 99999999999999999999]"),
    "stack.pdf": lambda: tree_pdf(b"/Count 1 /Kids [3 0 R]", b"", b"q " * DEEP + b"BT " * DEEP),
    "far.pdf": lambda: tree_pdf(
        b"/Count 1 /Kids [3 0 R]", b"", b"BT /F 1e30 Tf 1e38 -1e9 Td (a) Tj /F 0 Tf (b) Tj /F -9 Tf 72 700 Td (c) Tj ET"
    ),
    "same-place.pdf": lambda: tree_pdf(
        b"/Count 1 /Kids [3 0 R]", b"", b"BT /F 12 Tf 72 700 Td " + b"(a) Tj -6 0 Td " * 20_000 + b"ET"
    ),
    "bomb.pdf": lambda: pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
            stream(zlib.compress(zlib.compress(b" " * 50_000_000, 9), 9), b"/Filter [/FlateDecode /FlateDecode]"),
        ]
    ),
    "laughs.epub": lambda: book([], package=_laughs("package")),
    "container-laugh.epub": lambda: packed_book({"META-INF/container.xml": _laughs("container")}),
    "leads-out.epub": lambda: packed_book(
        {"META-INF/container.xml": CONTAINER.replace("OEBPS/book.opf", "../../../../etc/passwd"), "a.opf": "<package/>"}
    ),
    "file.epub": lambda: packed_book(
        {
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": _manifest("file:///etc/passwd", "//host/x", "/etc/passwd"),
        }
    ),
    "same.epub": lambda: packed_book(
        {
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": _manifest(*["a.xhtml"] * 20_000),
            "OEBPS/a.xhtml": chapter(f"<p>{WORDS * 50}</p>"),
        }
    ),
    "deep.epub": lambda: book([chapter("<div>" * DEEP + WORDS)]),
    "contents.epub": lambda: book([chapter(WORDS)], nav=navigation("<li><ol>" * 20_000)),
    "titles.epub": lambda: book(
        [chapter(f"<p>{WORDS}")], nav=navigation('<li><a href="1.xhtml">One</a></li>' * 30_000)
    ),
    "links.epub": lambda: book(
        [chapter(f"<p>{WORDS}")], nav=navigation("<div>" * 1_000 + '<a href="1.xhtml">One' * 5_000)
    ),
    "points.epub": lambda: book([chapter(WORDS)], toc=ncx("<navPoint>" * 50_000)),
    "tags.epub": lambda: book([chapter("<p/>" * 200_000 + "<a " * 200_000)]),
    "entries.epub": lambda: book([chapter(WORDS)], more={f"{number}": b"" for number in range(11_000)}),
    "zeros.epub": lambda: book([chapter(WORDS)], package="\0" * 1000),
    "deep.eml": lambda: _deep_mail(3_000),
    "less-deep.eml": lambda: _deep_mail(150),
    "mails.eml": lambda: b"From: a\nContent-Type: message/rfc822\n\n" * 5_000 + WORDS.encode(),
    "parts.eml": lambda: b'From: a\nContent-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\nx\n" * 100_000,
    "boundary.eml": lambda: b'From: a\nContent-Type: multipart/mixed; boundary="' + b"-" * DEEP
    + b'"\n\n' + b"--" * DEEP,
    "heads.eml": lambda: b"From: a\n" + b"X: y\n" * 300_000 + b"\n" + WORDS.encode(),
    "folded.eml": lambda: b"From: a\n" + b" x\n" * 500_000 + b"\n" + WORDS.encode(),
    "brackets.eml": lambda: b"From: " + b"(<" * DEEP + b"\nTo: " + b'"' * DEEP + b"\n\n" + WORDS.encode(),
    "encoded.eml": lambda: b"From: a\nSubject: " + b"=?utf-8?q?" * DEEP + b"\n\n" + WORDS.encode(),
    "charset.eml": lambda: b"From: a\nContent-Type: text/plain; charset=zlib_codec\n\n" + b"\xe9" * 1000,
    "parameters.eml": lambda: b"From: a\nContent-Type: text/plain; " + b"a*0*=''%ff;" * 20_000
    + b"\n\n" + WORDS.encode(),
    "names.eml": lambda: bytes(
        mail(WORDS, files={"../../../../etc/passwd": b"a", "\u202egnp.exe": b"b", "C:\\a\tb": b"c"})
    ),
    "quotes.eml": lambda: b"From: a\n\n" + b">" * DEEP + b"\n" + b"> > " * DEEP,
    "bomb.eml": lambda: bytes(mail(WORDS, files={"a.docx": packed({"word/document.xml": b"<w:p>" * 20_000_000})})),
    "files.eml": lambda: bytes(mail(WORDS, files={f"{number}.txt": b"x" for number in range(1_500)})),
    "matryoshka.eml": lambda: _matryoshka(6),
    "base64.eml": lambda: b"From: a\nContent-Transfer-Encoding: base64\n\n" + b64encode(b"x" * 10_000_000) + b"===!",
    "html.eml": lambda: b"From: a\nContent-Type: text/html\n\n" + _nested(b"<blockquote>", depth=20_000),
    "nothing.mbox": lambda: b"From a 10:00\nX:\n\n" * 100_000,
    "line.mbox": lambda: b"From a 10:00\nFrom: b\n\n" + b"x" * 30_000_000,
    "from.mbox": lambda: b"From " * 1_000_000 + b"\nFrom: a\n\n" + b"From \n\n" * 200_000,
    "many.mbox": lambda: mailbox_of([bytes(mail(WORDS))] * 3_000),
    "deep.mbox": lambda: mailbox_of([_deep_mail(3_000), bytes(mail(WORDS))]),
    "cut.mbox": lambda: mailbox_of([bytes(_mail())] * 3)[:-900],
    "zeros.mbox": lambda: b"From a 10:00\nFrom: b\n\n" + bytes(5_000_000),
    "wide.mbox": lambda: b"From a 10:00\nFrom: b\n\n" + ("\u202e\u0301" * DEEP).encode(),
    "blank.mbox": lambda: b"From a 10:00\nFrom: b\n" + b"\n" * 3_000_000 + WORDS.encode(),
    "files.mbox": lambda: mailbox_of([bytes(mail(WORDS, files={"a.html": _HTML.encode()}))] * 600),
    "heads.mbox": lambda: b"From a 10:00\n" + b">From b\n" * 200_000 + b"\n" + WORDS.encode(),
    "cut.msg": lambda: compound(outlook_parts(WORDS))[:2000],
    "head.msg": lambda: compound(outlook_parts(WORDS))[:512],
    "zeros.msg": lambda: compound(outlook_parts(WORDS))[:512] + bytes(50_000),
    "round.msg": lambda: _other_table(lambda number: number),
    "back.msg": lambda: _other_table(lambda number: max(0, number - 1)),
    "free.msg": lambda: _other_table(lambda _: 0xFFFFFFFF),
    "sizes.msg": lambda: _other_sizes(0x7FFFFFFF),
    "wide.msg": lambda: compound(
        outlook_parts(WORDS) | {f"__attach_version1.0_#{n:08X}": Storage() for n in range(1_000)}
    ),
    "deep.msg": lambda: compound(_deep_storage(400)),
    "inner.msg": lambda: compound(_inner_mails(12)),
    "odd.msg": lambda: compound(
        outlook_parts(WORDS) | {"__substg1.0_0037001F": b"\x00\xd8a"} | binary(0x1013, b"\xff\xfe<")
    ),
    "slash.msg": lambda: compound(outlook_parts(WORDS, files={"../../../etc/passwd": b"x"}) | {"a/b": b"x", "": b"y"}),
    "codepage.msg": lambda: compound(
        outlook_parts()
        | {"__substg1.0_1000001E": b"\xe9" * 500, "__properties_version1.0": b"\3\0\xfd\x3f\6" + b"\xff" * 99}
    ),
    "date.msg": lambda: compound(
        wide(0x1000, WORDS) | {"__properties_version1.0": bytes(32) + b"\x40\0\x39\0" + b"\xff" * 12}
    ),
    "page.msg": lambda: compound(outlook_parts(html=_nested(b"<table><tr><td>", depth=5_000))),
    "columns.csv": lambda: b"," * 1_000_000 + b"\n" + b"a\n" * 100_000,
    "quote.csv": lambda: b'a,b\n"' + b"x\n" * 1_000_000,
    "nul.csv": lambda: b"a,b\n\0,\0\n",
    "wide.jsonl": lambda: b"".join(b'{"%d": 1}\n' % n for n in range(20_000)),
    "deep.jsonl": lambda: b"[" * DEEP + b"\n" + b'{"a":' * DEEP,
    "line.jsonl": lambda: b'{"text": "' + b"a" * 20_000_001 + b'"}\n',
    "names.jsonl": lambda: b'{"id": NaN, "text": "a", "label": "b"}\n{"id": 1e999}\n{"id": "\\ud800"}\n',
    "digits.jsonl": lambda: b'{"text": "a", "label": ' + b"9" * 100_000 + b"}\n",
    "bomb.jsonl.xz": lambda: lzma.compress((b" " * 9_999 + b"\n") * 7_000),
    "memory.jsonl.xz": lambda: lzma.compress(b"{}", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]),
    "deep.json": lambda: b'{"data":' + b"[" * DEEP,
    "odd.json": lambda: b'{"data": [{"paragraphs": [{"context": 5, "qas": [{"answers": 7, "question": null}]}]}]}',
    "far.xlsx": lambda: _sheet_xml(f'<row r="1048576">{_CELL.format("XFD1048576")}</row>'),
    "beyond.xlsx": lambda: _sheet_xml(f'<row r="99999999999">{_CELL.format("A99999999999")}</row>'),
    "wide.xlsx": lambda: _sheet_xml(
        "".join(f'<row r="{n}">{_CELL.format(f"XFD{n}")}</row>' for n in range(1, 3_000))
    ),
    "merged.xlsx": lambda: _sheet_xml(
        f'<row r="1">{_CELL.format("A1")}</row>',
        '<mergeCells count="1"><mergeCell ref="&#65;1:XFD1048576"/></mergeCells>',
    ),
    "links.xlsx": lambda: _sheet_xml(
        f'<row r="1">{_CELL.format("A1")}</row>',
        '<hyperlinks><hyperlink ref="A1:XFD1048576" location="x"/></hyperlinks>',
    ),
    "lie.xlsx": lambda: _sheet_xml(f'<row r="1">{_CELL.format("A1")}</row>', before='<dimension ref="A1:XFD1048576"/>'),
    "narrow.xlsx": lambda: _sheet_xml(
        f'<row r="2">{_CELL.format("A1")}{_CELL.format("C3")}{_CELL.format("B0")}</row>', before='<dimension ref="A1"/>'
    ),
    "row.xlsx": lambda: _sheet_xml(f'<row r="1">{"<c/>" * 6_000_000}</row>'),
    "junk.xlsx": lambda: _sheet_xml("<x/>" * 9_000_000),
}  # fmt: skip
