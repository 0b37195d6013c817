"""Compare two models on examples with known answers."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.models.measure import FILES, add_shared, find_set, values
from app.cli.terminal import TerminalReport, one_line, print_json
from app.core.measure_words import examples, figure, named, share, speed, verdict
from app.core.measures import Comparison
from app.flows.measure.measure import compare_models
from app.flows.workspace import Workspace

_EPILOG = f"""\
{FILES}
Measures that are kept are taken as they are; what was not measured yet is measured now. Whether a difference may
be chance is told by the exact McNemar test.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `compare`."""
    parser.epilog = _EPILOG
    for name, which in (("first", "one model"), ("second", "the other")):
        parser.add_argument(name, metavar=name.upper(), help=f"{which}: a name or a folder")
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help="examples with known answers")
    add_shared(parser)


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Compare two models."""
    models = (arguments.first, arguments.second)
    data = find_set(workspace, models, arguments.file, report) if arguments.file else None
    found = compare_models(
        workspace, *models, report, data=data, limit=arguments.limit, device=arguments.device
    )
    report.clear()
    if arguments.json:
        sides = {"first": values(found.first), "second": values(found.second)}
        print_json(asdict(found) | sides | {"chance": found.chance, "verdict": verdict(found)})
    else:
        _print_compared(found)


def _print_compared(found: Comparison) -> None:
    first, second = found.first, found.second
    one, other = (one_line(name) for name in named(found))
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
