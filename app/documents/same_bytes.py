"""Whether a file still holds the bytes that it held."""

from __future__ import annotations

import errno
import hashlib
import stat
from collections.abc import Callable
from pathlib import Path

_PIECE = 1 << 22


def holds_same_bytes(
    path: Path, modified: int, size: int, sha256: str, check: Callable[[], object] = lambda: None
) -> bool:
    """Whether a file is as it was: by its time and length, and by its SHA-256 where only its time is another.

    `modified` is in nanoseconds, `size` in bytes; `check` is called between pieces. Raises OSError, or ValueError for a
    path that none can have, where there is no such file, it may not be read, or is no file.
    """
    now = path.stat()
    if not stat.S_ISREG(now.st_mode):  # opening a pipe would wait for somebody to write
        raise OSError(errno.EINVAL, "no regular file")
    if now.st_size != size:
        return False
    if now.st_mtime_ns == modified:
        return True
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            check()
            digest.update(piece)
    return digest.hexdigest() == sha256
