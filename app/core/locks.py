"""A lock file that one process at a time holds; it is released however that process ends."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from app.core.errors import Busy, SpanlightError
from app.core.message import Message

_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)


class Lock:
    """A lock held once at a time across all processes; the file exists only while it is held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Take the lock if it is free, and return whether it was. Raises OSError if the folder cannot be written."""
        while True:
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            except PermissionError:
                if sys.platform == "win32" and self._path.exists():
                    return False  # being deleted by its last owner
                raise
            if not _lock(handle):
                os.close(handle)
                return False
            # Its last owner may have deleted the file since it was opened here.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), self._path.stat()):
                    self._handle = handle
                    self._sign(handle)
                    return True
            os.close(handle)

    def holder(self) -> str:
        """Who holds it, such as "process 4711, since 20 November 2026, 14:05"; empty where the file does not say."""
        from app.core.days import date_and_time, local

        try:
            with self._path.open("rb") as file:
                file.seek(1)  # Windows lets nobody else read what is locked
                process, since = file.read(80).split()
            when = date_and_time(local(float(since)))
            return Message("process {number}, since {when}", number=str(int(process)), when=when)
        except (OSError, ValueError):
            return ""

    def _sign(self, handle: int) -> None:
        """Write into the file who holds it; a full disk does not matter."""
        with contextlib.suppress(OSError):
            os.ftruncate(handle, 0)
            os.write(handle, f" {os.getpid()} {time.time():.0f}\n".encode("ascii"))

    def release(self) -> None:
        """Release the lock and delete the file."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if sys.platform != "win32":
            self._path.unlink(missing_ok=True)  # before it is released: another may take it right after
        os.close(handle)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):  # Windows does not delete files that another has open
                self._path.unlink(missing_ok=True)


@contextlib.contextmanager
def exclusive(path: Path) -> Iterator[bool]:
    """Try to hold a lock file inside the context, which is given whether it does; its folder is created if missing.

    Raises SpanlightError where the folder cannot be written.
    """
    lock = Lock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_ours = lock.take()
    except (OSError, ValueError) as fault:
        from app.core.files import reason_of  # not needed to start the window

        raise SpanlightError(
            Message(
                "“{file}” could not be written: {reason}.",
                file=str(path),
                reason=reason_of(fault, Message("its name is at fault")),
            ),
            Message("Check the disk and the permissions of the folder."),
        ) from fault
    try:
        yield is_ours
    finally:
        with contextlib.suppress(OSError):
            lock.release()


@contextlib.contextmanager
def held(path: Path, busy: str, hint: str) -> Iterator[None]:
    """Hold a lock file inside the context, as `exclusive` does.

    Raises Busy with the words `busy` and the holder where another process holds it.
    """
    with exclusive(path) as is_ours:
        if not is_ours:
            holder = Lock(path).holder()
            raise Busy(
                Message("{busy} ({holder}).", busy=busy, holder=holder)
                if holder
                else Message("{busy}.", busy=busy),
                hint,
            )
        yield


def _lock(handle: int) -> bool:
    """Lock an open file; True also if the file system has no locks."""
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
