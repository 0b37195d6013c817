"""Broken and malicious files in the real documents process: each gives one sentence, and the process keeps reading."""

from __future__ import annotations

import os
import random
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.layout import Kind
from app.core.report import Silent
from app.documents.orders import Read
from app.flows.ask.document_process import Documents
from tests.helpers.children import POSIX
from tests.helpers.flowing import document_xml, p, packed, r
from tests.helpers.reading import WORDS, opened, refusal
from tests.helpers.small_pdfs import Page, lines, small_pdf


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    """One documents process for all bad files: none of them may harm the next."""
    processes = Documents(quiet=60)
    yield processes
    processes.close()


SUFFIXES = ("txt", "pdf", "docx", "odt", "rtf", "pptx", "odp", "html", "md")


def test_empty(documents: Documents, tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        path = tmp_path / f"empty.{suffix}"
        path.touch()
        assert refusal(documents, path) == f"“empty.{suffix}” is empty."
    path = tmp_path / "none.pdf"
    path.write_bytes(small_pdf([]))
    assert refusal(documents, path) == "“none.pdf” has no pages."


def test_a_truncated_pdf_opens_as_far_as_it_goes_or_is_refused(documents: Documents, tmp_path: Path) -> None:
    whole = small_pdf([Page(lines(WORDS)), Page(lines("Nobody saw it."))])
    path = tmp_path / "half.pdf"
    path.write_bytes(whole[: whole.index(b"xref\n0")])
    found = opened(documents, path)
    assert WORDS in found.document.text
    assert any("damaged" in note for note in found.notes)
    path.write_bytes(whole[:40])
    assert "half.pdf" in refusal(documents, path)


def zip_bomb() -> bytes:
    bomb = packed({"word/document.xml": b"<w:p>" * 20_000_000})
    assert len(bomb) < 2_000_000
    return bomb


def entity_bomb() -> bytes:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    part = document_xml(p(r("&l9;")), f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>')
    return packed({"word/document.xml": part})


def noise(start: bytes = b"") -> bytes:
    return start + random.Random(7).randbytes(100_000)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        *((f"random.{suffix}", noise) for suffix in SUFFIXES),
        ("like.pdf", lambda: noise(b"%PDF-1.7\n")),
        ("like.docx", lambda: noise(b"PK\x03\x04[Content_Types].xmlword/")),
        ("bomb.docx", zip_bomb),
        ("laughs.docx", entity_bomb),
    ],
)
def test_noise_and_bombs(documents: Documents, tmp_path: Path, name: str, made: Callable[[], bytes]) -> None:
    (tmp_path / name).write_bytes(made())
    assert f"“{name}”" in refusal(documents, tmp_path / name)


def test_an_entity_that_names_a_file_brings_nothing_in(documents: Documents, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("xyzzy")
    part = document_xml(p(r("&e;")), f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>')
    path = tmp_path / "outside.docx"
    path.write_bytes(packed({"word/document.xml": part}))
    assert "xyzzy" not in refusal(documents, path)


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


def test_a_folder(documents: Documents, tmp_path: Path) -> None:
    assert refusal(documents, tmp_path) == f"“{tmp_path.name}” is a folder."


@POSIX
def test_what_is_no_file_is_not_opened(documents: Documents, tmp_path: Path) -> None:
    for device in ("zero", "null"):
        assert refusal(documents, f"/dev/{device}") == f"“{device}” is a device, not a file."
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    assert refusal(documents, pipe) == "“pipe.txt” is a pipe, not a file."
    with pytest.raises(OSError, match="No such device"):  # nobody has it open for reading
        os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        path = f"{folder}/s.txt"  # a socket's path must be short
        server.bind(path)
        assert refusal(documents, path) == "“s.txt” is a socket, not a file."


@POSIX
def test_a_file_that_is_closed_to_us(documents: Documents, tmp_path: Path) -> None:
    path = tmp_path / "closed.txt"
    path.write_text(WORDS)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("every file is open to this user; tests/documents/test_reader.py has the sentence")
    assert refusal(documents, path) == "“closed.txt” may not be read."


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
    asked: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
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

        def listen() -> None:
            try:
                asked.append(server.accept()[1])
            except TimeoutError:
                pass

        listener = threading.Thread(target=listen)
        listener.start()
        found = opened(documents, path)
        listener.join()
    assert found.kind is Kind.HTML
    assert asked == []
    assert WORDS in found.document.text
    assert "xyzzy" not in found.document.text
    assert "127.0.0.1" not in found.document.text


def test_reading_a_page_opens_nothing_but_the_page(tmp_path: Path) -> None:
    from app.documents.reader import read

    secret = tmp_path / "secret.html"
    secret.write_text("<p>xyzzy</p>")
    path = tmp_path / "asking.html"
    path.write_text(
        f'<html><iframe src="{secret.as_uri()}"></iframe><img src="http://localhost/a.png"><p>{WORDS}'
    )
    read(Read(str(path)), Silent())  # what is imported is imported now
    seen: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event in ("open", "socket.connect", "socket.getaddrinfo", "socket.__new__"):
            seen.append(str(arguments[0]))

    sys.addaudithook(watch)  # cannot be taken away again, only made to do nothing
    try:
        assert WORDS in read(Read(str(path)), Silent()).document.text
    finally:
        watching = False
    assert seen
    assert set(seen) <= {str(path)}


def test_a_page_nested_without_end(documents: Documents, tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<div>" * 50_000 + WORDS)
    assert WORDS in opened(documents, path).document.text
    path = tmp_path / "deep.md"
    path.write_text(WORDS + "\n\n" + "[" * 10_000 + "*a **b " * 5_000)
    assert WORDS in opened(documents, path).document.text
