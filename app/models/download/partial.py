"""A file that comes in: written to its end piece by piece, checked when it is whole, then renamed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.core.errors import SpanlightError
from app.core.offers import RemoteFile
from app.models.disk.copying import pieces_of


class Digests(NamedTuple):
    """A file's SHA-256 and git's object id of it (SHA-1 of `blob`, its length, a NUL and its bytes)."""

    sha256: str
    blob: str

    def fit(self, file: RemoteFile) -> bool:
        """Whether they are those that the Hub told."""
        return self.sha256 == file.sha256 if file.sha256 else self.blob == file.blob


def digests(path: Path, went_by: Callable[[int], None]) -> Digests:
    """A file's checksums; `went_by` is told of each piece's bytes. Raises OSError where it cannot be read."""
    whole, blob = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    for piece in pieces_of(path):
        whole.update(piece)
        blob.update(piece)
        went_by(len(piece))
    return Digests(whole.hexdigest(), blob.hexdigest())


class Partial:
    """The file that huggingface_hub's http_get writes to: what is there already is kept, and never too much taken.

    `most` is the whole file's size in bytes; `went_by` is told of each piece's bytes before it is written. A link or
    anything else that is no plain file in its place is taken away first.
    """

    def __init__(self, path: Path, most: int, went_by: Callable[[int], None]) -> None:
        self._path, self._most, self._went_by = path, most, went_by
        with contextlib.suppress(FileNotFoundError):
            told = path.lstat()
            if not stat.S_ISREG(told.st_mode) or told.st_size > most:
                path.unlink()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._handle = os.open(path, flags, 0o666)
        self.seek(0, os.SEEK_END)

    def __enter__(self) -> Partial:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def size(self) -> int:
        """Bytes that are there."""
        return os.fstat(self._handle).st_size

    def tell(self) -> int:
        """Where the next piece goes."""
        return os.lseek(self._handle, 0, os.SEEK_CUR)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go elsewhere in the file."""
        return os.lseek(self._handle, offset, whence)

    def truncate(self) -> int:
        """Cut the file off here."""
        at = self.tell()
        os.ftruncate(self._handle, at)
        return at

    def write(self, data: bytes) -> int:
        """Write a piece whole. Raises SpanlightError where more comes than the file has, OSError as the disk does."""
        self._went_by(len(data))
        if self.tell() + len(data) > self._most:
            raise SpanlightError(
                f"More bytes came for {self._path.name.partition('.')[0][:12]} than its size.",
                "Look the model up again.",
            )
        left = memoryview(data)
        while left:
            left = left[os.write(self._handle, left) :]
        return len(data)

    def settle(self) -> None:
        """Have what was written reach the disk."""
        os.fsync(self._handle)
