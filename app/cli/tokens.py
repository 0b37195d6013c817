"""Find the names in texts and documents."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli.reading import FORMATS, add_reading_arguments, read_file, refuse_two_streams
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    count,
    marked,
    new_parser,
    one_line,
    print_json,
    shortened,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.kinds import DISTINCTIVE_ENDINGS, ending
from app.core.name_types import plain_type
from app.core.requests import PieceAggregation, TextsToTag
from app.core.wording import percent
from app.flows.heads.export_names import TaggedDocument, names_as, names_values
from app.flows.heads.heads import find_names
from app.flows.workspace import Workspace

_EPILOG = (
    """\
TEXT is a text itself; what names a file that exists is read as that file. A text of any length is read
whole. Every word gets a tag, and tags that belong together make a name (token classification; BERT,
section 5.3). A word that the model reads in several pieces has its first piece's tag, or by --joining that
of the pieces' mean, or that of its surest piece.

--csv prints start,end,text,type,probability (several inputs: document before them), --conll a word and its
tag a line with a blank line between sentences, --json everything. Positions count Unicode code points of
the text from 0, end not included.

"""
    + FORMATS
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `tokens`."""
    parser = new_parser("tokens", "Find the names in texts and documents.", _EPILOG)
    parser.add_argument("inputs", nargs="*", metavar="TEXT|FILE", help="where to look; - is standard input")
    parser.add_argument(
        "--joining",
        choices=[each.value for each in PieceAggregation],
        default=PieceAggregation.FIRST.value,
        help="whose tag a word of several pieces has",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="print a table")
    forms.add_argument("--conll", action="store_true", help="print every word with its tag")
    add_reading_arguments(parser)
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Find names and print them."""
    if not arguments.inputs:
        raise SpanlightError("No text and no file was given.", f"See {command()} tokens --help.")
    if arguments.json and (arguments.csv or arguments.conll):
        raise SpanlightError("One form can be printed at a time.", "Give --json, --csv or --conll.")
    refuse_two_streams(arguments.inputs)
    given = [_text_of(each, arguments, workspace, report) for each in arguments.inputs]
    texts = tuple(text for _, text in given)
    found = find_names(
        workspace,
        TextsToTag(texts, PieceAggregation(arguments.joining)),
        report,
        model=arguments.model,
        device=arguments.device,
    )
    documents = [
        TaggedDocument(text, tagged, name) for (name, text), tagged in zip(given, found.items, strict=True)
    ]
    if arguments.json:
        values = names_values(documents, found.labels, found.model)
        print_json(values | {"device": found.device, "seconds": found.seconds})
    elif arguments.csv or arguments.conll:
        sys.stdout.write(names_as("csv" if arguments.csv else "conll", documents, found.labels))
    else:
        for number, document in enumerate(documents):
            if number:
                print()
            _print(document, with_name=len(documents) > 1)


def _text_of(
    given: str, arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport
) -> tuple[str, str]:
    """Return the name and the text of an input; the name of a typed text is empty."""
    if given == "-" or _is_file(given):
        opened = read_file(given, arguments, workspace, report)
        return opened.document.path or opened.document.name, opened.document.text
    return "", given


def _is_file(given: str) -> bool:
    """Whether an input names a file; raises SpanlightError if it looks like the name of a missing one."""
    try:
        if given.strip() and Path(given).exists():
            return True
    except (OSError, ValueError):  # too long for a name, or with NUL in it
        return False
    if ending(given) in DISTINCTIVE_ENDINGS and len(given.split()) == 1:
        raise SpanlightError(f"There is no file “{Path(given).name}”.", "Check the name.")
    return False


def _print(document: TaggedDocument, *, with_name: bool) -> None:
    names = document.tagged.entities
    if with_name:
        print(shortened(document.name or document.text, 80))
    if not names:
        print("No names found.")
        return
    width = min(32, max(len(one_line(name.text)) for name in names))
    kinds = [one_line(plain_type(name.label)) for name in names]
    wide = max(map(len, kinds))
    for name, kind in zip(names, kinds, strict=True):
        text = one_line(name.text)
        blanks = " " * max(0, width - len(text))
        print(f"{marked(text)}{blanks}  {kind:<{wide}}  {percent(name.probability):>5}")
    print(f"{count(len(names), 'name')} in {count(len(document.tagged.words), 'word')}.")
