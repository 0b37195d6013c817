"""Untrusted files are opened, decompressed and split into lines within limits."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import pytest

from app.core import files
from app.core.errors import SpanlightError
from app.core.files import open_regular, read_lines, read_whole
from tests.helpers.children import POSIX


def refusal(path: Path) -> str:
    with pytest.raises(SpanlightError) as caught:
        read_whole(path, 1000)
    return caught.value.message


@POSIX
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal(pipe) == "“pipe” is a pipe, not a file."
    assert refusal(Path("/dev/zero")) == "“zero” is a device, not a file."
    assert refusal(tmp_path) == f"“{tmp_path.name}” is a folder."
    assert refusal(tmp_path / "none").startswith("There is no file")
    assert "could not be read" in refusal(Path("a\0b"))
    assert "could not be read" in refusal(tmp_path / "\ud800")
    assert "could not be read" in refusal(tmp_path / ("n" * 5000))


@POSIX
def test_a_file_that_becomes_a_pipe_after_the_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("words")
    look, done = files.require_regular, []

    def swap(status: os.stat_result, name: str) -> None:
        look(status, name)
        if not done:
            done.append(path.unlink())
            os.mkfifo(path)

    monkeypatch.setattr(files, "require_regular", swap)
    assert refusal(path) == "“a.txt” is a pipe, not a file."


def test_lines_are_those_of_the_file_packed_or_not(tmp_path: Path) -> None:
    text = "one\u2028still one\r\n\ntwo".encode()
    (tmp_path / "a").write_bytes(text)
    # Streams one behind the other, with zero bytes between them, as `xz` takes them.
    (tmp_path / "a.xz").write_bytes(lzma.compress(text[:9]) + b"\0" * 8 + lzma.compress(text[9:]))
    wanted = ["one\u2028still one\r\n".encode(), b"\n", b"two"]
    assert list(read_lines(tmp_path / "a")) == list(read_lines(tmp_path / "a.xz")) == wanted
    (tmp_path / "empty.xz").write_bytes(lzma.compress(b""))
    assert list(read_lines(tmp_path / "empty.xz")) == []


def test_a_line_and_a_whole_file_have_a_length_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 10)
    path = tmp_path / "a"
    path.write_bytes(b"123456789\n" + b"1" * 11)
    lines = read_lines(path)
    assert next(lines) == b"123456789\n"
    with pytest.raises(SpanlightError, match="Line 2 of a is longer"):
        next(lines)
    path.write_bytes(b"1" * 1001)
    assert "“a” is larger than" in refusal(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_SMALL_FILE", 100_000)
    path = tmp_path / "bomb.jsonl.xz"
    path.write_bytes(lzma.compress(b"\n" * 5_000_000))
    read = 0
    with pytest.raises(SpanlightError, match="would unpack to far more"):
        for line in read_lines(path):
            read += len(line)
    assert read < 2_000_000


@pytest.mark.parametrize(
    "data", [b"", b"no archive", lzma.compress(b"words")[:-9], lzma.compress(b"words") + b"more"]
)
def test_an_archive_that_is_damaged(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.xz"
    path.write_bytes(data)
    assert refusal(path) == "“a.xz” could not be read: it is damaged."


def test_an_archive_that_asks_for_much_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.xz"
    path.write_bytes(lzma.compress(b"x", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28}]))
    assert "damaged" in refusal(path)


def test_an_error_of_the_disk_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(SpanlightError, match="could not be read: Input/output error"):
        with open_regular(tmp_path / "a"):
            raise OSError(5, "Input/output error")


def test_a_full_disk_is_known_from_whatever_tells_it() -> None:
    import errno

    by_rust = Exception("Error while serializing: I/O error: No space left on device (os error 28)")
    if os.name == "posix":
        assert "the disk is full" in str(files.disk_error(by_rust))
    assert "“a.txt” could not be written" in str(files.disk_error(OSError(errno.EFBIG, "large", "a.txt")))
    assert "“a.txt” could not be used: no" in str(
        files.disk_error(PermissionError(errno.EACCES, "no", "a.txt"))
    )
    for bug in (OSError(errno.ENOENT, "none", "a"), OSError(errno.EBADF, "bad"), ValueError("(os error 2)")):
        assert files.disk_error(bug) is None
