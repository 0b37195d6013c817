"""The files of a library's folders on the disk."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from app.core.library import Library
from app.core.report import Progress, Report

# The extensions that are taken from a folder: what people write for each other. Single files may have any.
SUFFIXES = frozenset(
    "pdf docx docm html htm xhtml md markdown mdown txt text rst adoc org tex log srt vtt".split()
)
# More than this is counted and shown before it is added.
MANY_FILES, MANY_BYTES = 1000, 2_000_000_000
_HIDDEN = getattr(stat, "FILE_ATTRIBUTE_HIDDEN", 2)
_EVERY = 500


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file on the disk: its absolute path, its bytes, its modification time in nanoseconds."""

    path: str
    size: int
    modified: int


@dataclass(slots=True)
class Walk:
    """What stands in a library's roots.

    `left_out` counts the files of other kinds by their extensions, `refused` the folders that may not be read;
    `missing` are roots that are not there.
    """

    files: list[FoundFile] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def is_large(self) -> bool:
        """Whether the person should see the count before the files are read."""
        return len(self.files) > MANY_FILES or self.size > MANY_BYTES


def walk(library: Library, report: Report) -> Walk:
    """All files of a library's roots, which are absolute, with subfolders: each once, by their paths.

    Raises Stopped when cancelled. Hidden files and folders are left out, as is what the library ignores. A link is
    followed unless it leads to where the walk has been.
    """
    found = Walk()
    files: dict[str, FoundFile] = {}
    been: set[tuple[int, int]] = set()
    for root in library.roots:
        try:
            status = Path(root).stat()
        except (OSError, ValueError):
            found.missing.append(root)
            continue
        if stat.S_ISDIR(status.st_mode):
            for file in _in_folder(root, root, status, library, found, been):
                files[file.path] = file
                if len(files) % _EVERY == 0:
                    report.check()
                    report.progress(Progress(len(files), 0, "files found"))
        else:
            files[root] = FoundFile(root, status.st_size, status.st_mtime_ns)
    found.files = [files[path] for path in sorted(files)]
    return found


def _in_folder(
    folder: str,
    root: str,
    status: os.stat_result,
    library: Library,
    found: Walk,
    been: set[tuple[int, int]],
) -> Iterator[FoundFile]:
    suffixes = frozenset(library.suffixes) or SUFFIXES
    folders = [(folder, status)]
    while folders:
        folder, status = folders.pop()
        # Some file systems number nothing: there links to folders are not followed.
        if status.st_ino and (status.st_dev, status.st_ino) in been:
            continue
        been.add((status.st_dev, status.st_ino))
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            found.refused.append(folder)
            continue
        for entry in entries:
            try:
                status = entry.stat()
                is_hidden = entry.name.startswith(".") or getattr(status, "st_file_attributes", 0) & _HIDDEN
                if is_hidden or _is_ignored(entry.path, root, library.ignore):
                    continue
                if stat.S_ISDIR(status.st_mode):
                    # On Windows an entry does not know its number.
                    folders.append((entry.path, status if status.st_ino else Path(entry.path).stat()))
                    continue
            except (OSError, ValueError):  # a link that leads nowhere or to itself, or gone meanwhile
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            suffix = Path(entry.name).suffix.lower().removeprefix(".")
            if suffix in suffixes:
                yield FoundFile(entry.path, status.st_size, status.st_mtime_ns)
            else:
                found.left_out[suffix] += 1


def _is_ignored(path: str, root: str, patterns: Iterable[str]) -> bool:
    below = os.path.relpath(path, root).replace(os.sep, "/")
    name = below.rpartition("/")[2]
    return any(fnmatch(name, pattern) or fnmatch(below, pattern) for pattern in patterns)
