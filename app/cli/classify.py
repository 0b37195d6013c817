"""Give texts their class probabilities."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli.reading import refuse_two_streams, typed_text
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    marked,
    new_parser,
    one_line,
    print_batch,
    print_json,
    shortened,
)
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.models import ProblemType
from app.core.requests import TextsToClassify
from app.core.results import Classification, Classifications
from app.core.wording import count, percent
from app.flows.heads.classify_batch import classify_batch, classify_table, values
from app.flows.heads.heads import classify
from app.flows.rows import refuse_same_file
from app.flows.tables import read_table
from app.flows.workspace import Workspace

_EPILOG = """\
TEXT is a text itself; - reads one from standard input. A text longer than the model's window is
read whole, in several windows.

With --file, the rows of the CSV file come out as CSV, to standard output or to --output, with the
columns label, probability, and "probability CLASS" for every class behind their own (of a regression
model only "value CLASS"). A cell that a spreadsheet would take for a formula gets an apostrophe.

A batch reads rows {"id", "text"} of a .jsonl (or .jsonl.xz) file and appends rows {"id", "label",
"probability", "probabilities"} in the same order; a row without an id goes by its line, from 1.
Started again, it goes on where it was stopped or killed.

Of a model whose classes do not exclude each other, "label" is the likeliest class, "labels" are all
that reach one half; where none does, "label" is empty and "probability" null. A model that gives
values has "values" in place of "probabilities".
"""
_WIDEST = 48


def parser() -> argparse.ArgumentParser:
    """The arguments of `classify`."""
    parser = new_parser("classify", "Give texts their class probabilities.", _EPILOG)
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="what to classify; - is standard input")
    parser.add_argument("--file", metavar="F.csv", help="a CSV file with a text in each row")
    parser.add_argument("--column", metavar="NAME", help="the column of the texts")
    parser.add_argument("--batch", metavar="IN.jsonl", help="many texts")
    parser.add_argument("--output", metavar="OUT", help="where the classes of a file or a batch go")
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Classify texts, a CSV file's column, or a batch."""
    given = [bool(arguments.texts), arguments.file is not None, arguments.batch is not None]
    if sum(given) != 1:
        raise SpanlightError("Give either texts, or --file, or --batch.", f"See {command()} classify --help.")
    if (arguments.file is None) != (arguments.column is None):
        raise SpanlightError("--file and --column go together.", "Give both, or neither.")
    if arguments.batch is not None:
        _run_batch(arguments, workspace, report)
    elif arguments.file is not None:
        _run_file(arguments, workspace, report)
    elif arguments.output is not None:
        raise SpanlightError("--output goes with --file or --batch.", "Leave it out.")
    else:
        _run_texts(arguments, workspace, report)


def _run_texts(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    refuse_two_streams(arguments.texts)
    texts = tuple(typed_text(text, workspace, report) for text in arguments.texts)
    found = classify(
        workspace, TextsToClassify(texts), report, model=arguments.model, device=arguments.device
    )
    report.clear()
    if arguments.json:
        print_json(classifications_values(texts, found))
        return
    for number, (text, item) in enumerate(zip(texts, found.items, strict=True)):
        if number:
            print()
        _print(text, item, len(texts) > 1)


def classifications_values(texts: tuple[str, ...], found: Classifications) -> dict[str, object]:
    """What `classify --json` prints."""
    return {
        "items": [
            {"text": text, **values(item), "windows": item.windows, "tokens": item.tokens}
            for text, item in zip(texts, found.items, strict=True)
        ],
        "model": found.model,
        "device": found.device,
        "seconds": found.seconds,
    }


def _run_file(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    source = Path(arguments.file)
    output = Path(arguments.output) if arguments.output is not None else None
    if output is not None:
        refuse_same_file(source, output)
    table = read_table(source, arguments.column)
    lines = classify_table(workspace, table, output, report, model=arguments.model, device=arguments.device)
    report.clear()
    if arguments.json:
        print_json(
            {"rows": len(table.rows), "output": arguments.output or "", "csv": "" if output else lines}
        )
    elif output is None:
        sys.stdout.write(lines)
    else:
        print(f"{count(len(table.rows), 'text')} classified.")


def _run_batch(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    if arguments.output is None:
        raise SpanlightError("No file was given for the classes of the batch.", "Add --output OUT.jsonl.")
    done = classify_batch(
        workspace,
        Path(arguments.batch),
        Path(arguments.output),
        report,
        model=arguments.model,
        device=arguments.device,
    )
    report.clear()
    print_batch(done, "text", "classified", arguments.json)


def _print(text: str, item: Classification, named: bool) -> None:
    if named:
        print(shortened(text, 80))
    for name, number in _rows(item):
        print(f"{name}  {number:>6}")
    if item.problem == ProblemType.MULTI_LABEL:
        fitting = ", ".join(one_line(score.label) for score in item.fitting)
        print(f"One half or more: {fitting}." if fitting else "No class reaches one half.")
    if item.windows > 1:
        print(f"Read whole, in {count(item.windows, 'window')} of the model.")


def _rows(item: Classification) -> list[tuple[str, str]]:
    """Names, filled up to one width, with their numbers: the likeliest first, or values in the model's order."""
    values = item.problem == ProblemType.REGRESSION
    rows = []
    fitting = {score.label for score in item.fitting}
    names = [one_line(score.label) for score in item.scores]
    # A very long name exceeds its column rather than push all numbers away.
    width = max((len(name) for name in names if len(name) <= _WIDEST), default=0)
    for name, score in zip(names, item.scores, strict=True):
        number = f"{score.probability:.4g}" if values else percent(score.probability)
        shown = marked(name) if score.label in fitting else name
        rows.append((score.probability, shown + " " * (width - len(name)), number))
    if not values:
        rows.sort(key=lambda row: -row[0])
    return [(name, number) for _, name, number in rows]
