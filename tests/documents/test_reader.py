from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest

from app.core import files
from app.core.errors import PasswordNeeded, SpanlightError
from app.core.layout import BlockKind, Kind, Opened
from app.core.report import Silent, Stopped
from app.documents import reader
from app.documents.orders import Read
from app.documents.reader import read
from tests.helpers.books import book, chapter
from tests.helpers.mails import compound, mail, mailbox_of, outlook_parts
from tests.helpers.office import ap, box, frame, open_file, page, pptx_file, titled
from tests.helpers.scans import grey, png
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf
from tests.helpers.spreadsheets import ods_of, xls_of, xlsx_of


def opened(path: Path) -> Opened:
    return read(Read(str(path)), Silent())


def refusal(path: Path) -> SpanlightError:
    with pytest.raises(SpanlightError) as caught:
        opened(path)
    assert caught.value.message.endswith(".")
    assert caught.value.hint.endswith(".")
    return caught.value


def word_file(words: str, heading: str = "Tarts") -> bytes:
    document = docx.Document()
    document.add_heading(heading, 1)
    document.add_paragraph(words)
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


WORDS = "The knave stole the tarts."
FILES = {
    Kind.TEXT: ("a.txt", WORDS.encode()),
    Kind.MARKDOWN: ("a.md", b"# Tarts\n\n" + WORDS.encode()),
    Kind.HTML: ("a.html", b"<h1>Tarts</h1><p>" + WORDS.encode()),
    Kind.DOCX: ("a.docx", word_file(WORDS)),
    Kind.ODT: ("a.odt", open_file("text", f"<text:h>Tarts</text:h><text:p>{WORDS}</text:p>")),
    Kind.RTF: ("a.rtf", rb"{\rtf1\outlinelevel0 Tarts\par\pard " + WORDS.encode() + b"}"),
    Kind.PPTX: ("a.pptx", pptx_file([titled("Tarts") + frame(ap(WORDS))])),
    Kind.ODP: ("a.odp", open_file("presentation", page(box(f"<text:p>{WORDS}</text:p>")))),
    Kind.XLSX: ("a.xlsx", xlsx_of({"Tarts": [[WORDS]]})),
    Kind.XLS: ("a.xls", xls_of({"Tarts": [[WORDS]]})),
    Kind.ODS: ("a.ods", ods_of({"Tarts": [[WORDS]]})),
    Kind.CSV: ("a.csv", WORDS.encode()),
    Kind.PDF: ("a.pdf", small_pdf([Page(lines(WORDS))])),
    Kind.EPUB: ("a.epub", book([chapter(f"<h1>Tarts</h1><p>{WORDS}</p>")])),
    Kind.EML: ("a.eml", bytes(mail(WORDS, subject="Tarts"))),
    Kind.MBOX: ("a.mbox", mailbox_of([bytes(mail(WORDS, subject="Tarts"))])),
    Kind.MSG: ("a.msg", compound(outlook_parts(WORDS, subject="Tarts"))),
    Kind.IMAGE: ("a.png", png(*grey(Page(lines(WORDS)), 100))),
}


def test_text_name_path_and_what_the_file_is_like(tmp_path: Path) -> None:
    path = tmp_path / "größe 1.txt"
    data = b"\xef\xbb\xbfone\r\ntwo\rthree\n"
    path.write_bytes(data)
    read_back = opened(path)
    document = read_back.document
    assert (document.text, document.name, document.path) == ("one\ntwo\nthree\n", "größe 1.txt", str(path))
    assert read_back.kind is Kind.TEXT
    assert read_back.sha256 == hashlib.sha256(data).hexdigest()
    assert (read_back.size, read_back.modified) == (len(data), path.stat().st_mtime_ns)
    assert read_back.notes == ()


def test_every_format_goes_to_its_reader(tmp_path: Path) -> None:
    for kind, (name, data) in FILES.items():
        path = tmp_path / name
        path.write_bytes(data)
        from_file = opened(path)
        assert from_file.kind is kind
        if kind is not Kind.IMAGE:  # whose words are recognised by an order of its own
            assert WORDS in from_file.document.text
            assert from_file.notes == ()
        assert from_file.is_paged == bool(from_file.pages) == (kind in (Kind.PDF, Kind.IMAGE))
        if kind not in (Kind.TEXT, Kind.CSV, Kind.PDF, Kind.IMAGE):
            titles = {Kind.PPTX: "Slide 1: Tarts", Kind.ODP: "Slide 1"}
            assert from_file.headings[0].span.of(from_file.document.text) == titles.get(kind, "Tarts")
            assert BlockKind.HEADING in {block.kind for block in from_file.blocks}
            assert len(from_file.blocks) > 1
        from_bytes = read(Read("", name, data=data), Silent())
        assert from_bytes.document.text == from_file.document.text
        assert from_bytes.sha256 == from_file.sha256
        assert (from_bytes.kind, from_bytes.size, from_bytes.modified) == (kind, len(data), 0)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", b"plain words, saved under the wrong name", Kind.TEXT),
        ("a.txt", b"<!DOCTYPE html><p>plain words</p>", Kind.HTML),
        ("a.pdf", b"<html><body>404: plain words</body></html>", Kind.HTML),
        ("a.docx", small_pdf([Page(lines("plain words"))]), Kind.PDF),
        ("a.xls", b"plain words\tx\n1\t2\n", Kind.CSV),
    ],
)
def test_a_wrong_suffix_is_noted(tmp_path: Path, name: str, data: bytes, kind: Kind) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    found = opened(path)
    assert found.kind is kind
    assert "plain words" in found.document.text
    if name == "a.txt":  # which says nothing of what is in it
        assert found.notes == ()
    else:
        assert len(found.notes) == 1
        assert found.notes[0].startswith(f"By its content, “{name}” is ")


def test_what_is_empty_or_blank(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    assert refusal(tmp_path / "empty.txt").message == "“empty.txt” is empty."
    for name, words in {
        "blank.txt": " \n\t\r\n",
        "unseen.txt": "\u200b\u200d \u2060\n\ufeff\u200e" * 50,
        "blank.html": "<html><p> &nbsp; </p>",
        "blank.md": "![a](b)",
    }.items():
        (tmp_path / name).write_text(words, encoding="utf-8")
        assert refusal(tmp_path / name).message == f"“{name}” holds no text."
    (tmp_path / "blank.docx").write_bytes(word_file("", heading="\u200b"))
    assert refusal(tmp_path / "blank.docx").message == "“blank.docx” holds no text."
    with pytest.raises(SpanlightError, match="“pasted” is empty"):
        read(Read("", "pasted"), Silent())


def test_a_file_that_is_closed_to_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "closed.txt"
    path.write_text("x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "open", refuse, raising=False)
    assert refusal(path).message == "“closed.txt” may not be read."


def while_it_is_read(monkeypatch: pytest.MonkeyPatch, deed: Callable[[], object]) -> None:
    """Have something done to a file between the looks at its state and at its bytes."""
    read_all = reader._read_all

    def disturbed(*arguments: Any) -> tuple[str, bytes]:
        deed()
        return read_all(*arguments)

    monkeypatch.setattr(reader, "_read_all", disturbed)


def test_a_file_that_grows_or_vanishes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "growing.txt"
    path.write_bytes(b"first\n")
    half = tmp_path / "half.docx"
    half.write_bytes(b"PK\x03\x04 [Content_Types].xml word/")
    while_it_is_read(monkeypatch, lambda: path.write_bytes(b"first\nsecond\n"))
    found = opened(path)
    assert found.document.text == "first\nsecond\n"
    assert found.notes == ("“growing.txt” was changed while it was read; read it again to have it whole.",)
    while_it_is_read(monkeypatch, lambda: half.write_bytes(half.read_bytes() + b"more"))
    assert refusal(half).message == "“half.docx” was changed while it was read."
    monkeypatch.undo()
    while_it_is_read(monkeypatch, path.unlink)
    assert opened(path).document.text == "first\nsecond\n"
    assert "There is no file" in refusal(path).message


class StopsAt(Silent):
    """Stops at a check, counted from 1."""

    def __init__(self, number: int) -> None:
        self._left = number

    def check(self) -> None:
        self._left -= 1
        if self._left <= 0:
            raise Stopped


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("kind", Kind)
def test_reading_can_be_stopped(tmp_path: Path, kind: Kind, number: int) -> None:
    if kind is Kind.TEXT and number > 2:
        pytest.skip("it is decoded at once")
    path = tmp_path / "a"
    path.write_bytes(FILES[kind][1])
    with pytest.raises(Stopped):
        read(Read(str(path), FILES[kind][0]), StopsAt(number))


def test_an_encrypted_pdf_is_read_with_its_password() -> None:
    order = Read("", "secret.pdf", data=locked_pdf(WORDS, "hearts"))
    with pytest.raises(PasswordNeeded):
        read(order, Silent())
    assert WORDS in read(replace(order, password="hearts"), Silent()).document.text


def test_a_zip_that_is_no_word_file_says_what_it_is(tmp_path: Path) -> None:
    for name, inside, what in (
        ("a.zip", ("notes.txt",), "a packed file (.zip)"),
        ("a.xlsx", ("[Content_Types].xml", "xl/workbook.xml"), "is damaged"),
        ("a.docx", ("notes.txt",), "“a.docx” is broken"),
        ("a.pptx", ("notes.txt",), "“a.pptx” is broken"),
        ("a.odt", ("notes.txt",), "“a.odt” is broken"),
    ):
        with zipfile.ZipFile(tmp_path / name, "w") as packed:
            for part in inside:
                packed.writestr(part, "words")
        assert what in refusal(tmp_path / name).message


def test_a_zip_is_told_by_what_is_in_it_and_not_by_its_name() -> None:
    for kind, (_, data) in FILES.items():
        if data.startswith(b"PK"):
            other = "a.docx" if kind is not Kind.DOCX else "a.pptx"
            found = read(Read("", other, data=data), Silent())
            assert found.kind is kind
            assert found.notes[0].startswith(f"By its content, “{other}” is a")
    # A slide with a Word file in it is a slide.
    files = {"ppt__embeddings__x": FILES[Kind.DOCX][1]}
    data = pptx_file([titled("Tarts")], **files) + b"word/"
    assert read(Read("", "a.pptx", data=data), Silent()).kind is Kind.PPTX
