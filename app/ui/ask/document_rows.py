"""The rows of the list of documents: what is open, the libraries with their files, and the files opened before."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from app.core.report import Progress, Report
from app.core.wording import equal_names, name_with_folder, percent, time_left
from app.flows.workspace import Workspace
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.library import Library, LibraryFile, LibraryStatus


class Part(Enum):
    """The kind of a row."""

    HEADING = auto()
    OPEN = auto()
    LIBRARY = auto()
    READING = auto()  # below a library being updated: the time left, and Stop
    FILE = auto()
    RECENT = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its name, a short note at its right, and `more` for a screen reader and the tool tip.

    `key` identifies an open document's session, `path` is a file's. `is_current` marks the document on the page,
    `is_expanded` a library whose files are listed; `fraction` is the progress of its update, negative without one.
    `brief_note` replaces the note beside a long name; None keeps it.
    """

    part: Part
    name: str
    note: str = ""
    more: str = ""
    key: str = ""
    path: str = ""
    library: Library | None = None
    is_current: bool = False
    is_expanded: bool = False
    fraction: float = -1.0
    brief_note: str | None = None

    @property
    def identity(self) -> tuple[Part, str, int]:
        """What identifies the row while its state and the list around it change."""
        return self.part, self.key or self.path or self.name, self.library.number if self.library else 0

    @property
    def is_document(self) -> bool:
        """Whether the row is a document, which can be opened."""
        return self.part in (Part.OPEN, Part.FILE, Part.RECENT)

    @property
    def can_be_chosen(self) -> bool:
        """Whether the row can be selected."""
        return self.part not in (Part.HEADING, Part.NOTHING)

    @property
    def words(self) -> tuple[str, str, str]:
        """The row's name, its text for a screen reader, and its tool tip."""
        state = tr("on the page") if self.is_current else ""
        if self.part is Part.LIBRARY:
            state = tr("library, expanded") if self.is_expanded else tr("library, collapsed")
        spoken = ", ".join(filter(None, (self.name, self.note, self.more, state)))
        return self.name, spoken, "\n".join(filter(None, (self.path, self.more)))


class Files:
    """A library's files in the order of their paths, without those that are gone from the disk.

    `equal` are the names, casefolded, that several of them have.
    """

    def __init__(self, files: Iterable[LibraryFile]) -> None:
        from app.core.library import FileState

        self.all = [file for file in files if file.state is not FileState.GONE]
        self._at = {file.path: at for at, file in enumerate(self.all)}
        self.equal = equal_names(self._at)
        self._names = [_name(file.path).casefold() for file in self.all]

    def matching(self, words: Sequence[str]) -> list[LibraryFile]:
        """Return the files whose names contain all these casefolded words."""
        found: Iterable[int] = range(len(self.all))
        for word in words:
            found = [at for at in found if word in self._names[at]]
        return [self.all[at] for at in found]

    def put(self, file: LibraryFile) -> int:
        """Replace the file with the same path; returns its index, -1 for an unknown file."""
        at = self._at.get(file.path, -1)
        if at >= 0:
            self.all[at] = file
        return at


def files_of(workspace: Workspace, library: Library, report: Report) -> Files:
    """Return a library's files for the list."""
    from app.flows.library.libraries import ledger

    return Files(ledger(workspace, library, report))


def row_of_file(file: LibraryFile, current: str = "", equal: Collection[str] = ()) -> Row:
    """Return the row of a library's file: at the right its pages, or why it was not read whole.

    `current` is the path of the file on the page, `equal` are the names that need their folders.
    """
    from app.core.library import FileState

    match file.state:
        case FileState.READ if file.why_unread:
            note = tr("in part")
        case FileState.READ if file.pages and file.reason:
            note = tr("{pages}, recognised", pages=pages(file.pages))
        case FileState.READ if file.pages:
            note = pages(file.pages)
        case FileState.NO_TEXT:
            note = tr("scan") if file.path.lower().endswith(".pdf") else tr("empty")
        case FileState.LOCKED:
            note = tr("password")
        case FileState.FAILED:
            note = tr("not read")
        case _:
            note = ""
    return Row(
        Part.FILE, name_with_folder(file.path, equal), note, localised(file.reason), path=file.path,
        is_current=file.path == current,
    )  # fmt: skip


def pages(number: int) -> str:
    """Return a number of pages in short: "38 p"."""
    return tr("{number:,} p", number=number)


def row_of_library(
    library: Library, status: LibraryStatus, progress: Progress | None, *, expanded: bool
) -> Row:
    """Return a library's row: how much of it was read, or how far its update is."""
    read, total, fraction = status.read, status.total, -1.0
    if progress is not None and progress.total:
        fraction = progress.fraction
        note = brief = localised(percent(fraction)) if progress.done else tr("{number}%", number=0)
    elif read != total:
        note = tr("{read:,} of {total:,} read", read=read, total=total)
        brief = tr("{read:,} of {total:,}", read=read, total=total)
    else:
        brief = tr("{number:,}", number=total)
        note = tr("{n:,} read", "{n:,} read", n=total) if expanded and total else brief
    return Row(
        Part.LIBRARY, library.name, note, localised(status.unreachable_in_words),
        library=library, is_expanded=expanded, fraction=fraction, brief_note=brief,
    )  # fmt: skip


def row_of_reading(library: Library, progress: Progress) -> Row:
    """Return the row below a library that is being updated."""
    name = tr("Reading")
    if progress.seconds_left is not None:
        left = localised(time_left(progress.seconds_left))
        name = left[:1].upper() + left[1:]
    more = tr("stop reading {library}", library=library.name)
    return Row(Part.READING, name, tr("Stop"), more, library=library)


def all_rows(
    opened: Sequence[Row],
    libraries: Sequence[tuple[Library, LibraryStatus]],
    progress: Mapping[int, Progress | None],
    files: Mapping[int, Files],
    expanded: int,
    recent: Iterable[str],
    search: str = "",
) -> list[Row | LibraryFile]:
    """Return all rows in their order: open documents, the libraries by name, files opened before.

    The library with the number `expanded` has its files listed. A search leaves only documents whose names contain all
    of its words, from all libraries whose `files` are known. As a library may have very many files, they stand for
    themselves, and are made into rows by `row_of_file` when they come into view.
    """
    words = search.casefold().split()
    rows: list[Row | LibraryFile] = [*_group(tr("Open documents"), opened, words)]
    shown = {row.path for row in opened if row.path}
    for library, status in libraries:
        known = files.get(library.number)
        below = known.all if known is not None else []
        is_expanded = bool(words) or library.number == expanded
        header = row_of_library(library, status, progress.get(library.number), expanded=is_expanded)
        if words:
            if found := known.matching(words) if known is not None else []:
                note = tr("{n:,} found", "{n:,} found", n=len(found))
                rows += [replace(header, note=note, brief_note=None), *found]
            continue
        rows.append(header)
        now = progress.get(library.number)
        if now is not None and now.total:
            rows.append(row_of_reading(library, now))
        if is_expanded:
            rows += below
    earlier = [Row(Part.RECENT, _name(path) or path, path=path) for path in recent if path not in shown]
    rows += _group(tr("Opened before"), earlier, words)
    return rows or [Row(Part.NOTHING, tr("No document is named like that."))]


def _group(title: str, rows: Sequence[Row], words: Sequence[str]) -> list[Row]:
    found = [row for row in rows if _matches(row.name, words)]
    return [Row(Part.HEADING, title), *found] if found else []


def _name(path: str) -> str:
    return path[path.rfind(os.sep) + 1 :]  # ten times as fast as a Path


def _matches(name: str, words: Sequence[str]) -> bool:
    name = name.casefold()
    return all(word in name for word in words)
