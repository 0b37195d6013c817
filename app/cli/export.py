"""Export answers from the history."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli.terminal import TerminalReport, at_least_one, count, new_parser, one_line
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.history import Entry
from app.flows.history.export import export, export_text
from app.flows.history.export_formats import FORMATS
from app.flows.history.history import all_entries
from app.flows.workspace import Workspace

_EPILOG = f"""\
N are numbers of entries ({command()} history lists them); --search takes all entries with these words;
without either, everything is exported, the newest first.

csv       one row an entry; a cell that a spreadsheet would take for a formula gets an apostrophe
markdown  question, answer, sentence, and where it stands
json      W3C Web Annotations, with TextPositionSelector and TextQuoteSelector
squad     SQuAD 2.0; contexts are the documents' texts where they can still be had
pdf       copies of the PDFs with the answers highlighted; needs --output. Where the answers stand in
          several PDFs, each copy's name is that of --output with the PDF's own behind it
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `export`."""
    parser = new_parser("export", "Export answers from the history.", _EPILOG)
    parser.add_argument("numbers", nargs="*", type=at_least_one, metavar="N", help="which entries")
    parser.add_argument("--search", metavar="WORDS", help="the entries with these words")
    kinds = [one.key for one in FORMATS]
    parser.add_argument("--format", choices=kinds, default=kinds[0], help=f"what to write ({kinds[0]})")
    parser.add_argument("--output", "-o", metavar="FILE", help="where it goes (standard output)")
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Export the entries, and report on standard error what could not be exported."""
    if arguments.json:
        raise SpanlightError("--json is --format json here.", "Write --format json.")
    entries = _entries(arguments, workspace, report)
    if arguments.output is None:
        text = export_text(workspace, entries, arguments.format, report)
        sys.stdout.write(text.text)
        notes = text.notes
    else:
        done = export(workspace, entries, arguments.format, Path(arguments.output), report)
        noun = ("answer", "answers") if arguments.format == "pdf" else ("entry", "entries")
        what = count(done.count, *noun)
        where = ", ".join(one_line(str(file)) for file in done.files)
        print(f"{what} exported to {where}." if where else f"{what} exported.")
        notes = done.notes
    for note in notes:
        report.line(one_line(note))


def _entries(
    arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> tuple[Entry, ...]:
    if arguments.numbers and arguments.search is not None:
        raise SpanlightError("Numbers and --search cannot go together.", "Leave one of them out.")
    if arguments.numbers:
        return tuple(workspace.history.get(number) for number in dict.fromkeys(arguments.numbers))
    return all_entries(workspace, arguments.search or "", report)
