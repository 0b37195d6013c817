"""Measure how soon answers are there."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.cli.terminal import TerminalReport, add_model_arguments, at_least_one, new_parser, print_json
from app.core.wording import count, size
from app.flows.bench.anytime import AnytimeBench, AnytimePlan, bench_anytime
from app.flows.workspace import Workspace

_EPILOG = """\
anytime: asks answerable questions of qa_dev-squad2.jsonl.xz in FOLDER (or FOLDER/qa), each about one long
document: its own paragraph somewhere among others of that file and of the folder's other qa_*.jsonl.xz files.
Each is asked on a warm model process, in full and quickly (only the passages that share most words with
the question). Times are seconds from the question on; settled is when the best answer had become what
it is at the end. Same: exactly the span that the whole reading ends with; overlaps: shares words with it;
right: shares words with a known answer, at its place.
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of `bench`."""
    parser = new_parser("bench", "Measure how soon answers are there in long documents.", _EPILOG)
    parser.add_argument("what", choices=("anytime",))
    parser.add_argument("--data", required=True, metavar="FOLDER", help="where the question files are")
    parser.add_argument(
        "--words", type=at_least_one, default=500_000, metavar="N", help="words of a document (500000)"
    )
    parser.add_argument("--questions", type=at_least_one, default=8, metavar="N", help="how many to ask (8)")
    parser.add_argument("--seed", type=int, default=13, help="what chance begins with (13)")
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Measure and print the figures."""
    plan = AnytimePlan(Path(arguments.data), arguments.words, arguments.questions, arguments.seed)
    found = bench_anytime(workspace, plan, report, model=arguments.model, device=arguments.device)
    report.clear()
    if arguments.json:
        print_json(asdict(found))
    else:
        _print(found)


def _print(found: AnytimeBench) -> None:
    figures = found.figures
    print(f"{found.model}, on {found.device}")
    print(f"{count(figures.questions, 'question')}, each about a document of {figures.words:,} words")
    print()
    print(f"{'seconds to':<16}{'median':>9}{'worst':>9}{'of all':>9}")
    _print_row("first answer", figures.first, figures.first_worst, figures.first_share)
    _print_row("settled answer", figures.settled, figures.settled_worst, None)
    _print_row("quick answer", figures.quick, figures.quick_worst, figures.quick_share)
    _print_row("final answer", figures.final, figures.final_worst, None)
    print()
    print(f"{'answer':<16}{'same':>9}{'overlaps':>9}{'right':>9}")
    _print_shares("first", figures.first_same, figures.first_overlaps, figures.first_right)
    _print_shares("quick", figures.quick_same, figures.quick_overlaps, figures.quick_right)
    _print_shares("final", 1.0, 1.0, figures.final_right)
    if found.memory:
        print(f"\nThe model process took up to {size(found.memory)} of memory.")


def _print_row(name: str, median: float, worst: float, share: float | None) -> None:
    part = "" if share is None else f"{100 * share:.2f} %"
    print(f"{name:<16}{median:>9.3f}{worst:>9.3f}{part:>9}".rstrip())


def _print_shares(name: str, *shares: float) -> None:
    print(f"{name:<16}" + "".join(f"{100 * share:.0f} %".rjust(9) for share in shares))
