"""The command `models`: installed and offered models, and all actions on them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from app.cli.terminal import Parser, TerminalReport, new_parser
from app.core.about import command
from app.core.arguments import did_you_mean
from app.core.errors import SpanlightError
from app.flows.workspace import Workspace

Run = Callable[[argparse.Namespace, Workspace, TerminalReport], None]
WORDS = {
    "list": "what is installed, and which model each task uses (so does no word at all)",
    "offered": "look through the models that are offered",
    "download": "show what a model is, and fetch it once you say so",
    "import": "check a model's folder or zip and take it in",
    "remove": "say what removing a model frees, and remove it",
    "use": "choose which model a task uses",
    "measure": "measure a model on examples whose answers are known",
    "compare": "hold two models against each other on the same examples",
    "devices": "where models can run on this computer, and why",
    "network": "how the network is reached, and what was asked of it",
    "offline": "forbid the network, or allow it again",
}


class _Words(Parser):
    """The parser of `models`: its first word chooses the parser of the rest."""

    def parse_intermixed_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """The arguments of the word, with what it runs as `action`."""
        rest = list(sys.argv[1:] if args is None else args)
        at = next((n for n, each in enumerate(rest) if not each.startswith("-")), None)
        if at is None and {"-h", "--help"} & set(rest):
            return super().parse_args(rest)
        word = rest.pop(at) if at is not None else "list"
        parser, action = _parser(word)
        found = parser.parse_intermixed_args(rest, namespace)
        found.action = action
        return found


def parser() -> argparse.ArgumentParser:
    """The arguments of `models`."""
    listed = "\n".join(f"  {word:<10}{what}" for word, what in WORDS.items())
    words = _Words(
        prog=f"{command()} models",
        usage=f"{command()} models [WORD ...] [--json]",
        description="See which models are here, get others, choose and measure them.",
        epilog=f"words:\n{listed}\n\n{command()} models WORD --help tells more about one of them.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    words.add_argument("--json", action="store_true", help="print JSON, for programs")
    return words


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Run the action of the word."""
    arguments.action(arguments, workspace, report)


def _parser(word: str) -> tuple[Parser, Run]:
    """The parser of a word, and what it runs."""
    if word not in WORDS:
        near = did_you_mean(word, WORDS)
        see = f"See {command()} models --help."
        raise SpanlightError(f"models knows no word “{word}”.", f"{near} {see}" if near else see)
    what = WORDS[word].partition(" (")[0]
    parser = new_parser(f"models {word}", f"{what[:1].upper()}{what[1:]}.")
    add_arguments, run_word = _action(word)
    add_arguments(parser)
    return parser, run_word


def _action(word: str) -> tuple[Callable[[argparse.ArgumentParser], None], Run]:
    """What adds a word's arguments, and what it runs; only the module that is needed is imported."""
    match word:
        case "list" | "use" | "remove" | "devices":
            from app.cli.models import installed

            return installed.ACTIONS[word]
        case "offered" | "download" | "import":
            from app.cli.models import getting

            return getting.ACTIONS[word]
        case "measure" | "compare":
            from app.cli.models import measuring

            return measuring.ACTIONS[word]
    from app.cli.models import network

    return network.ACTIONS[word]
