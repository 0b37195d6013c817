"""Tells whether a file is unchanged."""

from __future__ import annotations

import errno
import hashlib
import stat
from collections.abc import Callable
from pathlib import Path

from app.core.files import open_unbuffered, status

_PIECE = 1 << 22


def holds_same_bytes(
    path: Path, modified: int, size: int, sha256: str, check: Callable[[], object] = lambda: None
) -> bool:
    """Whether a file is unchanged: by its time and size, and by its SHA-256 if only its time differs.

    `modified` is in nanoseconds, `size` in bytes; `check` is called between reads. Raises OSError if the file does not
    exist, is not a regular file or may not be read, and ValueError for an invalid path.
    """
    now = status(path)
    if not stat.S_ISREG(now.st_mode):  # opening a pipe would block until somebody writes
        raise OSError(errno.EINVAL, "no regular file")
    if now.st_size != size:
        return False
    if now.st_mtime_ns == modified:
        return True
    digest = hashlib.sha256()
    with open_unbuffered(path) as file:
        while piece := file.read(_PIECE):
            check()
            digest.update(piece)
    return digest.hexdigest() == sha256
