"""Opens files that may come from anywhere: regular ones only, read and unpacked within limits."""

from __future__ import annotations

import errno
import io
import lzma
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.wording import size

# A line with one row of data: a text and what goes with it.
MOST_LINE = 20_000_000
# Text is packed 3 to 30 : 1. Small files may have any ratio.
_MOST_RATIO = 250
_SMALL = 64_000_000
_UNPACKING = 256_000_000  # bytes of memory; xz -9 needs 65 MB
_PIECE = 1 << 20

_SPECIAL = (
    (stat.S_ISFIFO, Message("a pipe")),
    (stat.S_ISSOCK, Message("a socket")),
    (stat.S_ISCHR, Message("a device")),
    (stat.S_ISBLK, Message("a device")),
)
_NO_SPACE = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)
# What a path or a disk may be at fault for. A missing file is not among them: it may be one of ours.
_OF_FILES = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ELOOP,
    errno.EINVAL,
    errno.EIO,
    errno.ENXIO,
    errno.ENODEV,
)
# How libraries that are written in Rust tell an error of the system; on Windows by its own number.
_BY_RUST = re.compile(r"\(os error (\d+)\)")
_NO_SPACE_ON_WINDOWS = 112
_handed: dict[Path, int] = {}


def is_disk_full(fault: BaseException) -> bool:
    """Whether the disk had no space left, or the user's quota or a file's largest size was reached."""
    if isinstance(fault, OSError):
        return fault.errno in _NO_SPACE
    found = _BY_RUST.search(str(fault))
    number = int(found[1]) if found else 0
    return number == _NO_SPACE_ON_WINDOWS if sys.platform == "win32" else number in _NO_SPACE


def reason_of(fault: BaseException, otherwise: str = Message("the disk refused")) -> str:
    """Why something could not be written, for the end of a sentence; `otherwise` where the system does not say."""
    return (
        Message("the disk is full") if is_disk_full(fault) else getattr(fault, "strerror", None) or otherwise
    )


def disk_error(fault: BaseException) -> SpanlightError | None:
    """The error for what the system said of a file or a disk: no space, no permission, no such name, a failing disk.

    None for an exception of another kind.
    """
    name = getattr(fault, "filename", None)
    name = os.fspath(name) if isinstance(name, str | os.PathLike) else ""
    if is_disk_full(fault):
        message = (
            Message("“{name}” could not be written: the disk is full.", name=name)
            if name
            else Message("Not everything could be written: the disk is full.")
        )
        return SpanlightError(message, Message("Free some space and try again."))
    if not name or not isinstance(fault, OSError) or fault.errno not in _OF_FILES:
        return None
    return SpanlightError(
        Message("“{name}” could not be used: {reason}.", name=name, reason=fault.strerror),
        Message("Check the name and its permissions."),
    )


@contextmanager
def open_regular(path: Path | str, name: str = "") -> Iterator[io.FileIO]:
    """The content of a regular file, unbuffered; `name` is used in messages.

    A pipe would block and a device may never end: they are refused before they are opened, also where the file became
    one just now. Raises SpanlightError for these, for folders, and for any error of the system meanwhile.
    """
    name = name or Path(path).name or str(path)
    try:
        require_regular(status(path), name)
        with open_unbuffered(path) as file:
            require_regular(os.fstat(file.fileno()), name)
            yield file
    except FileNotFoundError as fault:
        raise SpanlightError(
            Message("There is no file “{path}”.", path=str(path)), Message("Check the name and the folder.")
        ) from fault
    except PermissionError as fault:
        raise SpanlightError(
            Message("“{name}” may not be read.", name=name), Message("Check the file's permissions.")
        ) from fault
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or Message("its name or its disk is at fault")
        if getattr(fault, "errno", 0) == errno.ELOOP:
            reason = Message("it is a link that leads back to itself")
        raise SpanlightError(
            Message("“{name}” could not be read: {reason}.", name=name, reason=reason),
            Message("Copy it elsewhere and try that."),
        ) from fault


def hand_over(files: dict[str, int]) -> None:
    """Have the functions here take open descriptors for the files at these paths, in place of those handed over before.

    A confined process may open no file of a person's: its parent does, and hands it over.
    """
    while _handed:
        os.close(_handed.popitem()[1])
    _handed.update((Path(path).absolute(), descriptor) for path, descriptor in files.items())


def status(path: Path | str) -> os.stat_result:
    """The state of the file at a path, of the one handed over if there is one; raises as `os.stat` does."""
    return os.stat(_handed.get(Path(path).absolute(), path))  # noqa: PTH116


def open_unbuffered(path: Path | str) -> io.FileIO:
    """The content of the file at a path, of the one handed over if there is one; raises as `open` does."""
    return open(path, "rb", buffering=0, opener=_open_at_once)


def _open_at_once(path: str, flags: int) -> int:
    """Open without blocking, in case the file has become a pipe meanwhile."""
    handed = _handed.get(Path(path).absolute())
    if handed is None:
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    os.lseek(handed, 0, os.SEEK_SET)
    return os.dup(handed)


def require_regular(status: os.stat_result, name: str) -> None:
    """Raises SpanlightError for a folder, a pipe, a socket or a device."""
    if stat.S_ISDIR(status.st_mode):
        raise SpanlightError(Message("“{name}” is a folder.", name=name), Message("Choose files instead."))
    for is_special, what in _SPECIAL:
        if is_special(status.st_mode):
            raise SpanlightError(
                Message("“{name}” is {what}, not a file.", name=name, what=what),
                Message("Save what it gives in a file, and open that."),
            )


def file_to_write(path: Path) -> Path:
    """Where a file of this name is written: behind the links that lead there.

    Raises SpanlightError where a device, a pipe or a socket stands there: a new file that is renamed over it would take
    it away from the whole system, where the user may do that. Raises OSError or ValueError for an impossible name.
    """
    behind = Path(os.path.realpath(path))
    if behind.exists() and not (behind.is_file() or behind.is_dir()):
        raise SpanlightError(
            Message("“{path}” is not a file.", path=str(path)),
            Message("Give the name of a file for the output."),
        )
    return behind


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """The content of a regular file, buffered; of an .xz file what is packed in it.

    Raises SpanlightError as `open_regular`, and for what is damaged or packed tighter than 250 : 1.
    """
    with open_regular(path) as file:
        raw: io.RawIOBase = _Unpacked(file, path.name) if path.suffix.lower() == ".xz" else file
        try:
            yield io.BufferedReader(raw, _PIECE)
        except (lzma.LZMAError, EOFError) as fault:
            raise SpanlightError(
                Message("“{name}” could not be read: it is damaged.", name=path.name),
                Message("Check the file."),
            ) from fault


def read_whole(path: Path, most: int) -> bytes:
    """All of a regular file, unpacked if it is .xz. Raises SpanlightError for one of more than `most` bytes."""
    with open_unpacked(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise SpanlightError(
            Message("“{name}” is larger than {size}.", name=path.name, size=size(most)),
            Message("Split it into parts."),
        )
    return data


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a regular file, unpacked if it is .xz, each with its newline; only LF ends a line.

    Raises SpanlightError as `open_unpacked`, and for a line of more than `MOST_LINE` bytes.
    """
    with open_unpacked(path) as file:
        yield from lines_of(file, path.name)


def lines_of(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines of a file that is open and buffered; raises SpanlightError for one of more than `MOST_LINE` bytes."""
    number = 0
    while line := file.readline(MOST_LINE + 1):
        number += 1
        if len(line) > MOST_LINE:
            raise SpanlightError(
                Message(
                    "Line {number:,} of {name} is longer than {size}.",
                    number=number,
                    name=name,
                    size=size(MOST_LINE),
                ),
                Message("Split the text in it into parts."),
            )
        yield line


class _Unpacked(io.RawIOBase):
    """What an .xz file holds, unpacked as it is read."""

    def __init__(self, file: io.FileIO, name: str) -> None:
        self._file, self._name = file, name
        self._most = max(_SMALL, _MOST_RATIO * os.fstat(file.fileno()).st_size)
        self._unpacker = lzma.LZMADecompressor(memlimit=_UNPACKING)
        self._count = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer as far as one step of unpacking gives bytes; 0 at the end."""
        data = self._next(len(buffer))
        self._count += len(data)
        if self._count > self._most:
            raise SpanlightError(
                Message(
                    "“{name}” would unpack to far more than any file of texts, and was not read.",
                    name=self._name,
                ),
                Message("Unpack it yourself if you trust it."),
            )
        buffer[: len(data)] = data
        return len(data)

    def _next(self, most: int) -> bytes:
        while True:
            packed = b""
            if self._unpacker.eof:  # streams may follow each other, with zero bytes between them
                packed = (self._unpacker.unused_data or self._file.read(_PIECE)).lstrip(b"\0")
                if not packed:
                    return b""
                self._unpacker = lzma.LZMADecompressor(memlimit=_UNPACKING)
            elif self._unpacker.needs_input and not (packed := self._file.read(_PIECE)):
                raise EOFError
            if data := self._unpacker.decompress(packed, most):
                return data
