"""Opens files from untrusted sources: regular files only, read and unpacked within limits."""

from __future__ import annotations

import errno
import hashlib
import io
import lzma
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.wording import size

# The longest line in bytes: a row of data, with a text and its values.
MOST_LINE_BYTES = 20_000_000
# Text compresses 3 to 30 : 1. Small files may have any ratio.
_MOST_RATIO = 250
_SMALL_FILE = 64_000_000
_UNPACKER_MEMORY = 256_000_000  # bytes; xz -9 needs 65 MB
_CHUNK = 1 << 20

_SPECIAL = (
    (stat.S_ISFIFO, Message("a pipe")),
    (stat.S_ISSOCK, Message("a socket")),
    (stat.S_ISCHR, Message("a device")),
    (stat.S_ISBLK, Message("a device")),
)
_NO_SPACE = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)
# Errors that are a path's or a disk's fault. A missing file is not among them: it may be one of Spanlight's own.
_FILE_ERRORS = (
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
# How libraries written in Rust report a system error; on Windows by Windows' own number.
_RUST_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_NO_SPACE_ON_WINDOWS = 112
_handed_over: dict[Path, int] = {}


def is_disk_full(fault: BaseException) -> bool:
    """Whether an exception says that the disk, the user's quota or the largest file size is exhausted."""
    if isinstance(fault, OSError):
        return fault.errno in _NO_SPACE
    found = _RUST_OS_ERROR.search(str(fault))
    number = int(found[1]) if found else 0
    return number == _NO_SPACE_ON_WINDOWS if sys.platform == "win32" else number in _NO_SPACE


def reason_of(fault: BaseException, otherwise: str = Message("the disk refused")) -> str:
    """Return why something could not be written, as the end of a sentence; `otherwise` if the system does not say."""
    return (
        Message("the disk is full") if is_disk_full(fault) else getattr(fault, "strerror", None) or otherwise
    )


def disk_error(fault: BaseException) -> SpanlightError | None:
    """Return the error to show for a fault of a file or a disk: no space, no permission, a bad name, a failing disk.

    None for any other exception.
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
    if not name or not isinstance(fault, OSError) or fault.errno not in _FILE_ERRORS:
        return None
    return SpanlightError(
        Message("“{name}” could not be used: {reason}.", name=name, reason=fault.strerror),
        Message("Check the name and its permissions."),
    )


@contextmanager
def open_regular(path: Path | str, name: str = "") -> Iterator[io.FileIO]:
    """Open a regular file, unbuffered; `name` is used in messages.

    Raises SpanlightError for a pipe, which would block, a device, which may never end, a folder, and any system error
    while the file is open. The type is checked again after opening, as the file may have been replaced.
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
    """Let the functions here read these paths from open descriptors; those handed over before are closed.

    A confined process may not open a person's files, so its parent opens them and hands them over.
    """
    while _handed_over:
        os.close(_handed_over.popitem()[1])
    _handed_over.update((Path(path).absolute(), descriptor) for path, descriptor in files.items())


def status(path: Path | str) -> os.stat_result:
    """Return the status of the file at a path, or of its descriptor if handed over; raises as `os.stat` does."""
    return os.stat(_handed_over.get(Path(path).absolute(), path))  # noqa: PTH116


def open_unbuffered(path: Path | str) -> io.FileIO:
    """Open the file at a path, or its descriptor if handed over, unbuffered; raises as `open` does."""
    return open(path, "rb", buffering=0, opener=_open_without_blocking)


def _open_without_blocking(path: str, flags: int) -> int:
    """Open without blocking, in case the file has become a pipe in the meantime."""
    descriptor = _handed_over.get(Path(path).absolute())
    if descriptor is None:
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.dup(descriptor)


def require_regular(status: os.stat_result, name: str) -> None:
    """Raise SpanlightError for a folder, a pipe, a socket or a device."""
    if stat.S_ISDIR(status.st_mode):
        raise SpanlightError(Message("“{name}” is a folder.", name=name), Message("Choose files instead."))
    for is_special, what in _SPECIAL:
        if is_special(status.st_mode):
            raise SpanlightError(
                Message("“{name}” is {what}, not a file.", name=name, what=what),
                Message("Save what it gives in a file, and open that."),
            )


def file_to_write(path: Path) -> Path:
    """Return the path to write for a file of this name, with symbolic links resolved.

    Raises SpanlightError for a device, a pipe or a socket: renaming a new file over it would remove it for the whole
    system. Raises OSError or ValueError for an impossible name.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise SpanlightError(
            Message("“{path}” is not a file.", path=str(path)),
            Message("Give the name of a file for the output."),
        )
    return target


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file, buffered; an .xz file is decompressed while it is read.

    Raises SpanlightError as `open_regular` does, and for an .xz file that is damaged or compressed beyond 250 : 1.
    """
    with open_regular(path) as file:
        raw: io.RawIOBase = _Unpacked(file, path.name) if path.suffix.lower() == ".xz" else file
        try:
            yield io.BufferedReader(raw, _CHUNK)
        except (lzma.LZMAError, EOFError) as fault:
            raise SpanlightError(
                Message("“{name}” could not be read: it is damaged.", name=path.name),
                Message("Check the file."),
            ) from fault


def read_whole(path: Path, most: int) -> bytes:
    """Read a whole regular file, decompressed if it is .xz; raises SpanlightError for more than `most` bytes."""
    with open_unpacked(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise SpanlightError(
            Message("“{name}” is larger than {size}.", name=path.name, size=size(most)),
            Message("Split it into parts."),
        )
    return data


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a regular file, decompressed if it is .xz, each with its newline; only LF ends a line.

    Raises SpanlightError as `open_unpacked` does, and for a line of more than `MOST_LINE_BYTES` bytes.
    """
    with open_unpacked(path) as file:
        yield from lines_of(file, path.name)


def lines_of(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the lines of an open, buffered file; raises SpanlightError for one of more than `MOST_LINE_BYTES` bytes."""
    number = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        number += 1
        if len(line) > MOST_LINE_BYTES:
            raise SpanlightError(
                Message(
                    "Line {number:,} of {name} is longer than {size}.",
                    number=number,
                    name=name,
                    size=size(MOST_LINE_BYTES),
                ),
                Message("Split the text in it into parts."),
            )
        yield line


class _Unpacked(io.RawIOBase):
    """The decompressed content of an .xz file, as a raw stream."""

    def __init__(self, file: io.FileIO, name: str) -> None:
        self._file, self._name = file, name
        self._most = max(_SMALL_FILE, _MOST_RATIO * os.fstat(file.fileno()).st_size)
        self._unpacker = lzma.LZMADecompressor(memlimit=_UNPACKER_MEMORY)
        self._count = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with the bytes of one decompression step; returns their number, 0 at the end."""
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
            if self._unpacker.eof:  # .xz streams may follow each other, with zero bytes between them
                packed = (self._unpacker.unused_data or self._file.read(_CHUNK)).lstrip(b"\0")
                if not packed:
                    return b""
                self._unpacker = lzma.LZMADecompressor(memlimit=_UNPACKER_MEMORY)
            elif self._unpacker.needs_input and not (packed := self._file.read(_CHUNK)):
                raise EOFError
            if data := self._unpacker.decompress(packed, most):
                return data


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
    return sha256_of_bytes(path, check) == sha256


def sha256_of_bytes(path: Path, check: Callable[[], object]) -> str:
    """The SHA-256 of a file's bytes; `check` is called between reads. Raises OSError where they cannot be read."""
    digest = hashlib.sha256()
    with open_unbuffered(path) as file:
        while piece := file.read(_CHUNK):
            check()
            digest.update(piece)
    return digest.hexdigest()
