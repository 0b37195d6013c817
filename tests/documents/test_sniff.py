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
        ("a.xls", OLE, "an old Excel file (.xls)"),
        ("a.rtf", b"{\\rtf1 text}", "a rich text file (.rtf)"),
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


@pytest.mark.parametrize("name", ["a.pdf", "a.docx"])
def test_random_bytes_are_no_pdf_and_no_word_file(name: str) -> None:
    with pytest.raises(SpanlightError, match="it does not begin as one"):
        first_look(random.Random(3).randbytes(HEAD), name)


@given(st.binary(max_size=64), st.sampled_from(["a.txt", "a.pdf", "a.docx", "a.html", "a"]))
def test_any_beginning_is_a_kind_or_refused(head: bytes, name: str) -> None:
    try:
        assert first_look(head, name) in Kind
    except SpanlightError as fault:
        assert fault.message.startswith(f"“{name}” is ")
