from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Kind
from app.documents.sniff import HEAD, OLE, first_look


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a", b"words", Kind.TEXT),
        ("a.md", b"# words", Kind.MARKDOWN),
        ("A.MARKDOWN", b"words", Kind.MARKDOWN),
        ("a.mdown", b"words", Kind.MARKDOWN),
        ("a.htm", b"words", Kind.HTML),
        ("a.txt", b"\xef\xbb\xbf \n<!DOCTYPE html>", Kind.HTML),
        ("a", b'<?xml version="1.0"?>\n<!-- note -->\n<html xmlns="x">', Kind.HTML),
        ("a", "\ufeff<html>".encode("utf-16-le"), Kind.HTML),
        ("a.txt", b"<htmlish> is no page", Kind.TEXT),
        ("a.xml", b'<?xml version="1.0"?><rss>', Kind.TEXT),
        ("a.txt", b"%PDF-1.7\n", Kind.PDF),
        ("a.pdf", b"\r\nmailed from somewhere\r\n%PDF-1.4\n", Kind.PDF),
        ("a.bin", b"\0\0\0%PDF-1.4\n", Kind.PDF),
        ("about.txt", b"A PDF begins with %PDF-1.4.", Kind.TEXT),
        ("about.md", b"A PDF begins with %PDF-1.4.", Kind.MARKDOWN),
        ("a.docx", b"PK\x03\x04\x14\0", Kind.DOCX),
        ("a.docx", OLE, Kind.DOCX),
        ("a.pptx", OLE, Kind.DOCX),
        ("a.doc", b"{\\rtf1 words}", Kind.RTF),
        ("a.rtf", b"words", Kind.TEXT),
        ("a.odt", b"words", Kind.TEXT),
        ("a.epub", b"PK\x03\x04\x14\0", Kind.EPUB),
        ("a", b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip", Kind.EPUB),
        ("a.msg", OLE, Kind.MSG),
        ("a.bin", OLE + "Root Entry__properties_version1.0".encode("utf-16-le"), Kind.MSG),
        ("a.eml", b"Subject: x\n\nwords", Kind.EML),
        ("a.eml", b"words only", Kind.TEXT),
        *(
            (name, b"Received: x\r\n\tby y\r\nfrom: z\r\n\r\nwords", Kind.EML)
            for name in ("a", "a.txt", "a.msg")
        ),
        ("a.md", b"Received: x\nFrom: z\n\nwords", Kind.MARKDOWN),
        ("a.txt", b"From: me\nTo: you\n\nDear you", Kind.TEXT),
        ("a.txt", b"Note: x\n\nwords", Kind.TEXT),
        ("Inbox", b"From - Thu Mar  4 10:00:00 2021\r\nX-Status: 1\r\n", Kind.MBOX),
        ("a.txt", b"From here on\nNote: x\n", Kind.TEXT),
        ("a.md", b"From a 10:00\nFrom: b\n", Kind.MARKDOWN),
        ("a.xls", OLE, Kind.XLS),
        ("a.xlsx", OLE, Kind.XLS),
        ("a.ods", b"PK\x03\x04\x14\0", Kind.DOCX),  # the zip tells the rest
        ("a.csv", b"a,b", Kind.CSV),
        ("A.TSV", b"a\tb", Kind.CSV),
        ("a.txt", b"a,b", Kind.TEXT),
        ("a.csv", b"<html><table>", Kind.HTML),
        ("a.xls", b"<html><table>", Kind.HTML),
        ("a.xls", b"a\tb", Kind.CSV),
        ("a.xls", "\ufeffName\tGröße".encode("utf-16-le"), Kind.CSV),
        ("a.xls", b'<?xml version="1.0"?><Workbook>', Kind.TEXT),
        ("a.txt", b"BZh is an odd word", Kind.TEXT),
        ("a.txt", "ID3 means more than one thing, größe".encode("cp1252"), Kind.TEXT),
    ],
)
def test_kinds(name: str, head: bytes, kind: Kind) -> None:
    assert first_look(head, name) is kind


@pytest.mark.parametrize(
    ("name", "head", "what"),
    [
        ("a.doc", OLE, "an old Word file (.doc)"),
        ("a.ppt", OLE, "an old PowerPoint file (.ppt)"),
        ("a.gif", b"GIF89a", "a picture"),
        ("a.heic", b"\0\0\0\x18ftypheic", "a picture"),
        ("a.webp", b"RIFF\0\0\0\0WEBP", "a picture"),
        ("a.mp4", b"\0\0\0\x18ftypisom", "sound or film"),
        ("a.gz", b"\x1f\x8b\x08", "a packed file"),
        ("a.tar", b"a.txt" + bytes(252) + b"ustar", "a packed file"),
        ("a.sqlite", b"SQLite format 3\0", "a database"),
    ],
)
def test_what_cannot_be_read_is_named(name: str, head: bytes, what: str) -> None:
    with pytest.raises(SpanlightError) as caught:
        first_look(head, name)
    assert caught.value.message == f"“{name}” is {what}, which cannot be read."
    assert caught.value.hint.endswith(".")


@pytest.mark.parametrize(
    "name", [f"a.{each}" for each in "pdf docx odt rtf pptx odp epub eml mbox msg xlsx xls ods".split()]
)
def test_random_bytes_are_no_document(name: str) -> None:
    with pytest.raises(SpanlightError, match=f"“{name}” does not begin as an? .* does"):
        first_look(random.Random(3).randbytes(HEAD), name)


@given(
    st.binary(max_size=64),
    st.sampled_from(["a.txt", "a.pdf", "a.docx", "a.rtf", "a.html", "a", "a.xls", "a.csv"]),
)
def test_any_beginning_is_a_kind_or_refused(head: bytes, name: str) -> None:
    try:
        assert first_look(head, name) in Kind
    except SpanlightError as fault:
        assert fault.message.startswith(f"“{name}” ")
