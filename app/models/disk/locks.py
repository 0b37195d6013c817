"""A file that one process at a time holds; it is let go of however that process ends."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)


class Lock:
    """Held by one at a time, in this process and in all others; the file is there only while someone holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Take it if nobody holds it; whether it is held now. Raises OSError where the folder cannot be written."""
        while True:
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            except PermissionError:
                if sys.platform == "win32" and self._path.exists():
                    return False  # being deleted by the one that held it
                raise
            if not _lock(handle):
                os.close(handle)
                return False
            # The one that held it may have deleted the file since it was opened here.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), self._path.stat()):
                    self._handle = handle
                    return True
            os.close(handle)

    def release(self) -> None:
        """Let go of it, and take the file away."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if sys.platform != "win32":
            self._path.unlink(missing_ok=True)  # before it is let go of: another may take it right after
        os.close(handle)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):  # Windows keeps files that another has open
                self._path.unlink(missing_ok=True)


def _lock(handle: int) -> bool:
    """Lock an open file; True also where the file system knows no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        return fault.errno not in _HELD
    return True
