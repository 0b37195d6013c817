"""Copies a checkpoint's files: which ones are taken, the copying with progress and a checksum, and its errors."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from app.core import wording
from app.core.errors import SpanlightError
from app.core.files import is_disk_full
from app.core.message import Message
from app.core.report import Progress, Report
from app.models.disk.card import TOKENIZER_CONFIG
from app.models.disk.config import CONFIG
from app.models.disk.notes import NOTES
from app.models.disk.tokenizer import TOKENIZER
from app.models.disk.vocabulary_files import VOCABULARY_FILES
from app.models.disk.weights import INDEX, LONGEST_JSON, SINGLE, read_weights, reading

SPECIAL_TOKENS = "special_tokens_map.json"
SETTINGS = (CONFIG, TOKENIZER, TOKENIZER_CONFIG, SPECIAL_TOKENS, NOTES, *VOCABULARY_FILES)
LONGEST_TEXT, MOST_TEXTS = 2 * 2**20, 8
# Far above any model of these families.
LARGEST_MODEL = 64 * 10**9


def is_text(name: str) -> bool:
    """Whether a file of this name is a text about the model or its licence."""
    lower = name.casefold()
    return lower == "readme.md" or ("/" not in name and lower.startswith(("license", "licence")))


def longest(name: str) -> int:
    """The largest size in bytes of a file of this name."""
    if is_text(name):
        return LONGEST_TEXT
    return LONGEST_JSON if name in (*SETTINGS, INDEX) else LARGEST_MODEL


def files_to_copy(names: Collection[str]) -> tuple[str, ...]:
    """Which of a checkpoint's files to copy, without shards: settings, texts, and last the weights' file or index.

    If there is a tokenizer.json, the vocabulary's files are left out.
    """
    settings = [name for name in SETTINGS if name in names]
    if TOKENIZER in names:
        settings = [name for name in settings if name not in VOCABULARY_FILES]
    texts = sorted(filter(is_text, names))[:MOST_TEXTS]
    weights = [name for name in (SINGLE, INDEX) if name in names][:1]
    return (*settings, *texts, *weights)


def files_of(folder: Path) -> tuple[str, ...]:
    """The names of the files of a checkpoint folder to copy: settings, texts that are not too long, and weights.

    Raises SpanlightError if its weights are missing or incomplete.
    """
    weights = [path.name for path in read_weights(folder).files]
    with reading(folder.name, Message("Check the folder's permissions.")):
        sizes = {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}
    if sum(sizes.get(name, 0) for name in weights) > LARGEST_MODEL:
        raise SpanlightError(
            Message("{name} is larger than any model that Spanlight reads.", name=folder.name),
            Message("Choose a smaller one."),
        )
    named = files_to_copy({name for name, size in sizes.items() if not is_text(name) or size <= LONGEST_TEXT})
    return (*named, *(name for name in weights if name != SINGLE))


CHUNK = 2**20
# Left free for everything else on the disk.
SPARE = 64 * 2**20


class Meter:
    """Reports how many of `total` bytes are done and how long the rest will take; `what` is the progress' label."""

    def __init__(self, report: Report, what: str, total: int) -> None:
        self._report, self._what, self._total = report, what, total
        self._done, self._began = 0, time.monotonic()
        self.add(0)

    def add(self, count: int) -> None:
        """Count more bytes as done; raises Stopped when the work is to stop."""
        self._report.check()
        self._done += count
        passed = time.monotonic() - self._began
        left = passed * (self._total - self._done) / self._done if passed > 1 and self._done else None
        self._report.progress(Progress(self._done, self._total, self._what, left))


def chunks_of(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes in chunks. Raises OSError if it cannot be read."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def write(chunks: Iterable[bytes], target: Path, meter: Meter) -> str:
    """Write chunks of bytes to a new file, flushed to disk; returns its SHA-256 in hexadecimal digits.

    Raises OSError if it cannot be written, or the file exists already.
    """
    sha256 = hashlib.sha256()
    with target.open("xb") as file:
        for chunk in chunks:
            file.write(chunk)
            sha256.update(chunk)
            meter.add(len(chunk))
        file.flush()
        os.fsync(file.fileno())
    return sha256.hexdigest()


def digest(path: Path, meter: Meter) -> str:
    """A file's SHA-256 in hexadecimal digits. Raises OSError if it cannot be read."""
    sha256 = hashlib.sha256()
    for chunk in chunks_of(path):
        sha256.update(chunk)
        meter.add(len(chunk))
    return sha256.hexdigest()


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of files to disk, if the system can."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def free_space(folder: Path) -> int | None:
    """The free bytes on the disk of a folder, which may not exist yet; None if the system does not tell."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def check_space(folder: Path, needed: int) -> None:
    """Raise SpanlightError if the disk of a folder has less than `needed` bytes, plus a reserve, free."""
    free = free_space(folder)
    # Not every file system reports it; writing will fail instead.
    if needed and free is not None and free < needed + SPARE:
        raise SpanlightError(
            Message(
                "The disk has {free} free, and {needed} are needed.",
                free=wording.size(free),
                needed=wording.size(needed + SPARE),
            ),
            Message("Free some space and try again."),
        )


def refusal(fault: OSError, what: str, folder: Path | None = None) -> SpanlightError:
    """The error shown for a disk error; `what` is what could not be done, as "x could not be copied".

    `folder` is the folder to check, if the user may not know it.
    """
    if is_disk_full(fault):
        return SpanlightError(
            Message("{what}: the disk is full.", what=what), Message("Free some space and try again.")
        )
    if fault.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        hint = Message("Check the permissions of the folder.")
        if folder is not None:
            hint = Message("Check the permissions of {folder}.", folder=str(folder))
        return SpanlightError(Message("{what}: it may not be written there.", what=what), hint)
    reason = fault.strerror.rstrip(".") if fault.strerror else Message("the disk refused")
    hint = Message("Check the disk and the permissions of the folder.")
    if folder is not None:
        hint = Message("Check the disk and the permissions of {folder}.", folder=str(folder))
    return SpanlightError(Message("{what}: {reason}.", what=what, reason=reason), hint)
