"""Shared by the commands that read texts and documents: arguments, standard input, passwords and notes."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Iterable
from pathlib import Path

from app.cli.terminal import TerminalReport, one_line
from app.core.errors import PasswordNeeded, SpanlightError
from app.core.layout import Opened
from app.core.report import Stopped
from app.flows.ask.read import document_from_stream, read_document
from app.flows.workspace import Workspace

FORMATS = """\
FILE is a PDF, a Word file (.docx), a web page, Markdown, or plain text in UTF-8, UTF-16 or a common
older encoding, whichever its content says; - reads standard input. What is to be known of a file
(pages without text, say) is written to standard error.
"""
_STANDARD_INPUT = "standard input"
_TRIES = 3


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of a command that reads documents."""
    parser.add_argument(
        "--password", default="", help="opens an encrypted PDF; without it, a terminal asks for it"
    )


def refuse_two_streams(given: Iterable[str | None]) -> None:
    """Raise SpanlightError where - stands for more than one text: standard input can be read only once."""
    if list(given).count("-") > 1:
        raise SpanlightError("Standard input can be read only once.", "Give - once.")


def typed_text(given: str, workspace: Workspace, report: TerminalReport) -> str:
    """A text given as an argument, - being standard input."""
    if given != "-":
        return given
    return document_from_stream(workspace, sys.stdin.buffer, _STANDARD_INPUT, report).document.text


def text_or_file(given: str, file: str | None, workspace: Workspace, report: TerminalReport) -> str:
    """The text of the file, or `typed_text` of what was given where no file is named."""
    if file is None:
        return typed_text(given, workspace, report)
    return read_document(workspace, Path(file), report).document.text


def read_files(
    files: list[str], arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> tuple[Opened, ...]:
    """The documents of files, - being standard input; their notes go to standard error.

    A pipe, which a shell makes of <(command), is read as a stream. Raises as flows.read.read_document does.
    """
    return tuple(_read(file, arguments.password, workspace, report) for file in files)


def _read(file: str, password: str, workspace: Workspace, report: TerminalReport) -> Opened:
    if file == "-":
        stdin = sys.stdin.buffer
        opened = document_from_stream(workspace, stdin, _STANDARD_INPUT, report, password=password)
    elif (path := Path(file)).is_fifo():
        # It may be this process's own: the one that reads files could not open it.
        with path.open("rb") as stream:
            opened = document_from_stream(workspace, stream, path.name, report, password=password)
    else:
        opened = _read_file(path, password, workspace, report)
    report.clear()
    for note in opened.notes:
        report.line(one_line(note))
    return opened


def _read_file(path: Path, password: str, workspace: Workspace, report: TerminalReport) -> Opened:
    """The file's document; at a terminal the user is asked for its password."""
    for _ in range(_TRIES):
        try:
            return read_document(workspace, path, report, password=password)
        except PasswordNeeded as needed:
            if not (sys.stdin.isatty() and report.on_terminal):
                raise
            report.line(one_line(needed.message))
            try:
                password = getpass.getpass("Password: ")
            except EOFError:
                raise Stopped from None
            report.check()
    return read_document(workspace, path, report, password=password)
