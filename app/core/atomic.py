"""Atomic writing of files: after a failure or a kill at any moment there is the old file or the new one, whole."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SpanlightError
from app.core.message import Message

_PART = ".part"
_LONGEST_WRITE = 120.0  # seconds: a slow disk under load takes long to flush


def write_atomic(path: Path, data: bytes, *, private: bool = True) -> None:
    """Write a whole file as `writing` does."""
    with writing(path, private=private) as file:
        file.write(data)


@contextmanager
def writing(path: Path, *, private: bool = True) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` as `replacing` does; a symbolic link stays, and what it leads to is replaced.

    Missing folders are created. Raises SpanlightError on a disk error.
    """
    from app.core.files import file_to_write, reason_of  # not needed to start the window

    try:
        path = file_to_write(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, private=private) as part, part.open("wb") as file:
            yield file
    except (OSError, ValueError) as fault:
        raise SpanlightError(
            Message(
                "{path} could not be written: {reason}.",
                path=str(path),
                reason=reason_of(fault, Message("its name is at fault")),
            ),
            Message("Free some space or check the folder's permissions."),
        ) from fault


@contextmanager
def replacing(path: Path, *, private: bool = True) -> Iterator[Path]:
    """Make an empty file beside `path` to be written in the context, then flush it to disk and rename it to `path`.

    A `private` file is not readable by the computer's other users; any other has the permissions of the file that it
    replaces, else those of a new file. A symbolic link is replaced itself. What killed processes left of earlier
    writes of a private file is deleted: other ones may stand in large folders of the person's. Raises OSError.
    """
    if private:
        sweep(path.parent, path.name)
    kept = 0 if private or not path.exists() else path.stat().st_mode & 0o777
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}{_PART}")
    part.touch(0o600 if private else (kept or 0o666) | 0o600, exist_ok=False)
    try:
        mode = kept or part.stat().st_mode & 0o777
        yield part
        flush(part)
        if part.stat().st_mode & 0o777 != mode:  # safetensors puts a file of its own in its place
            part.chmod(mode)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def flush(path: Path) -> None:
    """Flush a file to disk, so that a rename after it never exposes an empty one. Raises OSError."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def sweep(folder: Path, name: str = "") -> None:
    """Delete half-written files that killed processes left in a folder: they may hold what a person has deleted.

    With `name`, only those of the file of this name.
    """
    left = f".{escape(name)}.{'[0-9a-f]' * 8}{_PART}" if name else f"*{_PART}"
    with suppress(OSError):
        for path in folder.glob(left):
            with suppress(OSError):
                # A younger one may still be being written by another process.
                if path.is_file() and time.time() - path.stat().st_mtime > _LONGEST_WRITE:
                    path.unlink()
