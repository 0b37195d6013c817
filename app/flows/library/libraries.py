"""Add to, list and remove libraries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.library import Library, LibraryFile, LibraryStatus
from app.core.report import Report
from app.flows.library.folders import Walk, walk
from app.flows.workspace import Workspace


def libraries(workspace: Workspace, report: Report) -> tuple[tuple[Library, LibraryStatus], ...]:
    """All libraries by name, with how much of each is indexed."""
    if not workspace.paths.library.exists():  # there never was one: what the index needs is not imported
        return ()
    index = workspace.library
    return tuple((library, index.status(library)) for library in index.libraries())


def ledger(workspace: Workspace, library: Library, report: Report) -> tuple[LibraryFile, ...]:
    """Every file of a library, by path."""
    return tuple(workspace.library.files(library))


def planned(
    workspace: Workspace,
    paths: Iterable[Path | str],
    *,
    name: str = "",
    suffixes: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> Library:
    """The library of this name with these folders and files added to its roots; nothing is saved yet.

    Without a name it is the library that has exactly these roots, else a new one: called after its one root, or the
    folder that all are in, with a number behind the name if that is taken. Raises SpanlightError for a path that is
    not there.
    """
    roots = tuple(dict.fromkeys(os.path.normpath(Path(path).expanduser().absolute()) for path in paths))
    for root in roots:
        if not Path(root).exists():
            raise SpanlightError(f"There is nothing at “{root}”.", "Check the name and the folder.")
    present = workspace.library.libraries()
    if name.strip():
        found = next((one for one in present if one.name.casefold() == name.strip().casefold()), None)
    else:
        found = next((one for one in present if one.roots == roots), None)
    if found is None:
        taken = {one.name.casefold() for one in present}
        title = name.strip() or _title(roots)
        free, number = title, 2
        while free.casefold() in taken:
            free, number = f"{title} {number}", number + 1
        found = Library(0, free)
    return replace(
        found,
        roots=tuple(dict.fromkeys((*found.roots, *roots))),
        suffixes=tuple(dict.fromkeys((*found.suffixes, *(each.lower().lstrip(".") for each in suffixes)))),
        ignore=tuple(dict.fromkeys((*found.ignore, *ignore))),
    )


def _title(roots: Sequence[str]) -> str:
    try:
        return Path(os.path.commonpath(roots)).name or "Documents"
    except ValueError:  # on several drives, or none
        return "Documents"


def size_up(workspace: Workspace, library: Library, report: Report) -> Walk:
    """What would be read for a library: nothing is opened yet. Raises Stopped when cancelled."""
    return walk(library, report)


def plan_and_size(
    workspace: Workspace, paths: Sequence[Path | str], name: str, report: Report
) -> tuple[Library, Walk]:
    """What `planned` returns for these paths, and what would be read for it. Raises SpanlightError, and Stopped."""
    library = planned(workspace, paths, name=name)
    return library, walk(library, report)


def save_library(workspace: Workspace, library: Library, report: Report) -> Library:
    """Save a new or changed library; `update` then reads its files. Raises SpanlightError for a name that is taken."""
    return workspace.library.save(library)


def remove_library(workspace: Workspace, library: Library, report: Report) -> None:
    """Forget a library and its index. No document is touched."""
    workspace.library.remove(library)
