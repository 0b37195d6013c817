"""Atomic writing of files, and private folders."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SpanlightError
from app.core.message import Message

_PART = ".part"
_LONGEST_WRITE = 120.0  # seconds: a slow disk under load takes long to flush


def may_write(folder: Path) -> bool:
    """Whether files may be written below a folder, which need not exist; found out without writing."""
    there = next((each for each in (folder, *folder.parents) if os.path.exists(each)), folder)  # noqa: PTH110
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)  # noqa: PTH112


def make_private(folder: Path) -> None:
    """Create a folder that the computer's other users cannot enter, or close an existing one to them.

    Raises nothing: if the folder cannot be created, writing to it will raise the error.
    """
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and (there := folder.stat()).st_uid == os.getuid() and there.st_mode & 0o077:
            folder.chmod(0o700)


def sweep(folder: Path) -> None:
    """Delete half-written files that killed processes left in a folder: they may hold what a person has deleted."""
    with suppress(OSError):
        for path in folder.glob(f"*{_PART}"):
            with suppress(OSError):
                # A younger one may still be being written by another process.
                if path.is_file() and time.time() - path.stat().st_mtime > _LONGEST_WRITE:
                    path.unlink()


def write_atomic(path: Path, data: bytes, *, private: bool = True) -> None:
    """Write a whole file as `writing` does."""
    with writing(path, private=private) as file:
        file.write(data)


@contextmanager
def writing(path: Path, *, private: bool = True) -> Iterator[BinaryIO]:
    """Open a temporary file in the same folder, which is renamed to `path` when all is written.

    Missing folders are created. A reader sees the old file or the new one, never half of one. A `private` file is not
    readable by the computer's other users, any other has the usual permissions. Raises SpanlightError on a disk error.
    """
    from app.core.files import file_to_write, reason_of  # not needed to start the window

    temporary = ""
    try:
        path = file_to_write(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_PART, dir=path.parent)
        if not private:
            _open_up(Path(temporary), path)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        temporary = ""
    except (OSError, ValueError) as fault:
        raise SpanlightError(
            Message(
                "{path} could not be written: {reason}.",
                path=str(path),
                reason=reason_of(fault, Message("its name is at fault")),
            ),
            Message("Free some space or check the folder's permissions."),
        ) from fault
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _open_up(temporary: Path, path: Path) -> None:
    """Give the temporary file the permissions of the file that it replaces, else those of a new file."""
    if path.exists():
        mode = path.stat().st_mode & 0o777
    else:
        probe = temporary.with_suffix(".rights")
        probe.touch()
        mode = probe.stat().st_mode & 0o777
        probe.unlink()
    temporary.chmod(mode)
