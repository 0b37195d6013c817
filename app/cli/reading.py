"""Reading for commands: arguments, files and folders, standard input, passwords, and notes on documents."""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import stat
import sys
import time
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from app.cli.terminal import TerminalReport, count, one_line
from app.core.about import command
from app.core.errors import PasswordNeeded, SpanlightError
from app.core.layout import Opened
from app.core.library import Library
from app.core.recognition import Recognition
from app.core.report import Progress, Relay, Report, Stopped
from app.core.wording import size
from app.flows.ask.read import document_from_stream, read_document
from app.flows.ask.recognise import MOST_UNASKED, needs_consent, recognition_time
from app.flows.library.folders import Walk, is_folder, walk
from app.flows.workspace import Workspace

FORMATS = """\
FILE is a PDF, a picture (PNG, JPEG, TIFF), a Word file (.docx), a spreadsheet (.xlsx, .xls, .ods), CSV, slides (.pptx,
.odp), an OpenDocument text (.odt), rich text (.rtf), an EPUB book, a mail or a mailbox (.eml, .msg, .mbox) with what
is attached, a web page, Markdown, or plain text in UTF-8, UTF-16 or a common older encoding, whichever its
content says; - reads standard input. What is to be known of a file (pages without text, say) is written to
standard error.

Where a page is a picture, or its text is plainly bad, its text is recognised (Tesseract), in up to 20
pages of a file, or in all with --recognise. What was recognised is kept: no page is recognised twice,
also not after Ctrl+C.
"""
FOLDERS = """\
Of a folder, with its subfolders, PDF and Word files, spreadsheets and CSV, slides, OpenDocument and rich texts, EPUB
books, mails and mailboxes, web pages, Markdown, plain texts, code and logs are taken. Hidden files are left out, and
pictures, which take long to recognise, unless they are named. More than 1,000 files, or 2 GB, are read only after you
say yes, or with --yes.
"""
_STANDARD_INPUT = "standard input"
_TRIES = 3


def path_name(value: str) -> str:
    """Parse an argument that names a file or a folder; an empty one would be the current folder."""
    if not value:
        raise argparse.ArgumentTypeError("the name is empty")
    return value


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that reads documents."""
    parser.add_argument(
        "--password", default="", help="opens an encrypted PDF; without it, a terminal asks for it"
    )
    add_recognise_argument(parser)


def add_recognise_argument(parser: argparse.ArgumentParser) -> None:
    """Add --recognise, which `recognition_limit` turns into a number."""
    parser.add_argument(
        "--recognise",
        action="store_true",
        help=f"recognise the text of every picture of a page, not only of up to {MOST_UNASKED} a file",
    )


def recognition_limit(arguments: argparse.Namespace) -> int | None:
    """Return how many page pictures of a file to recognise at most; None for any number."""
    return None if arguments.recognise else MOST_UNASKED


def refuse_two_streams(given: Iterable[str | None]) -> None:
    """Raise SpanlightError if - is given more than once, as standard input can be read only once."""
    if list(given).count("-") > 1:
        raise SpanlightError("Standard input can be read only once.", "Give - once.")


def argument_texts(given: Sequence[str], workspace: Workspace, report: TerminalReport) -> tuple[str, ...]:
    """Return texts given as arguments, - being standard input, at most once."""
    refuse_two_streams(given)
    return tuple(_argument_text(text, workspace, report) for text in given)


def _argument_text(given: str, workspace: Workspace, report: TerminalReport) -> str:
    if given != "-":
        return given
    with report.waiting():
        return document_from_stream(workspace, sys.stdin.buffer, _STANDARD_INPUT, report).document.text


def text_or_file(given: str, file: str | None, workspace: Workspace, report: TerminalReport) -> str:
    """Return the text of the file, or the text that was given, - being standard input, if no file is named."""
    if file is None:
        return _argument_text(given, workspace, report)
    return read_document(workspace, Path(file), report).document.text


def read_file(
    file: str, arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> Opened:
    """Read the document of a file, - being standard input; its notes go to standard error.

    A pipe, which a shell makes of <(command), is read as a stream. Raises as flows.ask.read.read_document does.
    """
    opened = _read(file, arguments, workspace, report, report)
    for note in _notes(opened):
        report.line(one_line(note))
    return opened


def recognised_values(found: Recognition | None) -> dict[str, object] | None:
    """Return a recognition as `--json` prints it; None without one."""
    if found is None:
        return None
    unsure = [[span.start, span.end] for span in found.unsure]
    return {"languages": list(found.languages), "confidence": round(found.sure, 3), "unsure": unsure}


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """The documents read, and how many pictures in folders were left out.

    `unread` holds the paths of files without text to ask, each with the reason: it could not be read, say.
    """

    opened: tuple[Opened, ...]
    unread: dict[str, str]
    pictures_left_out: int


def read_all(
    given: list[str], arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> ReadFiles:
    """Read files and folders.

    A folder stands for the files in and below it that a library would take; very many are read if the person agrees. Of
    several files, those that cannot be read and pictures that are left out are reported on standard error, and the
    others are read. Raises as `read_file` does for a single file, and SpanlightError if there is no file or none could
    be read.
    """
    folders = [each for each in given if each != "-" and is_folder(each)]
    named = {_absolute(each) for each in given if each not in folders}
    walks = {folder: _walk_folder(folder, named, report) for folder in folders}
    _ask_about_folders(walks, arguments, report)
    files: dict[str, tuple[str, bool]] = {}
    for each in given:
        if each not in walks:
            files.setdefault(_absolute(each), (each, False))
            continue
        for found in walks[each].files:
            if found.path not in named:  # relative, if the folder is
                path = Path(each) / os.path.relpath(found.path, _absolute(each))
                files.setdefault(found.path, (str(path), True))
    pictures = sum(found.pictures_left_out for found in walks.values())
    if pictures:
        rest = (
            "was left out: name it to have its" if pictures == 1 else "were left out: name them to have their"
        )
        report.line(f"{count(pictures, 'picture')} {rest} text recognised.")
    if not files:
        raise SpanlightError(f"There is no document in {one_line(', '.join(given))}.", "Name a file.")
    if len(files) == 1:
        ((only, _),) = files.values()
        return ReadFiles((read_file(only, arguments, workspace, report),), {}, pictures)
    opened, unread, began = [], {}, time.perf_counter()
    for done, (file, in_folder) in enumerate(files.values()):
        report.check()
        left = (len(files) - done) * (time.perf_counter() - began) / done if done else None
        report.progress(Progress(done, len(files), "files", left))
        try:
            progress = _DelayedProgress(report)
            document = _read(file, arguments, workspace, report, progress, may_ask=not in_folder)
        except SpanlightError as fault:
            report.line(one_line(str(fault)))
            unread[file] = one_line(fault.message)
            continue
        notes = list(map(one_line, _notes(document)))
        for note in notes:
            report.line(f"{one_line(file)}: {note}")
        if not document.document.text.strip():
            unread[file] = " ".join(notes)
        opened.append(document)
    if not opened:
        raise SpanlightError(f"None of {count(len(files), 'file')} could be read.", "")
    return ReadFiles(tuple(opened), unread, pictures)


def ask_about_large(found: Walk, arguments: argparse.Namespace, report: TerminalReport) -> None:
    """Ask whether to read very many files, unless --yes was given; raises SpanlightError if not."""
    if found.is_large:
        many = f"{count(len(found.files), 'file')}, {size(found.size)}"
        question, refusal = f"{many}, would be read. Read them?", f"Nothing was read: it would be {many}."
        report.require_consent(arguments, question, refusal, "Add --yes to read them.")


def _absolute(file: str) -> str:
    return "-" if file == "-" else os.path.normpath(Path(file).absolute())


def _walk_folder(folder: str, named: Set[str], report: TerminalReport) -> Walk:
    """Find a folder's documents, and the `named` files in it; what cannot be opened is reported on standard error."""
    root = _absolute(folder)
    found = walk(Library(0, "", (root, *(each for each in named if each.startswith(root)))), report)
    for refused in found.refused:
        report.line(f"{one_line(refused)} cannot be read.")
    return found


def _ask_about_folders(
    walks: Mapping[str, Walk], arguments: argparse.Namespace, report: TerminalReport
) -> None:
    """Ask whether to read folders of very many files, as `ask_about_large`, and tell of libraries."""
    files = {file.path: file for found in walks.values() for file in found.files}
    together = Walk(list(files.values()))
    if together.is_large:
        add = one_line(f"{command()} library add {shlex.join(walks)}")
        report.line(f"A library reads a folder's files once, and can then be asked at once: {add}")
    ask_about_large(together, arguments, report)


def _notes(opened: Opened) -> Iterable[str]:
    """Yield the notes on a document, and how to have its remaining pages recognised."""
    yield from opened.notes
    if needs_consent(opened):
        pages = count(len(opened.pictures), "page")
        time = recognition_time(len(opened.pictures))
        yield f"The text of {pages} can be recognised, in about {time}: --recognise does it."


class _DelayedProgress(Relay):
    """A Report for one of several files: passes its progress on only if the file takes more than a second."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._began = time.perf_counter()

    def progress(self, progress: Progress) -> None:
        if time.perf_counter() - self._began > 1:
            super().progress(progress)


def _is_pipe(path: Path) -> bool:
    with suppress(OSError, ValueError):  # reading the file will raise the error
        return stat.S_ISFIFO(path.stat().st_mode)
    return False


def _read(
    file: str,
    arguments: argparse.Namespace,
    workspace: Workspace,
    report: TerminalReport,
    progress: Report,
    *,
    may_ask: bool = True,
) -> Opened:
    """Read the document of a file, with its progress to `progress`; a terminal asks for passwords if `may_ask`."""
    path, password, most = Path(file), arguments.password, recognition_limit(arguments)
    if file == "-" or _is_pipe(path):
        # A pipe may be an open file of this process (/dev/fd/63), which the documents process could not open.
        name = _STANDARD_INPUT if file == "-" else path.name
        with report.waiting(), nullcontext(sys.stdin.buffer) if file == "-" else path.open("rb") as stream:
            return document_from_stream(workspace, stream, name, progress, password=password, recognise=most)
    asked = 0
    while True:
        try:
            return read_document(
                workspace, path, progress, password=password, words_only=True, recognise=most
            )
        except PasswordNeeded as needed:
            if asked == _TRIES:
                raise
            if not (may_ask and sys.stdin.isatty() and report.on_terminal):
                hint = needed.hint if needed.wrong else "--password gives it."
                raise PasswordNeeded(needed.message, hint, needed.wrong) from None
            report.line(one_line(needed.message))
            try:
                password = getpass.getpass("Password: ")
            except EOFError:
                raise Stopped from None
            asked += 1
            report.check()
