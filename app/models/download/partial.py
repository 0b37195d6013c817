"""A file during its download: appended piece by piece, verified when complete, then renamed."""

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
        """Whether they match the Hub's."""
        return self.sha256 == file.sha256 if file.sha256 else self.blob == file.blob


def digests(path: Path, on_bytes: Callable[[int], None]) -> Digests:
    """A file's checksums; `on_bytes` is called with each piece's bytes. Raises OSError if it cannot be read."""
    sha256, blob = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    for piece in pieces_of(path):
        sha256.update(piece)
        blob.update(piece)
        on_bytes(len(piece))
    return Digests(sha256.hexdigest(), blob.hexdigest())


class Partial:
    """The file that huggingface_hub's http_get writes to: existing bytes are resumed, and the size is limited.

    `most` is the complete file's size in bytes; `on_bytes` is called with each piece's bytes before it is written. A
    link or anything else that is not a regular file in its place is deleted first.
    """

    def __init__(self, path: Path, most: int, on_bytes: Callable[[int], None]) -> None:
        self._path, self._most, self._on_bytes = path, most, on_bytes
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                path.unlink()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._handle = os.open(path, flags, 0o666)
        self.seek(0, os.SEEK_END)

    def __enter__(self) -> Partial:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def size(self) -> int:
        """The bytes written so far."""
        return os.fstat(self._handle).st_size

    def tell(self) -> int:
        """The current position."""
        return os.lseek(self._handle, 0, os.SEEK_CUR)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move the position."""
        return os.lseek(self._handle, offset, whence)

    def truncate(self) -> int:
        """Cut the file off at the position."""
        at = self.tell()
        os.ftruncate(self._handle, at)
        return at

    def write(self, data: bytes) -> int:
        """Write a piece. Raises SpanlightError beyond the file's size, OSError on a disk error."""
        self._on_bytes(len(data))
        if self.tell() + len(data) > self._most:
            raise SpanlightError(
                f"More bytes came for {self._path.name.partition('.')[0][:12]} than its size.",
                "Look the model up again.",
            )
        left = memoryview(data)
        while left:
            left = left[os.write(self._handle, left) :]
        return len(data)

    def sync(self) -> None:
        """Flush the file to disk."""
        os.fsync(self._handle)
