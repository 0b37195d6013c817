"""Manage libraries: add folders, update their index, list what was not read, and remove them."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from app.cli.reading import (
    FOLDERS,
    add_recognise_argument,
    ask_about_large,
    path_name,
    recognition_limit,
)
from app.cli.terminal import (
    Action,
    SubcommandParser,
    TerminalReport,
    count,
    marked,
    one_line,
    print_json,
    print_result,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.core.report import Stopped
from app.core.wording import duration
from app.flows.library.embed import embed, vectors_in_use
from app.flows.library.folders import Walk, walk
from app.flows.library.libraries import (
    ledger,
    libraries,
    plan_library,
    remove_library,
    save_library,
    without_indexed,
)
from app.flows.library.update import Update, update
from app.flows.workspace import Workspace

_SUBCOMMANDS = {
    "list": "the libraries, and how much of each was read (the default)",
    "add": "make a library of folders and files, or add them to one",
    "status": "the files of a library, or of all, that were not read whole, each with its reason",
    "update": "read what is new or changed",
    "remove": "forget a library and its index; no document is touched",
}
# The most unread files that are listed after an update; `status` lists all.
_LISTED_FILES = 5


def parser() -> argparse.ArgumentParser:
    """Return the parser of `library`."""
    return SubcommandParser(
        "library",
        "Keep folders indexed, to ask all of their files at once (ask --library).",
        _SUBCOMMANDS,
        _ACTIONS.__getitem__,
    )


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Run the subcommand."""
    arguments.action(arguments, workspace, report)


_ADD_EPILOG = f"""\
{FOLDERS}
Nothing is copied, and nothing is written beside the files. Without --name, a new library is called after
the first PATH; with the name of a library that is there, PATH is added to it.

Ctrl+C stops the reading: what was read stays and can be asked, and the rest is read with the next update.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _ADD_EPILOG
    parser.add_argument("paths", nargs="+", type=path_name, metavar="PATH", help="a folder or a file")
    parser.add_argument("--name", default="", help="what the library is called")
    parser.add_argument(
        "--suffix",
        action="append",
        default=[],
        metavar="EXT",
        help="of folders, take the files with this extension only (pdf), or these as well (+xml); repeatable",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave out names, or paths below a folder, like this ('*.bak', 'old/*'); repeatable",
    )
    parser.add_argument("--yes", action="store_true", help="read many files without asking")
    add_recognise_argument(parser)


def _add(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    library = plan_library(
        workspace,
        arguments.paths,
        name=arguments.name,
        suffixes=arguments.suffix,
        ignore=arguments.ignore,
    )
    _bring_up_to_date([save_walked(library, arguments, workspace, report)], arguments, workspace, report)


def save_walked(
    library: Library, arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> Library:
    """Save a planned library, whose files are then to be read, and return it.

    Raises SpanlightError if it is new and has no document, or unless the person agrees to read very many files.
    """
    found = walk(library, report)
    if not found.files and not library.number:
        if found.refused:
            raise found.refusal()
        others, hint = "", "Name another folder."
        if found.left_out:
            others = f" There are only files of other kinds: {_by_suffix(found.left_out)}."
            hint = f"{command()} library add --suffix takes files with another extension."
        where = one_line(", ".join(library.roots))
        raise SpanlightError(f"There is no document in {where}.{others}", hint)
    ask_about_large(without_indexed(workspace, library, found), arguments, report)
    return save_library(workspace, library, report)


_UPDATE_EPILOG = """\
Ctrl+C keeps what was read. With --recognise files that held no text are tried again. With --vectors the
passages of all libraries are prepared to be found by meaning as well, on two cores about 50 of them
(5,000 words) a second; an open window does it by itself while nothing else is to do.
"""


def _update_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _UPDATE_EPILOG
    parser.add_argument("name", nargs="?", metavar="NAME", help="a library (all of them)")
    parser.add_argument(
        "--check-everything",
        action="store_true",
        help="compare every file by its content, not by its size and time alone; try again what was not read",
    )
    parser.add_argument("--vectors", action="store_true", help="prepare search by meaning, for all libraries")
    add_recognise_argument(parser)


def _libraries(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> list[Library]:
    """Return the library that is named, or all of them; raises SpanlightError if there is none of that name."""
    if arguments.name is not None:
        return [workspace.library.library(arguments.name)]
    return [library for library, _ in libraries(workspace, report)]


def _update(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    wanted = _libraries(arguments, workspace, report)
    if not wanted and not arguments.json:
        _print_none()
        return
    everything, vectors = arguments.check_everything, arguments.vectors
    _bring_up_to_date(wanted, arguments, workspace, report, everything=everything, vectors=vectors)


def _bring_up_to_date(
    wanted: Iterable[Library],
    arguments: argparse.Namespace,
    workspace: Workspace,
    report: TerminalReport,
    *,
    everything: bool = False,
    vectors: bool = False,
) -> None:
    """Update the libraries, print the outcome of each as soon as it is done, and then embed passages if wanted."""
    values = []
    for library in wanted:
        try:
            done = update(
                workspace, library, report, everything=everything, recognise=recognition_limit(arguments)
            )
        except (Stopped, KeyboardInterrupt):
            status = workspace.library.status(library)
            words = f"{one_line(library.name)}: {status.in_words}."
            report.line(f"{words} To go on: {_command_for(library, 'update')}")
            raise
        state = _LibraryState.of(workspace, library, done.walk, report)
        if arguments.json:
            changed = {name: value for name, value in asdict(done).items() if name != "walk"}
            values.append(state.values() | {"update": changed})
        else:
            _print_updated(done, state)
    by_meaning = {}
    if vectors:
        embed(workspace, report)
        have, total = workspace.library.count_vectors(vectors_in_use(workspace))
        by_meaning = {"passages": total, "found_by_meaning": have}
    if arguments.json:
        print_json({"libraries": values} | by_meaning)
    elif vectors:
        print(f"{have:,} of {count(total, 'passage')} of all libraries can be found by meaning.")


def _status_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a library (all of them)")


def _status(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    wanted = _libraries(arguments, workspace, report)
    values = []
    for library in wanted:
        found = walk(library, report)
        state = _LibraryState.of(workspace, library, found, report)
        if arguments.json:
            values.append(state.values())
            continue
        _print_library(workspace, library, state.status)
        if state.to_read:
            print(f"  {count(state.to_read, 'file')} new or changed: {_command_for(library, 'update')}")
        _print_not_read(state)
    if arguments.json:
        print_json({"libraries": values} if arguments.name is None else values[0])
    elif not wanted:
        _print_none()


def _list(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    found = libraries(workspace, report)
    if arguments.json:
        print_json({"libraries": [_library_values(*each) for each in found]})
        return
    if not found:
        _print_none()
    for library, status in found:
        _print_library(workspace, library, status)
        _print_refused(status.refused)


def _remove_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a library")
    parser.add_argument("--yes", action="store_true", help="remove it without asking")


def _remove(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    library = workspace.library.library(arguments.name)
    if not (arguments.yes or arguments.json):
        _print_library(workspace, library, workspace.library.status(library))
    question = "Forget this library and its index? The documents stay as they are."
    report.require_consent(arguments, question, "Nothing was removed.", "Add --yes to remove it.")
    remove_library(workspace, library, report)
    print_result(arguments.json, {"removed": library.name}, f"{one_line(library.name)} is removed.")


@dataclass(frozen=True, slots=True)
class _LibraryState:
    """A library as it is indexed, and its folders as a walk found them.

    `not_read` are the files that could not be read, `in_part` those with a part that was not; `to_read` counts the
    files on disk that are new or changed.
    """

    library: Library
    status: LibraryStatus
    not_read: tuple[LibraryFile, ...]
    in_part: tuple[LibraryFile, ...]
    to_read: int
    walk: Walk

    @classmethod
    def of(cls, workspace: Workspace, library: Library, walk: Walk, report: TerminalReport) -> _LibraryState:
        """Compare the library's ledger with a walk through its folders."""
        files = ledger(workspace, library, report)
        # Files whose texts it has wait to be indexed anew, though none has changed.
        needs_renewal = workspace.library.needs_renewal()
        settled = {
            (file.path, file.size, file.modified)
            for file in files
            if file.state not in (FileState.WAITING, FileState.GONE) or (needs_renewal and file.text)
        }
        to_read = sum((file.path, file.size, file.modified) not in settled for file in walk.files)
        not_read = tuple(file for file in files if file.state not in (FileState.READ, FileState.WAITING))
        in_part = tuple(file for file in files if file.state is FileState.READ and file.why_unread)
        return cls(library, workspace.library.status(library), not_read, in_part, to_read, walk)

    def values(self) -> dict[str, object]:
        """Return the state as `--json` prints it."""
        return _library_values(self.library, self.status) | {
            "to_read": self.to_read,
            "not_read": [
                {"path": file.path, "state": file.state, "reason": one_line(file.why_unread)}
                for file in self.not_read
            ],
            "in_part": [{"path": file.path, "reason": one_line(file.why_unread)} for file in self.in_part],
            "left_out": dict(self.walk.left_out.most_common()),
            "refused": self.walk.refused,
        }


def _library_values(library: Library, status: LibraryStatus) -> dict[str, object]:
    return {name: getattr(library, name) for name in ("name", "roots", "suffixes", "ignore")} | {
        name: getattr(status, name)
        for name in ("read", "total", "files", "words", "passages", "missing", "refused")
    }


def _print_none() -> None:
    print(f"There are no libraries yet. To make one of a folder: {command()} library add FOLDER")


def _print_library(workspace: Workspace, library: Library, status: LibraryStatus) -> None:
    print(marked(one_line(library.name)))
    if workspace.library.needs_renewal() and status.files.get(FileState.WAITING):
        print(f"  {count(status.total, 'file')}, indexed by an older Spanlight; the next question or update")
        print(f"  indexes them anew: {_command_for(library, 'update')}")
    else:
        print(f"  {status.in_words}, {count(status.words, 'word')}")
    for folder in dict.fromkeys((*library.roots, *status.missing)):
        print(f"  {one_line(folder)}{' (not there now)' if folder in status.missing else ''}")
    if library.suffixes:
        print(f"  Only {', '.join(f'.{suffix}' for suffix in map(one_line, library.suffixes))}")
    if library.ignore:
        print(f"  Without {', '.join(map(one_line, library.ignore))}")


def _print_updated(done: Update, state: _LibraryState) -> None:
    library = state.library
    what = done.in_words or "Nothing has changed"
    print(marked(one_line(library.name)))
    print(f"  {what}, in {duration(done.seconds)}" if done.in_words else f"  {what}")
    print(f"  {state.status.in_words}, {count(state.status.words, 'word')}")
    for root in state.status.missing:
        print(f"  {one_line(root)} (not there now)")
    _print_not_read(state, _LISTED_FILES)


def _print_not_read(state: _LibraryState, most: int | None = None) -> None:
    """Print what the library's folders hold that cannot be asked, at most `most` files by name."""
    if state.walk.left_out:
        print(f"  Other kinds, left out: {_by_suffix(state.walk.left_out)}")
    _print_refused(state.walk.refused)
    not_read = [file for file in state.not_read if file.state is not FileState.GONE]
    gone = [file for file in state.not_read if file.state is FileState.GONE]
    states = Counter(file.state.value for file in not_read).most_common()
    listed = 0
    for title, files in (
        (f"Not read: {', '.join(f'{number:,} {name}' for name, number in states)}", not_read),
        (f"Read in part: {count(len(state.in_part), 'file')}", state.in_part),
        (f"Gone, and no longer counted: {count(len(gone), 'file')}", gone),
    ):
        if files:
            print(f"  {title}")
        for file in files[: None if most is None else max(0, most - listed)]:
            print(f"    {one_line(file.path)}: {one_line(file.why_unread)}")
        listed += len(files)
    if most is not None and listed > most:
        print(f"    and {listed - most:,} more: {_command_for(state.library, 'status')}")


def _print_refused(folders: Iterable[str]) -> None:
    for folder in folders:
        print(f"  Cannot be read: {one_line(folder)}")


def _command_for(library: Library, word: str) -> str:
    return one_line(f"{command()} library {word} {shlex.quote(library.name)}")


def _by_suffix(left_out: Mapping[str, int]) -> str:
    """Count files by extension, most frequent first: "20 .jpg, 5 without an extension"."""
    by_number = sorted(left_out.items(), key=lambda each: (-each[1], not each[0], each[0]))
    return ", ".join(
        f"{number:,} {f'.{one_line(suffix)}' if suffix else 'without an extension'}"
        for suffix, number in by_number
    )


_ACTIONS: dict[str, Action] = {
    "list": (lambda parser: None, _list),
    "add": (_add_arguments, _add),
    "status": (_status_arguments, _status),
    "update": (_update_arguments, _update),
    "remove": (_remove_arguments, _remove),
}
