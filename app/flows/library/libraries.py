"""Add to, list and remove libraries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.library import Library, LibraryFile, LibraryStatus
from app.core.message import Message
from app.core.report import Report
from app.core.wording import free_name
from app.flows.library.embed import vectors_in_use
from app.flows.library.folders import SUFFIXES, Walk, suffixes_of, walk
from app.flows.workspace import Workspace


def libraries(workspace: Workspace, report: Report) -> tuple[tuple[Library, LibraryStatus], ...]:
    """All libraries by name, with how much of each is indexed."""
    if not any((workspace.paths.library / name).exists() for name in ("index.sqlite3", "libraries.json")):
        return ()  # nothing is made or imported for it at every start
    index = workspace.library
    found = index.libraries()
    vectors = vectors_in_use(workspace) if found else ""
    return tuple((library, index.status(library, vectors)) for library in found)


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
    not there or refused, and for `suffixes` where the library takes every kind.
    """
    roots = tuple(dict.fromkeys(os.path.normpath(Path(path).expanduser().absolute()) for path in paths))
    for root in roots:
        try:
            Path(root).stat()
        except (FileNotFoundError, NotADirectoryError, ValueError) as fault:
            raise SpanlightError(
                Message("There is nothing at “{path}”.", path=root), Message("Check the name and the folder.")
            ) from fault
        except OSError as fault:
            raise SpanlightError(
                Message("“{root}” could not be looked at: {reason}.", root=root, reason=reason_of(fault)),
                Message("Check the folder's permissions."),
            ) from fault
    present = workspace.library.libraries()
    if name.strip():
        found = next((one for one in present if one.name.casefold() == name.strip().casefold()), None)
    else:
        found = next((one for one in present if set(one.roots) == set(roots)), None)
    if found is None:
        taken = {one.name.casefold() for one in present}
        title = name.strip() or _title(roots)
        found = Library(0, free_name(title, lambda free: free.casefold() in taken))
    kinds = suffixes_of(suffixes)
    if found.number and kinds and not found.suffixes and not set(kinds) >= SUFFIXES:
        raise SpanlightError(
            Message("“{name}” takes files of every kind; it would lose the others.", name=found.name),
            Message("Give these folders a library of their own."),
        )
    return replace(
        found,
        # A file system may know one folder by several names.
        roots=(*found.roots, *(root for root in roots if not any(_same(root, one) for one in found.roots))),
        suffixes=tuple(dict.fromkeys((*found.suffixes, *kinds))),
        ignore=tuple(dict.fromkeys((*found.ignore, *ignore))),
    )


def _same(path: str, other: str) -> bool:
    try:
        return path == other or Path(path).samefile(other)
    except (OSError, ValueError):
        return False


def _title(roots: Sequence[str]) -> str:
    try:
        return Path(os.path.commonpath(roots)).name or "Documents"
    except ValueError:  # on several drives, or none
        return "Documents"


@dataclass(frozen=True, slots=True)
class Plan:
    """Paths to be added to the library of a name, as `planned` takes them; what that makes, and what it would read."""

    paths: tuple[Path | str, ...]
    name: str
    library: Library
    walk: Walk


def plan(workspace: Workspace, paths: Sequence[Path | str], name: str, report: Report) -> Plan:
    """Look at what adding paths would read. Raises SpanlightError as `planned` does, and Stopped."""
    library = planned(workspace, paths, name=name)
    found = without_known(workspace, library, walk(library, report))
    return Plan(tuple(paths), name, library, found)


def carry_out(workspace: Workspace, plan: Plan, report: Report) -> tuple[Library, bool]:
    """Save a library with the planned paths as it is now; returns it, and whether it is new."""
    library = planned(workspace, plan.paths, name=plan.name)
    return save_library(workspace, library, report), not library.number


def without_known(workspace: Workspace, library: Library, found: Walk) -> Walk:
    """What a walk found, without the files that the library has already."""
    known = {file.path for file in workspace.library.files(library)}
    return replace(found, files=[file for file in found.files if file.path not in known])


def save_library(workspace: Workspace, library: Library, report: Report) -> Library:
    """Save a new or changed library; `update` then reads its files. Raises SpanlightError for a name that is taken."""
    return workspace.library.save(library)


def change_library(workspace: Workspace, before: Library, after: Library, report: Report) -> Library:
    """Save what was changed between the two, in the library as it is now: others may have changed it meanwhile."""
    now = workspace.library.current(before)
    kept = [root for root in now.roots if root in after.roots or root not in before.roots]
    roots = tuple(dict.fromkeys((*kept, *(root for root in after.roots if root not in before.roots))))
    return workspace.library.save(replace(now, roots=roots, suffixes=after.suffixes, ignore=after.ignore))


def rename_library(workspace: Workspace, library: Library, name: str, report: Report) -> Library:
    """Give a library another name; its folders stay as they are saved now, perhaps by another process.

    Raises SpanlightError for a name that is taken, and where the library was removed.
    """
    return workspace.library.save(replace(workspace.library.current(library), name=name))


def remove_library(workspace: Workspace, library: Library, report: Report) -> None:
    """Forget a library and its index. No document is touched."""
    workspace.library.remove(library)
    workspace.library.compact(report.check)
