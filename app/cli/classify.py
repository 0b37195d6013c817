"""Give texts their class probabilities."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.cli.reading import argument_texts
from app.cli.terminal import (
    TerminalReport,
    add_model_arguments,
    count,
    marked,
    new_parser,
    one_line,
    print_batch,
    print_json,
    shortened,
)
from app.core.about import command
from app.core.atomic import write_atomic
from app.core.errors import SpanlightError
from app.core.legible import legible
from app.core.models import Head, ProblemType
from app.core.requests import TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from app.core.tables import class_columns, class_values, csv_lines
from app.core.wording import percent
from app.flows.csv_files import Table, read_columns, read_table
from app.flows.heads.classify_batch import classes_as_json, classify_batch, classify_table
from app.flows.heads.heads import classify
from app.flows.rows import refuse_same_file, refuse_unwritable
from app.flows.teach.datasets import checked_labels, labels_from
from app.flows.teach.files import column_of, only_text_column, read_text_table
from app.flows.workspace import Workspace

_EPILOG = """\
TEXT is a text itself; - reads one from standard input. A text longer than the model's window is
read whole, in several windows.

With --file, the rows of a table (CSV, TSV, XLSX, JSON Lines, or a text with a line for each) come out as
CSV, to standard output or to --output, a new file, with the columns label, probability, and "probability
CLASS" for every class behind their own (of a regression model only "value CLASS"). Without --column the only
column that looks like texts is taken. A cell that a spreadsheet would take for a formula gets an apostrophe.

With --labels "a; b; c" the classes are these words, or "name: a few words of description" each. No
model has learnt them: texts are compared with the words, a first guess. `teach` learns them from
examples.

With --cluster (auto, local, or the ADDRESS of a head node) a Ray cluster classifies the texts of a Parquet
file, or of a folder of them; OUT is a folder of Parquet files, or of a name with .csv brought together in it.
See `table --help` for what a cluster needs.

A batch reads rows {"id", "text"} of a .jsonl (or .jsonl.xz) file and appends rows {"id", "label",
"probability", "probabilities"} in the same order; a row without an id goes by its line, from 1.
Started again, it goes on where it was stopped or killed.

Of a model whose classes do not exclude each other, "label" is the likeliest class, "labels" are all
that reach one half; where none does, "label" is empty and "probability" null. A model that gives
values has "values" in place of "probabilities".
"""
_WIDEST = 48


def parser() -> argparse.ArgumentParser:
    """Return the parser of `classify`."""
    parser = new_parser("classify", "Give texts their class probabilities.", _EPILOG)
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="what to classify; - is standard input")
    parser.add_argument("--file", metavar="F.csv", help="a table with a text in each row")
    parser.add_argument("--column", metavar="NAME", help="the column of the texts")
    parser.add_argument(
        "--labels", metavar='"A; B"', help="labels of your own, told apart by their words alone"
    )
    parser.add_argument("--batch", metavar="IN.jsonl", help="many texts")
    parser.add_argument("--output", metavar="OUT", help="where the classes of a file or a batch go")
    parser.add_argument("--cluster", metavar="auto|local|ADDRESS", help="have a Ray cluster do it")
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Classify texts, a table's column, or a batch."""
    given = [bool(arguments.texts), arguments.file is not None, arguments.batch is not None]
    if sum(given) != 1:
        raise SpanlightError("Give either texts, or --file, or --batch.", f"See {command()} classify --help.")
    if arguments.column is not None and arguments.file is None:
        raise SpanlightError("--column goes with --file.", "Give the table with --file.")
    if arguments.cluster is not None:
        if arguments.file is None:
            raise SpanlightError("--cluster goes with --file.", "Give a Parquet file, or a folder of them.")
        from app.cli.cluster import classify_on_cluster

        classify_on_cluster(arguments, workspace, report)
    elif arguments.labels is not None:
        _run_labels(arguments, workspace, report)
    elif arguments.batch is not None:
        _run_batch(arguments, workspace, report)
    elif arguments.file is not None:
        _run_file(arguments, workspace, report)
    elif arguments.output is not None:
        raise SpanlightError("--output goes with --file or --batch.", "Leave it out.")
    else:
        _run_texts(arguments, workspace, report)


def _run_texts(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    texts = argument_texts(arguments.texts, workspace, report)
    found = classify(
        workspace, TextsToClassify(texts), report, model=arguments.model, device=arguments.device
    )
    _print_texts(arguments, texts, found)


def _print_texts(arguments: argparse.Namespace, texts: tuple[str, ...], found: Classifications) -> None:
    if arguments.json:
        print_json(classifications_values(texts, found))
        return
    for number, (text, item) in enumerate(zip(texts, found.items, strict=True)):
        if number:
            print()
        _print(text, item, with_text=len(texts) > 1)


def classifications_values(texts: tuple[str, ...], found: Classifications) -> dict[str, object]:
    """Return what `classify --json` prints."""
    return {
        "items": [
            {"text": text, **classes_as_json(item), "windows": item.windows, "tokens": item.tokens}
            for text, item in zip(texts, found.items, strict=True)
        ],
        "model": found.model,
        "device": found.device,
        "seconds": found.seconds,
    }


def _run_labels(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Guess which of the given labels fits each text."""
    from app.flows.teach.teach import first_guesses

    if arguments.batch is not None or arguments.model:
        raise SpanlightError("--labels goes with texts or --file, and with no model.", "Leave the other out.")
    labels = checked_labels(labels_from(arguments.labels), multi=False)
    names = [label.name for label in labels]
    if arguments.file is None:
        texts = argument_texts(arguments.texts, workspace, report)
        TextsToClassify(texts).require_words()
    else:
        table = _table(arguments, workspace, report)
        texts = tuple(row[table.column] for row in table.rows)
    found = first_guesses(workspace, texts, labels, report).tolist()
    report.line("First guesses, by the labels' words alone.")
    items = tuple(
        Classification(tuple(map(ClassScore, names, each)), names[each.index(max(each))], 1, 0)
        for each in found
    )
    if arguments.file is None:
        model = workspace.find_model(Head.EMBEDDINGS).name
        _print_texts(arguments, texts, Classifications(items, 0.0, model))
        return
    rows = [class_columns(table.columns, names)]
    rows += [[*cells, *class_values(item)] for cells, item in zip(table.rows, items, strict=True)]
    lines = csv_lines(rows, table.delimiter)
    if arguments.output is not None:
        write_atomic(Path(arguments.output), lines.encode("utf-8"), private=False)
    _print_table(arguments, lines, len(texts))


def _run_file(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    table = _table(arguments, workspace, report)
    output = Path(arguments.output) if arguments.output is not None else None
    lines = classify_table(workspace, table, output, report, model=arguments.model, device=arguments.device)
    _print_table(arguments, lines, len(table.rows))


def _table(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> Table:
    """Read the table of --file and find its column of texts; a CSV file's delimiter is kept."""
    source, column = Path(arguments.file), arguments.column
    if arguments.output is not None:
        output = Path(arguments.output)
        refuse_same_file(source, output)
        if output.is_file() and output.stat().st_size:
            raise SpanlightError(f"“{output}” is there already.", "Give another name, or remove it first.")
        refuse_unwritable(output)
    kind = source.suffix.lower()
    if kind in (".csv", ".tsv") or (column is not None and kind not in (".xlsx", ".jsonl", ".xz")):
        if column is not None:
            return read_table(source, column)
        table = read_columns(source)
    else:
        found = read_text_table(workspace, source, report)
        table = Table(found.columns, found.rows, 0 if column is None else column_of(found, column, source))
    if column is None:
        table = replace(table, column=only_text_column(table.columns, table.rows, source))
        report.line(f"The texts are those of the column “{one_line(table.columns[table.column])}”.")
    return table


def _print_table(arguments: argparse.Namespace, lines: str, rows: int) -> None:
    """Print the CSV of a table, unless it was written to a file."""
    output = arguments.output
    if arguments.json:
        print_json({"rows": rows, "output": output or "", "csv": "" if output else lines})
    elif output is None:
        sys.stdout.write(lines)
    else:
        print(f"{count(rows, 'text')} classified.")


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
    print_batch(done, "text", "classified", arguments.json)


def _print(text: str, item: Classification, *, with_text: bool) -> None:
    if with_text:
        print(shortened(text, 80))
    for name, number in _rows(item):
        print(f"{name}  {number:>6}")
    if item.problem == ProblemType.MULTI_LABEL:
        fitting = ", ".join(legible(score.label) for score in item.fitting)
        print(f"One half or more: {fitting}." if fitting else "No class reaches one half.")
    if item.windows > 1:
        print(f"Read whole, in {count(item.windows, 'window')} of the model.")


def _rows(item: Classification) -> Iterator[tuple[str, str]]:
    """Yield the labels, padded to one width, with their numbers: likeliest first, or values in the model's order."""
    is_regression = item.problem == ProblemType.REGRESSION
    scores = item.scores if is_regression else sorted(item.scores, key=lambda score: -score.probability)
    fitting = {score.label for score in item.fitting}
    names = [legible(score.label) for score in scores]
    # A very long label exceeds its column, so that it does not push all numbers away.
    width = max((len(name) for name in names if len(name) <= _WIDEST), default=0)
    for name, score in zip(names, scores, strict=True):
        number = f"{score.probability:.4g}" if is_regression else percent(score.probability)
        yield (marked(name) if score.label in fitting else name) + " " * (width - len(name)), number
