from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.report import Silent, Stopped
from app.documents.reader import MOST_BYTES, read_bytes, read_file


def refusal(path: Path) -> SpanlightError:
    with pytest.raises(SpanlightError) as caught:
        read_file(path, Silent())
    assert caught.value.message.endswith(".")
    assert caught.value.hint.endswith(".")
    return caught.value


def test_text_name_and_path(tmp_path: Path) -> None:
    path = tmp_path / "größe 1.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    document = read_file(path, Silent())
    assert (document.text, document.name, document.path) == ("one\ntwo\nthree\n", "größe 1.txt", str(path))


def test_markdown_is_text(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Title\n\n<b>bold</b> text\n")
    assert read_file(path, Silent()).text.startswith("# Title")


def test_missing_folder_and_empty(tmp_path: Path) -> None:
    assert "There is no file" in refusal(tmp_path / "none.txt").message
    assert "is a folder" in refusal(tmp_path).message
    (tmp_path / "empty.txt").write_bytes(b"")
    assert refusal(tmp_path / "empty.txt").message == "“empty.txt” is empty."
    refusal(Path("a\0b"))


def test_closed_and_failing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "closed.txt"
    path.write_text("x")
    faults: list[OSError] = [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")]

    def refuse(*_: object) -> None:
        raise faults.pop(0)

    monkeypatch.setattr(Path, "open", refuse)
    assert "may not be read" in refusal(path).message
    assert "Input/output error" in refusal(path).message


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", b"%PDF-1.7\n1 0 obj", "a PDF"),
        ("a.txt", b"%PDF-1.7\n1 0 obj", "a PDF"),
        ("a.docx", b"PK\x03\x04\x14\x00", "a Word file"),
        ("a.zip", b"PK\x03\x04\x14\x00", "packed file"),
        ("a.html", b"<p>hello</p>", "a web page"),
        ("a.txt", b"\n  <!DOCTYPE html><html>", "a web page"),
        ("a.rtf", b"{\\rtf1 text}", "a rich text file"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "a picture"),
    ],
)
def test_other_kinds_are_named(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    fault = refusal(path)
    assert kind in fault.message
    assert "only plain text can be opened so far" in fault.message
    assert ("words that it shows" if kind == "a picture" else "plain text") in fault.hint


def test_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES * 1000)
    assert "at most 64 MB" in refusal(path).message
    with pytest.raises(SpanlightError, match="at most 64 MB"):
        read_bytes(b"x" * (MOST_BYTES + 1), "pasted")


def test_a_stream_without_end_is_refused() -> None:
    assert "at most 64 MB" in refusal(Path("/dev/zero")).message


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"through a pipe",))
    writer.start()
    assert read_file(path, Silent()).text == "through a pipe"
    writer.join()


class StopsAtOnce(Silent):
    def check(self) -> None:
        raise Stopped


def test_stop(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(Stopped):
        read_file(tmp_path / "a.txt", StopsAtOnce())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alice.txt", "The Queen of Hearts, she made some tarts"),
        ("sherlock-holmes-latin1.txt", "To Sherlock Holmes she is always THE woman"),
        ("don-quijote-es-latin1.txt", "En un lugar de la Mancha"),
        ("udhr-18-languages.txt", "All human beings are born free"),
        ("contributing-zh.md", "贡献"),
        ("emoji-names.txt", "👩‍👩‍👧"),
    ],
)
def test_real_documents(shared_data: Path, name: str, words: str) -> None:
    text = read_file(shared_data / "documents" / name, Silent()).text
    assert words in text
    assert "\r" not in text
    assert "\ufffd" not in text
    assert not text.startswith("\ufeff")


@pytest.mark.parametrize(
    "name", ["alice.pdf", "asvs-5.0.0-en.docx", "alice.htm", "rfc9110-http-semantics.html"]
)
def test_real_documents_of_other_kinds(shared_data: Path, name: str) -> None:
    assert "only plain text" in refusal(shared_data / "documents" / name).message
