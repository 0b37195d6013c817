"""Creates, lists, changes and removes libraries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.files import reason_of
from app.core.kinds import ENDINGS, ending
from app.core.layout import Kind
from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.core.message import Message
from app.core.report import Report
from app.core.wording import free_name
from app.flows.library.embed import vectors_in_use
from app.flows.library.folders import SUFFIXES, Walk, suffixes_of, walk
from app.flows.workspace import Workspace


def libraries(workspace: Workspace, report: Report) -> tuple[tuple[Library, LibraryStatus], ...]:
    """All libraries, sorted by name, with how much of each is indexed."""
    if not any((workspace.paths.library / name).exists() for name in ("index.sqlite3", "libraries.json")):
        return ()  # so that a start without libraries creates and imports nothing
    index = workspace.library
    found = index.libraries()
    vectors = vectors_in_use(workspace) if found else ""
    return tuple((library, index.status(library, vectors)) for library in found)


def ledger(workspace: Workspace, library: Library, report: Report) -> tuple[LibraryFile, ...]:
    """All files of a library, sorted by path."""
    return tuple(workspace.library.files(library))


def has_scans(workspace: Workspace, library: Library, report: Report) -> bool:
    """Return whether pages of a library may be pictures that were not recognised. Raises Stopped when cancelled."""
    # Pages of files that were read may be pictures too.
    return any(
        file.size and ENDINGS.get(ending(file.path), Kind.PDF) in (Kind.PDF, Kind.IMAGE)
        for file in workspace.library.files(library, [FileState.NO_TEXT])
    ) or any(workspace.library.texts_with_pictures(library, report.check))


def plan_library(
    workspace: Workspace,
    paths: Iterable[Path | str],
    *,
    name: str = "",
    suffixes: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> Library:
    """Return the library of this name with these folders and files added to its roots; nothing is saved.

    Without a name it is the library with exactly these roots, or a new one that is named after its only root or the
    folder that all roots are in, followed by a number if the name is taken. Raises SpanlightError for a path that does
    not exist or cannot be accessed, and for `suffixes` where the library takes files of every kind.
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
        roots=(
            *found.roots,
            *(root for root in roots if not any(_is_same_path(root, one) for one in found.roots)),
        ),
        suffixes=tuple(dict.fromkeys((*found.suffixes, *kinds))),
        ignore=tuple(dict.fromkeys((*found.ignore, *ignore))),
    )


def _is_same_path(path: str, other: str) -> bool:
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
    """Paths to add to the library of a name, the library that results, and the files that would be read."""

    paths: tuple[Path | str, ...]
    name: str
    library: Library
    walk: Walk


def plan(workspace: Workspace, paths: Sequence[Path | str], name: str, report: Report) -> Plan:
    """Find the files that adding paths would read. Raises SpanlightError as `plan_library` does; Stopped."""
    library = plan_library(workspace, paths, name=name)
    found = without_indexed(workspace, library, walk(library, report))
    return Plan(tuple(paths), name, library, found)


def save_planned(workspace: Workspace, plan: Plan, report: Report) -> tuple[Library, bool]:
    """Add the planned paths to the library as it is now; returns it, and whether it is new."""
    library = plan_library(workspace, plan.paths, name=plan.name)
    return save_library(workspace, library, report), not library.number


def without_indexed(workspace: Workspace, library: Library, found: Walk) -> Walk:
    """The result of a walk without the files that the library already has."""
    known = {file.path for file in workspace.library.files(library)}
    return replace(found, files=[file for file in found.files if file.path not in known])


def save_library(workspace: Workspace, library: Library, report: Report) -> Library:
    """Save a new or changed library; `update` then reads its files. Raises SpanlightError for a name that is taken."""
    return workspace.library.save(library)


def change_library(workspace: Workspace, before: Library, after: Library, report: Report) -> Library:
    """Apply the differences between the two to the library as it is saved now; others may have changed it meanwhile."""
    now = workspace.library.current(before)
    kept = [root for root in now.roots if root in after.roots or root not in before.roots]
    roots = tuple(dict.fromkeys((*kept, *(root for root in after.roots if root not in before.roots))))
    return workspace.library.save(replace(now, roots=roots, suffixes=after.suffixes, ignore=after.ignore))


def rename_library(workspace: Workspace, library: Library, name: str, report: Report) -> Library:
    """Rename a library; its folders stay as they are saved now, perhaps by another process.

    Raises SpanlightError for a name that is taken, and where the library was removed.
    """
    return workspace.library.save(replace(workspace.library.current(library), name=name))


def remove_library(workspace: Workspace, library: Library, report: Report) -> None:
    """Remove a library and its index; the documents stay."""
    workspace.library.remove(library, report.check)
    workspace.library.compact(report.check)
