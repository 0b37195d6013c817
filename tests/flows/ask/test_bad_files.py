"""Broken and absurd files in the real documents process: each is opened or refused, and the next file is read.

tests/hostile has many more, and tests/documents what each reader does with them.
"""

from __future__ import annotations

import os
import random
import socket
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.layout import Kind
from app.core.memory_limit import limit_memory
from app.core.report import Silent
from app.documents.orders import Draw
from app.documents.process import DocumentWorker
from app.engine.child import Child
from app.flows.ask.document_process import Documents
from tests.helpers.children import POSIX
from tests.helpers.flowing import p, r, word_file
from tests.helpers.reading import WORDS, opened, refusal
from tests.helpers.small_pdfs import pdf_of

CONTENT = b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % WORDS.encode()
FONT = b"/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    """One documents process for all of them: none may harm the next."""
    processes = Documents(quiet=60)
    yield processes
    processes.close()


@pytest.mark.parametrize(
    ("name", "start"),
    [
        *((f"random.{suffix}", b"") for suffix in "txt pdf docx odt rtf pptx odp html md".split()),
        ("like.pdf", b"%PDF-1.7\n"),
        ("like.docx", b"PK\x03\x04[Content_Types].xmlword/"),
    ],
)
def test_noise(documents: Documents, tmp_path: Path, name: str, start: bytes) -> None:
    (tmp_path / name).write_bytes(start + random.Random(7).randbytes(100_000))
    assert f"“{name}”" in refusal(documents, tmp_path / name)


@pytest.mark.parametrize(
    ("name", "start", "size", "said"),
    [
        ("huge.txt", b"words", 200_000_000, "is 200 MB large, and a text may have at most 64 MB."),
        ("huge.pdf", b"%PDF-1.7\n", 1_100_000_000, "may have at most 1.0 GB"),
        ("huge.docx", b"PK\x03\x04", 201_000_000, "may have at most 200 MB"),
    ],
)
def test_a_huge_file_is_refused_unread(
    documents: Documents, tmp_path: Path, name: str, start: bytes, size: int, said: str
) -> None:
    with (tmp_path / name).open("wb") as file:
        file.write(start)
        file.truncate(size)  # takes no room on the disk
    began = time.monotonic()
    assert said in refusal(documents, tmp_path / name)
    assert time.monotonic() - began < 2


@POSIX
def test_what_is_no_file_is_not_opened(documents: Documents, tmp_path: Path) -> None:
    assert refusal(documents, "/dev/zero") == "“zero” is a device, not a file."
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    assert refusal(documents, pipe) == "“pipe.txt” is a pipe, not a file."
    with pytest.raises(OSError, match="No such device"):  # nobody has it open for reading
        os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)


@POSIX
def test_a_link_that_leads_to_itself(documents: Documents, tmp_path: Path) -> None:
    path = tmp_path / "loop.txt"
    path.symlink_to(tmp_path / "other.txt")
    (tmp_path / "other.txt").symlink_to(path)
    assert refusal(documents, path).endswith("it is a link that leads back to itself.")


@POSIX
def test_a_name_with_newlines_and_emoji(documents: Documents, tmp_path: Path) -> None:
    for name in ("two\nlines 👩‍👩‍👧.txt", os.fsdecode(b"not utf-8 \xff.txt")):
        path = tmp_path / name
        path.write_text(WORDS)
        found = opened(documents, path)
        assert (found.document.text, found.document.name) == (WORDS, name)
        path.write_bytes(b"")
        assert "is empty" in refusal(documents, path)


def test_a_page_that_asks_for_what_lies_elsewhere_gets_nothing(documents: Documents, tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>xyzzy</p>")
    with socket.create_server(("127.0.0.1", 0)) as server:
        web = f"http://127.0.0.1:{server.getsockname()[1]}"
        page = (
            f'<!DOCTYPE html><html><head><link rel="stylesheet" href="{web}/a.css"><base href="{web}/">'
            f'<meta http-equiv="refresh" content="0; url={web}/"><script src="{web}/a.js"></script></head><body>'
            f'<iframe src="{secret.as_uri()}"></iframe><object data="{secret.as_uri()}"></object>'
            f'<img src="{web}/a.png" srcset="{web}/b.png 2x"><video src="{web}/a.mp4"></video><embed src="{web}/e">'
            f"<style>@import url({web}/b.css)</style><p>{WORDS}</p></body></html>"
        )
        path = tmp_path / "asking.html"
        path.write_text(page)
        found = opened(documents, path)
        server.settimeout(0.2)
        with pytest.raises(TimeoutError):  # nobody has asked
            server.accept()
    assert found.kind is Kind.HTML
    assert WORDS in found.document.text
    assert "xyzzy" not in found.document.text
    assert "127.0.0.1" not in found.document.text


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def odd_pdf(tree: bytes = b"/Count 1 /Kids [3 0 R]", page: bytes = b"", content: bytes = b"") -> bytes:
    """A PDF of one page, with its own entries in the page tree and the page."""
    box = b"" if b"MediaBox" in page else b"/MediaBox [0 0 612 792]"
    return pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages %s >>" % tree,
            b"<< /Type /Page /Parent 2 0 R %s %s /Contents 4 0 R /Resources << %s >> >>" % (box, page, FONT),
            content or stream(CONTENT),
        ]
    )


@pytest.mark.parametrize(
    ("tree", "pages"),
    [
        (b"/Count 3 /Kids [3 0 R 2 0 R 2 0 R]", 3),
        (b"/Count -5 /Kids [3 0 R]", 1),
        (b"/Count 1000000 /Kids [3 0 R]", 1),  # it holds no million pages
    ],
)
def test_a_page_tree_that_leads_back_or_says_too_much(
    documents: Documents, tmp_path: Path, tree: bytes, pages: int
) -> None:
    path = tmp_path / "tree.pdf"
    path.write_bytes(odd_pdf(tree))
    found = opened(documents, path)
    assert (found.document.text, len(found.pages)) == (WORDS, pages)
    assert any(note.startswith("This PDF is damaged") for note in found.notes) == (b"-5" not in tree)


@pytest.mark.parametrize(
    ("page", "size"),
    [
        (b"/CropBox [500 500 -500 -900]", (500, 500)),
        (b"/CropBox [5000 5000 9000 9900]", (612, 792)),  # beside the paper: the paper is shown
        (b"/MediaBox [0 0 0 0]", (612, 792)),
        (b"/MediaBox [0 0 1e38 99999999999999999999]", (612, 792)),
        (b"/Rotate 45 /UserUnit 1e9", (612, 792)),
        (b"/MediaBox [0 0 720000 720000]", (720_000, 720_000)),
    ],
)
def test_a_page_of_no_size_or_of_ten_thousand_inches(
    documents: Documents, tmp_path: Path, page: bytes, size: tuple[int, int]
) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(odd_pdf(page=page))
    found = opened(documents, path)
    assert found.document.text == WORDS
    assert (found.pages[0].width, found.pages[0].height) == size
    picture = documents.draw(Draw(str(path), 0, 1.0, 0, size[1] - 792, 612, 200), Silent())
    assert min(picture.pixels) < 128 or size == (500, 500)  # the words are on it


def test_a_page_that_unpacks_without_end(documents: Documents, tmp_path: Path) -> None:
    bomb = zlib.compress(zlib.compress(b" " * 100_000_000, 9), 9)
    path = tmp_path / "bomb.pdf"
    path.write_bytes(odd_pdf(content=stream(bomb, b"/Filter [/FlateDecode /FlateDecode]")))
    assert path.stat().st_size < 10_000
    assert opened(documents, path).notes == ("The pages of this PDF are empty.",)


def start_small() -> DocumentWorker:
    """The reader of documents with less memory, which is used up sooner."""
    limit_memory(300_000_000)
    return DocumentWorker()


def test_forms_that_draw_themselves_cost_the_process_only(tmp_path: Path) -> None:
    documents = Documents()
    documents._reading.close()
    documents._reading = Child(start_small, title="documents process")
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /A 5 0 R >> >>"
    path = tmp_path / "forms.pdf"
    path.write_bytes(
        pdf_of(
            [
                b"<< /Type /Catalog /Pages 2 0 R >>",
                b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R"
                b" /Resources << /XObject << /A 5 0 R >> >> >>",
                stream(b"/A Do"),
                stream(b"/A Do /A Do", form),
            ]
        )
    )
    try:
        said = refusal(documents, path)
    finally:
        documents.close()
    assert said == "“forms.pdf” could not be read: it takes more than 2 GB of memory."


def test_word_files_nested_without_end(documents: Documents, tmp_path: Path) -> None:
    def tables(depth: int) -> bytes:
        return word_file("<w:tbl><w:tr><w:tc>" * depth + p(r(WORDS)) + "</w:tc></w:tr></w:tbl>" * depth)

    path = tmp_path / "tables.docx"
    path.write_bytes(tables(80))
    assert opened(documents, path).document.text == WORDS
    path.write_bytes(tables(5_000))
    assert refusal(documents, path) == "“tables.docx” is damaged: nothing of its text could be read."
    controls = "<w:sdt><w:sdtContent>" * 120 + p(r(WORDS)) + "</w:sdtContent></w:sdt>" * 120
    path.write_bytes(word_file(controls))
    assert opened(documents, path).document.text == WORDS


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("blocks.html", b"<html>" + b"<div>" * 100_000 + WORDS.encode()),
        ("styles.html", b"<html>" + b"<b>x" * 40_000 + WORDS.encode()),
        ("paragraphs.html", b"<html><p>" + b"<i><b><p>a" * 5_000 + WORDS.encode()),
        ("rows.html", b"<html><table>" + b"<tr><td rowspan=65534 colspan=1000>" * 10_000 + WORDS.encode()),
        ("links.md", b"[a](" * 30_000 + WORDS.encode()),
        ("brackets.md", b"[" * 300 + b"]" * 300 + b"\n\n" + WORDS.encode()),
        ("emphasis.md", b"*a _b " * 30_000 + WORDS.encode()),
        ("front.md", b"---\n" + b"a: b\n" * 15_000 + WORDS.encode()),
        ("names.md", b"[a]: <b>\n" * 20_000 + b"\n" + WORDS.encode()),
        ("marks.txt", ("\u202e" * 100_000 + WORDS + "\u0301" * 100_000).encode()),
    ],
)
def test_what_is_opened_and_never_closed(
    documents: Documents, tmp_path: Path, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    began = time.monotonic()
    assert WORDS in opened(documents, tmp_path / name).document.text
    assert time.monotonic() - began < 20
