"""The state of an open file on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.core import files
from app.core.layout import Opened
from app.core.report import Silent, Stopped
from app.core.text import Document
from app.documents.orders import Read
from app.documents.reader import read
from app.flows.ask.read import FileState, file_state
from tests.helpers.children import POSIX

WORDS = b"The knave stole the tarts."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tarts.txt"
    path.write_bytes(WORDS)
    return path


@pytest.fixture
def opened(path: Path) -> Opened:
    return read(Read(str(path)), Silent())


def later(path: Path) -> None:
    """Give a file another modification time."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))


class Unread:
    """In place of hashlib, where nothing is to be read."""

    @staticmethod
    def sha256() -> None:
        pytest.fail("the file was read")


def test_an_untouched_file_is_not_read(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "hashlib", Unread)
    assert file_state(opened, Silent()) is FileState.SAME


def test_a_file_with_another_time_and_the_same_content_is_the_same(path: Path, opened: Opened) -> None:
    later(path)
    assert file_state(opened, Silent()) is FileState.SAME
    path.unlink()
    path.write_bytes(WORDS)
    assert file_state(opened, Silent()) is FileState.SAME


def test_other_content_of_the_same_length_is_a_change(path: Path, opened: Opened) -> None:
    path.write_bytes(WORDS.swapcase())
    later(path)
    assert file_state(opened, Silent()) is FileState.CHANGED


def test_another_length_is_a_change_without_reading(
    path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "hashlib", Unread)
    status = path.stat()
    for words in (WORDS + b" Nobody saw it.", WORDS[:-1], b""):
        path.write_bytes(words)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert file_state(opened, Silent()) is FileState.CHANGED


def test_a_file_that_is_not_in_its_place_is_gone(path: Path, opened: Opened) -> None:
    path.rename(path.with_name("elsewhere.txt"))
    assert file_state(opened, Silent()) is FileState.GONE
    path.mkdir()
    assert file_state(opened, Silent()) is FileState.GONE
    assert file_state(Opened(Document("words", "typed")), Silent()) is FileState.GONE
    assert file_state(Opened(Document("words", "odd", "a\0b")), Silent()) is FileState.GONE


@POSIX
def test_a_pipe_in_its_place_is_not_waited_for(path: Path, opened: Opened) -> None:
    path.unlink()
    os.mkfifo(path)
    assert file_state(opened, Silent()) is FileState.GONE


def test_looking_can_be_stopped(path: Path, opened: Opened) -> None:
    class Stop(Silent):
        def check(self) -> None:
            raise Stopped

    later(path)
    with pytest.raises(Stopped):
        file_state(opened, Stop())
