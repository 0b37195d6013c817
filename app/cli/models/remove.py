"""Show what removing a model frees, and remove it."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.cli.models.words import moment, task_word
from app.cli.terminal import TerminalReport, marked, one_line, print_json
from app.core.errors import SpanlightError
from app.core.offers import Removal, Source
from app.core.wording import count, size
from app.flows.models.remove import removal_of, remove
from app.flows.workspace import Workspace

_EPILOG = """\
A model that was downloaded lies in the Hugging Face cache, which other programs use too; it stays there
unless you say --from-cache. The models that come along with Spanlight stay.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `remove`."""
    parser.epilog = _EPILOG
    parser.add_argument("name", metavar="NAME", help="an installed model's name")
    parser.add_argument("--from-cache", action="store_true", help="take its files out of the cache as well")
    parser.add_argument("--yes", action="store_true", help="remove it without asking")


def run(arguments: argparse.Namespace, workspace: Workspace, report: TerminalReport) -> None:
    """Show what would be removed, ask, and remove."""
    removal = removal_of(workspace, arguments.name, report)
    report.clear()
    if not arguments.json and removal.card.source != Source.STARTER:
        _print(removal, arguments.from_cache)
    # Bundled models cannot be removed: `remove` raises that, and there is nothing to ask.
    wanted: bool | None = arguments.yes or removal.card.source == Source.STARTER
    if not wanted:
        wanted = report.ask("Remove it?") if not arguments.json else None
    if wanted:
        remove(workspace, removal, report, from_cache=arguments.from_cache)
        report.clear()
    if arguments.json:
        print_json(asdict(removal) | {"removed": bool(wanted)})
    elif wanted:
        print("Removed.")
    if not wanted:
        raise SpanlightError("Nothing was removed.", "" if wanted is False else "Add --yes to remove it.")


def _print(removal: Removal, from_cache: bool) -> None:
    print(marked(one_line(removal.card.name)))
    freed = removal.freed + (removal.cached if from_cache else 0)
    print(f"  Removing it frees {size(freed)}.")
    if removal.cached and not from_cache:
        print(f"  {size(removal.cached)} stay in the Hugging Face cache; --from-cache frees them too.")
    if removal.chosen_for:
        print(f"  It is chosen for: {', '.join(task_word(head) for head in removal.chosen_for)}")
    if removal.questions:
        print(f"  It answered {count(removal.questions, 'kept question')}; their answers stay.")
    print(f"  Last used: {moment(removal.last_used)}" if removal.last_used else "  It was not used yet.")
