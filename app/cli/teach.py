"""Teach a classifier labels from a table of texts, or a reader from corrections of its answers."""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

from app.cli.terminal import (
    Action,
    SubcommandParser,
    TerminalReport,
    at_least_one,
    count,
    one_line,
    print_json,
    zero_or_more,
)
from app.cli.train import StepReport
from app.core.errors import SpanlightError
from app.core.labels import ENOUGH, Dataset, GivenLabels, Label
from app.core.legible import legible
from app.core.wording import duration, percent
from app.flows.rows import lock_output, refuse_same_file
from app.flows.teach.datasets import checked_labels, contradictions, normalise_text, split_labels
from app.flows.teach.figures import figures
from app.flows.teach.files import TextTable, column_of, read_text_table
from app.flows.teach.reader import teach_reader
from app.flows.teach.teach import MORE, Examples, classify_held, hold_out, missing, teach_into
from app.flows.workspace import Workspace

_HISTORY = "history"
_EPILOG = """\
FILE is a table with a header (CSV, TSV, XLSX, or JSON Lines): a column of texts, and one of labels. Rows
without a label are left out. The folder that is written holds a classifier that `classify --model` takes.

How good it is is measured on texts that it has not seen: with --examples N, which takes N texts of each
label, on all the others; without, on each quarter of the texts after learning from the rest.
"""


_READER_EPILOG = """\
The reader learns from what was said of its answers in the window (history, the default), or from FILE: SQuAD 2.0,
or rows {"id", "context", "question", "answers": [{"text", "answer_start"}]} as JSON Lines; no answers: the text
does not say. A fifth is held out. The reader is measured before and after on these, and on questions like those
that it was made from. It is not changed: the folder that is written holds a new one that `ask --model` takes,
and that opens in transformers.

A run that was stopped with Ctrl+C, or killed, goes on where it was when the same command is given again.
"""
_SUBCOMMANDS = {
    "classification": "teach a classifier labels from a table of texts",
    "reader": "teach a reader from corrections of its answers",
}

_Row = tuple[str, tuple[str, ...]]  # a text and its labels


def parser() -> argparse.ArgumentParser:
    """Return the parser of `teach`."""
    return SubcommandParser("teach", "Teach a model what a person knows.", _SUBCOMMANDS, _ACTIONS.__getitem__)


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Run the subcommand."""
    arguments.action(arguments, workspace, report)


def _output_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", required=True, metavar="FOLDER", help="where the model goes")


def _reader_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _READER_EPILOG
    parser.add_argument(
        "--from", dest="source", default=_HISTORY, metavar="history|FILE", help="what to learn from"
    )
    parser.add_argument("--model", default="", metavar="NAME_OR_FOLDER", help="the reader to begin with")
    _output_argument(parser)


def _reader(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Teach a reader, and print its figures beside those of its base."""
    output = Path(arguments.output).absolute()  # "." has no name to put a folder beside it
    source = None if arguments.source == _HISTORY else Path(arguments.source)
    if source is not None:
        refuse_same_file(source, output)
    _refuse_existing(output)
    steps = StepReport(report)
    found = teach_reader(workspace, steps, corrections=source, base=arguments.model, output=output)
    if arguments.json:
        print_json({**asdict(found), "is_better": found.is_better})
        return
    print(f"Taught from {count(found.corrections, 'correction')}; it began with {one_line(found.base)}.")
    for what, change in (("Corrections held out", found.held), ("What it knew", found.known)):
        before, after = change.before, change.after
        print(f"{what} ({count(after.questions, 'question')}):")
        for name in ("exact", "f1", "calibration_error"):
            words = f"{getattr(before, name):5.1f} before, {getattr(after, name):5.1f} now"
            print(f"  {name.replace('_', ' '):<18}{words}")
    print("It is better." if found.is_better else "It is not better: keep the one that it began with.")
    print(f"Written to {one_line(str(output))}")


def _refuse_existing(output: Path) -> None:
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise SpanlightError(f"“{output}” is there already.", "Give a new folder for the model.")


def _classification_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="the table")
    parser.add_argument("--text", required=True, metavar="COLUMN", help="the column of the texts")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the column of the labels")
    parser.add_argument(
        "--examples", type=at_least_one, metavar="N", help="texts of each label to learn from"
    )
    parser.add_argument("--multi", action="store_true", help="several labels a text, separated by semicolons")
    parser.add_argument("--seed", type=zero_or_more, default=13, help="which texts --examples takes")
    _output_argument(parser)


def _classification(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Teach a classifier, measure it on unseen texts, and write it to a folder."""
    source, output = Path(arguments.file), Path(arguments.output)
    refuse_same_file(source, output)
    with lock_output(output):
        _refuse_existing(output)
        _teach(arguments, source, output, workspace, report)


def _teach(
    arguments: argparse.Namespace, source: Path, output: Path, workspace: Workspace, report: TerminalReport
) -> None:
    table = read_text_table(workspace, source, report)
    text, label = (column_of(table, name, source) for name in (arguments.text, arguments.label))
    rows = _labelled(table, text, label, arguments.multi)
    names = sorted({name for _, given in rows for name in given})
    labels = checked_labels([Label(name) for name in names], arguments.multi)
    dataset = Dataset(0, output.name, table.columns, text, labels, arguments.multi, str(source))
    _report_contradictions(rows, report)
    learnt, rest = _draw(rows, arguments.examples, arguments.seed)
    _refuse_few(learnt, dataset)
    texts = [words for words, _ in learnt]
    examples = Examples(texts, [tuple(map(dataset.names.index, given)) for _, given in learnt])
    taught = teach_into(workspace, dataset, examples, output, report)
    if rest:
        held_out = classify_held(workspace, dataset, str(output), rest, report)
    else:
        held_out = hold_out(workspace, dataset, range(len(texts)), examples, report)
    found = figures(dataset, held_out)
    if arguments.json:
        print_json(
            {
                "output": str(output),
                "examples": len(texts),
                "seconds": taught.seconds,
                "texts": found.texts,
                "accuracy": found.accuracy,
                "interval": [found.low, found.high],
                "labels": {
                    each.label: {name: getattr(each, name) for name in ("precision", "recall", "f1", "texts")}
                    for each in found.by_label
                },
                "confusion": found.confusion,
                "learning_curve": held_out.curve,
            }
        )
        return
    print(
        f"Learnt {count(len(labels), 'label')} from {count(len(texts), 'text')} in {duration(taught.seconds)}."
    )
    print(f"On {count(found.texts, 'text')} that it had not seen: {found.in_words}.")
    width = max(len(legible(each.label)) for each in found.by_label)
    for each in found.by_label:
        print(f"  {legible(each.label):<{width}}  F1 {each.f1:.2f}  {count(each.texts, 'text')}")
    if found.more >= 0.005:
        print(f"{MORE} more examples would bring about {100 * found.more:.0f} points.")
    for doubt in found.doubts[:5]:
        words = one_line(texts[doubt.row] if not rest else rest[doubt.row][0])[:60]
        print(
            f"Labelled {legible(doubt.label)}, rather {legible(doubt.rather)} ({percent(doubt.probability)}): {words}"
        )
    print(f"Written to {one_line(str(output))}")


def _labelled(table: TextTable, text: int, label: int, multi: bool) -> list[_Row]:
    known: dict[str, str] = {}  # “Good” and “good” are one label
    rows = [
        (
            row[text],
            tuple(dict.fromkeys(known.setdefault(n.casefold(), n) for n in split_labels(row[label], multi))),
        )
        for row in table.rows
        if row[label].strip() and row[text].strip()
    ]
    if not rows:
        raise SpanlightError("No row has both a text and a label.", "Check the columns' names.")
    return rows


def _report_contradictions(rows: list[_Row], report: TerminalReport) -> None:
    """Report equal texts with different labels on standard error."""
    for same in contradictions([words for words, _ in rows], _given(rows)):
        labels = " and ".join(sorted({"; ".join(sorted(rows[at][1])) for at in same}))
        report.line(f"One text is labelled {one_line(labels)}: {one_line(rows[same[0]][0])[:60]}")


def _given(rows: list[_Row]) -> dict[int, GivenLabels]:
    return {at: GivenLabels(at, labels) for at, (_, labels) in enumerate(rows)}


def _draw(rows: list[_Row], each: int | None, seed: int) -> tuple[list[_Row], list[_Row]]:
    """Draw at least `each` texts of each label at random, and return them and the others that equal none of them.

    Without a number, all rows are drawn.
    """
    if each is None:
        return rows, []
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    counts: dict[str, int] = defaultdict(int)
    taken = set()
    for at in order:
        if any(counts[label] < each for label in rows[at][1]):
            taken.add(at)
            for label in rows[at][1]:
                counts[label] += 1
    learnt = {normalise_text(rows[at][0]) for at in taken}
    return [rows[at] for at in sorted(taken)], [row for row in rows if normalise_text(row[0]) not in learnt]


def _refuse_few(rows: list[_Row], dataset: Dataset) -> None:
    if few := missing(dataset, _given(rows), 2):
        raise SpanlightError(
            f"These labels have one example only: {one_line(', '.join(few))}.",
            f"Give each at least two, better {ENOUGH}, or leave them out.",
        )


_ACTIONS: dict[str, Action] = {
    "classification": (_classification_arguments, _classification),
    "reader": (_reader_arguments, _reader),
}
