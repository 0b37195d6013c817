"""Walks the folders of a library on the disk."""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.kinds import CODE, ENDINGS, LOGS, PROSE
from app.core.layout import Kind
from app.core.library import Library
from app.core.message import Message, joined
from app.core.report import Progress, Report
from app.library.ledger import is_empty

# Pictures take long to recognise, so they are only taken if they are named.
_PICTURES = frozenset(ending for ending, kind in ENDINGS.items() if kind is Kind.IMAGE)
# The extensions of files that are taken from a folder; files that are named may have any.
SUFFIXES = frozenset((*ENDINGS, *PROSE, *LOGS, *CODE)) - _PICTURES
# Folders that programs generate or fill with other people's files.
_GENERATED = frozenset(("node_modules", "bower_components", "site-packages", "__pycache__"))
# The person sees the count before more than this is added.
MANY_FILES, MANY_BYTES = 1000, 2_000_000_000
_HIDDEN = getattr(stat, "FILE_ATTRIBUTE_HIDDEN", 2)
_EVERY = 500
_KINDS_NAMED = 3


def suffixes_of(words: Iterable[str]) -> tuple[str, ...]:
    """Normalise extensions ("pdf", ".PDF", "*.pdf"); "+xml" means xml besides all those that are taken by default."""
    named = [word.strip().lower() for word in words]
    every = sorted(SUFFIXES) if any(word.startswith("+") for word in named) else []
    return tuple(dict.fromkeys(filter(None, (*every, *(word.lstrip("+*.") for word in named)))))


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file on the disk: its absolute path, its size in bytes, its modification time in nanoseconds."""

    path: str
    size: int
    modified: int


@dataclass(slots=True)
class Walk:
    """What was found in a library's roots.

    `left_out` counts the files of other kinds by extension; `refused` are the folders that cannot be read, `drives`
    those that are on another drive than the folder that they are in, `missing` the roots that do not exist, and `empty`
    those with nothing in them.
    """

    files: list[FoundFile] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    drives: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def pictures_left_out(self) -> int:
        """How many of the files that were left out are pictures."""
        return sum(number for suffix, number in self.left_out.items() if suffix in _PICTURES)

    @property
    def other_kinds(self) -> str:
        """The files that were left out, by extension: "40 jpg, 9 mp4, 4 zip and 3 others"; empty if there are none."""
        kinds = self.left_out.most_common()
        named = joined(
            Message("{number:,} {extension}", number=number, extension=suffix)
            if suffix
            else Message("{n:,} without an extension", "{n:,} without an extension", n=number)
            for suffix, number in kinds[:_KINDS_NAMED]
        )
        others = sum(number for _, number in kinds[_KINDS_NAMED:])
        if not others:
            return named
        return Message("{kinds} and {n:,} other", "{kinds} and {n:,} others", kinds=named, n=others)

    def refusal(self) -> SpanlightError:
        """The error for the first folder that cannot be read."""
        return SpanlightError(
            Message("“{folder}” cannot be read.", folder=self.refused[0]),
            Message("Check the folder's permissions."),
        )

    @property
    def is_large(self) -> bool:
        """Whether there are so many files that the person sees the count before they are read."""
        return len(self.files) > MANY_FILES or self.size > MANY_BYTES


def is_folder(path: str | Path) -> bool:
    """Whether a path is an accessible folder."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):  # Python before 3.14 raises them for invalid paths
        return False


def walk(library: Library, report: Report) -> Walk:
    """Find all files in a library's roots, which are absolute, and their subfolders; each once, sorted by path.

    Hidden files and folders, Office's lock files, generated folders, and what the library ignores are left out. A link
    is followed unless it leads to a folder that was visited, or to one above the root. Raises Stopped when cancelled.
    """
    found = Walk()
    files: dict[str, FoundFile] = {}
    been: set[tuple[int, int]] = set()
    for root in library.roots:
        report.check()
        try:
            status = Path(root).stat()
        except (OSError, ValueError):
            found.missing.append(root)
            continue
        if not stat.S_ISDIR(status.st_mode):
            files[root] = FoundFile(root, status.st_size, status.st_mtime_ns)
            continue
        if is_empty(root):
            found.empty.append(root)
        for file in _walk_folder(root, status, library, found, been, report):
            files[file.path] = file
            if len(files) % _EVERY == 0:
                report.progress(Progress(len(files), 0, Message("files found")))
    found.files = [files[path] for path in sorted(files)]
    return found


def _walk_folder(
    root: str,
    status: os.stat_result,
    library: Library,
    found: Walk,
    been: set[tuple[int, int]],
    report: Report,
) -> Iterator[FoundFile]:
    suffixes = frozenset(library.suffixes) or SUFFIXES
    above = set(_parent_ids(root))
    # Each with its path below the root. Links come last, so that files are found in their own folder first.
    folders = deque([(root, "", status)])
    while folders:
        report.check()
        folder, below, status = folders.pop()
        drive = status.st_dev
        # Some file systems have no inode numbers.
        if status.st_ino:
            if (status.st_dev, status.st_ino) in been:
                continue
            been.add((status.st_dev, status.st_ino))
        try:
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except (OSError, ValueError):
            found.refused.append(folder)
            continue
        for number, entry in enumerate(entries, 1):
            if number % _EVERY == 0:
                report.check()
            try:
                status = entry.stat()
                place = below + entry.name
                if _is_hidden(entry.name, status) or _is_ignored(place, entry.name, library.ignore):
                    continue
                if stat.S_ISDIR(status.st_mode):
                    if entry.name in _GENERATED:
                        continue
                    if not status.st_ino:  # on Windows an entry has no inode number
                        status = Path(entry.path).stat()
                    if status.st_dev != drive:
                        found.drives.append(entry.path)
                    if not entry.is_symlink():
                        folders.append((entry.path, f"{place}/", status))
                    elif status.st_ino and (status.st_dev, status.st_ino) not in above:
                        folders.appendleft((entry.path, f"{place}/", status))
                    continue
            except (OSError, ValueError) as fault:
                # Not for broken and circular links, nor for files that are gone meanwhile.
                refuses = getattr(fault, "errno", None) not in (
                    None,
                    errno.ENOENT,
                    errno.ENOTDIR,
                    errno.ELOOP,
                )
                if refuses and folder not in found.refused[-1:]:
                    found.refused.append(folder)
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            _, dot, suffix = entry.name.lower().rpartition(".")
            suffix = suffix if dot else ""
            if suffix in suffixes:
                yield FoundFile(entry.path, status.st_size, status.st_mtime_ns)
            elif entry.path not in library.roots:  # a named file is taken
                found.left_out[suffix] += 1


def takes_folder(library: Library, folder: str) -> bool:
    """Whether a library takes files of a folder, which need not be there."""
    path = Path(folder)
    below = (path.relative_to(root) for root in library.roots if path.is_relative_to(root))
    return any(
        not any(
            _is_ignored(part.as_posix(), part.name, library.ignore)
            for part in (each, *each.parents)[:-1]  # without the root itself
        )
        for each in below
    )


def _parent_ids(root: str) -> Iterator[tuple[int, int]]:
    for folder in Path(root).resolve().parents:
        with suppress(OSError):
            status = folder.stat()
            yield status.st_dev, status.st_ino


def _is_hidden(name: str, status: os.stat_result) -> bool:
    return (
        name.startswith((".", "~$"))
        or bool(getattr(status, "st_file_attributes", 0) & _HIDDEN)
        or bool(getattr(status, "st_flags", 0) & stat.UF_HIDDEN)
    )


def _is_ignored(place: str, name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) or fnmatch(place, pattern) for pattern in patterns)
