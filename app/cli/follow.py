"""Compute how likely one passage continues another."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import compress
from pathlib import Path

from app.cli.reading import argument_texts
from app.cli.terminal import TerminalReport, add_model_arguments, new_parser, print_json, shortened
from app.core.about import command
from app.core.errors import SpanlightError
from app.core.requests import PassagePairs
from app.core.results import FollowOn, FollowOns
from app.core.wording import percent
from app.flows.heads.heads import follow, read_pairs
from app.flows.workspace import Workspace

_EPILOG = """\
TEXT is a passage itself; - reads one of the two from standard input. Of passages longer than the
model's window, the first one's end and the second one's beginning are read.

With --pairs, rows {"first", "second"} of a .jsonl (or .jsonl.xz) file are read, and a line comes out
for each.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of `next`."""
    parser = new_parser("next", "Tell how likely one passage continues another.", _EPILOG)
    parser.add_argument("--first", metavar="TEXT", help="the passage that comes first")
    parser.add_argument("--second", metavar="TEXT", help="the passage that may follow it")
    parser.add_argument("--pairs", metavar="FILE.jsonl", help="many pairs of passages")
    add_model_arguments(parser)
    return parser


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Print how likely the second passage of each pair follows the first."""
    passages = [arguments.first, arguments.second]
    if (arguments.pairs is None) == (passages == [None, None]):
        raise SpanlightError("Give either --first and --second, or --pairs.", f"See {command()} next --help.")
    if arguments.pairs is not None:
        pairs = read_pairs(Path(arguments.pairs))
    elif None in passages:
        raise SpanlightError("--first and --second go together.", "Give both.")
    else:
        first, second = argument_texts(passages, workspace, report)
        pairs = PassagePairs(((first, second),))
    found = follow(workspace, pairs, report, model=arguments.model, device=arguments.device)
    if arguments.json:
        print_json(follow_values(pairs, found))
        return
    for (_, second), item in zip(pairs.pairs, found.items, strict=True):
        line = percent(item.probability)
        if arguments.pairs is not None:
            line = f"{line:>5}  {shortened(second)}"
        print(line)
        if note := _note(item):
            print(f"       {note}" if arguments.pairs is not None else note)


def follow_values(pairs: PassagePairs, found: FollowOns) -> dict[str, object]:
    """Return what `next --json` prints."""
    return {
        "items": [
            {"first": first, "second": second} | asdict(item)
            for (first, second), item in zip(pairs.pairs, found.items, strict=True)
        ],
        "model": found.model,
        "device": found.device,
        "seconds": found.seconds,
    }


def _note(item: FollowOn) -> str:
    parts = list(compress(("the end of the first", "the beginning of the second"), item.cut))
    return f"Only {' and '.join(parts)} was read." if parts else ""
