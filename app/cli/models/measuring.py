"""The subcommands of `models` that measure a model on examples with known answers, and compare two."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.cli.models.words import local_time, task
from app.cli.terminal import Action, TerminalReport, one_line, print_json, zero_or_more
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.measures import (
    Comparison,
    ExampleSet,
    Measure,
    examples,
    figure,
    model_names,
    share,
    speed,
    verdict,
)
from app.core.models import Head
from app.core.wording import duration
from app.flows.measure.label_matching import LabelsDiffer
from app.flows.measure.measure import (
    compare_models,
    example_set,
    example_sets,
    measure,
    measured,
    set_for,
)
from app.flows.workspace import Workspace

_FILES = """\
FILE is one of your own: SQuAD's .json; .jsonl with rows {"id", "context", "question", "answers": [{"text",
"answer_start"}]}, {"text", "label"} or {"tokens", "tags"}; .csv or .tsv with the columns question, context
and answer (empty: the text does not say), or text and label; words with tags as CoNLL has them (.conll, .txt).
Without FILE a small set that comes along is taken; its name will do for FILE too.
"""
_MEASURE_EPILOG = f"""\
{_FILES}
Figures are in per cent: of questions EM and F1 (SQuAD 2.0), F1 of the best span over the answerable ones, the
unanswerable ones left unanswered; of texts accuracy and macro F1; of names F1, precision and recall; and how far
the probabilities lie from how often it is right (expected calibration error). Speed is of reading alone.

Labels belong together whose names are the same; where they differ, say which does: --labels
"1 star:negative,5 stars:positive", the model's label first.
"""


def _measure_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _MEASURE_EPILOG
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the model: a name or a folder")
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help="examples with known answers")
    parser.add_argument("--task", type=task, metavar="TASK", help="ask, classify or names")
    parser.add_argument("--labels", type=_labels, metavar="MODEL:FILE,...", help="which label is which")
    parser.add_argument("--kept", action="store_true", help="list what was measured before (of NAME)")
    parser.add_argument("--sets", action="store_true", help="list the sets that come along")
    _add_shared_arguments(parser)


def _measure_model(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Measure a model, or list measures or sets."""
    if arguments.sets:
        _print_sets(example_sets(workspace, report), arguments.json)
        return
    if arguments.kept:
        saved = measured(workspace, report)
        if arguments.name:
            saved = tuple(one for one in saved if arguments.name in (one.model, one.folder))
        _print_saved(saved, arguments.json)
        return
    if not arguments.name:
        raise SpanlightError("measure needs a model's NAME.", f"See {command()} models.")
    data = _find_set(workspace, (arguments.name,), arguments.file, report, arguments.task)
    try:
        found = measure(
            workspace,
            arguments.name,
            data,
            report,
            limit=arguments.limit,
            labels=arguments.labels,
            device=arguments.device,
        )
    except LabelsDiffer as fault:
        ours, theirs = fault.model_labels[0], fault.set_labels[0]
        raise SpanlightError(fault.message, f'Say which is which: --labels "{ours}:{theirs},…".') from fault
    if arguments.json:
        print_json(_values(found))
    else:
        _print_measure(found)


def _add_shared_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `measure` and `compare` share."""
    parser.add_argument(
        "--limit", type=zero_or_more, default=0, metavar="N", help="examples, chosen by chance (all)"
    )
    parser.add_argument("--device", default="", metavar="auto|cpu|cuda|mps", help="where the model runs")


def _find_set(
    workspace: Workspace,
    models: tuple[str, ...],
    file: str,
    report: TerminalReport,
    head: Head | None = None,
) -> ExampleSet:
    """Return the set in a file, the bundled set of that name, or without a file the first one that fits the models."""
    if not file:
        return set_for(workspace, models, report, head)
    if not Path(file).expanduser().exists():
        for data in example_sets(workspace, report):
            if file.casefold() in (data.title.casefold(), Path(data.path).stem.casefold()):
                return data
    return example_set(file, head)


def _labels(value: str) -> dict[str, str]:
    pairs = [pair.rpartition(":") for pair in value.split(",") if pair.strip()]
    if not pairs or not all(own.strip() and wanted.strip() for own, _, wanted in pairs):
        raise argparse.ArgumentTypeError(f"“{value}” does not name labels as MODEL:FILE,MODEL:FILE")
    return {own.strip(): wanted.strip() for own, _, wanted in pairs}


def _values(found: Measure) -> dict[str, object]:
    """Return a measure as `--json` prints it, with its speed in examples a second."""
    return asdict(found) | {"speed": round(found.speed, 2)}


def _print_measure(found: Measure) -> None:
    number = examples(found.examples, found.head)
    print(f"{one_line(found.model)}, on {found.device}")
    print(f"{one_line(found.data)}: {number} in {duration(found.seconds)}, {speed(found)}")
    for name, value in found.figures.items():
        term = figure(name, found.head)
        print(f"  {term.title:<22}{share(value):>9}  {term.term}".rstrip())


def _print_saved(saved: tuple[Measure, ...], as_json: bool) -> None:
    if as_json:
        print_json({"measures": [_values(one) for one in saved]})
        return
    if not saved:
        print("Nothing was measured yet.")
    for one in saved:
        words = ", ".join(f"{figure(name).title} {share(value)}" for name, value in one.figures.items())
        print(f"{one_line(one.model)}: {one_line(one.data)}, {examples(one.examples, one.head)}")
        print(f"  {words}")
        print(f"  {speed(one)} on {one.device}, {local_time(one.when)}")


def _print_sets(sets: tuple[ExampleSet, ...], as_json: bool) -> None:
    if as_json:
        print_json({"sets": [asdict(one) for one in sets]})
        return
    for one in sets:
        print(f"{one.title}\n  {one.line}\n  {one.path}")


_COMPARE_EPILOG = f"""\
{_FILES}
Measures that are kept are taken as they are; what was not measured yet is measured now. Whether a difference may
be chance is judged by the exact McNemar test.
"""


def _compare_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _COMPARE_EPILOG
    for name, which in (("first", "one model"), ("second", "the other")):
        parser.add_argument(name, metavar=name.upper(), help=f"{which}: a name or a folder")
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help="examples with known answers")
    _add_shared_arguments(parser)


def _compare_two(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    models = (arguments.first, arguments.second)
    data = _find_set(workspace, models, arguments.file, report) if arguments.file else None
    found = compare_models(
        workspace, *models, report, data=data, limit=arguments.limit, device=arguments.device
    )
    if arguments.json:
        sides = {"first": _values(found.first), "second": _values(found.second)}
        print_json(asdict(found) | sides | {"chance": found.chance, "verdict": verdict(found)})
    else:
        _print_compared(found)


def _print_compared(found: Comparison) -> None:
    first, second = found.first, found.second
    one, other = (one_line(name) for name in model_names(found))
    print(f"{one_line(first.data)}: {examples(first.examples, first.head)}\n")
    width = max(10, len(one), len(other))
    print(f"{'':<24}{one:>{width}}  {other:>{width}}")
    for name in first.figures:
        cells = (share(side.figures[name]) if name in side.figures else "-" for side in (first, second))
        print(f"{figure(name, first.head).title:<24}" + "  ".join(f"{cell:>{width}}" for cell in cells))
    print(f"{'Speed':<24}" + "  ".join(f"{speed(side):>{width}}" for side in (first, second)))
    print(
        f"\nBoth right {found.both:,}, only {one} {found.only_first:,}, only {other} {found.only_second:,}, ",
        end="",
    )
    print(f"neither {found.neither:,}.")
    print(one_line(verdict(found)) + f" (McNemar, p = {found.chance:.2g})")


ACTIONS: dict[str, Action] = {
    "measure": (_measure_arguments, _measure_model),
    "compare": (_compare_arguments, _compare_two),
}
