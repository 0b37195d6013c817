"""The guard before a Word file: bombs, entities, odd names, damage."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.documents import package
from app.documents.word.document import read_docx
from tests.helpers.flowing import changed_part, checked, document_xml, opened, packed, word_file
from tests.helpers.office import open_file, pptx_file, titled

BODY = "<w:p><w:r><w:t>words</w:t></w:r></w:p>"


read = checked(read_docx)


def bomb(megabytes: int) -> bytes:
    """A packed file whose text unpacks to so much."""
    output = io.BytesIO()
    with (
        zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("word/document.xml", "w") as part,
    ):
        part.write(b"<a>")
        for _ in range(megabytes):
            part.write(b" " * 1_000_000)
    return output.getvalue()


def test_a_bomb_is_not_unpacked() -> None:
    data = bomb(60)
    tracemalloc.start()
    with pytest.raises(SpanlightError, match="far more than a document"):
        read(data)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_many_parts_that_are_large_together() -> None:
    data = bytearray(packed({f"word/{n}.bin": bytes(1_000_000) for n in range(12)}))
    # Each claims 50 MB in the directory.
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into("<II", data, at + 20, 2_000_000, 50_000_000)
        at = data.find(b"PK\x01\x02", at + 4)
    with pytest.raises(SpanlightError, match="far more than a document"):
        read(bytes(data))


def test_a_bomb_without_a_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_BYTES", 20_000_000)
    data = bomb(30)
    with pytest.raises(SpanlightError, match="far more than a document"):
        read(data[: data.find(b"PK\x01\x02")])


def test_too_many_entries() -> None:
    data = packed({f"x/{number}": "" for number in range(10_001)})
    with pytest.raises(SpanlightError, match="more than 10,000 packed files"):
        read(data)


LAUGHS = f'<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "{"&a;" * 10}"><!ENTITY d "{"&b;" * 10}">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("before", ["", "<!-- " + "x" * 100_000 + " -->", "\n<?pi some?>"])
def test_entities_are_refused_whatever_the_encoding(encoding: str, before: str) -> None:
    xml = document_xml("<w:p><w:r><w:t>&d;</w:t></w:r></w:p>", before + LAUGHS)
    xml = xml.replace('encoding="UTF-8"', f'encoding="{"UTF-16" if "16" in encoding else "UTF-8"}"')
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    data = mark + xml.encode(encoding)
    with pytest.raises(SpanlightError, match="declarations"):
        read(packed({"word/document.xml": data}))


@pytest.mark.parametrize(
    ("file", "part"),
    [
        (word_file(BODY, styles=""), "word/styles.xml"),
        (open_file("text", "<text:p>words</text:p>"), "content.xml"),
        (open_file("text", "<text:p>words</text:p>"), "styles.xml"),
        (pptx_file([titled("a")]), "ppt/slides/slide1.xml"),
        (pptx_file([titled("a")]), "ppt/presentation.xml"),
        (pptx_file([titled("a")]), "ppt/_rels/presentation.xml.rels"),
    ],
)
def test_outside_entities_are_refused_in_every_part_that_is_read(file: bytes, part: str) -> None:
    outside = '<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><styles>&x;</styles>'
    with pytest.raises(SpanlightError, match="declarations"):
        opened(changed_part(part, outside, file), "a")


@pytest.mark.parametrize("name", ["/etc/passwd", "../../x", "word/../../x", "C:\\x", "a\\..\\..\\x"])
def test_names_that_lead_outside(name: str) -> None:
    with pytest.raises(SpanlightError, match="outside"):
        read(packed({"word/document.xml": document_xml(BODY), name: "x"}))


def test_protected_files() -> None:
    data = bytearray(word_file(BODY))
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1
    with pytest.raises(SpanlightError, match="password"):
        read(bytes(data))
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
    with pytest.raises(SpanlightError, match="password"):
        read(ole + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(SpanlightError, match="old Office"):
        read(ole)


def test_what_is_no_word_file() -> None:
    for data in (b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), bytes(range(256)) * 40):
        with pytest.raises(SpanlightError):
            read(data)
    with pytest.raises(SpanlightError, match="not a Word document"):
        read(packed({"content.txt": "words"}))


def test_a_broken_part_is_done_without() -> None:
    parts = read(packed({"word/document.xml": document_xml(BODY), "word/styles.xml": "<<<"}))
    assert parts.text == "words"
    assert "damaged" in parts.notes[0]


def test_a_document_that_was_cut_off_is_read_as_far_as_it_goes(shared_data: Path) -> None:
    data = (shared_data / "documents/asvs-5.0.0-en.docx").read_bytes()
    whole = read(data)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        entry = file.getinfo("word/document.xml")
    parts = read(data[: entry.header_offset + entry.compress_size // 2])
    assert parts.notes == ("The file is damaged: what could be read of it is shown.",)
    assert 0.3 * len(whole.text) < len(parts.text) < 0.7 * len(whole.text)
    assert whole.text.split("\n\n")[:20] == parts.text.split("\n\n")[:20]
